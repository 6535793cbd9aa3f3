/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams that the library names. */
#ifndef GREBE_CORE_TAPE_STREAMS_IMPL_H
#define GREBE_CORE_TAPE_STREAMS_IMPL_H

#include "core/noise.h"

/* Returns a stream of this name, or of the first of NAME_2, NAME_3 … that is free: a call that has failed may
 * have left one behind. */
gb_noise gb_stream_numbered(gb_tape *tape, const char *name);

#endif
