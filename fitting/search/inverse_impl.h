/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inverse Hessian that the points of a path imply: a covariance of the normal at each of them. */
#ifndef GREBE_FITTING_SEARCH_INVERSE_IMPL_H
#define GREBE_FITTING_SEARCH_INVERSE_IMPL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gb_inverse {
    size_t n;
    bool is_dense, has_pair;
    double *h;    /* n × n by BFGS, or n numbers (Gilbert and Lemaréchal 1989) */
    double *room; /* n numbers */
} gb_inverse;

/* The numbers of memory that it needs. */
size_t gb_inverse_numbers(size_t n, bool is_dense);
void gb_inverse_begin(gb_inverse *h, size_t n, bool is_dense, double *numbers);

/* Adds the pair s, y. A pair without curvature is left out. */
void gb_inverse_add(gb_inverse *h, const double *s, const double *y);

/* Stores H x. */
void gb_inverse_times(const gb_inverse *h, const double *x, double *product);

#endif
