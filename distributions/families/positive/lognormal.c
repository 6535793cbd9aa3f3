/* SPDX-License-Identifier: GPL-3.0-or-later */
/* e^y of a normal y. */
#include "distributions/families/shared/draw_impl.h"
#include "distributions/kl.h"
#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ops/products/known_impl.h"

/* The normal distribution of log x. It has the same parameters. */
static gb_dist of_log(const gb_dist *d)
{
    gb_dist normal = *d;
    normal.type = &gb_normal_type;
    return normal;
}

/* Of an own draw, the normal draw that it was made from. */
static gb_node log_of(const gb_dist *d, gb_node x)
{
    bool held;
    const gb_node source = gb_source_of(d, x, &held);
    if (!gb_node_ok(source))
        return gb_log(x);
    return gb_own_draw(gb_by_source(source, gb_log(x), held));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node y = log_of(d, x);
    return gb_sub(gb_log_prob(of_log(d), y), y);
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node normal = gb_rsample(of_log(d), from->noise, from->axes);
    return gb_drawn(d, gb_positive_draw(normal), normal);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_cdf(of_log(d), gb_log(x));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_exp(gb_icdf(of_log(d), u));
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_survival(of_log(d), gb_log(x));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return gb_exp(gb_inverse_survival(of_log(d), q));
}

static gb_node mean(const gb_dist *d)
{
    return gb_exp(gb_add(d->param[0], gb_scale(gb_square(d->param[1]), 0.5)));
}

static gb_node variance(const gb_dist *d)
{
    return gb_mul(gb_expm1(gb_square(d->param[1])), gb_square(mean(d)));
}

static gb_node mode(const gb_dist *d)
{
    return gb_positive_draw(gb_sub(d->param[0], gb_square(d->param[1]))); /* 0 is outside the support */
}

static gb_node entropy(const gb_dist *d)
{
    return gb_add(gb_dist_entropy(of_log(d)), d->param[0]);
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_kl(of_log(q), of_log(p));
}

static const gb_kl_pair pairs[] = {{.q = &gb_lognormal_type, .p = &gb_lognormal_type, .kl = kl}, {0}};

const gb_dist_type gb_lognormal_type = {
    .size = sizeof(gb_dist_type),
    .name = "lognormal",
    .formula = "-((log x - loc) / scale)^2 / 2 - log x - log scale - log(2 pi) / 2",
    .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
    .support = GB_POSITIVE,
    .log_prob = log_prob,
    .rsample = rsample,
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
