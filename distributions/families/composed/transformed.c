/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distribution of T(x), where x is drawn from another one: log q(T⁻¹(y)) − log |det dT/dx|. */
#include "distributions/families/composed/transformed_impl.h"

#include <float.h>
#include <math.h>

#include "distributions/families/shared/draw_impl.h"
#include "distributions/kl.h"
#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/products/known_impl.h"

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int from_rank(const gb_dist *d)
{
    return gb_transform_from(*d->transform)->event_rank;
}

static int base_rank(const gb_dist *d)
{
    return gb_dist_event_shape(*d->base).rank;
}

/* The event is the base's. If the transform takes more axes, they come from the batch. */
static void shape(const gb_dist *d, gb_shape *batch, gb_shape *event)
{
    const gb_shape all = gb_transform_shape(*d->transform, gb_dist_shape(*d->base));
    const int grown = gb_transform_to(*d->transform)->event_rank - from_rank(d);
    const int rank = larger(base_rank(d), from_rank(d)) + grown;
    *batch = gb_shape_of(all.rank - rank, all.size);
    *event = gb_shape_of(rank, all.size + all.rank - rank);
}

/* How many axes of the event repeat the transform. */
static int repeated_axes(const gb_dist *d)
{
    return larger(0, base_rank(d) - from_rank(d));
}

static gb_node log_slope(const gb_dist *d, gb_node x, gb_node y)
{
    gb_shape each = gb_node_shape(x); /* one number for each event of the transform */
    each.rank -= from_rank(d);
    return gb_sum_event(gb_broadcast(gb_transform_log_jacobian(*d->transform, x, y), each), repeated_axes(d));
}

/* For each event of the transform: whether an element is NaN or infinite. */
static gb_node not_finite(gb_node x, int rank)
{
    const gb_node zero = gb_sum_event(gb_sub(x, x), rank);
    return gb_not(gb_equal(zero, zero));
}

static gb_node has_nan(gb_node x, int rank)
{
    const gb_node how_many = gb_sum_event(gb_to_real(gb_not(gb_equal(x, x))), rank);
    return gb_greater(how_many, gb_num(x.tape, 0));
}

/* If the image depends on parameters (an interval), its domain is not known, but a y outside has no finite x.
 * At an open end x is infinite. */
static gb_node outside_image(const gb_dist *d, gb_node x, gb_node y)
{
    const gb_domain *const to = gb_transform_to(*d->transform);
    const gb_node outside = gb_domain_outside(to, y);
    if (d->transform->type == &gb_affine_transform_type)
        return outside;
    const gb_node no_x = gb_and(not_finite(x, from_rank(d)), gb_not(has_nan(y, to->event_rank)));
    return gb_node_ok(outside) ? gb_or(outside, no_x) : no_x;
}

/* Of an own draw, the draw of the base that it was made from. */
static gb_node inverse(const gb_dist *d, gb_node y)
{
    bool held;
    const gb_node source = gb_source_of(d, y, &held);
    if (gb_node_ok(source) && !held)
        return gb_own_draw(source);
    if (gb_node_ok(source) && d->transform->type == &gb_affine_transform_type)
        return gb_own_draw(gb_standard_at(source, y, d->transform->param[0], d->transform->param[1]));
    const gb_node x = gb_transform_inverse(*d->transform, y);
    return gb_node_ok(source) ? gb_own_draw(gb_with_value(source, x)) : x;
}

static gb_node log_prob(const gb_dist *d, gb_node y)
{
    const gb_node x = inverse(d, y);
    gb_node log_p = gb_sum_event(gb_log_prob(*d->base, x), larger(0, from_rank(d) - base_rank(d)));
    if (!gb_dist_discrete(*d->base))
        log_p = gb_sub(log_p, log_slope(d, x, y));
    const gb_node outside = outside_image(d, x, y);
    if (!gb_node_ok(outside))
        return log_p;
    const gb_node how_many = gb_sum_event(gb_to_real(outside), repeated_axes(d));
    return gb_where(gb_greater(how_many, gb_num(d->tape, 0)), gb_num(d->tape, -INFINITY), log_p);
}

static gb_node forward(const gb_dist *d, gb_node x)
{
    return gb_transform_forward(*d->transform, x);
}

/* ---- draws, which stay off the ends of an image: x at an end would be infinite ---- */

