/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subnormal numbers counted as 0, in this thread, as the processor offers it. */
#ifndef GREBE_CORE_KERNELS_FLUSH_IMPL_H
#define GREBE_CORE_KERNELS_FLUSH_IMPL_H

#include <stdint.h>

/* From now on; returns what gb_flush_end is to put back. Nothing happens on processors that have no such mode. */
uint64_t gb_flush_begin(void);
void gb_flush_end(uint64_t before);

#endif
