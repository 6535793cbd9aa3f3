/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock for measured times. No computed number depends on it. */
#ifndef GREBE_CORE_GROUND_CLOCK_IMPL_H
#define GREBE_CORE_GROUND_CLOCK_IMPL_H

/* Returns seconds since an arbitrary moment. They never decrease. */
double gb_seconds(void);

#endif
