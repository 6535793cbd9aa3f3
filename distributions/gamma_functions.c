/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/gamma_impl.h"

#include <float.h>
#include <math.h>

#include "core/op.h"
#include "ops/elementwise.h"
#include "ops/special_impl.h"

static gb_node apply(const gb_op *op, gb_node x, gb_node y)
{
    return gb_apply(NULL, op, op->arguments, (const gb_node[]){x, y}, NULL, 0);
}

/* clang-format off */
#define FUNCTION(id, words, count, x_low, x_high, y_low, y_high)                                             \
    static const gb_op id##_op = {                                                                           \
        .size = sizeof(gb_op), .name = #id, .formula = words, .form = GB_FORM_ELEMENTWISE,                   \
        .arguments = count, .vjp = id##_vjp, .lane = id##_lane, .domain = {{x_low, x_high}, {y_low, y_high}}}
/* clang-format on */

/* x − y − y log(x / y), as gb_deviance(y, x). */
static double deviance_at(double x, double y)
{
    if (x == y || y == 0 || x == INFINITY)
        return x == y ? 0 : x;
    const double less_one = (x - y) / y;
    if (fabs(less_one) < 0.5)
        return y * gb_deviance_at(x / y, less_one);
    const double ratio = x / y; /* may leave the range of numbers */
    return x - y - y * (ratio > 0 && ratio < INFINITY ? log(ratio) : log(x) - log(y));
}

/* ---- what is left of e^w ---- */

static double exp_excess_lane(double w, double unused_y, double unused_z)
{
    (void)unused_y, (void)unused_z;
    if (!(fabs(w) < 0.5))
        return w == INFINITY ? w : expm1(w) - w;
    double sum = 1; /* w²/2 (1 + w/3 (1 + w/4 (…))) */
    for (int n = 15; n > 2; n--)
        sum = 1 + w / n * sum;
    return w * w / 2 * sum;
}

static void exp_excess_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_expm1(v->arg[0]));
}

FUNCTION(exp_excess, "e^x - 1 - x", 1, -3, 3, 0, 0);

gb_node gb_exp_excess(gb_node w)
{
    return apply(&exp_excess_op, w, w);
}

/* ---- log Γ and ψ less what is large in them ---- */

static double log_less_digamma_lane(double a, double unused_y, double unused_z)
{
    (void)unused_y, (void)unused_z;
    return gb_log_less_digamma_at(a);
}

static void log_less_digamma_vjp(const gb_vjp *v)
{
    const gb_node a = v->arg[0];
    v->adjoint[0] = gb_chain(v->gradient, gb_sub(gb_reciprocal(a), gb_trigamma(a)));
}

FUNCTION(log_less_digamma, "log x - digamma(x)", 1, 0.4, 6, 0, 0);

gb_node gb_log_less_digamma(gb_node a)
{
    return apply(&log_less_digamma_op, a, a);
}

/* a log r − r − log Γ(a) = −a D(r/a) − φ(a). */
static double log_gamma_kernel_lane(double a, double r, double unused)
{
    static const double two_pi = 6.283185307179586477;
    (void)unused;
    if (!(a > 0 && r >= 0))
        return NAN;
    if (a < 1)
        return a * log(r) - r + log(a) - gb_log_gamma_ratio_at(1, a);
    return 0.5 * log(a / two_pi) - log(gb_stirling_factor_at(a)) - deviance_at(r, a);
}

static void log_gamma_kernel_vjp(const gb_vjp *v)
{
    const gb_node a = v->arg[0], r = v->arg[1];
    const gb_node score = gb_add(gb_sub(gb_log(r), gb_log(a)), gb_log_less_digamma(a));
    v->adjoint[0] = gb_chain(v->gradient, score);
    v->adjoint[1] = gb_chain(v->gradient, gb_div(gb_sub(a, r), r));
}

FUNCTION(log_gamma_kernel, "log(y^x e^-y / Gamma(x))", 2, 0.4, 6, 0.3, 6);

gb_node gb_log_gamma_kernel(gb_node a, gb_node r)
{
    return apply(&log_gamma_kernel_op, a, r);
}

/* ---- Bregman divergences ---- */

static const double LARGE = 10;

/* D(c / a). */
static double of_ratio(double c, double a)
{
    return deviance_at(c, a) / a;
}

/* Of Stirling's series for log Γ, whose terms are a^−m, m = 1, 3, 5 …: with w = a/c
 *     B(c, a) = a^−m (1−w)²/w (m + (m−1) w + … + w^(m−1)). */
