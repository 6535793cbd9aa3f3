/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/shared/gamma_impl.h"

#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/special.h"

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
