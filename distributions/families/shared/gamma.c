/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/shared/gamma_impl.h"

#include "distributions/families/shared/draw_impl.h"
#include "distributions/law/own_draw_impl.h"
#include "ops/control.h"
#include "ops/density.h"
#include "ops/elementwise.h"
#include "ops/products/known_impl.h"
#include "ops/special.h"

/* ---- draws, and their own density ---- */

/* Of a large concentration, the mean times a number near 1, which loses no digits. Of a small one the
 * logarithm, which does not underflow. */
gb_node gb_gamma_law_draw(const gb_dist *d, const gb_source *from, gb_gamma_law law)
{
    const gb_node a = law.concentration, large = gb_gamma_is_large(a), zero = gb_num(d->tape, 0);
    const gb_node m = gb_scaled_log_gamma_draw(from, a), log_rate = gb_log(law.rate);
    const gb_node mean = law.inverse ? gb_div(law.rate, a) : gb_div(a, law.rate);
    const gb_node factor = gb_where(large, mean, gb_num(d->tape, 1)),
                  offset = gb_where(large, zero, log_rate);
    const gb_node log_x = law.inverse ? gb_sub(offset, m) : gb_sub(m, offset);
    return gb_drawn(d, gb_positive_number(gb_mul(factor, gb_positive_draw(log_x))), m);
}

/* The density of 1/x has −2 log x besides. */
static gb_node by_source(gb_node x, gb_gamma_law law, gb_node source, bool held)
{
    const gb_node a = law.concentration, log_rate = gb_log(law.rate), log_unit = gb_gamma_log_unit(a);
    const gb_node log_x = law.inverse ? gb_neg(gb_log(x)) : gb_log(x);
    const gb_node m = gb_by_source(source, gb_add(log_x, gb_sub(log_rate, log_unit)), held);
    const gb_node density = gb_sub(gb_gamma_log_body(a, m), gb_gamma_rest(a));
    if (!law.inverse)
        return gb_add(density, log_rate);
    return gb_add(gb_sub(density, log_rate), gb_scale(gb_add(m, log_unit), 2));
}

static gb_node by_formula(gb_node x, gb_gamma_law law)
{
    const gb_node a = law.concentration, log_rate = gb_log(law.rate);
    const gb_node r = law.inverse ? gb_div(law.rate, x) : gb_mul(law.rate, x);
    const gb_node log_x = law.inverse ? gb_neg(gb_log(x)) : gb_log(x);
    return gb_sub(gb_gamma_scaled_body(a, r, log_x, log_rate), gb_gamma_rest(a));
}

gb_node gb_gamma_law_log_prob(const gb_dist *d, gb_node x, gb_gamma_law law)
{
    bool held;
    const gb_node source = gb_source_of(d, x, &held);
    if (gb_node_ok(source))
        return by_source(x, law, source, held);
    return law.inverse ? gb_sub(by_formula(x, law), gb_scale(gb_log(x), 2)) : by_formula(x, law);
}

/* ---- entropies and divergences ---- */

/* Σ ψ^(n)(m) 2 h^(n+1) / (n+1)! over odd n. The terms left out are below h^6 / 6 of it, for m ≥ 1. */
static gb_node narrow_bend(gb_node m, gb_node h)
{
    const gb_node h2 = gb_square(h);
    const gb_node higher =
        gb_add(gb_scale(gb_polygamma(3, m), 1. / 12), gb_scale(gb_mul(h2, gb_polygamma(5, m)), 1. / 360));
    return gb_mul(h2, gb_add(gb_polygamma(1, m), gb_mul(h2, higher)));
}

gb_node gb_log_gamma_bend(gb_node z, gb_node h)
{
    const gb_node m = gb_add(z, h);
    const gb_node wide = gb_add(gb_log_gamma_bregman(gb_add(m, h), m), gb_log_gamma_bregman(z, m));
    const double narrow = gb_tape_real(h.tape) == GB_FLOAT ? 0.06 : 0.003;
    return gb_where(gb_less(h, gb_num(h.tape, narrow)), narrow_bend(m, h), wide);
}

gb_node gb_variance_of_logs(gb_node log_mean, gb_node bend)
{
    const gb_node square = gb_scale(log_mean, 2), is_wide = gb_greater(bend, gb_num(bend.tape, 40));
    const gb_node near = gb_mul(gb_exp(square), gb_expm1(bend));
    return gb_where(is_wide, gb_exp(gb_add(square, bend)), near);
}

/* log Γ(a) + a − (a − 1) ψ(a), without the large terms a log a − a, which cancel. Terms of the two
 * derivatives of the kernel, at (a, a), cancel too; together they are log a − ψ(a). */
gb_node gb_gamma_entropy(gb_node a)
{
    const gb_node less = gb_log_less_digamma(a);
    const gb_node kernel = gb_inject(gb_stop(gb_log_gamma_kernel(a, a)), a, less);
    return gb_add(gb_sub(gb_log(a), kernel), gb_mul(gb_shift(a, -1), less));
}

/* In mean and concentration, which are orthogonal parameters: c D(mean_q / mean_p) + B_φ(c, a). */
gb_node gb_gamma_kl(const gb_dist *q, const gb_dist *p)
{
    const gb_node a = q->param[0], b = q->param[1], c = p->param[0], d = p->param[1];
    return gb_add(gb_deviance(c, gb_mul(a, gb_div(d, b))), gb_stirling_bregman(c, a));
}
