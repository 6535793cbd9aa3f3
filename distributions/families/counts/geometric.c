/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of failures before the first success. */
#include <math.h>

#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/probability_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_chance c = gb_chance_of(d);
    return gb_add(c.log_p, gb_chain(x, c.log_q));
}

/* x log q for x > 0. log q is −p where p is tiny; then log p is used, because p may underflow. */
static gb_node times_log_q(const gb_dist *d, gb_node x)
{
    const gb_chance c = gb_chance_of(d);
    const gb_node by_log = gb_neg(gb_exp(gb_add(gb_log(x), c.log_p)));
    return gb_where(gb_is_tiny(c.p), by_log, gb_mul(x, c.log_q));
}

static gb_node over_log_q(const gb_dist *d, gb_node x)
{
    const gb_chance c = gb_chance_of(d);
    const gb_node by_log = gb_exp(gb_sub(gb_log(gb_neg(x)), c.log_p));
    return gb_where(gb_is_tiny(c.p), by_log, gb_div(x, c.log_q));
}

/* An exponential waiting time with rate −log q, rounded down. */
static gb_node sample(const gb_dist *d, const gb_source *from)
{
    const gb_node wait = gb_exponential_noise(from->noise, from->shape, from->axes);
    return gb_floor(gb_finite_draw(over_log_q(d, gb_neg(wait))));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_neg(gb_expm1(times_log_q(d, gb_shift(x, 1))));
}

/* Rounding may put the quotient one off, so its neighbours are tried. */
static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_node log_q = gb_chance_of(d).log_q, zero = gb_num(d->tape, 0);
    const gb_node trials = gb_neg(gb_floor(gb_neg(over_log_q(d, gb_log1p(gb_neg(u))))));
    const gb_node guess = gb_max(gb_shift(trials, -1), zero), less = gb_shift(guess, -1);
    const gb_node too_large = gb_greater_equal(cdf(d, less), u), too_small = gb_less(cdf(d, guess), u);
    const gb_node x = gb_where(too_small, gb_shift(guess, 1), gb_where(too_large, less, guess));
    const gb_node certain = gb_less_equal(log_q, gb_num(d->tape, -INFINITY));
    return gb_nan_where(u, gb_where(certain, zero, gb_max(x, zero)));
}

static gb_node mean(const gb_dist *d)
{
    return gb_chance_of(d).q_by_p;
}

/* q/p² */
static gb_node variance(const gb_dist *d)
{
    return gb_mul(mean(d), gb_shift(mean(d), 1));
}

/* log q / p. For a small p −(1 + p/2 + p²/3 + …): derivatives of the quotient cancel. */
static gb_node log_q_over_p(gb_chance c)
{
    const double small = gb_tape_real(c.p.tape) == GB_FLOAT ? 0.1 : 2e-3;
    gb_node series = gb_num(c.p.tape, 1. / 6);
    for (int n = 5; n > 0; n--)
        series = gb_shift(gb_mul(series, c.p), 1. / n);
    return gb_where(gb_less(c.p, gb_num(c.p.tape, small)), gb_neg(series), gb_div(c.log_q, c.p));
}

/* −log p − q (log q / p) */
static gb_node entropy(const gb_dist *d)
{
    const gb_chance c = gb_chance_of(d);
    return gb_neg(gb_add(c.log_p, gb_chain(c.q, log_q_over_p(c))));
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_waiting_kl(gb_chance_of(q), gb_chance_of(p));
}

static const gb_kl_pair pairs[] = {{.q = &gb_geometric_type, .p = &gb_geometric_type, .kl = kl}, {0}};

static const gb_domain positive_unit = {.size = sizeof(gb_domain),
                                        .name = "positive_unit",
                                        .must_be = "above 0 and not above 1",
                                        .low = 0,
                                        .high = 1,
                                        .above = true};

const gb_dist_type gb_geometric_type = {
    .size = sizeof(gb_dist_type),
    .name = "geometric",
    .formula = "log prob + x log(1 - prob)",
    .param = {GB_PARAMETER("prob", &positive_unit)},
    .alternative = {GB_PARAMETER("logits", GB_REAL)},
    .support = GB_COUNT,
    .discrete = true,
    .log_prob = log_prob,
    .sample = sample,
    .cdf = cdf,
    .icdf = icdf,
    .mean = mean,
    .variance = variance,
    .mode = gb_always_zero,
    .entropy = entropy,
    .kl = pairs,
};
