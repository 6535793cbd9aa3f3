/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Baselines: score estimators subtract a baseline from the cost before they multiply it by the score.
 *
 * E[∂ log q] = 0. So a baseline that does not depend on the draw changes the variance of the gradient, but
 * not its mean. A baseline that depends on the sample it corrects changes the mean; the baselines here never
 * do. docs/add-a-baseline.md shows how to write your own; gb_check_baseline tests it. */
#ifndef GREBE_ESTIMATORS_BASELINE_H
#define GREBE_ESTIMATORS_BASELINE_H

#include "../distributions/distribution.h"

GB_BEGIN_DECLS

struct gb_site;

typedef struct gb_baseline_type gb_baseline_type;

/* A baseline with its options, by value. type NULL: no baseline. */
typedef struct gb_baseline {
    const gb_baseline_type *type;
    gb_packed options;
} gb_baseline;

/* The type of a baseline. */
struct gb_baseline_type {
    GB_PLUGIN_HEAD;
    /* REQUIRED: returns the baseline: one number for each sample (and row), or one for all. `options` is the
     * options struct of the type, with defaults filled in. `cost` is one number for each sample (and row, if
     * site->per contains GB_ROWS). With evaluations of its own, `cost` is a vector whose first element is the
     * cost at the draw. It has the sign and the unit that the user gave it: in a gb_elbo it is the bound, not
     * the loss. The value must not depend on the draw of the sample (or row) that it corrects, unless
     * `expected` is given. */
    gb_node (*value)(const struct gb_site *site, const void *options, gb_node cost);
    /* OPTIONAL, for a value that depends on the draw: returns E[value], as a function of the parameters of
     * the site. An inert node without an error: with these options it does not depend on the draw. */
    gb_node (*expected)(const struct gb_site *site, const void *options, gb_node cost);
    /* OPTIONAL, both or none: further values at which the cost is evaluated. `evaluations` returns their
     * number; 0 means that with these options there are none. `values` returns them along a new first
     * axis. */
    int64_t (*evaluations)(const struct gb_site *site, const void *options);
    gb_node (*values)(const struct gb_site *site, const void *options, gb_node draw);
    /* OPTIONAL: returns what the baseline needs and `q` lacks, as `lacks` of gb_estimator_type does. */
    const char *(*lacks)(const gb_dist *q, const void *options);
    GB_RESERVE(8);
};

/* Returns the baseline of a type with these options (an options struct; NULL: all defaults). For
 * constructors. */
GB_API gb_baseline gb_baseline_of(const gb_baseline_type *type, const void *options);

/* ---- for authors of estimators with a baseline among their options ---- */

/* Call the functions of the type of a baseline, with its options. Its type must not be NULL.
 *
 * gb_baseline_lacks: what it needs and q lacks; NULL: nothing.
 * gb_baseline_evaluations: how many further values it takes; 0: none.
 * gb_baseline_values: these, along a new first axis, without a gradient.
 * gb_baseline_value: the baseline, without a gradient. An error if it is made of other samples of a run, and
 * these depend on the sample that it corrects (GB_JOINS_SAMPLES of the estimator).
 * gb_baseline_expected: E[value], for the gradient alone; inert if the value does not depend on the draw. */
GB_API const char *gb_baseline_lacks(gb_baseline baseline, gb_dist q);
GB_API int64_t gb_baseline_evaluations(gb_baseline baseline, const struct gb_site *site);
GB_API gb_node gb_baseline_values(gb_baseline baseline, const struct gb_site *site, gb_node draw);
GB_API gb_node gb_baseline_value(gb_baseline baseline, const struct gb_site *site, gb_node cost);
GB_API gb_node gb_baseline_expected(gb_baseline baseline, const struct gb_site *site, gb_node cost);

/* clang-format off */
/* The members of the library, each as do_(name). */
#define GB_BASELINE_LIST(do_)                                                                                \
    do_(none) do_(constant) do_(moving_average) do_(leave_one_out) do_(leave_one_row_out)                    \
    do_(fitted) do_(delta) do_(learned) do_(sum)
