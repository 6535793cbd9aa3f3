/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

static const double half_log_two_pi = 0.918938533204672741780329736405617640;

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node loc = d->param[0], scale = d->param[1];
    const gb_node z = gb_div(gb_sub(x, loc), scale);
    return gb_sub(gb_scale(gb_square(z), -0.5), gb_shift(gb_log(scale), half_log_two_pi));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node loc = d->param[0], scale = d->param[1];
    return gb_add(loc, gb_mul(scale, gb_normal_noise(from->noise, from->shape, from->axes)));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_ndtr(gb_div(gb_sub(x, d->param[0]), d->param[1]));
}

static gb_node mean(const gb_dist *d)
{
    return d->param[0];
}

static gb_node variance(const gb_dist *d)
{
    return gb_square(d->param[1]);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_shift(gb_log(d->param[1]), 0.5 + half_log_two_pi);
}

/* ½ (r² − 1 − 2 log r + m²), with r = σ_q / σ_p and m = (μ_q − μ_p) / σ_p. */
static gb_node kl_normal_normal(const gb_dist *q, const gb_dist *p)
{
    const gb_node r = gb_div(q->param[1], p->param[1]);
    const gb_node m = gb_div(gb_sub(q->param[0], p->param[0]), p->param[1]);
    const gb_node of_scales = gb_sub(gb_shift(gb_square(r), -1), gb_scale(gb_log(r), 2));
    return gb_scale(gb_add(of_scales, gb_square(m)), 0.5);
}

static const gb_kl_pair pairs[] = {{.q = &gb_normal_type, .p = &gb_normal_type, .kl = kl_normal_normal}, {0}};

const gb_dist_type gb_normal_type = {
    .size = sizeof(gb_dist_type),
    .name = "normal",
    .formula = "-((x - loc) / scale)^2 / 2 - log scale - log(2 pi) / 2",
    .param = {{"loc", GB_REAL}, {"scale", GB_POSITIVE}},
    .support = GB_REAL,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .mean = mean,
    .mode = mean,
    .variance = variance,
    .entropy = entropy,
    .kl = pairs,
};

gb_dist gb_normal(gb_node loc, gb_node scale)
{
    return gb_dist_new(&gb_normal_type, (const gb_node[]){loc, scale});
}
