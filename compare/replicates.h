/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replicates: many independent gradient estimates of one problem by one estimator, made side by side in one
 * run. */
#ifndef GREBE_COMPARE_REPLICATES_H
#define GREBE_COMPARE_REPLICATES_H

#include "../core/program.h"
#include "problem.h"

GB_BEGIN_DECLS

/* What is replicated, and how often. */
typedef struct gb_replicate_plan {
    const gb_problem *problem; /* REQUIRED */
    double setting[GB_PROBLEM_SETTINGS];
    const gb_problem_data *data;
    gb_estimator estimator; /* type NULL: the closed form instead */
    int64_t samples;        /* that each estimate averages over; 0: 1 */
    /* Replicates in one run; 0: 1. With 1 there is no axis of replicates, and an estimator may learn. */
    int64_t at_a_time;
    /* Runs whose estimates are kept, each in a place of its own; 0: 1. */
    int64_t runs;
    /* If not 0, each run also updates the parameters at this rate: the expected cost falls, or rises if it is
     * a log weight. Requires at_a_time 1. */
    double rate;
    uint64_t seed;
    int threads;
    gb_real real;
    bool second; /* second-order: gradients of the sum of the gradients */
    bool value;  /* also the expectation itself, as the last element */
    /* If it takes several draws, the problem's cost is the log weight of such a bound. None: the mean. */
    gb_bound bound;
    /* Random rows of the data that each run sees (gb_trial_rows); 0: all. Requires at_a_time 1. */
    int64_t batch;
} gb_replicate_plan;

/* The gradient in a parameter, or the expectation. */
typedef struct gb_replicate_root {
    gb_node node; /* for each replicate */
    size_t size;  /* elements of one replicate */
    size_t first; /* elements of the roots before it */
} gb_replicate_root;

/* The replicates, and what follows from them. */
typedef struct gb_replicates {
    gb_replicate_plan plan;
    gb_trial trial;
    gb_program *program;
    size_t roots, elements;
    gb_replicate_root *root;
    size_t room;        /* capacity: the estimates of all runs that are kept */
    double *values;     /* root after root; within a root estimate after estimate */
    double evaluations; /* of the cost, for one sample */
    bool costs_vary;    /* the cost differs between samples; else one evaluation serves all */
    gb_node loss;
    size_t learned; /* how many things the estimator learns */
    uint64_t begun; /* runs so far; they choose the rows of a batch */
    /* PRIVATE: the updates of what estimators learn, and of parameters. */
    struct gb_replicate_descents *descents;
} gb_replicates;

/* gb_replicates_begin records the problem and plans its program. It returns false on error:
 * gb_replicates_status has the code (GB_EARGUMENT for an invalid plan), and r->trial.tape the message. A NULL
 * tape means that there was no memory. Call gb_replicates_end in either case; NULL does nothing. */
GB_API bool gb_replicates_begin(gb_replicates *r, const gb_replicate_plan *plan);
GB_API void gb_replicates_end(gb_replicates *r);
GB_API gb_status gb_replicates_status(const gb_replicates *r);

/* Make the next estimates, in r->values, and return false on error. gb_replicates_run makes one run and fills
 * the first place. gb_replicates_runs makes `runs` runs and fills the places `first`, `first` + 1, …, which
 * must be below the plan's `runs` (GB_EARGUMENT). `seconds`, unless NULL, receives the time of the runs. */
GB_API bool gb_replicates_run(gb_replicates *r, double *seconds);
GB_API bool gb_replicates_runs(gb_replicates *r, int64_t first, int64_t runs, double *seconds);

/* Leaves out the estimates of the next `runs` runs: what follows has the noise, and the rows of a batch, that
 * follow them. */
GB_API void gb_replicates_skip(gb_replicates *r, int64_t runs);

/* Sets the rate at which the next runs lower what the estimator learns by gradient descent; it begins at
 * 0.01. Does nothing for an estimator that only assigns, or learns nothing. */
GB_API gb_status gb_replicates_learn_at(gb_replicates *r, double rate);

/* Moves what the estimator learns by gradient descent to its optimum, by least squares over `runs` runs, and
 * holds it, with the moments of the cost, until gb_replicates_learn_at sets a rate. */
typedef enum gb_solved {
    /* It learns nothing so, the slopes are not linear in the variables, or an objective has more than 32
     * numbers; or there was an error. */
    GB_UNSOLVED,
    GB_SOLVED,
    GB_FLAT /* an objective does not move with its variables: the learner is dead */
} gb_solved;
GB_API gb_solved gb_replicates_solve(gb_replicates *r, int64_t runs);

/* Copies what the estimator has learned in `from`, variable by variable. Returns false if the two do not
 * learn the same variables. */
GB_API bool gb_replicates_learn_from(gb_replicates *r, const gb_replicates *from);

/* Returns the address of element `element` in the first estimate. The same element of the next estimate
 * follows after `stride` numbers (`stride` may be NULL). Returns NULL if there is no such element, or if
 * nothing was recorded. */
GB_API const double *gb_replicates_element(const gb_replicates *r, size_t element, size_t *stride);

/* The parameters, element after element: their number; reading them; setting them. False on error. */
GB_API size_t gb_replicates_parameters(const gb_replicates *r);
GB_API bool gb_replicates_get(const gb_replicates *r, double *values);
GB_API bool gb_replicates_set(const gb_replicates *r, const double *values);

/* Forgets the momentum of earlier updates, and sets the rate of the next ones. The plan must have a rate
 * (GB_EARGUMENT). */
GB_API gb_status gb_replicates_restart(gb_replicates *r, double rate);

/* Writes the name of an element, cut to `bytes`: "mu", "w[3]", "value" for the expectation; "" if there is no
 * such element. */
GB_API void gb_replicates_name(const gb_replicates *r, size_t element, size_t bytes, char *name);

/* Computes the exact gradient at the given parameters, and the exact value if the plan asks for it. Returns
 * false if neither is known. Where the closed form overflows, it returns true and numbers that are not
 * finite. */
GB_API bool gb_replicates_exact(const gb_replicate_plan *plan, const double *parameters, size_t elements,
                                double *exact);

/* Returns the smallest probability that an outcome of a draw has at the given parameters (those of
 * probability 0 aside): of each bit or category, and at the worst of 64 samples where a draw depends on
 * others. An event of several draws may be rarer. 1 if all draws are continuous; NaN if it is not known, as
 * for counts. */
GB_API double gb_replicates_rarest(const gb_replicate_plan *plan, const double *parameters, size_t elements);

/* Returns whether the cost is a number at all of 1024 draws at the given parameters: its gradients may be
 * where it is not. True also if that cannot be found, as where draws have no density to score. */
GB_API bool gb_replicates_have_cost(const gb_replicate_plan *plan, const double *parameters, size_t elements);

GB_END_DECLS
#endif
