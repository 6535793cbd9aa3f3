/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distribution of 1/x, where x is from Gamma(concentration, rate = scale). */
#include <math.h>

#include "core/op.h"
#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/gamma_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/special.h"

static gb_gamma_law law(const gb_dist *d)
{
    return (gb_gamma_law){.concentration = d->param[0], .rate = d->param[1], .inverse = true};
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_gamma_law_log_prob(d, x, law(d));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return gb_gamma_law_draw(d, from, law(d));
}

/* scale / x, with its slopes in the logarithm: scale / x² may underflow where the product of scale / x and
 * the density of 1/x does not. */
static gb_node inverse(const gb_dist *d, gb_node x)
{
    const gb_node r = gb_div(d->param[1], x);
    return gb_inject(gb_stop(r), gb_log_ratio(d->param[1], x), r);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_gamma_q(d->param[0], inverse(d, x));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_div(d->param[1], gb_gamma_q_inverse(d->param[0], u));
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_gamma_p(d->param[0], inverse(d, x));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return gb_div(d->param[1], gb_gamma_p_inverse(d->param[0], q));
}

static gb_node mean_above_one(const gb_dist *d)
{
    return gb_div(d->param[1], gb_shift(d->param[0], -1));
}

static gb_node mean(const gb_dist *d)
{
    return gb_where_above(d->param[0], 1, mean_above_one(d), INFINITY);
}

static gb_node variance(const gb_dist *d)
{
    const gb_node a = d->param[0], finite = gb_div(gb_square(mean_above_one(d)), gb_shift(a, -2));
    return gb_where_above(a, 2, finite, INFINITY);
}

static gb_node mode(const gb_dist *d)
{
    return gb_div(d->param[1], gb_shift(d->param[0], 1));
}

/* The entropy of x, less 2 E[log x]. */
static gb_node entropy(const gb_dist *d)
{
    const gb_node a = d->param[0];
    const gb_node log_x = gb_sub(gb_sub(gb_log(a), gb_log_less_digamma(a)), gb_log(d->param[1]));
    return gb_sub(gb_sub(gb_gamma_entropy(a), gb_log(d->param[1])), gb_scale(log_x, 2));
}

static bool measure(const gb_dist *d, size_t which, int64_t element, gb_measure *measure)
{
    const gb_node a = d->param[0], scale = d->param[1];
    (void)element;
    if (which != 1)
        return false;
    *measure = (gb_measure){.coefficient = gb_div(a, scale),
                            .plus = gb_inverse_gamma(a, scale),
                            .minus = gb_inverse_gamma(gb_shift(a, 1), scale)};
    return true;
}

/* Adding an exponential draw to 1/x raises the concentration by 1. */
static bool couple(const gb_dist *d, size_t which, int64_t element, const gb_source *from, gb_node *plus,
                   gb_node *minus)
{
    (void)element;
    if (which != 1)
        return false;
    const gb_node log_gamma = gb_log_gamma_draw(from, d->param[0]);
    const gb_node log_more = gb_log(gb_exponential_noise(from->noise, from->shape, from->axes));
    const gb_node log_scale = gb_log(d->param[1]);
    *plus = gb_positive_draw(gb_sub(log_scale, log_gamma));
    *minus = gb_positive_draw(gb_sub(log_scale, gb_logaddexp(log_gamma, log_more)));
    return true;
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_inverse_gamma_type, .p = &gb_inverse_gamma_type, .kl = gb_gamma_kl}, {0}};

const gb_dist_type gb_inverse_gamma_type = {
    .size = sizeof(gb_dist_type),
    .name = "inverse_gamma",
    .formula = "concentration log scale - (concentration + 1) log x - scale / x - log Gamma(concentration)",
    .param = {GB_PARAMETER("concentration", GB_POSITIVE), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
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
    .measure = measure,
    .couple = couple,
    .kl = pairs,
};