/* The image of the numbers. */
static gb_ends image_of(const gb_dist *d)
{
    const gb_node first = forward(d, gb_num(d->tape, -INFINITY)),
                  last = forward(d, gb_num(d->tape, INFINITY));
    return (gb_ends){.low = gb_min(first, last), .high = gb_max(first, last)};
}

/* The next number inside from an end. The largest numbers where it is infinite. Continuous in an end that an
 * earlier draw moves, which is finite then. */
static gb_node inside_of(gb_node end, double direction)
{
    const bool narrow = gb_tape_real(end.tape) == GB_FLOAT;
    const double epsilon = narrow ? (double)FLT_EPSILON : DBL_EPSILON;
    const double least = narrow ? (double)FLT_MIN : DBL_MIN, most = narrow ? (double)FLT_MAX : DBL_MAX;
    const gb_node size = gb_abs(end), is_infinite = gb_equal(size, gb_num(end.tape, INFINITY));
    const gb_node step = gb_max(gb_scale(size, epsilon), gb_num(end.tape, least));
    const gb_node next = gb_where(is_infinite, gb_num(end.tape, -direction * most / 4),
                                  gb_add(end, gb_scale(step, direction)));
    return gb_is_constant(end) || !gb_node_ok(next) ? next : gb_continuous_in(next, 1, &end);
}

static gb_node inside(const gb_dist *d, gb_node x)
{
    const gb_node y = forward(d, x);
    if (gb_dist_discrete(*d->base) || d->transform->type == &gb_affine_transform_type)
        return y;
    if (gb_transform_to(*d->transform) == &gb_simplex_domain)
        return gb_open_unit_draw(y);
    if (gb_transform_from(*d->transform)->event_rank > 0 || gb_transform_to(*d->transform)->event_rank > 0)
        return y;
    const gb_ends image = image_of(d);
    return gb_min(gb_max(y, inside_of(image.low, 1)), inside_of(image.high, -1));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node x = gb_rsample(*d->base, from->noise, from->axes);
    return gb_drawn(d, inside(d, x), x);
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    const gb_node x = gb_sample(*d->base, from->noise, from->axes);
    return gb_drawn(d, inside(d, x), x);
}

/* ---- of numbers, by a map that grows or falls ---- */

typedef gb_node function_of(gb_dist d, gb_node x);

/* `rising` of the base where the map increases, `falling` where it decreases. */
static gb_node by_direction(const gb_dist *d, gb_node x, function_of *rising, function_of *falling)
{
    double always;
    const gb_node increases = gb_transform_increases(*d->transform);
    if (!gb_node_ok(increases))
        return rising(*d->base, x);
    if (gb_is_uniform(increases, &always))
        return (always != 0 ? rising : falling)(*d->base, x);
    return gb_where(increases, rising(*d->base, x), falling(*d->base, x));
}

/* At an end of the image x is infinite. */
static gb_node between_ends(const gb_dist *d, gb_node y, gb_node inside, double start, double end)
{
    const gb_ends image = image_of(d);
    const gb_node not_above = gb_where(gb_greater_equal(y, image.high), gb_num(d->tape, end), inside);
    return gb_where(gb_less_equal(y, image.low), gb_num(d->tape, start), not_above);
}

static gb_node cdf(const gb_dist *d, gb_node y)
{
    const gb_node x = gb_transform_inverse(*d->transform, y);
    return between_ends(d, y, by_direction(d, x, gb_cdf, gb_survival), 0, 1);
}

static gb_node survival(const gb_dist *d, gb_node y)
{
    const gb_node x = gb_transform_inverse(*d->transform, y);
    return between_ends(d, y, by_direction(d, x, gb_survival, gb_cdf), 1, 0);
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return forward(d, by_direction(d, u, gb_icdf, gb_inverse_survival));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return forward(d, by_direction(d, q, gb_inverse_survival, gb_icdf));
}

/* Whether the base has what a map of its direction needs: both abilities if the direction is not known. */
static bool has_by_direction(const gb_dist *d, gb_ability rising, gb_ability falling)
{
    double always = 1;
    const gb_node increases = gb_transform_increases(*d->transform);
    const bool turns = gb_node_ok(increases), is_known = !turns || gb_is_uniform(increases, &always);
    if (base_rank(d) > 0 || from_rank(d) > 0 || (gb_dist_discrete(*d->base) && turns))
        return false;
    return (!(is_known && always == 0) ? gb_dist_can(*d->base, rising) : true) &&
           (!(is_known && always != 0) ? gb_dist_can(*d->base, falling) : true);
}