/* clang-format on */
#define GB_DECLARE_BASELINE(name) GB_API extern const gb_baseline_type gb_##name##_baseline_type;
GB_BASELINE_LIST(GB_DECLARE_BASELINE)
#undef GB_DECLARE_BASELINE

GB_DECLARE_KIND(gb_baseline, gb_baselines)

/* No baseline: 0. */
GB_API gb_baseline gb_no_baseline(void);

/* A constant number. */
typedef struct gb_constant_baseline_options {
    size_t size;
    double value;
} gb_constant_baseline_options;
GB_API gb_baseline gb_constant_baseline(double value);

/* The mean cost of earlier runs; a run has `decay` times the weight of the run after it. The mean is a
 * variable that training programs update (estimators/learn.h). Without training it stays 0. */
typedef struct gb_moving_average_options {
    size_t size;
    double decay; /* 0: 0.9 */
} gb_moving_average_options;
#define gb_moving_average(...)                                                                               \
    GB_CALL_0(gb_moving_average, .size = sizeof(gb_moving_average_options), __VA_ARGS__)
GB_API gb_baseline gb_moving_average_with(const gb_moving_average_options *options);

/* The mean cost of the other samples; with antithetic draws that of the other pairs. A run with only one
 * sample (or pair) fails if it needs the gradient. If the cost does not vary over the samples, the baseline
 * is the cost itself. */
GB_API gb_baseline gb_leave_one_out(void);

/* The mean cost of the other rows. Fails unless the draws and the cost both vary over rows. A run with only
 * one row fails if it needs the gradient; gb_node_needs_two_rows returns whether the gradient of `loss` does
 * so. */
GB_API gb_baseline gb_leave_one_row_out(void);
GB_API bool gb_node_needs_two_rows(gb_node loss);

/* For means over others, which gb_leave_one_out_mean makes NaN where there are none: returns x, and a run
 * that needs x fails if `axis` (GB_SAMPLES or GB_ROWS) has one place only. The message begins with `who`. An
 * x that does not vary along the axis is returned as it is. */
GB_API gb_node gb_if_others(gb_node x, gb_axes axis, const char *who);

/* The constant that minimises the variance: E[f s²] / E[s²], where s is the norm of the score. It is
 * estimated from earlier runs and updated by training programs, like gb_moving_average(). */
GB_API gb_baseline gb_fitted(void);

/* The second-order Taylor series of the cost around the mean of q. q must have independent elements, and the
 * cost must be smooth at the mean. Takes one more evaluation for each element of q. */
GB_API gb_baseline gb_delta(void);

/* mean + deviation · node, with the running moments of the cost over earlier runs (gb_site_cost_scale in
 * estimators/learn.h). So the node is of order 1 and starts at 0, whatever the unit of the cost and its sign.
 * It is a scalar: one number for each sample (and row), or one for all. Fails if it depends on the draw.
 * Training fits its variables to the cost, except those of the model. A node without variables of its own is
 * the baseline as it is. */
typedef struct gb_learned_baseline_options {
    size_t size;
    gb_node node;
} gb_learned_baseline_options;
GB_API gb_baseline gb_learned_baseline(gb_node node);

/* The sum of two baselines: `first` of the cost, and `rest` of what `first` leaves of it. So a learned
 * function of the data and a mean over other rows work together (Mnih and Gregor 2014):
 * gb_sum_baseline(gb_learned_baseline(u), gb_leave_one_row_out()). Either may be a sum again. Only the first
 * baseline of all may evaluate the cost at values of its own, or depend on the draw, as gb_delta() does;
 * others are rejected. The variables of the parts have names of their own: "SITE.first.cost",
 * "SITE.rest.baseline". */
typedef struct gb_sum_baseline_options {
    size_t size;
    gb_baseline first, rest;
} gb_sum_baseline_options;
GB_API gb_baseline gb_sum_baseline(gb_baseline first, gb_baseline rest);

GB_END_DECLS
#endif
