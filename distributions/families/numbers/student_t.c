/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The derivative of the distribution function in df is of the size of 1/df². On float tapes its relative
 * error is some 1e-7 df: above df = 1e6 nothing is left of it. */
#include <math.h>

#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "ops/control.h"
#include "ops/density.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/products/known_impl.h"
#include "ops/special.h"

enum { DF, LOC, SCALE };

static const double half_log_pi = 0.572364942924700087071713675676529356;

static gb_node half_df(const gb_dist *d)
{
    return gb_scale(d->param[DF], 0.5);
}

static gb_node half(const gb_dist *d)
{
    return gb_num(d->tape, 0.5);
}

static gb_node standard(const gb_dist *d, gb_node x)
{
    return gb_div(gb_sub(x, d->param[LOC]), d->param[SCALE]);
}

static gb_node wide(const gb_dist *d)
{
    return gb_mul(d->param[SCALE], gb_sqrt(d->param[DF]));
}

static gb_node moved(const gb_dist *d, gb_node y)
{
    return gb_add(d->param[LOC], gb_mul(wide(d), y));
}

/* log(scale √df B(df/2, 1/2)), which is minus the log density at loc. */
static gb_node log_total(const gb_dist *d)
{
    const gb_node scales = gb_add(gb_log(d->param[SCALE]), gb_scale(gb_log(d->param[DF]), 0.5));
    return gb_sub(gb_shift(scales, half_log_pi), gb_log_gamma_step(half_df(d)));
}

/* ---- what a draw is made from ----
 *
 * y = (x − loc) / (scale √df), which for a small df may be beyond all numbers. So beyond ±1e16 it continues
 * along the logarithm: ±1e16 (1 + log(|y| / 1e16)). */

static const double far_away = 1e16, log_far_away = 36.841361487904730944;

static gb_node is_beyond(gb_node y)
{
    return gb_greater(gb_abs(y), gb_num(y.tape, far_away));
}

static gb_node continued(gb_node y, gb_node log_size)
{
    const gb_node along = gb_scale(gb_shift(log_size, 1 - log_far_away), far_away);
    return gb_where(is_beyond(y), gb_mul(gb_sign(y), along), y);
}

/* log |y| where it is beyond. */
static gb_node log_size_of(gb_node source)
{
    return gb_shift(gb_scale(gb_abs(source), 1 / far_away), log_far_away - 1);
}

/* log(1 + y²) of an own draw. */
static gb_node by_source(const gb_dist *d, gb_node x, gb_node source, bool held)
{
    const gb_node log_size = log_size_of(source), far = is_beyond(source);
    const gb_node known = gb_where(far, gb_scale(log_size, 2), gb_log1p_square(source));
    if (!held)
        return known;
    const gb_node y = gb_where(far, gb_mul(gb_sign(source), gb_positive_draw(log_size)), source);
    return gb_with_value(known, gb_log1p_square(gb_standard_at(y, x, d->param[LOC], wide(d))));
}

/* By log(1 + y²) = 2 log |y| + log(1 + 1/y²), with log |y| = log |x − loc| − log(scale √df). So the slope in
 * scale, which is near df / scale far out, is not a difference of 1 + df and 1. */
static gb_node outside_of_one(const gb_dist *d, gb_node x, gb_node y)
{
    const gb_node rest = gb_shift(gb_neg(gb_log_gamma_step(half_df(d))), half_log_pi);
    const gb_node log_apart = gb_log(gb_abs(gb_sub(x, d->param[LOC])));
    const gb_node power = gb_mul(d->param[DF], gb_sub(log_apart, gb_log(wide(d))));
    const gb_node curved = gb_mul(gb_shift(half_df(d), 0.5), gb_log1p_square(gb_reciprocal(y)));
    return gb_neg(gb_add(gb_add(power, log_apart), gb_add(curved, rest)));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    bool held;
    const gb_node source = gb_source_of(d, x, &held), y = gb_div(gb_sub(x, d->param[LOC]), wide(d));
    const gb_node log_square = gb_node_ok(source) ? by_source(d, x, source, held) : gb_log1p_square(y);
    const gb_node log_p = gb_neg(gb_add(gb_mul(gb_shift(half_df(d), 0.5), log_square), log_total(d)));
    if (gb_node_ok(source))
        return log_p;
    const gb_node is_out = gb_greater(gb_abs(y), gb_num(d->tape, 1));
    return gb_with_value(log_p, gb_where(is_out, outside_of_one(d, x, y), log_p));
}

