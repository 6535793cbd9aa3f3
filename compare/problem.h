/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems: small expectations on which estimators are compared. A problem is a const struct with a function
 * that records it. The list in compare/problems/ serves look-up by name, gb_compare, gb_check_estimator and
 * the command. */
#ifndef GREBE_COMPARE_PROBLEM_H
#define GREBE_COMPARE_PROBLEM_H

#include "../estimators/expect.h"

GB_BEGIN_DECLS

/* The largest numbers of settings and of parameters. gb_trace_estimate shows at most GB_PROBLEM_PARAMETERS
 * draws, and as many injected terms. */
enum { GB_PROBLEM_SETTINGS = 8, GB_PROBLEM_PARAMETERS = 8 };

typedef struct gb_setting {
    const char *name; /* NULL ends the list */
    double value;     /* default */
    double low, high; /* range, both ends included */
    const char *words;
} gb_setting;

/* Data that some problems need: `columns` numbers and one target for each row. */
typedef struct gb_problem_data {
    size_t rows, columns;
    const double *x; /* row after row */
    const double *y;
} gb_problem_data;

/* A problem that is being recorded. */
typedef struct gb_trial {
    gb_tape *tape;
    gb_expect *expect;
    gb_estimator estimator; /* for all sites */
    /* 0, or a hidden axis of independent copies of the problem */
    gb_axes replicates;
    double setting[GB_PROBLEM_SETTINGS]; /* in the order of the problem's settings */
    const gb_problem_data *data;         /* NULL without data */
    /* Filled by gb_trial_parameter: */
    size_t parameters;
    struct {
        const char *name;
        gb_node variable; /* without the replicates */
        gb_node each;     /* widened along the replicates: gradients are taken in these */
    } parameter[GB_PROBLEM_PARAMETERS];
    /* Filled by gb_trial_draw: the number of sites, how many of them the estimator fits, and the first that
     * it does not. */
    size_t sites, fitting;
    const char *unfit_name;
    gb_dist unfit;
} gb_trial;

/* The property that a wrong estimator violates on this problem. */
typedef enum gb_problem_shows {
    GB_SHOWS_GRADIENTS,
    GB_SHOWS_DEPENDENT_DRAWS,
    GB_SHOWS_ROWS
} gb_problem_shows;

typedef struct gb_problem {
    size_t size;                              /* REQUIRED: sizeof(gb_problem) */
    const char *name;                         /* REQUIRED: "gauss-square" */
    const char *formula;                      /* REQUIRED: "E (x - k)^2, x ~ N(mu, sigma)" */
    gb_setting settings[GB_PROBLEM_SETTINGS]; /* ended by a NULL name */
    bool needs_data;
    /* REQUIRED: records parameters, sites and the cost, and returns it. */
    gb_node (*cost)(gb_trial *trial);
    /* OPTIONAL: records E[cost] in closed form, with the same parameters and no sites, and returns it. */
    gb_node (*expected)(gb_trial *trial);
    /* OPTIONAL: the name of an estimator that is exact for all sites, "enumerate" or "quadrature". If both
     * this and `expected` are NULL, there is no exact reference. */
    const char *exact;
    /* OPTIONAL, for gb_check_estimator: the property that this problem tests; and settings that make the
     * gradient large beside its noise, one number for each setting. NULL: the defaults. */
    gb_problem_shows shows;
    const double *check_settings;
    /* True: the cost is a log weight log p − log q, so that a bound of several draws can be taken of it. */
    bool is_log_weight;
    /* True: with such a bound, `expected` is its expectation. Else there is no reference for bounds. */
    bool expects_bound;
    GB_RESERVE(8);
} gb_problem;

/* Returns a parameter of the problem: a variable, widened along the replicates. Inert on error: more than
 * GB_PROBLEM_PARAMETERS (GB_ELIMIT), and the errors of gb_variable. */
GB_API gb_node gb_trial_parameter(gb_trial *trial, const char *name, gb_shape shape, gb_values start);
/* Returns a draw by the trial's estimator. If that does not fit q, another estimator makes the draw, so that
 * an estimator that fits only one of several sites can be tried. The substitute is quadrature for enumerate
 * and enumerate for quadrature, else pathwise, else score. gb_trial_record rejects an estimator that fits no
 * site. Inert on error, as gb_draw. */
GB_API gb_node gb_trial_draw(gb_trial *trial, const char *name, gb_dist q);

/* Records the problem and returns its cost, or (`expected`) its closed form, which the problem must have. The
 * caller fills the trial's tape, estimator and settings, and, unless `expected`, its expectation. Inert on
 * error, and the tape has the error: one of the problem's own, an estimator that fits no site, or missing
 * data (GB_EARGUMENT). */
GB_API gb_node gb_trial_record(gb_trial *trial, const gb_problem *problem, bool expected);

/* gb_problem_defaults fills in the problem's default settings, and 0 beyond the last. gb_problem_set changes
 * one. It returns false and changes nothing if the problem has no setting of that name, `name` is NULL, or
 * `value` is outside the range. `problem` must not be NULL. */
GB_API void gb_problem_defaults(const gb_problem *problem, double setting[GB_PROBLEM_SETTINGS]);
GB_API bool gb_problem_set(const gb_problem *problem, double setting[GB_PROBLEM_SETTINGS], const char *name,
                           double value);

/* gb_problems returns the built-in problems, and stores their number in `count` unless that is NULL.
 * gb_problem_find returns the problem of a name; NULL if there is none, or `name` is NULL. Both return
 * constants. */
GB_API const gb_problem *const *gb_problems(size_t *count);
GB_API const gb_problem *gb_problem_find(const char *name);

GB_END_DECLS
#endif
