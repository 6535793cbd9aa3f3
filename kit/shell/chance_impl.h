/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the statistics of a correct sample may deviate: a bound is exceeded with the probability `chance`,
 * which is 1e-12 or more.
 *
 * GSL is used only here, and only its functions that report no error for such arguments: its error handler is
 * shared by the whole process, and aborts by default. */
#ifndef GREBE_KIT_SHELL_CHANCE_IMPL_H
#define GREBE_KIT_SHELL_CHANCE_IMPL_H

#include <stddef.h>

/* Bound for |z|, z standard normal. */
double gb_chance_normal(double chance);
/* Bound for |t|, Student's t. */
double gb_chance_student(double chance, size_t freedom);
/* Bound for χ². */
double gb_chance_chi_squared(double chance, size_t freedom);

#endif
