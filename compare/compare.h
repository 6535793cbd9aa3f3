/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measuring estimators against each other: many independent gradient estimates of one problem, with common random
 * numbers, and what can be said of them.
 *
 *     gb_comparison *c = gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 2,
 *                                   .estimator = (gb_estimator[]){gb_pathwise(), gb_score()}, .draws = 100000);
 *     gb_comparison_print(c, stdout);
 *     gb_comparison_free(c);
 *
 * Replicates run side by side, about a thousand at a time, with the same noise for all estimators. Those that learn run
 * one at a time instead, with noise of their own: 1000 runs to learn from, which are not measured, then the estimates,
 * learning on as gb_minimise would have it. What is learned by going down, and parameters in a training, go by Adam
 * (Kingma and Ba 2015), at rates of 0.01 and 0.05. */
#ifndef GREBE_COMPARE_COMPARE_H
#define GREBE_COMPARE_COMPARE_H

#include "../core/options.h"
#include "problem.h"

GB_BEGIN_DECLS

typedef struct gb_compare_setting {
    const char *name;
    double value;
} gb_compare_setting;

/* Where estimates are made. */
typedef enum gb_compare_at {
    GB_AT_GIVEN,  /* at the parameters that the settings give */
    GB_AT_FITTED, /* after a training of `steps` by the first estimator, which stays where parameters may be */
    GB_AT_PATH /* along such a training: at each of ten places a tenth of `draws`, a multiple of 10 from 20 on */
} gb_compare_at;

typedef struct gb_compare_options {
    size_t size;
    const gb_problem *problem;     /* REQUIRED */
    size_t estimators;             /* REQUIRED: how many */
    const gb_estimator *estimator; /* REQUIRED */
    const char *const *names;      /* OPTIONAL: for tables, one for each; NULL: those of their types */
    size_t settings;
    const gb_compare_setting *setting; /* others than the problem's own */
    const gb_problem_data *data;
    int64_t draws;   /* estimates of each estimator; 0: 10000 */
    int64_t samples; /* that each estimate is a mean over; 0: 1, or 2 where an estimator needs two */
    uint64_t seed;
    int threads;
    gb_real real;
    /* Fewer samples for an estimator with more evaluations, so that all cost the same: what the cheapest pays for
     * `samples`, or more where an estimator cannot do with so little. Those that evaluate the cost once for all samples,
     * as sums over all values do, pay what they pay and have no part in this. */
    bool equal_cost;
    gb_compare_at at;
    int64_t steps; /* of training; 0: 1000 */
    FILE *raw;     /* OPTIONAL: every single estimate as CSV: estimator, draw, parameter, value */
    /* OPTIONAL: told about ten times a second, between runs, what part is done of all estimates, training and learning, 0
     * to 1. True: go on; false ends the comparison with GB_ESTOPPED, and what there is so far. */
    bool (*progress)(void *context, double done);
    void *context;
} gb_compare_options;

/* Of the estimates of one parameter element. */
typedef struct gb_measured {
    double mean, stderr_; /* of the mean */
    double variance;      /* of one estimate */
    double variance_stderr;
    double kurtosis;
    /* NaN where there is no reference; z is the bias in standard errors (or rounding errors), NaN too where it was not
     * seen. */
    double exact, z;
    double snr; /* |mean| / standard deviation */
    /* All estimates were the same, and not the exact gradient, as happens where what it comes from is rare: nothing is
     * known then of variance and bias. Never so of an estimator that sums over all values. */
    bool unseen;
} gb_measured;

typedef struct gb_compared {
    const char *name;
    double evaluations; /* of the cost, for one estimate: of all samples, if its costs vary over them */
    double seconds;     /* for one estimate: of running, without recording and planning */
    int64_t samples;    /* that an estimate is a mean over */
    int64_t least;      /* that one needs; 0 where it does not fit */
    const gb_measured *parameter; /* one for each; NULL where it could not be tried */
    double total_variance, total_variance_stderr;
    double variance_times_cost;
    double ratio, ratio_low, ratio_high; /* variance × cost to the first estimator's, with a 95 % interval
                                            (as if the two were independent) */
} gb_compared;

typedef struct gb_comparison {
    gb_status status;  /* GB_OK, or why there is less here than was asked for */
    const char *error; /* in words; "" */
    const gb_problem *problem;
    double setting[GB_PROBLEM_SETTINGS];
    uint64_t seed;
    int64_t draws, samples;
    size_t parameters;
    const char *const *parameter; /* "mu", "w[3]" */
    size_t estimators;
    const gb_compared *estimator;
} gb_comparison;

/* NULL only where there is no memory at all. Else look at `status`, the first of what went wrong:
 *  - GB_EARGUMENT: options that make no sense (no problem, no estimator, a NULL where something is counted, settings
 *    that the problem has not, negative numbers, draws that a path cannot share): nothing is measured then; or an
 *    estimator that does not fit the problem, or needs more samples: the others are measured all the same;
 *  - GB_ENONFINITE: an estimate is not finite: that estimator has what came before it, the others are measured;
 *  - GB_ESTOPPED: `progress` said so; GB_ENOMEM. What was measured so far is there.
 * Errors in writing to `raw` are left to who opened it (ferror). */
#define gb_compare(...) GB_CALL_0(gb_compare, .size = sizeof(gb_compare_options), __VA_ARGS__)
GB_API gb_comparison *gb_compare_with(const gb_compare_options *options);
GB_API void gb_comparison_free(gb_comparison *comparison); /* NULL is fine */

/* A table for a person, as many columns wide as are needed; as JSON, with points in numbers in every language, and null for
 * what is unknown or infinite; and as CSV, a line for each parameter of each estimator, empty where something is unknown.
 * GB_EARGUMENT where one of the two is NULL (or, for JSON and CSV, there is no problem), GB_ESYSTEM where `file` cannot be
 * written. */
GB_API gb_status gb_comparison_print(const gb_comparison *comparison, FILE *file);
GB_API gb_status gb_comparison_json(const gb_comparison *comparison, FILE *file);
GB_API gb_status gb_comparison_csv(const gb_comparison *comparison, FILE *file);

/* One small run, sample by sample: draws, cost, what is injected with which weight, and the gradient, for teaching.
 * What has several numbers for a sample (elements, rows, evaluations) stands in brackets. Where it cannot be made, `file`
 * has one line that says why, and the code is returned (GB_EARGUMENT, and no line, where `file` is NULL). */
GB_API gb_status gb_trace_estimate(const gb_problem *problem, size_t settings,
                                   const gb_compare_setting *setting, gb_estimator estimator, int64_t samples,
                                   uint64_t seed, FILE *file);

GB_END_DECLS
#endif
