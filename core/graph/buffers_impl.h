/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CORE_GRAPH_BUFFERS_IMPL_H
#define GREBE_CORE_GRAPH_BUFFERS_IMPL_H

#include "core/program.h"

/* Stores the number of bytes of the values in memory, for the samples and rows at hand: whoever chooses a
 * number of samples knows what each takes. It does not depend on threads. Returns false on error. */
bool gb_program_buffers(gb_program *program, size_t *bytes);

#endif
