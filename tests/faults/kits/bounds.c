/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds with one slot spoilt: the evidence bound, and the importance-weighted one. */
#include "estimators/expect.h"
#include "kit/check_bound.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "tests/faults/kits/kits_impl.h"

static const gb_bound_type *good;
static gb_bound_type bad;

static bool judge(const kit_fault *fault, gb_report *report)
{
    good = fault->good;
    bad = *good;
    fault->spoil(&bad);
    return gb_check_bound(gb_bound_of(&bad, NULL), .report = report);
}

static gb_node log_mean(gb_node w)
{
    return gb_sub(gb_logsumexp_over(w, GB_SAMPLES), gb_log(gb_axis_size(w.tape, GB_SAMPLES)));
}

static gb_node importance_weighted(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return gb_expected(e, log_mean(w));
}

static const gb_bound_type weighted = {.size = sizeof(gb_bound_type),
                                       .name = "mine",
                                       .formula = "log mean w",
                                       .needs_weights = true,
                                       .value = importance_weighted};

#define VALUE(name, ...)                                                                                     \
    static gb_node name##_value(gb_expect *e, const void *options, gb_node w)                                \
    {                                                                                                        \
        (void)options, (void)e;                                                                              \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_bound_type, it->value = name##_value)
VALUE(log_k_is_forgotten, gb_expected(e, gb_logsumexp_over(w, GB_SAMPLES)))
VALUE(weights_overflow, gb_expected(e, gb_log(gb_mean_over(gb_exp(w), GB_SAMPLES))))
VALUE(bound_is_scaled, gb_scale(good->value(e, options, w), 0.9))
VALUE(bound_is_shifted, gb_shift(good->value(e, options, w), 0.01))
VALUE(only_the_first, gb_expected(e, gb_select(w, GB_SAMPLES, 0)))
VALUE(the_largest, gb_expected(e, gb_maximum_over(w, GB_SAMPLES)))
VALUE(a_number_for_each, gb_close_draws(w))
VALUE(gradient_is_halved, gb_add(gb_stop(good->value(e, options, w)),
                                 gb_scale(gb_gradient_only(good->value(e, options, w)), 0.5)))
VALUE(estimators_see_nothing, gb_close_draws(gb_mean_over(w, GB_SAMPLES)))
VALUE(a_vector, gb_reshape(good->value(e, options, w), gb_shape(1)))
VALUE(digits_are_lost, gb_shift(gb_shift(good->value(e, options, w), 1e6), -1e6))
VALUE(above_log_z, gb_expected(e, gb_scale(log_mean(gb_scale(w, 3)), 1.0 / 3)))
SPOIL(needs_unsaid, gb_bound_type, it->needs_weights = false)
SPOIL(no_value, gb_bound_type, it->value = NULL)

static const kit_fault faults[] = {
    {"log K is forgotten", "if all log weights are equal", &weighted, log_k_is_forgotten},
    {"weights overflow", LATER "adding a number to all", &weighted, weights_overflow},
    {"it is scaled by 0.9", LATER "adding a number to all", &weighted, bound_is_scaled},
    {"it is off by 0.01", "if all log weights are equal", &gb_evidence_bound_type, bound_is_shifted},
    {"it is the first weight", "the order of the samples", &weighted, only_the_first},
    {"it is the largest weight", "on its side of log Z", &weighted, the_largest},
    {"it is a number for each sample", LATER "it is a real scalar", &weighted, a_number_for_each},
    {"its gradient is halved", "its gradient in the log weights", &gb_evidence_bound_type,
     gradient_is_halved},
    {"estimators see nothing", "with gb_score", &gb_evidence_bound_type, estimators_see_nothing},
    {"it is a vector", "it is a real scalar", &gb_evidence_bound_type, a_vector},
    {"its digits are lost in floats", LATER "on a float tape", &weighted, digits_are_lost},
    {"it is above log Z", "on its side of log Z", &weighted, above_log_z},
    {"it does not say that it needs weights", "linear", &weighted, needs_unsaid},
    {"it has no value", "its struct is complete", &weighted, no_value},
};
KIT_FAULTS(bounds, faults);
