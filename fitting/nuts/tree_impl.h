/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One transition of NUTS, as a machine that asks for one gradient at a time.
 *
 * A trajectory is doubled, forwards or backwards in time, until its ends turn back (Hoffman and Gelman 2014).
 * Its points are drawn with weights e^−H (Betancourt 2017), and those of the last doubling are preferred. The
 * criterion is the generalised one: ends turn back if the velocity of either has no part along the sum of the
 * momenta. It holds for each half, and also between the halves and the first point of the other. */
#ifndef GREBE_FITTING_NUTS_TREE_IMPL_H
#define GREBE_FITTING_NUTS_TREE_IMPL_H

#include "fitting/nuts/metric_impl.h"

/* A part of a trajectory, from its first point to its last in the direction in which it grew. */
typedef struct gb_span {
    int depth; /* it has 2^depth points */
    double log_weight;
    double *momentum;                          /* the sum over its points */
    double *p_begin, *p_end, *v_begin, *v_end; /* momenta and velocities at its ends */
    double *z, *gradient, log_p, energy;       /* the point drawn from it */
} gb_span;

typedef struct gb_tree {
    size_t n;
    int max_depth;
    double step;
    const gb_metric *metric;
    gb_random *random;
    double *z, *p, *velocity; /* of the point to be evaluated */
    gb_span whole;
    double *z_end[2], *g_end[2]; /* of the whole: where it begins and ends */
    bool forwards;               /* the whole ends where time is latest */
    int direction;               /* of the current doubling */
    gb_span *stack;              /* parts of the current doubling, the largest first */
    int parts;
    double energy, accepted; /* H at the beginning; sum of the acceptance statistics */
    size_t leaps;
    bool diverged;
    double *where; /* the point that diverged */
} gb_tree;

/* The numbers of memory that a tree needs; its spans have memory of their own. */
size_t gb_tree_numbers(size_t n, int max_depth);
void gb_tree_begin(gb_tree *tree, size_t n, int max_depth, gb_span *stack, double *memory);

/* Begins a transition at a point, with new momenta, and writes the first point to be evaluated to tree->z. */
void gb_tree_start(gb_tree *tree, const double *z, double log_p, const double *gradient);

/* Takes log p and the gradient at tree->z. Returns true if another point is to be evaluated; else the
 * transition has ended, and tree->whole has the point that was drawn. */
bool gb_tree_take(gb_tree *tree, double log_p, const double *gradient);

/* The parts of a leap: p moves half a step by the gradient and z a whole one; then, with the gradient at
 * the new z, p moves another half. gb_energy returns H, +∞ where there is no density. */
void gb_leap_begin(const gb_metric *metric, double step, const double *gradient, double *z, double *p,
                   double *velocity);
void gb_leap_end(size_t n, double step, const double *gradient, double *p);
double gb_energy(const gb_metric *metric, double log_p, const double *p, double *velocity);

#endif
