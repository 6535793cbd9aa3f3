/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Successes of probability prob before `total` failures, where total may be any positive real. */
#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/probability_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/quantile.h"

static gb_node total(const gb_dist *d)
{
    return d->param[0];
}

/* The last of total + x trials is a failure, so this is total / (total + x) times a binomial probability. */
static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node trials = gb_add(total(d), x), none = gb_mul(total(d), gb_chance_of(d).log_q);
    const gb_node some =
        gb_add(gb_log(gb_div(total(d), trials)), gb_log_binomial(trials, x, gb_chance_of(d)));
    return gb_where(gb_equal(x, gb_num(d->tape, 0)), none, some);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_at_most(x, total(d), gb_chance_of(d));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_negative_binomial_quantile(total(d), gb_chance_side(gb_chance_of(d)), u);
}

static gb_node mean(const gb_dist *d)
{
    return gb_mul(total(d), gb_chance_of(d).p_by_q);
}

/* A Poisson draw whose rate is a gamma draw. The gamma draw is a logarithm, because rates underflow for a
 * small total. */
static gb_node sample(const gb_dist *d, const gb_source *from)
{
    const gb_node log_gamma = gb_log_gamma_noise(from->noise, from->shape, from->axes, total(d));
    const gb_node log_odds = gb_sub(gb_chance_of(d).log_p, gb_chance_of(d).log_q);
    const gb_node rate = gb_positive_draw(gb_add(log_gamma, log_odds));
    return gb_poisson_noise(from->noise, from->shape, from->axes, rate);
}

static gb_node variance(const gb_dist *d)
{
    return gb_mul(mean(d), gb_shift(gb_chance_of(d).p_by_q, 1));
}

static gb_node mode(const gb_dist *d)
{
    return gb_floor(gb_chain(gb_relu(gb_shift(total(d), -1)), gb_chance_of(d).p_by_q));
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_mul(total(q),
                  gb_waiting_kl(gb_chance_against(gb_chance_of(q)), gb_chance_against(gb_chance_of(p))));
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_negative_binomial_type, .p = &gb_negative_binomial_type, .kl = kl, .fits = gb_same_total}, {0}};

static const gb_domain unit_below_one = {.size = sizeof(gb_domain),
                                         .name = "unit_below_one",
                                         .must_be = "not below 0, and below 1",
                                         .low = 0,
                                         .high = 1,
                                         .below = true};

const gb_dist_type gb_negative_binomial_type = {
    .size = sizeof(gb_dist_type),
    .name = "negative_binomial",
    .formula = "log(Gamma(x + total) / (x! Gamma(total))) + x log prob + total log(1 - prob)",
    .param = {GB_PARAMETER("total", GB_POSITIVE), GB_PARAMETER("prob", &unit_below_one)},
    .alternative = {GB_PARAMETER("total", GB_POSITIVE), GB_PARAMETER("logits", GB_REAL)},
    .support = GB_COUNT,
    .discrete = true,
    .log_prob = log_prob,
    .sample = sample,
    .cdf = cdf,
    .icdf = icdf,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .kl = pairs,
};
