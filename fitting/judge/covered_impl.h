/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What q covers of p, and places where it does not. */
#ifndef GREBE_FITTING_JUDGE_COVERED_IMPL_H
#define GREBE_FITTING_JUDGE_COVERED_IMPL_H

#include "fitting/judge/judging_impl.h"

/* q as a normal, by the moments of its draws, and the evidence Z by their weights, the largest
 * ones cut off. */
typedef struct gb_covered {
    const gb_own_judgement *j;
    size_t m;        /* numbers that are no points */
    size_t *number;  /* which these are */
    bool is_normal;  /* its draws do not lie in a plane */
    double evidence; /* log Z */
    double log_root;
    double *root; /* (m, m), of q's covariance */
    double *room; /* (m) */
} gb_covered;

/* Return false on error. `release` takes one that was zeroed, too. */
bool gb_covered_find(gb_covered *q, gb_own_judgement *j);
void gb_covered_release(gb_covered *q);

/* Returns log Z q(x). */
double gb_covered_log(gb_covered *q, const double *x);

/* Returns the logarithm of the mean of weights, given as logarithms. */
double gb_log_mean(size_t count, const double *log_w);

/* Places where p is more than q covers. */
typedef struct gb_far_places {
    size_t count;
    double *x, *log_p; /* (count, n) and (count), in one array; who uses them releases x */
} gb_far_places;

/* Finds about `most` of them, from the farthest ones inwards, and draws of large weights. Returns false on
 * error. */
bool gb_judge_far_places(gb_covered *q, size_t most, gb_far_places *found);

#endif
