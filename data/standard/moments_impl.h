/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means and standard deviations that lose no digits: of 1e9 ± 1e-3, and of 1e-200. */
#ifndef GREBE_DATA_STANDARD_MOMENTS_IMPL_H
#define GREBE_DATA_STANDARD_MOMENTS_IMPL_H

#include <stdbool.h>
#include <stddef.h>

/* Of finite numbers. It is finite too, unless they are too far apart for their difference. */
double gb_mean_of_numbers(const double *x, size_t count);

/* sqrt(Σ (x − about)² / divisor), about 0 or about the mean. What the rounding of the mean adds is taken out
 * again. */
double gb_deviation_of_numbers(const double *x, size_t count, double about, double divisor);

/* Of numbers each of which counts `weight` times; all weights are positive (NULL: 1). `room` is for as many.
 * The divisor
 * of squares is Σ w − 1, since a number of weight 2 is there twice. Weights whose sum is less than 2, such as
 * shares, say little of how many numbers there are; for them it is Σ w / 2. */
double gb_mean_of_weighted(const double *x, const double *weight, size_t count, double *room);
double gb_deviation_of_weighted(const double *x, const double *weight, size_t count, double about,
                                double *room);

/* Whether the numbers have this deviation by rounding only, or are all equal. */
bool gb_is_by_rounding(const double *x, size_t count, double deviation);

#endif
