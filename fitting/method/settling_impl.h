/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the iterates of one run are stationary: split R̂ of the later half of them, without keeping them.
 * They fall into eight segments of equal length, each with means and sums of squares; when all are full,
 * neighbours are joined. */
#ifndef GREBE_FITTING_METHOD_SETTLING_IMPL_H
#define GREBE_FITTING_METHOD_SETTLING_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GB_SEGMENTS = 8 };

typedef struct gb_settling {
    size_t n;
    int64_t length, filled; /* iterates in a full segment; in the open one */
    size_t open;            /* number of full segments */
    double *mean, *squares; /* [segment][n] */
} gb_settling;

/* The numbers of memory that it needs. */
size_t gb_settling_numbers(size_t n);
void gb_settling_begin(gb_settling *s, size_t n, int64_t length, double *numbers);

/* Adds the iterates; returns true when all segments are full, and can be looked at before the next one. */
bool gb_settling_add(gb_settling *s, const double *x);

/* Returns whether R̂ of number i, over the last four full segments, is above `most`. */
bool gb_settling_moves(const gb_settling *s, size_t i, double most);

/* Stores the means over the last four segments. */
void gb_settling_mean(const gb_settling *s, double *mean);

#endif
