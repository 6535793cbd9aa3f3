/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replicates: many independent estimates of one problem's gradient by one estimator, side by side in one run. */
#ifndef GREBE_ESTIMATORS_REPLICATE_IMPL_H
#define GREBE_ESTIMATORS_REPLICATE_IMPL_H

#include "estimators/descend_impl.h"
#include "estimators/problem.h"

typedef struct gb_replicate_plan {
    const gb_problem *problem;
    double setting[GB_PROBLEM_SETTINGS];
    const gb_problem_data *data;
    gb_estimator estimator; /* type NULL: the closed form instead */
    int64_t samples;        /* that each estimate is a mean over */
    int64_t at_a_time; /* replicates in one run. 1: there is no axis of them, and an estimator may learn */
    int64_t runs;      /* whose estimates are kept side by side; 0: 1 */
    double rate;       /* not 0: each run makes a step of this rate with the parameters, at_a_time being 1 */
    uint64_t seed;
    int threads;
    gb_real real;
    bool second; /* gradients of the sum of the gradients instead */
    bool value;  /* the expectation itself, besides: as one more element, the last */
} gb_replicate_plan;

enum { GB_REPLICATE_ROOTS = GB_PROBLEM_PARAMETERS + 1 };

typedef struct gb_replicates {
    gb_replicate_plan plan;
    gb_trial trial;
    gb_program *program;
    gb_node root[GB_REPLICATE_ROOTS]; /* for each replicate */
    size_t size[GB_REPLICATE_ROOTS];  /* elements of one replicate */
    size_t roots, elements;
    size_t room;        /* for estimates: those of all runs that are kept */
    double *values;     /* root after root, in each estimate after estimate */
    double evaluations; /* of the cost, for one sample, */
    bool costs_vary;    /* of which there are as many as samples; else all have the same */
    gb_node loss;
    size_t learned;            /* how many things */
    gb_descent lowers, trains; /* what estimators learn; parameters */
} gb_replicates;

/* Records and plans. False on error, which r->trial.tape has (NULL: no memory). To be ended in any case. */
bool gb_replicates_begin(gb_replicates *r, const gb_replicate_plan *plan);
void gb_replicates_end(gb_replicates *r);
gb_status gb_replicates_status(const gb_replicates *r);

/* The next estimates, in r->values, of one run, or of several, of which `first` and those after it have their places, as many
 * as the plan says; `seconds`, if it is not NULL, receives what that took. */
bool gb_replicates_run(gb_replicates *r, double *seconds);
bool gb_replicates_runs(gb_replicates *r, int64_t first, int64_t runs, double *seconds);

/* Gives the variables that an estimator learns the values that they have come to in `from`. */
bool gb_replicates_learn_from(gb_replicates *r, const gb_replicates *from);

/* Element `element` of all estimates: the first one; the others follow at `stride`. */
const double *gb_replicates_element(const gb_replicates *r, size_t element, size_t *stride);

/* The parameters, element after element. */
size_t gb_replicates_parameters(const gb_replicates *r); /* how many elements */
bool gb_replicates_get(const gb_replicates *r, double *values);
bool gb_replicates_set(const gb_replicates *r, const double *values);
/* "mu", "w[3]" */
void gb_replicates_name(const gb_replicates *r, size_t element, size_t bytes, char *name);

/* The exact value of the plan's gradient (and what else it asks for) at these parameters; false where none is known. */
bool gb_replicates_exact(const gb_replicate_plan *plan, const double *parameters, size_t elements,
                         double *exact);

#endif
