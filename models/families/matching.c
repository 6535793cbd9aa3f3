/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mean field, with a distribution for each support. All have a location and a scale, of the free numbers to
 * first order. */
#include <math.h>

#include "core/op.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "models/families/start_impl.h"
#include "ops/elementwise.h"
#include "ops/hold.h"
#include "ops/reduce.h"

typedef enum support { REAL, POSITIVE, INTERVAL, SIMPLEX, OTHER } support;

static support kind_of(const gb_slot *slot)
{
    static const struct {
        const gb_transform_type *type;
        support kind;
    } kinds[] = {{&gb_exponential_transform_type, POSITIVE},   {&gb_softplus_transform_type, POSITIVE},
                 {&gb_sigmoid_transform_type, INTERVAL},       {&gb_tanh_transform_type, INTERVAL},
                 {&gb_interval_transform_type, INTERVAL},      {&gb_stick_breaking_transform_type, SIMPLEX},
                 {&gb_centred_softmax_transform_type, SIMPLEX}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (slot->reach.type == kinds[i].type)
            return kinds[i].kind;
    return gb_transform_ok(slot->reach) ? OTHER : REAL;
}

/* ---- the kinds ---- */

static gb_dist positive(const gb_slot *slot, gb_matching_positive kind, gb_node free, gb_node scale)
{
    const bool is_log = slot->reach.type == &gb_exponential_transform_type;
    const gb_node location = is_log ? free : gb_log(gb_transform_forward(slot->reach, free));
    if (kind == GB_MATCHING_LOGNORMAL)
        return gb_lognormal(location, scale);
    const gb_node concentration = gb_reciprocal(gb_square(scale));
    return gb_gamma(concentration, gb_mul(concentration, gb_exp(gb_neg(location))));
}

/* The variance of the logit is about 1 / (m (1 − m) (α + β)). */
static gb_dist beta(gb_node location, gb_node scale)
{
    const gb_node weight = gb_reciprocal(gb_square(scale));
    return gb_beta(gb_div(weight, gb_sigmoid(gb_neg(location))), gb_div(weight, gb_sigmoid(location)));
}

/* b xᵃ is nearly exponential, and the log of an exponential has variance π² / 6. The median is m: P(x ≤ m) =
 * ½. */
static gb_dist kumaraswamy(gb_node location, gb_node scale)
{
    static const double deviation = 1.282549830161864095544036, log_2 = 0.693147180559945309417232;
    const gb_hold_words words = {"gb_mean_field_matching", "the spread of a kumaraswamy is so small that a",
                                 "small enough for the median^a not to underflow (beta has any spread)", 0};
    const double least = gb_tape_real(location.tape) == GB_FLOAT ? -87 : -708;
    const gb_node wide =
        gb_div(gb_num(location.tape, deviation), gb_mul(scale, gb_sigmoid(gb_neg(location))));
    const gb_node log_power = gb_mul(wide, gb_log_sigmoid(location));
    const gb_node a = gb_hold(wide, gb_less(log_power, gb_num(location.tape, least)), words);
    const gb_node log_rest = gb_log1mexp(gb_mul(a, gb_log_sigmoid(location)));
    return gb_kumaraswamy(a, gb_div(gb_num(location.tape, -log_2), log_rest));
}

/* tanh x = 2 sigmoid(2 x) − 1, so the free numbers are half a logit. */
static gb_node as_logit(const gb_slot *slot, gb_node x)
{
    return slot->reach.type == &gb_tanh_transform_type ? gb_scale(x, 2) : x;
}

static gb_dist on_interval(const gb_slot *slot, gb_matching_unit kind, gb_node location, gb_node scale)
{
    const gb_node m = as_logit(slot, location), s = as_logit(slot, scale);
    const gb_dist q = kind == GB_MATCHING_KUMARASWAMY ? kumaraswamy(m, s) : beta(m, s);
    const gb_transform *const reach = &slot->reach;
    gb_node low = gb_num(slot->tape, -1), width = gb_num(slot->tape, 2);
    if (reach->type == &gb_sigmoid_transform_type)
        return q;
    if (reach->type == &gb_interval_transform_type) {
        low = reach->param[0];
        width = gb_sub(reach->param[1], low);
    }
    return gb_transformed(q, gb_affine_transform(low, width));
}

static gb_dist dirichlet(gb_node location, gb_node scale)
{
    const double n = (double)gb_shape_size(gb_node_shape(location), -1);
    return gb_dirichlet(gb_mul(gb_scale(gb_softmax(location, -1), n), gb_reciprocal(gb_square(scale))));
}

/* ---- the family ---- */

static bool fits(const gb_slot *slot)
{
    if (kind_of(slot) != OTHER)
        return true;
    gb_fail(slot->tape, GB_EARGUMENT,
            "latent %s: gb_mean_field_matching has distributions for real numbers, positive ones, an "
            "interval and a simplex, and the support of the prior (%s) is none of them; gb_mean_field and "
            "gb_full_rank reach it",
            slot->name, gb_transform_to(slot->reach)->must_be);
    return false;
}

/* Only normals use the names location and scale: optimisers recognise a normal by these names. */
static bool is_normal(const gb_mean_field_matching_options *options, support kind)
{
    return kind == REAL || (kind == POSITIVE && options->positive == GB_MATCHING_LOGNORMAL);
}

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    const gb_mean_field_matching_options *const options = bytes;
    if (!fits(slot))
        return (gb_dist){0};
    const support kind = kind_of(slot);
    const bool normal = is_normal(options, kind);
    const gb_shape one = kind == SIMPLEX ? gb_shape_replace(slot->shape, -1, 1) : slot->shape;
    const gb_node location =
        gb_slot_location(slot, normal ? "location" : "centre", slot->shape, gb_start_of(options));
    const gb_node scale = gb_slot_scale(slot, normal ? "scale" : "spread", one, options->scale, options->map);
    switch (kind) {
    case POSITIVE: return positive(slot, options->positive, location, scale);
    case INTERVAL: return on_interval(slot, options->unit, location, scale);
    case SIMPLEX: return dirichlet(location, scale);
    case REAL:
    case OTHER: break;
    }
    return gb_normal(location, scale);
}

/* On a simplex, equal free numbers are its centre, for any value. */
static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    const gb_mean_field_matching_options *const options = bytes;
    const support kind = kind_of(slot);
    const double location = kind == SIMPLEX ? 0 : options->location;
    *to = (gb_family_start){location, options->scale, kind != REAL};
    return gb_start_is_even(gb_start_of(options));
}

static const char *const positives[] = {"gamma", "lognormal", NULL};
static const char *const units[] = {"beta", "kumaraswamy", NULL};
static const gb_option table[] = {
    GB_FAMILY_PLACE_ROWS(gb_mean_field_matching_options),
    GB_FAMILY_SCALE_ROWS(gb_mean_field_matching_options),
    GB_OPTION_CHOICE(gb_mean_field_matching_options, positive, positives, "distribution of positive numbers"),
    GB_OPTION_CHOICE(gb_mean_field_matching_options, unit, units, "distribution on an interval"),
    {0}};

const gb_family_type gb_matching_family_type = {
    .size = sizeof(gb_family_type),
    .name = "matching",
    .formula = "normal, gamma, beta or dirichlet, as the support is",
    .options = table,
    .option_bytes = sizeof(gb_mean_field_matching_options),
    .posterior = posterior,
    .start = start,
};

gb_family gb_mean_field_matching_with(gb_shape shape, const gb_mean_field_matching_options *options)
{
    return gb_family_of(&gb_matching_family_type, shape, options);
}
