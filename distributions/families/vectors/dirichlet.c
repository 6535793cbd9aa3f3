/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In terms of independent draws from Gamma(concentration, 1). Their sum is a draw from Gamma(total, 1), and
 * is independent of their shares, so nothing large cancels: log densities have errors of 1e-12 for
 * concentrations of a million. That holds if the sum of x is 1. An error e in the sum counts as total · e; it
 * stays in, so that the formula holds for every x. */
#include <math.h>

#include "core/op.h"
#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/gamma_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "ops/control.h"
#include "ops/density.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/scan.h"
#include "ops/special.h"

/* Σ, without and with the axis. */
static gb_node sum(gb_node x)
{
    return gb_sum_event(x, 1);
}

static gb_node total(gb_node concentration)
{
    return gb_add_axes(sum(concentration), 1);
}

static gb_node size(const gb_dist *d)
{
    return gb_num(d->tape, (double)gb_dist_event_shape(*d).size[0]);
}

/* The part of each element, and that of an element that is 0. */
static gb_node inside(gb_node a, gb_node s, gb_node x)
{
    const gb_node body = gb_gamma_scaled_body(a, gb_mul(s, x), gb_log(x), gb_log(s));
    return gb_sub(body, gb_gamma_rest(a));
}

static gb_node at_zero(gb_node a, gb_node s, gb_node x)
{
    const gb_node power = gb_add(gb_xlogy(gb_shift(a, -1), x), gb_mul(a, gb_log(s)));
    return gb_sub(gb_sub(power, gb_mul(s, x)), gb_lgamma(a));
}

/* log(G / s) for the sum G of the gamma draws that m are the logarithms of; log G where s is not large. */
static gb_node log_sum_of_draws(gb_node a, gb_node sum_of_a, gb_node m)
{
    const gb_node of_large = gb_mul(a, gb_expm1(m)), of_small = gb_sub(gb_exp(m), a);
    const gb_node less_a = sum(gb_where(gb_gamma_is_large(a), of_large, of_small));
    const gb_node excess = gb_log1p(gb_div(less_a, sum_of_a));
    return gb_where(gb_gamma_is_large(sum_of_a), excess, gb_logsumexp_along(m, gb_axis(-1)));
}

/* From the log densities of the gamma draws x G and of their sum G, which a held draw holds too. The
 * logarithms of these draws are known as m, also where x underflows. That the sum of x is 1 counts in the
 * gradient at a held draw only. */
static gb_node at_own_draw(const gb_dist *d, gb_node x, gb_node m, bool held)
{
    const gb_node a = d->param[0], sum_of_a = sum(a), log_unit = gb_gamma_log_unit(sum_of_a);
    const gb_node known = log_sum_of_draws(a, sum_of_a, m), open = gb_add(log_unit, known);
    const gb_node log_sum = held ? gb_stop(open) : open;
    const gb_node plain = gb_add(gb_log(x), gb_sub(gb_add_axes(log_sum, 1), gb_gamma_log_unit(a)));
    const gb_node log_r = gb_by_source(m, plain, held);
    const gb_node of_sum = gb_by_source(known, gb_sub(log_sum, log_unit), held);
    const gb_node parts = sum(gb_sub(gb_gamma_log_body(a, log_r), gb_gamma_rest(a)));
    const gb_node whole = gb_sub(gb_gamma_log_body(sum_of_a, of_sum), gb_gamma_rest(sum_of_a));
    const gb_node log_p = gb_add(gb_sub(parts, whole), gb_mul(gb_shift(size(d), -1), log_sum));
    return held ? gb_add(log_p, gb_gradient_only(gb_mul(gb_exp(log_sum), sum(x)))) : log_p;
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    bool held;
    const gb_node source = gb_source_of(d, x, &held);
    if (gb_node_ok(source))
        return at_own_draw(d, x, source, held);
    const gb_node a = d->param[0], s = total(a), is_zero = gb_equal(x, gb_num(d->tape, 0));
    const gb_node parts = sum(gb_where(is_zero, at_zero(a, s, x), inside(a, s, x)));
    const gb_node sum_of_a = sum(a), off = gb_mul(sum_of_a, gb_shift(sum(x), -1));
    return gb_add(gb_sub(parts, gb_log_gamma_kernel(sum_of_a, sum_of_a)), off);
}

