/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of a distribution at many points, and its draws. */
#ifndef GREBE_KIT_DISTRIBUTIONS_EVALUATE_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_EVALUATE_IMPL_H

#include "core/program.h"
#include "kit/distributions/case_impl.h"

/* Returns a quantity by name: log_prob, cdf and icdf at x; mean, variance, mode and entropy. Inert for any
 * other name, and if x is needed but inert. */
gb_node gb_case_quantity(gb_dist d, const char *name, gb_node x);

/* Roots as functions of x, evaluated at many points in few runs. */
typedef struct gb_case_function {
    gb_dist_case *c;
    gb_node x, weight; /* rows */
    gb_program *program;
    gb_node root[4];
    size_t roots;
    double *feed, *read;
} gb_case_function;

/* Makes x and weight as inputs with rows. Record roots of them, then call finish. */
void gb_case_function_begin(gb_case_function *f, gb_dist_case *c);
bool gb_case_function_finish(gb_case_function *f, size_t roots, const gb_node *root);
/* Fills `out` with `roots` arrays of `count` numbers. A root is a number for each row. */
bool gb_case_evaluate(gb_case_function *f, size_t count, const double *x, double *out);

/* Σ weight · ∂log_prob/∂θ for all elements of all variables. */
typedef struct gb_case_scores {
    gb_case_function f;
    gb_node slope[GB_CASE_VARIABLES];
} gb_case_scores;
bool gb_case_score_begin(gb_case_scores *s, gb_dist_case *c, gb_dist d);
bool gb_case_score(gb_case_scores *s, size_t count, const double *x, const double *weight, double *out);

/* ∂total/∂θ for all variables. */
bool gb_case_slopes(gb_dist_case *c, gb_node total, gb_node *slopes);

/* log_prob at rows. */
bool gb_case_log_prob(gb_case_function *f, gb_dist_case *c, gb_dist d);
/* cdf, icdf, survival or inverse_survival at rows. */
bool gb_case_distribution_function(gb_case_function *f, gb_dist_case *c, gb_ability which);

/* Returns `count` draws, each of c->size numbers, in memory of the tape; NULL on error. */
double *gb_case_draws(gb_dist_case *c, gb_node draw, size_t count);

#endif
