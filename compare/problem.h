/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems: small expectations to try estimators on. A problem is a const struct with a function that records it; from
 * the list in compare/problems/ come look-up by name, gb_compare, gb_check_estimator and the command. */
#ifndef GREBE_COMPARE_PROBLEM_H
#define GREBE_COMPARE_PROBLEM_H

#include "../estimators/expect.h"

GB_BEGIN_DECLS

/* How many a problem has at most. gb_trace_estimate shows as many draws as there may be parameters, and as many injected
 * terms. */
enum { GB_PROBLEM_SETTINGS = 8, GB_PROBLEM_PARAMETERS = 8 };

typedef struct gb_setting {
    const char *name; /* NULL: the list ends here */
    double value;     /* unless it is set */
    double low, high; /* what it may be, both included */
    const char *words;
} gb_setting;

/* Rows of numbers that some problems need: `columns` for each row, and one target. */
typedef struct gb_problem_data {
    size_t rows, columns;
    const double *x; /* row after row */
    const double *y;
} gb_problem_data;

/* A problem while it is recorded. */
typedef struct gb_trial {
    gb_tape *tape;
    gb_expect *expect;
    gb_estimator estimator; /* of all sites */
    gb_axes replicates; /* 0, or a hidden axis along which everything is there several times, independently */
    double setting[GB_PROBLEM_SETTINGS]; /* in the order of the problem's */
    const gb_problem_data *data;         /* NULL: none was given */
    /* Filled by gb_trial_parameter: */
    size_t parameters;
    struct {
        const char *name;
        gb_node variable; /* without the replicates */
        gb_node each;     /* with them: what gradients are taken in */
    } parameter[GB_PROBLEM_PARAMETERS];
    /* Filled by gb_trial_draw: how many sites there are, how many of them the estimator fits, and the first that it
     * does not. */
    size_t sites, fitting;
    const char *unfit_name;
    gb_dist unfit;
} gb_trial;

/* What an estimator that is wrong here is wrong of. */
typedef enum gb_problem_shows {
    GB_SHOWS_GRADIENTS,
    GB_SHOWS_DEPENDENT_DRAWS,
    GB_SHOWS_ROWS
} gb_problem_shows;

typedef struct gb_problem {
    size_t size;                              /* REQUIRED: sizeof(gb_problem) */
    const char *name;                         /* REQUIRED: "gauss-square" */
    const char *formula;                      /* REQUIRED: "E (x - k)^2, x ~ N(mu, sigma)" */
    gb_setting settings[GB_PROBLEM_SETTINGS]; /* ended by a name NULL */
    bool needs_data;
    /* REQUIRED: records parameters, sites and the cost, and returns it. */
    gb_node (*cost)(gb_trial *trial);
    /* OPTIONAL: E[cost], of the same parameters, in closed form. Sites are left out: gb_trial_parameter only. */
    gb_node (*expected)(gb_trial *trial);
    /* OPTIONAL: the estimator that is exact for all sites: "enumerate", "quadrature". NULL, without `expected`: there
     * is no exact reference. */
    const char *exact;
    /* OPTIONAL, for gb_check_estimator: what it shows; and its settings where the gradient is not small beside its
     * noise, as many as it has. NULL: as they are. */
    gb_problem_shows shows;
    const double *check_settings;
    GB_RESERVE(8);
} gb_problem;

/* A parameter of the problem: a variable, with all replicates. Inert on error: one more than GB_PROBLEM_PARAMETERS
 * (GB_ELIMIT), and whatever gb_variable refuses. */
GB_API gb_node gb_trial_parameter(gb_trial *trial, const char *name, gb_shape shape, gb_values start);
/* A draw by the estimator under trial; where it does not fit q, by another, so that a problem of several sites may be
 * tried with what fits one of them: for enumerate quadrature, and the other way round; else pathwise; else score. An
 * estimator that fits no site of the problem is refused, by gb_trial_record. Inert on error, as gb_draw. */
GB_API gb_node gb_trial_draw(gb_trial *trial, const char *name, gb_dist q);

/* Records the problem: its parameters, sites and cost, or (`expected`) its closed form. The tape, the estimator, the
 * settings and, but for a closed form (which the problem must have), the expectation come with the trial. Inert on error,
 * which the tape has: whatever the problem's own function could not record, an estimator that fits no site, data that are
 * needed and not given (GB_EARGUMENT). */
GB_API gb_node gb_trial_record(gb_trial *trial, const gb_problem *problem, bool expected);

/* Fills in the problem's own settings; 0 where it has fewer. And one of them: false, and nothing is changed, where there is
 * none of that name (or `name` is NULL), or `value` is not in its range. The problem cannot be NULL. */
GB_API void gb_problem_defaults(const gb_problem *problem, double setting[GB_PROBLEM_SETTINGS]);
GB_API bool gb_problem_set(const gb_problem *problem, double setting[GB_PROBLEM_SETTINGS], const char *name,
                           double value);

/* All that are built in; `count`, if it is not NULL, receives how many. And the one of a name; NULL where there is none, or
 * `name` is NULL. Constants. */
GB_API const gb_problem *const *gb_problems(size_t *count);
GB_API const gb_problem *gb_problem_find(const char *name);

GB_END_DECLS
#endif
