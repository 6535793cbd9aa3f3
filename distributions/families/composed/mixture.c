/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mixture of distributions of one family: the components lie along the last axis of a batch, and their
 * weights are the softmax of logits. */
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* The axis of the components, counted from the end: the last one before the event. */
static int component_axis(const gb_dist *d)
{
    return -1 - gb_dist_event_shape(*d->base).rank;
}

static void shape(const gb_dist *d, gb_shape *batch, gb_shape *event)
{
    const gb_shape components = gb_dist_batch_shape(*d->base);
    *event = gb_dist_event_shape(*d->base);
    *batch = gb_shape_of(components.rank - 1, components.size);
}

static gb_node log_weights(const gb_dist *d)
{
    return gb_log_softmax(d->param[0], -1);
}

/* The weighted mean of `each`, which has an event for each component. */
static gb_node weighted(const gb_dist *d, gb_node each)
{
    const gb_node weights = gb_add_axes(gb_softmax(d->param[0], -1), gb_dist_event_shape(*d->base).rank);
    return gb_sum_along(gb_mul(weights, each), gb_axis(component_axis(d)));
}

/* A value of the mixture, with an axis that broadcasts over the components. */
static gb_node for_each_component(const gb_dist *d, gb_node x)
{
    return gb_expand(x, component_axis(d));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node each = gb_log_prob(*d->base, for_each_component(d, x));
    return gb_logsumexp_along(gb_add(log_weights(d), each), gb_axis(-1));
}

/* Draws every component, and takes the one that is chosen. */
static gb_node sample(const gb_dist *d, const gb_source *from)
{
    const gb_shape components = gb_dist_batch_shape(*d->base);
    const gb_node logits = gb_broadcast(d->param[0], components);
    const gb_shape batch = gb_dist_batch_shape(*d);
    const gb_node chosen = gb_expand(gb_categorical_noise(from->noise, batch, from->axes, logits), -1);
    const gb_node is_chosen = gb_equal(chosen, gb_arange(d->tape, gb_shape_size(components, -1)));
    const gb_node mask = gb_add_axes(is_chosen, gb_dist_event_shape(*d->base).rank);
    const gb_node each = gb_sample(*d->base, from->noise, from->axes);
    return gb_sum_along(gb_where(mask, each, gb_num(d->tape, 0)), gb_axis(component_axis(d)));
}

/* From the nearer end: the sum of the weights is 1 but for rounding. */
static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_node each = gb_cdf(*d->base, for_each_component(d, x)), one = gb_num(d->tape, 1);
    const gb_node below = weighted(d, each), above = weighted(d, gb_sub(one, each));
    return gb_where(gb_less(above, gb_num(d->tape, 0.5)), gb_sub(one, above), below);
}

static gb_node mean(const gb_dist *d)
{
    return weighted(d, gb_dist_mean(*d->base));
}

static gb_node variance(const gb_dist *d)
{
    const gb_node means = gb_dist_mean(*d->base);
    const gb_node off = gb_sub(means, for_each_component(d, weighted(d, means)));
    return weighted(d, gb_add(gb_dist_variance(*d->base), gb_square(off)));
}

static bool has(const gb_dist *d, gb_ability ability)
{
    return gb_dist_can(*d->base, ability) &&
           (ability != GB_CAN_VARIANCE || gb_dist_can(*d->base, GB_CAN_MEAN));
}

static gb_transform reach(const gb_dist *d)
{
    return gb_dist_reach(*d->base);
}

const gb_dist_type gb_mixture_type = {
    .size = sizeof(gb_dist_type),
    .name = "mixture",
    .formula = "log sum_k softmax(logits)_k q_k(x)",
    .param = {GB_PARAMETER("logits", GB_LOGITS)},
    .wraps = true,
    .log_prob = log_prob,
    .sample = sample,
    .shape = shape,
    .reach = reach,
    .has = has,
    .cdf = cdf,
    .mean = mean,
    .variance = variance,
};

/* The components, expanded to the batch of the logits. */
static gb_dist expanded(gb_node logits, gb_dist components)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    const gb_shape batch = gb_dist_batch_shape(components), weights = gb_node_shape(logits);
    gb_shape both;
    if (batch.rank >= 1 && weights.rank >= 1 && gb_shape_broadcast(weights, batch, &both) &&
        weights.size[weights.rank - 1] == batch.size[batch.rank - 1])
        return gb_dist_expand(components, both);
    gb_fail(components.tape, GB_ESHAPE,
            "mixture: logits have shape %s, and the batch of %s %s; the last axis of both is that of the "
            "components",
            gb_shape_text(weights, a), components.type->name, gb_shape_text(batch, b));
    return (gb_dist){0};
}

gb_dist gb_mixture(gb_node logits, gb_dist components)
{
    if (gb_dist_ok(components) && gb_node_ok(logits))
        components = expanded(logits, components);
    if (!gb_dist_ok(components))
        return (gb_dist){0};
    return gb_dist_checked(
        (gb_dist){.type = &gb_mixture_type, .tape = components.tape, .param = {logits}, .base = &components});
}