static double of_series(double c, double a)
{
    enum { TERMS = 8 };
    static const double term[TERMS] = {1. / 12,   -1. / 360,      1. / 1260, -1. / 1680,
                                       1. / 1188, -691. / 360360, 1. / 156,  -3617. / 122400};
    const double w = a / c, u = 1 / a;
    double geometric = 0, inner = 0, power = 1, in_a = u, sum = 0;
    for (int m = 1; m < 2 * TERMS; m++) {
        geometric += power; /* 1 + … + w^(m−1) */
        inner += geometric;
        power *= w;
        if (m % 2)
            sum += term[m / 2] * in_a * inner;
        in_a *= u;
    }
    const double less = (c - a) / c;
    return less * less / w * sum;
}

/* Of φ, for large arguments: φ(a) = log(2π/a) / 2 + the series. */
static double stirling_bregman_of_large(double c, double a)
{
    return 0.5 * of_ratio(c, a) + of_series(c, a);
}

static bool in_domain(double c, double a)
{
    return c > 0 && a > 0 && c < INFINITY && a < INFINITY;
}

/* By Γ(a + 1) = a Γ(a), until both are large: log Γ is convex, and so is what each step takes away. */
static double log_gamma_bregman_at(double c, double a)
{
    double sum = 0;
    if (!in_domain(c, a))
        return NAN;
    for (; a < LARGE || c < LARGE; a++, c++)
        sum += of_ratio(c, a);
    return sum + deviance_at(a, c) + stirling_bregman_of_large(c, a);
}

static double stirling_bregman_at(double c, double a)
{
    if (in_domain(c, a) && c >= LARGE && a >= LARGE)
        return stirling_bregman_of_large(c, a);
    return log_gamma_bregman_at(c, a) - deviance_at(a, c);
}

static double log_gamma_bregman_lane(double c, double a, double unused)
{
    (void)unused;
    return log_gamma_bregman_at(c, a);
}

static double stirling_bregman_lane(double c, double a, double unused)
{
    (void)unused;
    return stirling_bregman_at(c, a);
}

static void log_gamma_bregman_vjp(const gb_vjp *v)
{
    const gb_node c = v->arg[0], a = v->arg[1];
    v->adjoint[0] = gb_chain(v->gradient, gb_sub(gb_digamma(c), gb_digamma(a)));
    v->adjoint[1] = gb_chain(v->gradient, gb_mul(gb_sub(a, c), gb_trigamma(a)));
}

static void stirling_bregman_vjp(const gb_vjp *v)
{
    const gb_node c = v->arg[0], a = v->arg[1];
    const gb_node bend = gb_sub(gb_trigamma(a), gb_reciprocal(a));
    v->adjoint[0] = gb_chain(v->gradient, gb_sub(gb_log_less_digamma(a), gb_log_less_digamma(c)));
    v->adjoint[1] = gb_chain(v->gradient, gb_mul(gb_sub(a, c), bend));
}

FUNCTION(log_gamma_bregman, "log Gamma(x) - log Gamma(y) - (x - y) digamma(y)", 2, 0.4, 6, 0.4, 6);
FUNCTION(stirling_bregman, "log_gamma_bregman(x, y) - deviance(y, x)", 2, 0.4, 6, 0.4, 6);

gb_node gb_log_gamma_bregman(gb_node c, gb_node a)
{
    return apply(&log_gamma_bregman_op, c, a);
}

gb_node gb_stirling_bregman(gb_node c, gb_node a)
{
    return apply(&stirling_bregman_op, c, a);
}

/* ---- made of them ---- */

gb_node gb_log_gamma_bend(gb_node z, gb_node h)
{
    const gb_node middle = gb_add(z, h);
    return gb_add(gb_log_gamma_bregman(gb_add(middle, h), middle), gb_log_gamma_bregman(z, middle));
}

/* log Γ(a) + a − (a − 1) ψ(a), where a log a − a goes out. */
gb_node gb_gamma_entropy(gb_node a)
{
    const gb_node of_shape = gb_sub(gb_log(a), gb_log_gamma_kernel(a, a));
    return gb_add(of_shape, gb_mul(gb_shift(a, -1), gb_log_less_digamma(a)));
}

/* In mean and concentration, which are orthogonal: c D(mean_q / mean_p) + B_φ(c, a). */
gb_node gb_gamma_kl(gb_node a, gb_node b, gb_node c, gb_node d)
{
    return gb_add(gb_deviance(c, gb_mul(a, gb_div(d, b))), gb_stirling_bregman(c, a));
}

/* ---- draws ---- */

gb_node gb_positive_draw(gb_node log_x)
{
    const bool is_float = gb_tape_real(log_x.tape) == GB_FLOAT;
    return gb_exp(is_float ? gb_clip(log_x, -87.3, 88.7) : gb_clip(log_x, -708.3, 709.7));
}

gb_node gb_open_unit_draw(gb_node x)
{
    const bool is_float = gb_tape_real(x.tape) == GB_FLOAT;
    return is_float ? gb_clip(x, (double)FLT_MIN, 1 - (double)FLT_EPSILON / 2)
                    : gb_clip(x, DBL_MIN, 1 - DBL_EPSILON / 2);
}
