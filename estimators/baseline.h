/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Baselines: what a score estimator subtracts from a cost before it weights a score by it.
 *
 * E[∂ log q] = 0, so whatever does not depend on the draw may be subtracted: it changes the variance of a
 * gradient, not its mean. A baseline that contains the very sample it corrects does change the mean; those
 * here never do. docs/add-a-baseline.md shows one of your own, which gb_check_baseline judges. */
#ifndef GREBE_ESTIMATORS_BASELINE_H
#define GREBE_ESTIMATORS_BASELINE_H

#include "../distributions/distribution.h"

GB_BEGIN_DECLS

struct gb_site;

typedef struct gb_baseline_type gb_baseline_type;

/* A baseline with its options, by value; type NULL: none. */
typedef struct gb_baseline {
    const gb_baseline_type *type;
    gb_packed options;
} gb_baseline;

struct gb_baseline_type {
    GB_PLUGIN_HEAD;
    /* REQUIRED: what is subtracted from the cost: a number for each sample (or row), or the same for all. `options` is the
     * options struct of the type, with defaults filled in. `cost` is a number for each sample, and row if site->per says so;
     * with evaluations of its own, a vector (the first is that of the draw). The value must not depend on that sample's (or
     * row's) draw, unless there is `expected`. */
    gb_node (*value)(const struct gb_site *site, const void *options, gb_node cost);
    /* OPTIONAL: E[value] as a function of the parameters of the site, for a value that depends on the draw. */
    gb_node (*expected)(const struct gb_site *site, const void *options, gb_node cost);
    /* OPTIONAL, both or none: values besides the draw at which the cost is to be evaluated, along a new first axis, and
     * how many. */
    int64_t (*evaluations)(const struct gb_site *site, const void *options);
    gb_node (*values)(const struct gb_site *site, const void *options, gb_node draw);
    /* OPTIONAL. What it needs of a distribution that q does not have, as of an estimator. */
    const char *(*lacks)(const gb_dist *q, const void *options);
    GB_RESERVE(8);
};

/* The baseline of a type with these options, an options struct; NULL: all defaults. For constructors. */
GB_API gb_baseline gb_baseline_of(const gb_baseline_type *type, const void *options);

/* clang-format off */
#define GB_BASELINE_LIST(do_)                                                                                \
    do_(none) do_(constant) do_(moving_average) do_(leave_one_out) do_(leave_one_row_out)                    \
    do_(fitted) do_(delta) do_(learned)
/* clang-format on */
#define GB_DECLARE_BASELINE(name) GB_API extern const gb_baseline_type gb_##name##_baseline_type;
GB_BASELINE_LIST(GB_DECLARE_BASELINE)
#undef GB_DECLARE_BASELINE

GB_DECLARE_KIND(gb_baseline, gb_baselines)

GB_API gb_baseline gb_no_baseline(void);

/* A number. */
typedef struct gb_constant_baseline_options {
    size_t size;
    double value;
} gb_constant_baseline_options;
GB_API gb_baseline gb_constant_baseline(double value);

/* The mean cost of earlier runs, each weighing `decay` times as much as the one after it. A variable, which a training
 * program moves on (estimators/learn.h); without that it stays 0. */
typedef struct gb_moving_average_options {
    size_t size;
    double decay; /* 0: 0.9 */
} gb_moving_average_options;
#define gb_moving_average(...)                                                                               \
    GB_CALL_0(gb_moving_average, .size = sizeof(gb_moving_average_options), __VA_ARGS__)
GB_API gb_baseline gb_moving_average_with(const gb_moving_average_options *options);

/* The mean cost of the other samples. Needs two samples or more: a run with one, if it needs the gradient, fails with
 * words. Costs that do not vary over the samples are their own baseline. */
GB_API gb_baseline gb_leave_one_out(void);

/* The mean cost of the other rows, where draws and costs are of rows; else an error. */
GB_API gb_baseline gb_leave_one_row_out(void);

/* The constant that makes the variance least, E[f s²] / E[s²] with s the length of the score, from earlier runs. A training
 * program moves it, as it moves gb_moving_average(). */
GB_API gb_baseline gb_fitted(void);

/* The cost's second-order Taylor series around the mean of q, for independent numbers. As many more evaluations as q has
 * numbers; the cost must be smooth there. */
GB_API gb_baseline gb_delta(void);

/* A scalar node of your own, for each sample or for all (or row), that does not depend on the draw: an error where it
 * does. Its variables are fitted to the cost as the training goes on. */
typedef struct gb_learned_baseline_options {
    size_t size;
    gb_node node;
} gb_learned_baseline_options;
GB_API gb_baseline gb_learned_baseline(gb_node node);

GB_END_DECLS
#endif