/* ---- moments: by an affine map, in another shape, and of the exponential of normal numbers ---- */

/* A vector in another shape, or an array as a vector. */
static bool is_reshaped(const gb_dist *d)
{
    const gb_transform *const t = d->transform;
    return t->type == &gb_reshaped_transform_type ||
           (t->type == &gb_inverted_transform_type && t->inner->type == &gb_reshaped_transform_type);
}

bool gb_has_normal_numbers(const gb_dist *d)
{
    if (d->type == &gb_transformed_type)
        return is_reshaped(d) && gb_has_normal_numbers(d->base);
    if (d->type == &gb_independent_type)
        return gb_has_normal_numbers(d->base);
    return d->type == &gb_normal_type || d->type == &gb_multivariate_normal_type ||
           d->type == &gb_multivariate_normal_precision_type || d->type == &gb_low_rank_normal_type;
}

static bool is_lognormal(const gb_dist *d)
{
    return d->transform->type == &gb_exponential_transform_type && gb_has_normal_numbers(d->base);
}

static bool has_moments(const gb_dist *d)
{
    return d->transform->type == &gb_affine_transform_type || is_reshaped(d) || is_lognormal(d);
}

/* With mean m and variance v of the logarithm: e^(m + v/2), and (e^v − 1) e^(2 m + v). */
static gb_dist lognormal(const gb_dist *d)
{
    return gb_lognormal(gb_dist_mean(*d->base), gb_sqrt(gb_dist_variance(*d->base)));
}

static gb_node in_shape(const gb_dist *d, gb_node of_base)
{
    return forward(d, gb_broadcast(of_base, gb_dist_shape(*d->base)));
}

static gb_node mean(const gb_dist *d)
{
    if (is_lognormal(d))
        return gb_dist_mean(lognormal(d));
    return is_reshaped(d) ? in_shape(d, gb_dist_mean(*d->base)) : forward(d, gb_dist_mean(*d->base));
}

static gb_node variance(const gb_dist *d)
{
    if (is_lognormal(d))
        return gb_dist_variance(lognormal(d));
    const gb_node of_base = gb_dist_variance(*d->base);
    return is_reshaped(d) ? in_shape(d, of_base) : gb_mul(gb_square(d->transform->param[1]), of_base);
}

static gb_node mode(const gb_dist *d)
{
    return forward(d, gb_dist_mode(*d->base));
}

static gb_node entropy(const gb_dist *d)
{
    const gb_node of_base = gb_dist_entropy(*d->base), x = gb_zeros(d->tape, gb_dist_shape(*d->base));
    return gb_dist_discrete(*d->base) ? of_base : gb_add(of_base, log_slope(d, x, x));
}

static bool has(const gb_dist *d, gb_ability ability)
{
    switch (ability) {
    case GB_CAN_CDF: return has_by_direction(d, GB_CAN_CDF, GB_CAN_SURVIVAL);
    case GB_CAN_SURVIVAL: return has_by_direction(d, GB_CAN_SURVIVAL, GB_CAN_CDF);
    case GB_CAN_ICDF: return has_by_direction(d, GB_CAN_ICDF, GB_CAN_INVERSE_SURVIVAL);
    case GB_CAN_INVERSE_SURVIVAL: return has_by_direction(d, GB_CAN_INVERSE_SURVIVAL, GB_CAN_ICDF);
    case GB_CAN_MEAN:
    case GB_CAN_VARIANCE: return has_moments(d) && gb_dist_can(*d->base, ability);
    case GB_CAN_ENTROPY:
        if (is_reshaped(d))
            return gb_dist_can(*d->base, ability);
        return d->transform->type == &gb_affine_transform_type && gb_dist_can(*d->base, ability);
    case GB_CAN_MODE:
        return d->transform->type == &gb_affine_transform_type && gb_dist_can(*d->base, ability);
    default: return gb_dist_can(*d->base, ability);
    }
}

