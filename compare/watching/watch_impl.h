/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From gradients in groups to figures. A group is a batch with its draws; with one batch, a draw, or some. */
#ifndef GREBE_COMPARE_WATCHING_WATCH_IMPL_H
#define GREBE_COMPARE_WATCHING_WATCH_IMPL_H

#include "compare/watch.h"

/* Moments of some elements of a gradient, summed over these. So those of more elements are sums of these. */
typedef struct gb_watch_groups {
    size_t groups;
    double each;      /* gradients of a group */
    bool are_batches; /* else all gradients are on one batch */
    double length;    /* |mean|² */
    double *within;   /* of each group: Σ (g − mean of the group)² / (each − 1); 0 for single ones */
    double *off;      /* |mean of the group − mean|² */
    double *along;    /* mean · (mean of the group − mean) */
} gb_watch_groups;

/* Adds the elements of b to those of a. */
void gb_watch_groups_add(gb_watch_groups *a, const gb_watch_groups *b);

/* Returns variance, parts and signal-to-noise ratio; the other figures are not known. */
gb_watched gb_watched_of(const gb_watch_groups *g);

/* Returns a × the variance of one, over b × that of the other; both have the same groups, of the same
 * batches. */
gb_figure gb_watch_ratio(double a, const gb_watch_groups *one, double b, const gb_watch_groups *to);

#endif
