/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/op.h"
#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/gamma_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "ops/control.h"
#include "ops/density.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/special.h"

static gb_node less_from_one(gb_node x)
{
    return gb_sub(gb_num(x.tape, 1), x);
}

/* The density of x from those of gamma draws s x and s (1 − x), given their sum s = alpha + beta. So large
 * parameters do not cancel. */
static gb_node by_gamma_draws(const gb_dist *d, gb_node x)
{
    const gb_node a = d->param[0], b = d->param[1], s = gb_add(a, b), log_s = gb_log(s), y = less_from_one(x);
    const gb_node left = gb_gamma_body(a, gb_mul(s, x), gb_log(x), log_s);
    const gb_node right = gb_gamma_body(b, gb_mul(s, y), gb_log1p(gb_neg(x)), log_s);
    const gb_node sum = gb_gamma_body(s, s, log_s, gb_num(d->tape, 0));
    const gb_node rests = gb_sub(gb_add(gb_gamma_rest(a), gb_gamma_rest(b)), gb_gamma_rest(s));
    return gb_sub(gb_add(gb_add(left, right), log_s), gb_add(rests, sum));
}

static gb_node by_formula(const gb_dist *d, gb_node x)
{
    const gb_node a = d->param[0], b = d->param[1];
    const gb_node powers = gb_add(gb_xlogy(gb_shift(a, -1), x), gb_xlog1py(gb_shift(b, -1), gb_neg(x)));
    return gb_sub(powers, gb_lbeta(a, b));
}

/* Whether draws are near the mean: their log odds are known relative to its odds alpha / beta. */
static gb_node is_narrow(const gb_dist *d)
{
    return gb_and(gb_gamma_is_large(d->param[0]), gb_gamma_is_large(d->param[1]));
}

/* log(x / mean), where n is the logarithm of the odds of x over those of the mean, and rest = 1 − mean. */
static gb_node log_of_odds(gb_node n, gb_node rest)
{
    return gb_neg(gb_log1p(gb_mul(rest, gb_expm1(gb_neg(n)))));
}

/* log(s / unit of a), of which 1 + b/a loses nothing for a large a. */
static gb_node log_of_sum(gb_node a, gb_node b, gb_node log_s)
{
    return gb_where(gb_gamma_is_large(a), gb_log1p(gb_div(b, a)), log_s);
}

/* As by gamma draws, of a draw that was made from n, also where x has no digits left. Where is_narrow, n
 * tells how far x is from the mean; else it is the log odds of x. */
static gb_node by_source(const gb_dist *d, gb_node x, gb_node n, bool held)
{
    const gb_node a = d->param[0], b = d->param[1], s = gb_add(a, b), narrow = is_narrow(d),
                  log_s = gb_log(s);
    const gb_node near_x = log_of_odds(n, gb_div(b, s)), near_y = log_of_odds(gb_neg(n), gb_div(a, s));
    const gb_node far_x = gb_add(gb_log_sigmoid(n), log_of_sum(a, b, log_s));
    const gb_node far_y = gb_add(gb_log_sigmoid(gb_neg(n)), log_of_sum(b, a, log_s));
    const gb_node unit_x = gb_sub(log_s, gb_gamma_log_unit(a)), unit_y = gb_sub(log_s, gb_gamma_log_unit(b));
    const gb_node of_x = gb_by_source(gb_where(narrow, near_x, far_x), gb_add(gb_log(x), unit_x), held);
    const gb_node of_y =
        gb_by_source(gb_where(narrow, near_y, far_y), gb_add(gb_log1p(gb_neg(x)), unit_y), held);
    const gb_node bodies = gb_add(gb_gamma_log_body(a, of_x), gb_gamma_log_body(b, of_y));
    const gb_node rests = gb_sub(gb_add(gb_gamma_rest(a), gb_gamma_rest(b)), gb_gamma_rest(s));
    const gb_node of_sum = gb_gamma_log_body(s, gb_sub(log_s, gb_gamma_log_unit(s)));
    return gb_add(gb_sub(bodies, of_sum), gb_sub(log_s, rests));
}

/* The value by gamma draws, since the formula cancels; the gradient by the formula, which does not. */
static gb_node log_prob(const gb_dist *d, gb_node x)
{
    bool held;
    const gb_node n = gb_source_of(d, x, &held);
    if (gb_node_ok(n))
        return by_source(d, x, n, held);
    return gb_add(gb_stop(by_gamma_draws(d, x)), gb_gradient_only(by_formula(d, x)));
}

