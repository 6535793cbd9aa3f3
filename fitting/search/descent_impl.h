/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L-BFGS on arrays, as a state machine that asks for one value and gradient at a time. So many descents can
 * share the runs that evaluate them.
 *
 * The optimiser gb_lbfgs() is another L-BFGS. It is a graph of assigns, which descends the loss of a tape
 * inside the program of a training, one evaluation a step; it cannot leave the loop of a program, so it backs
 * off along one direction only. Here, the caller may stop between any two evaluations, change coordinates,
 * and read the path. */
#ifndef GREBE_FITTING_SEARCH_DESCENT_IMPL_H
#define GREBE_FITTING_SEARCH_DESCENT_IMPL_H

#include <stdbool.h>
#include <stddef.h>

typedef enum gb_descent_phase {
    GB_DESCENT_FIRST,  /* asks for the value at the start */
    GB_DESCENT_SEARCH, /* along a direction */
    GB_DESCENT_DONE,   /* the gain that is left is below `enough` */
    GB_DESCENT_STUCK,  /* no step along the gradient gets lower: rounding errors, or a wrong gradient */
    GB_DESCENT_LOST    /* no finite value at the start */
} gb_descent_phase;

typedef struct gb_descent {
    size_t n, memory;
    double enough;  /* ends when the gain that the quadratic model expects, gᵀ H g / 2, is below it */
    double noise;   /* relative rounding error of values */
    double longest; /* largest change of a number in a step; 0: any */
    gb_descent_phase phase;
    double value, *x, *gradient;    /* the point so far */
    double *trial, *direction, *at; /* `at`: the gradient at the trial point */
    double step, slope;             /* along the direction: the step tried; the slope at its beginning */
    double low, low_value, low_slope, high, high_value, high_slope; /* the bracket; high 0: none yet */
    double most;                                                    /* the longest step */
    double gain;                                                    /* that the model expects */
    int tries;                                                      /* of this search */
    size_t pairs, newest, steps;
    double *s, *y, *rho, *weight; /* the latest pairs: [memory][n] */
} gb_descent;

/* The numbers of memory that a descent needs. */
size_t gb_descent_numbers(size_t n, size_t memory);

/* Begins at `start`. */
void gb_descent_begin(gb_descent *d, size_t n, size_t memory, double *numbers, const double *start);

/* Begins again at d->x, with the pairs so far: for a function that is nearly the same. There must have been a
 * step. */
void gb_descent_again(gb_descent *d);

/* Takes the value and the gradient at d->trial. A value that is not finite is higher than all others. Returns
 * true if the point was accepted, which then is d->x. */
bool gb_descent_take(gb_descent *d, double value, const double *gradient);

static inline bool gb_descent_asks(const gb_descent *d)
{
    return d->phase <= GB_DESCENT_SEARCH;
}

#endif
