/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "distributions/families/shared/probability_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/quantile.h"

static gb_node total(const gb_dist *d)
{
    return d->param[0];
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_log_binomial(total(d), x, gb_sub(total(d), x), gb_chance_of(d));
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    return gb_binomial_noise(from->noise, from->shape, from->axes, total(d), gb_chance_of(d).p);
}

static gb_ends ends(const gb_dist *d)
{
    return (gb_ends){.high = total(d)};
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_at_most(x, gb_sub(total(d), x), gb_chance_of(d));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_binomial_quantile(total(d), gb_chance_side(gb_chance_of(d)), u);
}

static gb_node mean(const gb_dist *d)
{
    return gb_mul(total(d), gb_chance_of(d).p);
}

static gb_node variance(const gb_dist *d)
{
    const gb_chance c = gb_chance_of(d);
    return gb_mul(gb_mul(total(d), c.p), c.q);
}

static gb_node mode(const gb_dist *d)
{
    return gb_min(gb_floor(gb_mul(gb_shift(total(d), 1), gb_chance_of(d).p)), total(d));
}

static gb_node enumerate(const gb_dist *d)
{
    const int64_t most = gb_known_total(d);
    return most < 0 ? (gb_node){0} : gb_arange(d->tape, most + 1);
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_chain(total(q), gb_chance_kl(gb_chance_of(q), gb_chance_of(p)));
}

/* Both totals are known, and q has the larger one: q has counts that p does not have, unless prob is 0. */
static bool q_goes_further(const gb_dist *q, const gb_dist *p)
{
    double of_q, of_p;
    return gb_is_uniform(total(q), &of_q) && gb_is_uniform(total(p), &of_p) && of_q > of_p;
}

static gb_node kl_further(const gb_dist *q, const gb_dist *p)
{
    const gb_node of_nothing = gb_neg(gb_chain(total(p), gb_chance_of(p).log_q));
    return gb_where(gb_greater(gb_chance_of(q).p, gb_num(q->tape, 0)), gb_num(q->tape, INFINITY), of_nothing);
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_binomial_type, .p = &gb_binomial_type, .kl = kl, .fits = gb_same_total},
    {.q = &gb_binomial_type, .p = &gb_binomial_type, .kl = kl_further, .fits = q_goes_further},
    {0}};

const gb_dist_type gb_binomial_type = {
    .size = sizeof(gb_dist_type),
    .name = "binomial",
    .formula = "log(total! / (x! (total - x)!)) + x log prob + (total - x) log(1 - prob)",
    .param = {GB_PARAMETER("total", GB_COUNT), GB_PARAMETER("prob", GB_UNIT)},
    .alternative = {GB_PARAMETER("total", GB_COUNT), GB_PARAMETER("logits", GB_REAL)},
    .support = GB_COUNT,
    .discrete = true,
    .log_prob = log_prob,
    .sample = sample,
    .ends = ends,
    .cdf = cdf,
    .icdf = icdf,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .enumerate = enumerate,
    .kl = pairs,
};