/* d log |y| / d df at a fixed rank: far out the mass outside ±y is y^−df / (df/2 B(df/2, 1/2)). */
static gb_node far_slope(const gb_dist *d, gb_node log_size)
{
    const gb_node h = half_df(d),
                  of_factor = gb_sub(gb_digamma(gb_shift(h, 0.5)), gb_digamma(gb_shift(h, 1)));
    return gb_div(gb_sub(gb_scale(of_factor, 0.5), log_size), d->param[DF]);
}

/* A normal draw divided by the root of a gamma draw. The gradient in df is implicit in the quotient, and not
 * in the gamma draw, which has a larger variance. A draw that is held within range does not move with df. */
static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node df = d->param[DF], scale = d->param[SCALE], root = gb_stop(gb_sqrt(df));
    const gb_node log_gamma = gb_log_gamma_noise(from->noise, from->shape, from->axes, half_df(d));
    const gb_node normal = gb_normal_noise(from->noise, from->shape, from->axes);
    const gb_node half_log = gb_scale(gb_shift(log_gamma, GB_LOG_TWO), -0.5);
    const gb_node quotient = gb_mul(normal, gb_exp(half_log));
    const gb_node y = gb_stop(gb_finite_draw(quotient)), far = is_beyond(y);
    const gb_node log_size = gb_stop(gb_add(gb_log(gb_abs(normal)), half_log));
    const gb_node along = far_slope(d, log_size), per_df = gb_reciprocal(gb_scale(df, 2));
    const gb_node inner = gb_student_t_draw_slope(df, gb_mul(root, y)); /* of root y in df */
    const gb_node outer = gb_finite_draw(gb_mul(gb_mul(root, y), gb_add(along, per_df)));
    const gb_node is_held = gb_greater(gb_abs(quotient), gb_abs(y));
    const gb_node slope = gb_where(is_held, gb_num(d->tape, 0), gb_where(far, outer, inner));
    const gb_node x = gb_add(d->param[LOC], gb_mul(gb_mul(scale, root), y));
    const gb_node draw = gb_finite_draw(gb_inject(x, df, gb_mul(scale, slope)));
    const gb_node slope_of_y = gb_sub(gb_div(inner, root), gb_div(y, gb_scale(df, 2)));
    const gb_node slope_beyond = gb_mul(gb_sign(y), gb_scale(along, far_away));
    const gb_node source =
        gb_inject(gb_stop(continued(y, log_size)), df, gb_where(far, slope_beyond, slope_of_y));
    return gb_drawn(d, draw, source);
}

/* Far out, the mass outside ±y is y^−df / (df/2 B(df/2, 1/2)). This is the log of the factor. */
static gb_node log_far_factor(const gb_dist *d)
{
    return gb_neg(gb_add(gb_log(half_df(d)), gb_lbeta(half_df(d), half(d))));
}

/* Half of the mass outside ±y, with all its digits: I at 1/(1 + y²). For y < 1 it is the rest of I at
 * y²/(1 + y²), which tells a small y from 0. 1/(1 + y²) underflows long before its powers do. */
static gb_node tail(const gb_dist *d, gb_node size)
{
    const gb_node one = gb_num(d->tape, 1), square = gb_square(size);
    const gb_node is_near = gb_less(size, one), is_far = gb_greater(size, gb_num(d->tape, 1e8));
    const gb_node inner = gb_where(is_near, gb_div(square, gb_shift(square, 1)), half(d));
    const gb_node outer = gb_reciprocal(gb_shift(gb_where(gb_or(is_near, is_far), one, square), 1));
    const gb_node far = gb_exp(gb_sub(log_far_factor(d), gb_mul(d->param[DF], gb_log(size))));
    const gb_node outside = gb_where(is_far, far, gb_beta_i(half_df(d), half(d), outer));
    return gb_scale(gb_where(is_near, gb_beta_i_upper(half(d), half_df(d), inner), outside), 0.5);
}

/* The density of y = z / √df at 0: 1 / B(1/2, df/2). */
static gb_node height(const gb_dist *d)
{
    return gb_exp(gb_shift(gb_log_gamma_step(half_df(d)), -half_log_pi));
}

/* (df + 1) y² / 6. For a small bend the mass from 0 to y is height · y (1 − bend). */
static gb_node bend(const gb_dist *d, gb_node y)
{
    return gb_mul(gb_scale(gb_shift(d->param[DF], 1), 1. / 6), gb_square(y));
}

static gb_node where_small(gb_node bend, gb_node x, gb_node otherwise)
{
    return gb_where(gb_less(bend, gb_num(bend.tape, 1e-9)), x, otherwise);
}

