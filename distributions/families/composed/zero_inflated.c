/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts with more zeros: 0 with probability prob, else a draw of the base (Lambert 1992). */
#include "distributions/families/shared/probability_impl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

static gb_node zero(const gb_dist *d)
{
    return gb_num(d->tape, 0);
}

static void shape(const gb_dist *d, gb_shape *batch, gb_shape *event)
{
    *event = gb_shape();
    *batch = gb_dist_batch_shape(*d->base);
}

static gb_node log_of_base(const gb_dist *d, gb_node x)
{
    return gb_add(gb_chance_of(d).log_q, gb_log_prob(*d->base, x));
}

static gb_node log_of_zero(const gb_dist *d)
{
    return gb_logaddexp(gb_chance_of(d).log_p, log_of_base(d, zero(d)));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_where(gb_equal(x, zero(d)), log_of_zero(d), log_of_base(d, x));
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    const gb_node prob = gb_chance_of(d).p;
    const gb_node inflated = gb_bernoulli_noise(from->noise, from->shape, from->axes, prob);
    const gb_node draw = gb_sample(*d->base, from->noise, from->axes);
    return gb_where(gb_greater(inflated, zero(d)), zero(d), draw);
}

/* From the nearer end: 1 − q (1 − F) where that is more than a half. */
static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_chance c = gb_chance_of(d);
    const gb_node of_base = gb_cdf(*d->base, x), below = gb_mul(c.q, of_base);
    const gb_node above = gb_mul(c.q, gb_sub(gb_num(d->tape, 1), of_base));
    const gb_node inside = gb_by_tails(gb_add(c.p, below), above);
    return gb_where(gb_less(x, zero(d)), below, inside);
}

/* 1 − (1 − u) / q of the base, from the end that keeps more digits. */
static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_chance c = gb_chance_of(d);
    const gb_node of_base = gb_div(gb_sub(u, c.p), c.q), one = gb_num(d->tape, 1);
    const gb_node held = gb_min(gb_max(of_base, zero(d)), one);
    const gb_node is_zero = gb_less_equal(u, c.p);
    return gb_where(is_zero, zero(d), gb_icdf(*d->base, gb_where(is_zero, one, held)));
}

static gb_node mean(const gb_dist *d)
{
    return gb_mul(gb_chance_of(d).q, gb_dist_mean(*d->base));
}

/* q (variance + p mean²) */
static gb_node variance(const gb_dist *d)
{
    const gb_chance c = gb_chance_of(d);
    const gb_node between = gb_mul(c.p, gb_square(gb_dist_mean(*d->base)));
    return gb_mul(c.q, gb_add(gb_dist_variance(*d->base), between));
}

static gb_node mode(const gb_dist *d)
{
    const gb_node of_base = gb_dist_mode(*d->base);
    return gb_where(gb_less(log_of_zero(d), log_prob(d, of_base)), of_base, zero(d));
}

/* −P(0) log P(0), and q (H + b log b − (1 − b) log q) for the base's entropy H and its b = P(0). */
static gb_node entropy(const gb_dist *d)
{
    const gb_chance c = gb_chance_of(d);
    const gb_node log_b = gb_log_prob(*d->base, zero(d)), b = gb_exp(log_b), log_p0 = log_of_zero(d);
    const gb_node of_zero = gb_chain(gb_exp(log_p0), log_p0), rest = gb_neg(gb_expm1(log_b));
    const gb_node of_base = gb_add(gb_dist_entropy(*d->base), gb_chain(b, log_b));
    return gb_sub(gb_sub(gb_mul(c.q, of_base), gb_mul(rest, gb_chain(c.q, c.log_q))), of_zero);
}

static gb_node enumerate(const gb_dist *d)
{
    return gb_dist_enumerate(*d->base);
}

/* Whether 0 is the least value of the base. */
static bool begins_at_zero(const gb_dist *base)
{
    return base->type->support && base->type->support->low == 0;
}

static bool has(const gb_dist *d, gb_ability ability)
{
    if (ability == GB_CAN_ICDF || ability == GB_CAN_ENUMERATE)
        return begins_at_zero(d->base) && gb_dist_can(*d->base, ability);
    return gb_dist_can(*d->base, ability) &&
           (ability != GB_CAN_VARIANCE || gb_dist_can(*d->base, GB_CAN_MEAN));
}

const gb_dist_type gb_zero_inflated_type = {
    .size = sizeof(gb_dist_type),
    .name = "zero_inflated",
    .formula = "log((1 - prob) q(x) + prob where x = 0)",
    .param = {GB_PARAMETER("prob", GB_UNIT)},
    .alternative = {GB_PARAMETER("logits", GB_REAL)},
    .wraps = true,
    .log_prob = log_prob,
    .sample = sample,
    .shape = shape,
    .has = has,
    .cdf = cdf,
    .icdf = icdf,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
    .enumerate = enumerate,
};

static bool is_of_counts(gb_dist base)
{
    if (gb_dist_discrete(base) && gb_dist_event_shape(base).rank == 0)
        return true;
    gb_fail(base.tape, GB_EARGUMENT,
            "zero_inflated: draws of %s are not discrete numbers (for a zero beside a density there is "
            "spike_and_slab)",
            base.type->name);
    return false;
}

/* The base, expanded to the batch of the probabilities. */
static gb_dist expanded(gb_node prob, gb_dist base)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    const gb_shape batch = gb_dist_batch_shape(base), of_prob = gb_node_shape(prob);
    gb_shape both;
    if (gb_shape_broadcast(of_prob, batch, &both))
        return gb_dist_expand(base, both);
    gb_fail(base.tape, GB_ESHAPE, "zero_inflated: prob has shape %s, which does not broadcast with %s of %s",
            gb_shape_text(of_prob, a), gb_shape_text(batch, b), base.type->name);
    return (gb_dist){0};
}

static gb_dist inflated(gb_node prob, gb_dist base, bool alternative)
{
    if (!gb_dist_ok(base) || !is_of_counts(base))
        return (gb_dist){0};
    if (gb_node_ok(prob))
        base = expanded(prob, base);
    if (!gb_dist_ok(base))
        return (gb_dist){0};
    return gb_dist_checked((gb_dist){.type = &gb_zero_inflated_type,
                                     .tape = base.tape,
                                     .param = {prob},
                                     .alternative = alternative,
                                     .base = &base});
}

gb_dist gb_zero_inflated(gb_node prob, gb_dist base)
{
    return inflated(prob, base, false);
}

gb_dist gb_zero_inflated_logits(gb_node logits, gb_dist base)
{
    return inflated(logits, base, true);
}
