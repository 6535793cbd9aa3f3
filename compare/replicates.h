/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replicates: many independent estimates of one problem's gradient by one estimator, side by side in one run. */
#ifndef GREBE_COMPARE_REPLICATES_H
#define GREBE_COMPARE_REPLICATES_H

#include "../core/program.h"
#include "problem.h"

GB_BEGIN_DECLS

typedef struct gb_replicate_plan {
    const gb_problem *problem; /* REQUIRED */
    double setting[GB_PROBLEM_SETTINGS];
    const gb_problem_data *data;
    gb_estimator estimator; /* type NULL: the closed form instead */
    int64_t samples;        /* that each estimate is a mean over; 0: 1 */
    int64_t
        at_a_time; /* replicates in one run; 0: 1. With 1 there is no axis of them, and an estimator may learn */
    int64_t runs; /* whose estimates are kept side by side, in places of their own; 0: 1 */
    double rate;  /* not 0: each run makes a step of this rate with the parameters, at_a_time being 1 */
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
    size_t learned; /* how many things */
    /* PRIVATE: the steps of what estimators learn, and of parameters. */
    struct gb_replicate_descents *descents;
} gb_replicates;

/* Records the problem and plans its program. Returns false on error; gb_replicates_status then has the code, and
 * r->trial.tape the words (NULL: no memory). gb_replicates_end must follow in either case (NULL is
 * fine). A plan that makes no sense is GB_EARGUMENT. */
GB_API bool gb_replicates_begin(gb_replicates *r, const gb_replicate_plan *plan);
GB_API void gb_replicates_end(gb_replicates *r);
GB_API gb_status gb_replicates_status(const gb_replicates *r);

/* Makes the next estimates, in r->values: of one run, or of `runs` runs, whose estimates get the places of runs `first`,
 * `first` + 1, …, below the plan's `runs` (others are GB_EARGUMENT); gb_replicates_run fills the first place. `seconds` receives the
 * time that the runs took; it may be NULL. */
GB_API bool gb_replicates_run(gb_replicates *r, double *seconds);
GB_API bool gb_replicates_runs(gb_replicates *r, int64_t first, int64_t runs, double *seconds);

/* Copies what the estimator has learned in `from`, variable by variable. False if the two do not learn alike. */
GB_API bool gb_replicates_learn_from(gb_replicates *r, const gb_replicates *from);

/* Element `element` of the first estimate; that of the next estimates follows at `stride` (which may be NULL).
 * NULL: there is no such element, or nothing was recorded. */
GB_API const double *gb_replicates_element(const gb_replicates *r, size_t element, size_t *stride);

/* The parameters, element after element: how many there are; reading them; setting them. */
GB_API size_t gb_replicates_parameters(const gb_replicates *r);
GB_API bool gb_replicates_get(const gb_replicates *r, double *values);
GB_API bool gb_replicates_set(const gb_replicates *r, const double *values);

/* For a plan with a rate (else GB_EARGUMENT): forgets the momentum of the steps made so far; the next ones have this rate. */
GB_API gb_status gb_replicates_restart(gb_replicates *r, double rate);

/* The name of an element, "mu", "w[3]", or "value" of the expectation, cut to `bytes`; "" of one that is not there. */
GB_API void gb_replicates_name(const gb_replicates *r, size_t element, size_t bytes, char *name);

/* The exact gradient at these parameters, and the exact value if the plan asks for it. False where none is known. */
GB_API bool gb_replicates_exact(const gb_replicate_plan *plan, const double *parameters, size_t elements,
                                double *exact);

GB_END_DECLS
#endif
