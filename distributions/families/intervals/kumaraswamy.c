/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = x^a has the distribution function 1 − (1 − y)^b. All is in closed form, in terms of log y = a log x.
 * The second derivative of log_prob in x near 0 has an absolute error of ε b x^(a−2), also where its terms
 * cancel (a = 1). */
#include "core/op.h"
#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/gamma_impl.h"
#include "distributions/kl.h"
#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/products/known_impl.h"
#include "ops/special.h"

/* log(1 − x^a), which is log(−log x^a) near 1. */
static gb_node log_rest(const gb_dist *d, gb_node log_x)
{
    const gb_node a = d->param[0], log_y = gb_mul(a, log_x);
    const gb_node near_one = gb_add(gb_log(a), gb_log(gb_neg(log_x)));
    return gb_where(gb_greater(log_y, gb_num(d->tape, -1e-30)), near_one, gb_log1mexp(log_y));
}

/* (a − 1) log x + (b − 1) log(1 − y) of an own draw, for which log(1 − y) is −e / b. */
static gb_node by_source(const gb_dist *d, gb_node x, gb_node e, bool held)
{
    const gb_node a = d->param[0], b = d->param[1], rest = gb_neg(gb_div(e, b));
    const gb_node log_y = gb_log1mexp(rest), log_x = gb_by_source(gb_div(log_y, a), gb_log(x), held);
    const gb_node of_y = gb_by_source(log_y, gb_mul(a, log_x), held);
    const gb_node of_rest = gb_by_source(rest, log_rest(d, log_x), held);
    return gb_add(gb_sub(of_y, gb_div(of_y, a)), gb_mul(gb_shift(b, -1), of_rest));
}

static gb_node by_formula(const gb_dist *d, gb_node x)
{
    const gb_node a = d->param[0], b = d->param[1];
    const gb_node low = gb_xlogy(gb_shift(a, -1), x),
                  high = gb_chain(gb_shift(b, -1), log_rest(d, gb_log(x)));
    return gb_add(low, high);
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    bool held;
    const gb_node e = gb_source_of(d, x, &held);
    const gb_node powers = gb_node_ok(e) ? by_source(d, x, e, held) : by_formula(d, x);
    return gb_add(gb_add(gb_log(d->param[0]), gb_log(d->param[1])), powers);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_neg(gb_expm1(gb_mul(d->param[1], log_rest(d, gb_log(x)))));
}

/* The quantile of u, from log(1 − u). */
static gb_node from_log_rest(const gb_dist *d, gb_node log_rest_of_u)
{
    return gb_exp(gb_div(gb_log1mexp(gb_div(log_rest_of_u, d->param[1])), d->param[0]));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return from_log_rest(d, gb_log1p(gb_neg(u)));
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_exp(gb_mul(d->param[1], log_rest(d, gb_log(x))));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return from_log_rest(d, gb_log(q));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node e = gb_exponential_noise(from->noise, from->shape, from->axes);
    return gb_drawn(d, gb_open_unit_draw(from_log_rest(d, gb_neg(e))), e);
}

/* E[x] = b B(1 + 1/a, b). The derivatives of the two factors cancel for large a and b, so those of the
 * product are recorded here. */
static gb_node log_mean(const gb_dist *d)
{
    const gb_node b = d->param[1], step = gb_reciprocal(d->param[0]), first = gb_shift(step, 1);
    const gb_node value = gb_stop(gb_add(gb_log(b), gb_lbeta(first, b)));
    const gb_node of_step = gb_inject(value, step, gb_neg(gb_digamma_difference(first, b)));
    return gb_inject(of_step, b, gb_neg(gb_digamma_difference(gb_shift(b, 1), step)));
}

static gb_node mean(const gb_dist *d)
{
    return gb_exp(log_mean(d));
}

/* E[x²]/E[x]² is e^(bend(1) − bend(1 + b)). */
static gb_node variance(const gb_dist *d)
{
    const gb_node step = gb_reciprocal(d->param[0]), one = gb_num(d->tape, 1);
    const gb_node bend = gb_log_gamma_bend(one, step);
    const gb_node less = gb_log_gamma_bend(gb_shift(d->param[1], 1), step);
    return gb_variance_of_logs(log_mean(d), gb_sub(bend, less));
}

/* ((a − 1)/(ab − 1))^(1/a) if neither is below 1, else the end where the density is greatest. */
static gb_node mode(const gb_dist *d)
{
    const gb_node a = d->param[0], b = d->param[1], zero = gb_num(d->tape, 0), one = gb_num(d->tape, 1);
    const gb_node left = gb_shift(a, -1), right = gb_shift(b, -1);
    const gb_node of_bell = gb_pow(gb_div(left, gb_add(gb_mul(left, b), right)), gb_reciprocal(a));
    const gb_node falls = gb_or(gb_less(a, one), gb_and(gb_less_equal(a, one), gb_less_equal(one, b)));
    return gb_where(falls, zero, gb_where(gb_less(b, one), one, of_bell));
}

/* ψ(1 + b) + γ = −E[log x^a] */
static gb_node harmonic(gb_node b)
{
    return gb_digamma_difference(gb_num(b.tape, 1), b);
}

/* (1 − 1/a) harmonic(b) + 1 − 1/b − log(a b), without terms that cancel for large b. */
static gb_node entropy(const gb_dist *d)
{
    static const double euler = 0.577215664901532860606512090082402431;
    const gb_node a = d->param[0], b = d->param[1];
    const gb_node of_a = gb_add(gb_div(harmonic(b), a), gb_log(a));
    return gb_sub(gb_shift(gb_neg(gb_log_less_digamma(b)), 1 + euler), of_a);
}

/* gb_kumaraswamy_log_rest integrates, since the series of Nalisnick and Smyth 2017 converges slowly. */
static gb_node kl_kumaraswamy_beta(const gb_dist *q, const gb_dist *p)
{
    const gb_node a = q->param[0], b = q->param[1], alpha = p->param[0], beta = p->param[1];
    const gb_node of_log_x = gb_mul(gb_div(gb_sub(alpha, a), a), harmonic(b));
    const gb_node of_rest = gb_mul(gb_shift(beta, -1), gb_kumaraswamy_log_rest(a, b));
    const gb_node constants = gb_add(gb_add(gb_log(a), gb_log(b)), gb_lbeta(alpha, beta));
    return gb_add(gb_sub(constants, gb_div(gb_shift(b, -1), b)), gb_add(of_log_x, of_rest));
}

static const gb_kl_pair pairs[] = {{.q = &gb_kumaraswamy_type, .p = &gb_beta_type, .kl = kl_kumaraswamy_beta},
                                   {0}};

const gb_dist_type gb_kumaraswamy_type = {
    .size = sizeof(gb_dist_type),
    .name = "kumaraswamy",
    .formula = "log a + log b + (a - 1) log x + (b - 1) log(1 - x^a)",
    .param = {GB_PARAMETER("a", GB_POSITIVE), GB_PARAMETER("b", GB_POSITIVE)},
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
