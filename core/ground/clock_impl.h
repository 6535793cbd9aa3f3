/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock by which the library measures, for others to read: no number depends on it. */
#ifndef GREBE_CORE_GROUND_CLOCK_IMPL_H
#define GREBE_CORE_GROUND_CLOCK_IMPL_H

/* In seconds, since whenever; it never goes back. */
double gb_seconds(void);

#endif