static gb_node where_not(gb_node condition, gb_node x)
{
    return gb_where(condition, gb_num(x.tape, 0), x);
}

/* The log odds are the difference of two log gamma draws. Their gradient is implicit in themselves, and not
 * in the two draws, which has a larger variance. */
static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node a = d->param[0], b = d->param[1], narrow = is_narrow(d), s = gb_add(a, b);
    const gb_node x = gb_scaled_log_gamma_noise(from->noise, from->shape, from->axes, a);
    const gb_node y = gb_scaled_log_gamma_noise(from->noise, from->shape, from->axes, b);
    const gb_node units = where_not(narrow, gb_sub(gb_gamma_log_unit(a), gb_gamma_log_unit(b)));
    const gb_node scaled = gb_add(gb_sub(x, y), gb_stop(units));
    const gb_node slope[] = {gb_beta_scaled_slope_a(a, b, scaled), gb_beta_scaled_slope_b(a, b, scaled)};
    const gb_node n = gb_implicit_draw(scaled, 2, d->param, slope);
    const gb_node near_mean = gb_mul(gb_div(a, s), gb_exp(log_of_odds(n, gb_div(b, s))));
    return gb_drawn(d, gb_open_unit_draw(gb_where(narrow, near_mean, gb_sigmoid(n))), n);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_beta_i(d->param[0], d->param[1], x);
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_beta_i_inverse(d->param[0], d->param[1], u);
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_beta_i_upper(d->param[0], d->param[1], x);
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return gb_beta_i_upper_inverse(d->param[0], d->param[1], q);
}

static gb_node mean(const gb_dist *d)
{
    return gb_part(d->param[0], d->param[1]);
}

static gb_node variance(const gb_dist *d)
{
    const gb_node a = d->param[0], b = d->param[1], s = gb_add(a, b);
    return gb_div(gb_mul(mean(d), gb_part(b, a)), gb_shift(s, 1));
}

/* (alpha − 1) / (alpha + beta − 2) if neither parameter is below 1; else the end where the density is
 * infinite. If both are equal, 0. For alpha = beta = 1 every x is a mode. */
static gb_node mode(const gb_dist *d)
{
    const gb_node zero = gb_num(d->tape, 0);
    const gb_node left = gb_shift(d->param[0], -1), right = gb_shift(d->param[1], -1);
    const gb_node at_one = gb_and(gb_less_equal(right, zero), gb_less(right, left));
    return gb_where(gb_less_equal(left, zero), gb_to_real(at_one),
                    gb_where(at_one, gb_num(d->tape, 1), gb_div(left, gb_add(left, right))));
}

/* For gamma draws x and y, x / (x + y) and x + y are independent. */
static gb_node entropy(const gb_dist *d)
{
    const gb_node a = d->param[0], b = d->param[1], s = gb_add(a, b);
    const gb_node draws = gb_sub(gb_add(gb_gamma_entropy(a), gb_gamma_entropy(b)), gb_gamma_entropy(s));
    return gb_sub(draws, gb_sub(gb_log(s), gb_log_less_digamma(s)));
}

/* As in dirichlet.c, for two elements. */
static gb_node kl_beta_beta(const gb_dist *q, const gb_dist *p)
{
    const gb_node a = gb_add(q->param[0], q->param[1]), c = gb_add(p->param[0], p->param[1]);
    gb_node sum = gb_neg(gb_stirling_bregman(c, a));
    for (int i = 0; i < 2; i++) {
        const gb_node scaled = gb_mul(q->param[i], gb_div(c, a));
        const gb_node of_one =
            gb_add(gb_deviance(p->param[i], scaled), gb_stirling_bregman(p->param[i], q->param[i]));
        sum = gb_add(sum, of_one);
    }
    return sum;
}

static const gb_kl_pair pairs[] = {{.q = &gb_beta_type, .p = &gb_beta_type, .kl = kl_beta_beta}, {0}};

const gb_dist_type gb_beta_type = {
    .size = sizeof(gb_dist_type),
    .name = "beta",
    .formula = "(alpha - 1) log x + (beta - 1) log(1 - x) - log B(alpha, beta)",
    .param = {GB_PARAMETER("alpha", GB_POSITIVE), GB_PARAMETER("beta", GB_POSITIVE)},
    .support = GB_UNIT,
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
