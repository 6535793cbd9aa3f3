/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds with one slot spoilt: the evidence bound, and the importance-weighted one. */
#include <math.h>

#include "kit/check_bound.h"
#include "ops/arrange.h"
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

static int64_t four(const void *options)
{
    (void)options;
    return 4;
}

static gb_node log_mean(gb_node l)
{
    return gb_shift(gb_logsumexp_along(l, gb_axis(0)), -log((double)gb_node_shape(l).size[0]));
}

static gb_node importance_weighted(const void *options, gb_node l)
{
    (void)options;
    return log_mean(l);
}

static gb_node bend(const void *options, gb_node l)
{
    const gb_node v = gb_softmax(l, 0);
    (void)options;
    return gb_mul(v, gb_shift(gb_neg(v), 1));
}

static const gb_bound_type weighted = {.size = sizeof(gb_bound_type),
                                       .name = "mine",
                                       .formula = "log mean w",
                                       .particles = four,
                                       .value = importance_weighted,
                                       .bend = bend};

#define VALUE(name, ...)                                                                                     \
    static gb_node name##_value(const void *options, gb_node l)                                              \
    {                                                                                                        \
        (void)options;                                                                                       \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_bound_type, it->value = name##_value)
#define BEND(name, ...)                                                                                      \
    static gb_node name##_bend(const void *options, gb_node l)                                               \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_bound_type, it->bend = name##_bend)
VALUE(log_k_is_forgotten, gb_logsumexp_along(l, gb_axis(0)))
VALUE(weights_overflow, gb_log(gb_mean_along(gb_exp(l), gb_axis(0))))
VALUE(bound_is_scaled, gb_scale(good->value(options, l), 0.9))
VALUE(bound_is_shifted, gb_shift(good->value(options, l), 0.01))
VALUE(only_the_first, gb_squeeze(gb_slice(l, 0, 0, 1), 0))
VALUE(the_largest, gb_maximum_along(l, gb_axis(0)))
VALUE(a_number_for_each, l)
VALUE(gradient_is_halved,
      gb_add(gb_stop(good->value(options, l)), gb_scale(gb_gradient_only(good->value(options, l)), 0.5)))
VALUE(k_is_fixed, gb_shift(gb_logsumexp_along(l, gb_axis(0)), -log(4)))
VALUE(a_vector, gb_expand(good->value(options, l), 0))
VALUE(digits_are_lost, gb_shift(gb_shift(good->value(options, l), 1e6), -1e6))
VALUE(above_log_z, gb_scale(log_mean(gb_scale(l, 3)), 1.0 / 3))
BEND(bend_is_slope, ((void)options, gb_softmax(l, 0)))
BEND(bend_is_doubled, gb_scale(good->bend(options, l), 2))
SPOIL(particles_unsaid, gb_bound_type, it->particles = NULL)
SPOIL(no_value, gb_bound_type, it->value = NULL)

/* ---- a bound with an option: right at its default ---- */

typedef struct blend_options {
    size_t size;
    double share;
} blend_options;

static double share_of(const void *options)
{
    return ((const blend_options *)options)->share;
}

static gb_node blend(const void *options, gb_node l)
{
    const double share = share_of(options);
    return gb_add(gb_scale(gb_mean_along(l, gb_axis(0)), 1 - share), gb_scale(log_mean(l), share));
}

static gb_node bend_of_blend(const void *options, gb_node l)
{
    return gb_scale(bend(options, l), share_of(options));
}

static const gb_domain share_domain = {
    .size = sizeof(gb_domain), .name = "share", .must_be = "from 0.1 to 1", .low = 0.1, .high = 1};
static const gb_option blend_table[] = {
    GB_OPTION_NUMBER(blend_options, share, 1, &share_domain, "of log mean w"), {0}};

static const gb_bound_type blended = {.size = sizeof(gb_bound_type),
                                      .name = "blend",
                                      .formula = "(1 - share) mean l + share log mean w",
                                      .options = blend_table,
                                      .option_bytes = sizeof(blend_options),
                                      .particles = four,
                                      .value = blend,
                                      .bend = bend_of_blend};
SPOIL(bend_without_its_option, gb_bound_type, it->bend = bend)
VALUE(shares_add_up_by_default_only, gb_add(gb_scale(gb_mean_along(l, gb_axis(0)), 2 - 2 * share_of(options)),
                                            gb_scale(log_mean(l), share_of(options))))

static const kit_fault faults[] = {
    {"log K is forgotten", "if all log weights are equal", &weighted, log_k_is_forgotten},
    {"weights overflow", LATER "adding a number to all", &weighted, weights_overflow},
    {"it is scaled by 0.9", LATER "adding a number to all", &weighted, bound_is_scaled},
    {"it is off by 0.01", "if all log weights are equal", &gb_evidence_bound_type, bound_is_shifted},
    {"it is the first weight", "the order of the particles", &weighted, only_the_first},
    {"it is the largest weight", LATER "on its side of log Z", &weighted, the_largest},
    {"it is a number for each particle", LATER "it is a real scalar", &weighted, a_number_for_each},
    {"its gradient is halved", "its gradient in the log weights", &gb_evidence_bound_type,
     gradient_is_halved},
    {"it knows one number of particles", "if all log weights are equal", &weighted, k_is_fixed},
    {"its bend is its slope", "its second derivatives", &weighted, bend_is_slope},
    {"its bend is doubled", "its second derivatives", &weighted, bend_is_doubled},
    {"it is a vector", LATER "it is a real scalar", &gb_evidence_bound_type, a_vector},
    {"its digits are lost in floats", LATER "on a float tape", &weighted, digits_are_lost},
    {"it is above log Z", LATER "on its side of log Z", &weighted, above_log_z},
    {"it does not say that it has particles", "linear", &weighted, particles_unsaid},
    {"it has no value", "its struct is complete", &weighted, no_value},
    {"its bend does not use its option", "its second derivatives", &blended, bend_without_its_option},
    {"its shares add up to 1 by default only", "if all log weights are equal", &blended,
     shares_add_up_by_default_only},
};
KIT_FAULTS(bounds, faults);
