/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems: expectations on which estimators are compared. A problem is a const struct with a function that
 * records it. The list in compare/problems/ serves look-up by name, gb_compare, gb_check_estimator and the
 * command. One of your own is given to gb_compare as it is. In a bundle it has a name for look-ups, too
 * (plugins/bundle.h): docs/compare-your-own.md. */
#ifndef GREBE_COMPARE_PROBLEM_H
#define GREBE_COMPARE_PROBLEM_H

#include "../estimators/expect.h"
#include "../plugins/plugin.h"

GB_BEGIN_DECLS

enum { GB_PROBLEM_SETTINGS = 8 }; /* most settings; of parameters there may be any number */

/* A number that a problem lets the caller choose. */
typedef struct gb_setting {
    const char *name; /* NULL ends the list */
    double value;     /* default */
    double low, high; /* range, both ends included */
    const char *words;
} gb_setting;

/* Data that are given to a comparison, for problems that need them: `columns` numbers and one target for each
 * row. */
typedef struct gb_problem_data {
    size_t rows, columns;
    const double *x; /* row after row */
    const double *y;
    const char *from; /* OPTIONAL: where they are from, for files of results: "breast.csv, target benign" */
} gb_problem_data;

/* A parameter in which a problem is differentiated. */
typedef struct gb_problem_parameter {
    const char *name;
    gb_node variable; /* without the replicates */
    gb_node each;     /* widened along the replicates: gradients are taken in these */
} gb_problem_parameter;

/* A problem that is being recorded. */
typedef struct gb_trial {
    gb_tape *tape;
    gb_expect *expect;
    gb_estimator estimator; /* for all sites */
    /* 0, or a hidden axis of independent copies of the problem */
    gb_axes replicates;
    double setting[GB_PROBLEM_SETTINGS]; /* in the order of the problem's settings */
    const gb_problem_data *data;         /* NULL without data */
    int64_t batch;                       /* rows that a run sees; 0: all */
    void *user;                          /* filled by gb_trial_record: that of the problem */
    /* Filled by gb_trial_parameter: */
    size_t parameters;
    gb_problem_parameter *parameter;
    /* Filled by gb_trial_rows: */
    int64_t rows;                   /* of the data; 0: it has none */
    struct gb_row_input *row_input; /* PRIVATE: the last of them */
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

/* A problem: a small expectation on which estimators are compared. */
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
    /* OPTIONAL: whatever `cost` and `expected` need of the caller's. They find it as trial->user. */
    void *user;
    GB_RESERVE(8);
} gb_problem;

/* Returns a parameter of the problem, an array of any shape: a variable, widened along the replicates. Inert
 * on error, as gb_variable. */
GB_API gb_node gb_trial_parameter(gb_trial *trial, const char *name, gb_shape shape, gb_values start);
/* Returns a draw by the trial's estimator. If that does not fit q, another estimator makes the draw, so that
 * an estimator that fits only one of several sites can be tried. The substitute is quadrature for enumerate
 * and enumerate for quadrature, else pathwise, else score. gb_trial_record rejects an estimator that fits no
 * site. Inert on error, as gb_draw. */
GB_API gb_node gb_trial_draw(gb_trial *trial, const char *name, gb_dist q);

/* Data by rows. gb_trial_rows returns an input with a value of that shape for each of `rows` rows. `values`
 * has them row after row; they are borrowed until the comparison ends. Each run sees all rows, or, if the
 * comparison takes batches, as many random ones, the same in all inputs. gb_trial_row_sum returns the sum of
 * x over the rows of the data: in a batch, the sum over its rows times rows / batch, whose mean is that sum.
 *
 * Inert on error: no rows or values; another number of rows than an earlier input has, or fewer than a batch
 * (GB_ESHAPE); and the errors of gb_input_rows and gb_feed. */
GB_API gb_node gb_trial_rows(gb_trial *trial, const char *name, gb_shape shape, size_t rows,
                             const double *values);
GB_API gb_node gb_trial_row_sum(gb_trial *trial, gb_node x);

/* Records the problem and returns its cost, or (`expected`) its closed form, which the problem must have. The
 * caller fills the trial's tape, estimator and settings, and, unless `expected`, its expectation. Inert on
 * error, and the tape has the error: one of the problem's own; a struct that is not complete, an estimator
 * that fits no site, missing data, or batches of a problem without gb_trial_rows (GB_EARGUMENT). */
GB_API gb_node gb_trial_record(gb_trial *trial, const gb_problem *problem, bool expected);

/* gb_problem_defaults fills in the problem's default settings, and 0 beyond the last. gb_problem_set changes
 * one. It returns false and changes nothing if the problem has no setting of that name, `name` is NULL, or
 * `value` is outside the range. `problem` must not be NULL. */
GB_API void gb_problem_defaults(const gb_problem *problem, double setting[GB_PROBLEM_SETTINGS]);
GB_API bool gb_problem_set(const gb_problem *problem, double setting[GB_PROBLEM_SETTINGS], const char *name,
                           double value);

/* gb_problems(&count), gb_problem_find(name), gb_problem_kind: plugins/plugin.h. Problems have no text
 * form. */
GB_API extern const gb_kind gb_problem_kind;
GB_API const gb_problem *const *gb_problems(size_t *count);
GB_API const gb_problem *gb_problem_find(const char *name);

GB_END_DECLS
#endif
