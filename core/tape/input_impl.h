/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points: an input along the samples, for programs that evaluate a function at many points in one run. */
#ifndef GREBE_CORE_TAPE_INPUT_IMPL_H
#define GREBE_CORE_TAPE_INPUT_IMPL_H

#include "core/tape.h"

/* Makes an input with one value of `shape` for each sample. It is fed as many values as its programs have
 * samples, as rows are; a run with another number fails. The name is for messages, and may be there
 * already. */
gb_node gb_input_points(gb_tape *tape, const char *name, gb_shape shape);

#endif
