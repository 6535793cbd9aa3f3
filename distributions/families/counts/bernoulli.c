/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/op.h"
#include "distributions/domains/parameters_impl.h"
#include "distributions/families/shared/probability_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    if (d->alternative)
        return gb_log_bernoulli(x, d->param[0]);
    const gb_chance c = gb_chance_of(d);
    return gb_add(gb_chain(x, c.log_p), gb_chain(gb_shift(gb_neg(x), 1), c.log_q));
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    return gb_bernoulli_noise(from->noise, from->shape, from->axes, gb_chance_of(d).p);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_node one = gb_num(x.tape, 1);
    return gb_nan_where(x, gb_where(gb_less(x, one), gb_chance_of(d).q, one));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_nan_where(u, gb_to_real(gb_greater(u, gb_chance_of(d).q)));
}

static gb_node mean(const gb_dist *d)
{
    return gb_chance_of(d).p;
}

static gb_node variance(const gb_dist *d)
{
    const gb_chance c = gb_chance_of(d);
    return gb_mul(c.p, c.q);
}

static gb_node mode(const gb_dist *d)
{
    const gb_chance c = gb_chance_of(d);
    return gb_to_real(gb_greater(c.p, c.q));
}

static gb_node entropy(const gb_dist *d)
{
    const gb_chance c = gb_chance_of(d);
    return gb_neg(gb_add(gb_chain(c.p, c.log_p), gb_chain(c.q, c.log_q)));
}

static gb_node enumerate(const gb_dist *d)
{
    return gb_arange(d->tape, 2);
}

static gb_dist certain(const gb_dist *d, double value)
{
    return gb_point_mass(gb_broadcast_to(gb_num(d->tape, value), gb_node_shape(d->param[0])));
}

/* ∂E[f]/∂p = f(1) − f(0), and ∂p/∂logit = p q. */
static bool measure(const gb_dist *d, size_t which, int64_t element, gb_measure *measure)
{
    if (which != 0 || element != 0)
        return false;
    const gb_node coefficient = d->alternative ? variance(d) : gb_num(d->tape, 1);
    *measure = (gb_measure){coefficient, certain(d, 1), certain(d, 0)};
    return gb_dist_ok(measure->plus) && gb_dist_ok(measure->minus);
}

static bool couple(const gb_dist *d, size_t which, int64_t element, const gb_source *from, gb_node *plus,
                   gb_node *minus)
{
    *plus = gb_ones(d->tape, from->shape);
    *minus = gb_zeros(d->tape, from->shape);
    return which == 0 && element == 0;
}

static gb_dist relaxed(const gb_dist *d, gb_node temperature)
{
    static const gb_option open = GB_PARAMETER("prob", GB_OPEN_UNIT);
    gb_node prob = d->param[0];
    const gb_parameters p = {d->tape, "relaxed of bernoulli", &open, 1, NULL, &prob};
    if (d->alternative)
        return gb_relaxed_bernoulli_logits(temperature, d->param[0]);
    return gb_parameters_fit(&p) ? gb_relaxed_bernoulli(temperature, prob) : (gb_dist){0};
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_chance_kl(gb_chance_of(q), gb_chance_of(p));
}

static const gb_kl_pair pairs[] = {{.q = &gb_bernoulli_type, .p = &gb_bernoulli_type, .kl = kl}, {0}};

const gb_dist_type gb_bernoulli_type = {
    .size = sizeof(gb_dist_type),
    .name = "bernoulli",
    .formula = "x log prob + (1 - x) log(1 - prob)",
    .param = {GB_PARAMETER("prob", GB_UNIT)},
    .alternative = {GB_PARAMETER("logits", GB_REAL)},
    .support = GB_BINARY,
    .discrete = true,
    .log_prob = log_prob,
    .sample = sample,
    .cdf = cdf,
    .icdf = icdf,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
    .enumerate = enumerate,
    .measure = measure,
    .couple = couple,
    .relaxed = relaxed,
    .kl = pairs,
};
