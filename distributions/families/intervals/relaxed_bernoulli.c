/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The binary concrete distribution (Maddison, Mnih, Teh 2017; Jang, Gu, Poole 2017): sigmoid((logit + L) /
 * temperature) for a logistic L. It tends to a Bernoulli draw as the temperature tends to 0. 0 and 1 have no
 * density, and log_prob is −inf there. At low temperatures, draws that would round to 0 or 1 are replaced by
 * the numbers next to them. */
#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/probability_impl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

static gb_node temperature(const gb_dist *d)
{
    return d->param[0];
}

static gb_node logits(const gb_dist *d)
{
    return d->alternative ? d->param[1] : gb_logit(d->param[1]);
}

/* The logistic variable L that gives x. */
static gb_node noise_of(const gb_dist *d, gb_node x)
{
    return gb_sub(gb_mul(temperature(d), gb_logit(x)), logits(d));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node noise = noise_of(d, x);
    const gb_node logistic = gb_add(gb_log_sigmoid(noise), gb_log_sigmoid(gb_neg(noise)));
    const gb_node slope = gb_add(gb_log(x), gb_log1p(gb_neg(x)));
    return gb_sub(gb_add(gb_log(temperature(d)), logistic), slope);
}

static gb_node of_uniform(const gb_dist *d, gb_node u)
{
    return gb_sigmoid(gb_div(gb_add(logits(d), gb_logit(u)), temperature(d)));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return gb_open_unit_draw(of_uniform(d, gb_uniform_noise(from->noise, from->shape, from->axes)));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_sigmoid(noise_of(d, x));
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_sigmoid(gb_neg(noise_of(d, x)));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return gb_sigmoid(gb_div(gb_sub(logits(d), gb_logit(q)), temperature(d)));
}

const gb_dist_type gb_relaxed_bernoulli_type = {
    .size = sizeof(gb_dist_type),
    .name = "relaxed_bernoulli",
    .formula =
        "log(temperature) + log s(u) + log s(-u) - log(x (1 - x)), u = temperature logit(x) - logit(prob)",
    .param = {GB_PARAMETER("temperature", GB_POSITIVE), GB_PARAMETER("prob", GB_OPEN_UNIT)},
    .alternative = {GB_PARAMETER("temperature", GB_POSITIVE), GB_PARAMETER("logits", GB_REAL)},
    .support = GB_OPEN_UNIT,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = of_uniform,
    .survival = survival,
    .inverse_survival = inverse_survival,
};
