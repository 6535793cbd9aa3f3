/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far statistics of what is right may be off: each bound is exceeded with the probability `chance`, from 1e-12 on.
 *
 * GSL is used here alone, and of it only functions that report no error for such arguments: its error handler is one for the
 * whole process, and aborts by default. */
#ifndef GREBE_KIT_SHELL_CHANCE_IMPL_H
#define GREBE_KIT_SHELL_CHANCE_IMPL_H

#include <stddef.h>

/* Of |z|, z standard normal. */
double gb_chance_normal(double chance);
/* Of |t|, Student's t. */
double gb_chance_student(double chance, size_t freedom);
/* Of χ². */
double gb_chance_chi_squared(double chance, size_t freedom);

#endif
