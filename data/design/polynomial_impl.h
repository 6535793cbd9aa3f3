/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polynomials that are orthonormal over given points: those of poly() in R. They are evaluated by their
 * recurrence, so new points get the same polynomials. */
#ifndef GREBE_DATA_DESIGN_POLYNOMIAL_IMPL_H
#define GREBE_DATA_DESIGN_POLYNOMIAL_IMPL_H

#include <stddef.h>

/* How many numbers describe polynomials up to a degree. */
static inline size_t gb_polynomials_length(size_t degree)
{
    return 3 + 2 * degree;
}

/* Finds the polynomials of degrees 0 to `degree` for points of which more than `degree` differ. A point
 * counts
 * `weight` times, a positive number (NULL: once). Stores their description in `learned`, and their values at
 * the points,
 * times the root of the weight, in `values`, [degree + 1][count]. */
void gb_polynomials_learn(const double *x, const double *weight, size_t count, size_t degree, double *learned,
                          double *values);

/* Stores the values of those of degrees 1 to `degree` at x. */
void gb_polynomials_at(const double *learned, size_t degree, double x, double *values);

#endif
