/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exactly 0 with probability 1 − prob, else normal (Mitchell and Beauchamp 1988).
 *
 * The base measure is length plus a point of mass 1 at 0. The slab gives 0 with probability 0, so the value 0
 * belongs to the spike: log_prob(0) = log(1 − prob), and elsewhere it is log prob plus that of the slab. */
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

static gb_node prob(const gb_dist *d)
{
    return d->param[0];
}

static gb_node other(const gb_dist *d)
{
    return gb_sub(gb_num(d->tape, 1), prob(d));
}

static gb_dist slab(const gb_dist *d)
{
    return (gb_dist){.type = &gb_normal_type, .tape = d->tape, .param = {d->param[1], d->param[2]}};
}

static gb_node is_zero(gb_node x)
{
    return gb_equal(x, gb_num(x.tape, 0));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node of_slab = gb_add(gb_log(prob(d)), gb_log_prob(slab(d), x));
    return gb_where(is_zero(x), gb_log1p(gb_neg(prob(d))), of_slab);
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    const gb_node in_slab = gb_bernoulli_noise(from->noise, from->shape, from->axes, prob(d));
    const gb_node step = gb_mul(d->param[2], gb_normal_noise(from->noise, from->shape, from->axes));
    return gb_mul(in_slab, gb_add(d->param[1], step));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_node of_slab = gb_mul(prob(d), gb_cdf(slab(d), x));
    return gb_where(gb_less(x, gb_num(d->tape, 0)), of_slab, gb_add(of_slab, other(d)));
}

static gb_node atoms(const gb_dist *d)
{
    return gb_expand(gb_zeros(d->tape, gb_dist_batch_shape(*d)), 0);
}

static gb_node mean(const gb_dist *d)
{
    return gb_mul(prob(d), d->param[1]);
}

static gb_node variance(const gb_dist *d)
{
    const gb_node between = gb_mul(other(d), gb_square(d->param[1]));
    return gb_mul(prob(d), gb_add(gb_square(d->param[2]), between));
}

/* The entropy of the choice, plus prob times the entropy of the slab. */
static gb_node entropy(const gb_dist *d)
{
    const gb_node chosen = gb_xlogy(prob(d), prob(d)), not_chosen = gb_xlog1py(other(d), gb_neg(prob(d)));
    return gb_sub(gb_mul(prob(d), gb_dist_entropy(slab(d))), gb_add(chosen, not_chosen));
}

/* 0 where both probabilities are 0. */
static gb_node choice_term(gb_node q, gb_node log_q, gb_node log_p)
{
    return gb_chain(q, gb_gap(log_q, log_p));
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    const gb_node chosen = choice_term(prob(q), gb_log(prob(q)), gb_log(prob(p)));
    const gb_node not_chosen = choice_term(other(q), gb_log1p(gb_neg(prob(q))), gb_log1p(gb_neg(prob(p))));
    return gb_add(gb_add(chosen, not_chosen), gb_chain(prob(q), gb_kl(slab(q), slab(p))));
}

static const gb_kl_pair pairs[] = {{.q = &gb_spike_and_slab_type, .p = &gb_spike_and_slab_type, .kl = kl},
                                   {0}};

const gb_dist_type gb_spike_and_slab_type = {
    .size = sizeof(gb_dist_type),
    .name = "spike_and_slab",
    .formula = "log(1 - prob) where x = 0, else log prob + log N(x; loc, scale)",
    .param = {GB_PARAMETER("prob", GB_UNIT), GB_PARAMETER_OR("loc", GB_REAL, 0),
              GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
    .support = GB_REAL,
    .log_prob = log_prob,
    .atoms = atoms,
    .sample = sample,
    .cdf = cdf,
    .mean = mean,
    .variance = variance,
    .entropy = entropy,
    .kl = pairs,
};