/* The shares are those of m and the logarithm of its unit, relative to that of the total, which is near. */
static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node a = d->param[0], s = total(a), one = gb_num(d->tape, 1);
    const gb_node m = gb_scaled_log_gamma_draw(from, a);
    const gb_node offset = gb_log(gb_div(gb_where(gb_gamma_is_large(a), a, one), s));
    return gb_drawn(d, gb_open_unit_draw(gb_softmax(gb_add(m, offset), -1)), m);
}

/* s − a would lose what the others are beside a large a. */
static gb_node sum_of_others(gb_node a)
{
    const gb_node before = gb_cumsum(a, -1, .exclusive = true);
    return gb_add(before, gb_cumsum(a, -1, .exclusive = true, .reverse = true));
}

/* Its slopes need the others, too. */
static gb_node mean(const gb_dist *d)
{
    const gb_node a = d->param[0], s = total(a), mean = gb_stop(gb_div(a, s)), others = sum_of_others(a);
    const gb_node in_a = gb_div(gb_div(others, s), s), in_others = gb_neg(gb_div(gb_div(a, s), s));
    return gb_inject(gb_inject(mean, a, in_a), others, in_others);
}

static gb_node variance(const gb_dist *d)
{
    const gb_node a = d->param[0];
    return gb_div(gb_mul(mean(d), gb_part(sum_of_others(a), a)), gb_shift(total(a), 1));
}

/* Inside the simplex if all concentrations are above 1, else NaN. */
static gb_node mode(const gb_dist *d)
{
    const gb_node less_one = gb_shift(d->param[0], -1), zero = gb_num(d->tape, 0);
    const gb_node low = sum(gb_to_real(gb_less_equal(less_one, zero)));
    const gb_node has_none = gb_add_axes(gb_greater(low, zero), 1);
    return gb_where(has_none, gb_num(d->tape, NAN), gb_div(less_one, total(less_one)));
}

static gb_node entropy(const gb_dist *d)
{
    const gb_node a = d->param[0], s = sum(a);
    const gb_node log_sum = gb_sub(gb_log(s), gb_log_less_digamma(s)); /* ψ(s) */
    const gb_node draws = gb_sub(sum(gb_gamma_entropy(a)), gb_gamma_entropy(s));
    return gb_sub(draws, gb_mul(gb_shift(size(d), -1), log_sum));
}

/* Σ B(c_i, a_i) − B(Σc, Σa) with Bregman divergences B of log Γ. Their large parts are Σ c_i log(c_i/a_i) − C
 * log(C/A): the divergence of the means, a sum of deviances. The rests are Bregman divergences of φ. Relative
 * errors are about 10 ε divided by the relative difference of the concentrations. */
static gb_node kl_dirichlet_dirichlet(const gb_dist *q, const gb_dist *p)
{
    const gb_node a = q->param[0], c = p->param[0], sum_a = sum(a), sum_c = sum(c);
    const gb_node scaled = gb_mul(a, gb_add_axes(gb_div(sum_c, sum_a), 1));
    const gb_node parts = gb_add(gb_deviance(c, scaled), gb_stirling_bregman(c, a));
    return gb_sub(sum(parts), gb_stirling_bregman(sum_c, sum_a));
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_dirichlet_type, .p = &gb_dirichlet_type, .kl = kl_dirichlet_dirichlet, .fits = gb_same_event},
    {0}};

const gb_dist_type gb_dirichlet_type = {
    .size = sizeof(gb_dist_type),
    .name = "dirichlet",
    .formula = "sum (concentration - 1) log x - sum log Gamma(concentration) + log Gamma(sum concentration)",
    .param = {GB_PARAMETER("concentration", GB_POSITIVE_VECTOR)},
    .support = GB_SIMPLEX,
    .log_prob = log_prob,
    .rsample = rsample,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
    .kl = pairs,
};