/* Onto the image: as the base is reached, and then through T. */
static gb_transform reach(const gb_dist *d)
{
    const gb_transform of_base = gb_dist_reach(*d->base);
    return gb_transform_ok(of_base) ? gb_composed_transform(*d->transform, of_base) : (gb_transform){0};
}

/* ---- divergence: that of the bases, where both go through the same map ---- */

static bool same_map(const gb_dist *q, const gb_dist *p)
{
    return gb_transform_same(*q->transform, *p->transform) && base_rank(q) == base_rank(p) &&
           gb_has_kl(*q->base, *p->base);
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_sum_event(gb_kl(*q->base, *p->base), larger(0, from_rank(q) - base_rank(q)));
}

/* ---- in another shape: that of the base, from p with its numbers in the shape of the base ---- */

/* p has vectors for events, and products over the axes before, as a product of vectors has. */
static gb_dist as_base(const gb_dist *q, const gb_dist *p)
{
    const gb_shape all = gb_dist_shape(*p), base = gb_dist_shape(*q->base);
    gb_dist as = p->type == &gb_independent_type ? *p->base : *p;
    size_t count;
    gb_dist_params(&as, &count);
    for (size_t i = 0; i < count; i++)
        as.param[i] = gb_reshape(gb_broadcast(as.param[i], all), base);
    as = gb_independent(as, 1);
    return base.rank > 1 ? gb_independent(as, base.rank - 1) : as;
}

static bool is_of_single_numbers(const gb_dist *p)
{
    const gb_dist *const each = p->type == &gb_independent_type ? p->base : p;
    return !each->base && each->type->support && gb_dist_event_shape(*each).rank == 0;
}

static bool is_in_shape(const gb_dist *q, const gb_dist *p)
{
    const gb_shape of_q = gb_dist_shape(*q);
    return is_reshaped(q) && base_rank(q) > 0 && is_of_single_numbers(p) &&
           gb_shape_same(of_q, gb_dist_event_shape(*q)) && gb_shape_same(of_q, gb_dist_event_shape(*p)) &&
           gb_shape_same(of_q, gb_dist_shape(*p)) && gb_has_kl(*q->base, as_base(q, p));
}

static gb_node kl_of_base(const gb_dist *q, const gb_dist *p)
{
    return gb_kl(*q->base, as_base(q, p));
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_transformed_type, .p = &gb_transformed_type, .kl = kl, .fits = same_map},
    {.q = &gb_transformed_type, .kl = kl_of_base, .fits = is_in_shape},
    {0}};

const gb_dist_type gb_transformed_type = {
    .size = sizeof(gb_dist_type),
    .name = "transformed",
    .formula = "log q(T^-1(y)) - log |det dT/dx|",
    .wraps = true,
    .log_prob = log_prob,
    .rsample = rsample,
    .sample = sample,
    .shape = shape,
    .reach = reach,
    .has = has,
    .cdf = cdf,
    .icdf = icdf,
    .survival = survival,
    .inverse_survival = inverse_survival,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
    .kl = pairs,
};

/* The base, expanded to the batch of the transform's parameters. */
static gb_dist expanded(gb_dist base, gb_transform transform)
{
    const gb_shape own = gb_dist_shape(base), event = gb_dist_event_shape(base);
    gb_shape all = gb_transform_inverse_shape(transform, gb_transform_shape(transform, own));
    if (all.rank >= event.rank &&
        gb_shape_same(event, gb_shape_of(event.rank, all.size + all.rank - event.rank))) {
        all.rank -= event.rank;
        return gb_dist_expand(base, all);
    }
    char text[GB_SHAPE_TEXT];
    gb_fail(base.tape, GB_ESHAPE, "transformed: %s does not take draws of shape %s", transform.type->name,
            gb_shape_text(own, text));
    return (gb_dist){0};
}

gb_dist gb_transformed(gb_dist base, gb_transform transform)
{
    if (!gb_dist_ok(base) || !gb_transform_ok(transform))
        return (gb_dist){0};
    if (base.tape != transform.tape) {
        gb_fail(base.tape, GB_EARGUMENT, "transformed: distribution and transform are of different tapes");
        return (gb_dist){0};
    }
    base = expanded(base, transform);
    if (!gb_dist_ok(base))
        return base;
    return gb_dist_checked(
        (gb_dist){.type = &gb_transformed_type, .tape = base.tape, .base = &base, .transform = &transform});
}