/* From the tail on the side of x. At loc itself the tail has no derivative in y. */
static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_node y = gb_div(standard(d, x), gb_sqrt(d->param[DF])), b = bend(d, y);
    const gb_node one = gb_num(d->tape, 1), below = gb_less(y, gb_num(d->tape, 0));
    const gb_node outside = tail(d, where_small(b, one, gb_abs(y)));
    const gb_node straight = gb_mul(gb_mul(height(d), y), gb_sub(one, b));
    return where_small(b, gb_shift(straight, 0.5), gb_where(below, outside, gb_sub(one, outside)));
}

/* The y that has this mass outside ±y: its square is the odds of the quantile. */
static gb_node inverse_tail(const gb_dist *d, gb_node mass)
{
    const gb_node one = gb_num(d->tape, 1), inner = gb_beta_i_upper_inverse(half(d), half_df(d), mass);
    const gb_node outer = gb_beta_i_inverse(half_df(d), half(d), mass);
    const gb_node far = gb_exp(gb_div(gb_sub(log_far_factor(d), gb_log(mass)), d->param[DF]));
    const gb_node is_near = gb_less(inner, half(d)), is_far = gb_less(outer, gb_num(d->tape, 1e-17));
    const gb_node odds =
        gb_where(is_near, gb_div(inner, gb_sub(one, inner)), gb_div(gb_sub(one, outer), outer));
    return gb_where(is_far, far, gb_sqrt(odds));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_node one = gb_num(d->tape, 1), outside = gb_scale(gb_min(u, gb_sub(one, u)), 2);
    const gb_node off = gb_shift(u, -0.5);
    const gb_node inner = gb_beta_i_inverse(half(d), half_df(d), gb_scale(gb_abs(off), 2));
    const gb_node is_near = gb_and(gb_less(gb_abs(off), gb_num(d->tape, 0.25)), gb_less(inner, half(d)));
    const gb_node within = gb_sqrt(gb_div(inner, gb_sub(one, inner)));
    const gb_node size = gb_where(is_near, within, inverse_tail(d, outside));
    const gb_node linear = gb_div(off, height(d)), b = bend(d, linear);
    const gb_node y = where_small(b, gb_mul(linear, gb_shift(b, 1)), gb_mul(gb_sign(off), size));
    return moved(d, y);
}

static gb_node mean(const gb_dist *d)
{
    return gb_where_above(d->param[DF], 1, d->param[LOC], (double)NAN);
}

static gb_node variance(const gb_dist *d)
{
    const gb_node less = gb_shift(d->param[DF], -2), more = gb_shift(gb_div(gb_num(d->tape, 2), less), 1);
    const gb_node ratio = gb_with_value(gb_div(d->param[DF], less), more); /* whose slope does not cancel */
    const gb_node finite = gb_mul(gb_square(d->param[SCALE]), ratio);
    const gb_node above_one = gb_where_above(d->param[DF], 2, finite, INFINITY);
    return gb_where_above(d->param[DF], 1, above_one, (double)NAN);
}

static gb_node mode(const gb_dist *d)
{
    return d->param[LOC];
}

/* (h + ½) S'(h) + log(scale √(2πh)) − S(h) with h = df/2 and S(h) = log Γ(h + ½) − log Γ(h), which is ½ log h
 * and a small rest: for large h nothing but rests and 1/4h remains beside the entropy of a normal. */
static gb_node entropy(const gb_dist *d)
{
    const gb_node h = half_df(d), rest = gb_log_gamma_step_rest(0, h), slope = gb_log_gamma_step_rest(1, h);
    const gb_node of_df =
        gb_sub(gb_add(gb_mul(gb_shift(h, 0.5), slope), gb_reciprocal(gb_scale(h, 4))), rest);
    return gb_add(of_df, gb_shift(gb_log(d->param[SCALE]), (1 + GB_LOG_TWO_PI) / 2));
}

const gb_dist_type gb_student_t_type = {
    .size = sizeof(gb_dist_type),
    .name = "student_t",
    .formula = "-(df + 1) / 2 log(1 + ((x - loc) / scale)^2 / df) - log(scale sqrt(df) B(df / 2, 1/2))",
    .param = {GB_PARAMETER("df", GB_POSITIVE), GB_PARAMETER_OR("loc", GB_REAL, 0),
              GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
    .support = GB_REAL,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = gb_symmetric_survival,
    .inverse_survival = gb_symmetric_inverse_survival,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
};
