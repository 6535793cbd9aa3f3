/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/numbers/normal_measure_impl.h"
#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node z = gb_to_standard(d, x);
    return gb_sub(gb_scale(gb_square(z), -0.5), gb_shift(gb_log(d->param[1]), GB_HALF_LOG_TWO_PI));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return gb_from_standard(d, gb_normal_noise(from->noise, from->shape, from->axes));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_ndtr(gb_to_standard(d, x));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_from_standard(d, gb_ndtri(u));
}

static gb_node variance(const gb_dist *d)
{
    return gb_square(d->param[1]);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_shift(gb_log(d->param[1]), 0.5 + GB_HALF_LOG_TWO_PI);
}

/* ---- measure-valued derivatives ---- */

enum { LOC, SCALE };

/* In loc, the two halves of the derivative of the density. In scale, z² φ(z) − φ(z). */
static bool measure(const gb_dist *d, size_t which, int64_t element, gb_measure *m)
{
    const gb_node loc = d->param[LOC], scale = d->param[SCALE], per_scale = gb_reciprocal(scale);
    const double one_over_root_two_pi = 0.398942280401432677939946059934381868;
    (void)element;
    if (which == LOC)
        *m = (gb_measure){.coefficient = gb_scale(per_scale, one_over_root_two_pi),
                          .plus = gb_normal_side(loc, scale, 1),
                          .minus = gb_normal_side(loc, scale, -1)};
    else
        *m = (gb_measure){.coefficient = per_scale, .plus = gb_two_maxwells(loc, scale), .minus = *d};
    return true;
}

/* In loc, the two halves mirror each other. In scale, a Maxwell draw times a uniform one is normal. */
static bool couple(const gb_dist *d, size_t which, int64_t element, const gb_source *from, gb_node *plus,
                   gb_node *minus)
{
    const gb_node loc = d->param[LOC], scale = d->param[SCALE];
    (void)element;
    if (which == LOC) {
        const gb_node step = gb_mul(scale, gb_normal_side_noise(from));
        *plus = gb_add(loc, step);
        *minus = gb_sub(loc, step);
        return true;
    }
    const gb_node step = gb_mul(scale, gb_two_maxwells_noise(from));
    *plus = gb_add(loc, step);
    *minus = gb_add(loc, gb_mul(step, gb_uniform_noise(from->noise, from->shape, from->axes)));
    return true;
}

/* ---- divergences ---- */

static gb_node kl_normal_normal(const gb_dist *q, const gb_dist *p)
{
    const gb_node apart = gb_sub(q->param[LOC], p->param[LOC]);
    return gb_add(gb_scale_divergence(q->param[SCALE], p->param[SCALE]), gb_misfit(apart, p->param[SCALE]));
}

static const gb_kl_pair pairs[] = {{.q = &gb_normal_type, .p = &gb_normal_type, .kl = kl_normal_normal}, {0}};

const gb_dist_type gb_normal_type = {
    .size = sizeof(gb_dist_type),
    .name = "normal",
    .formula = "-((x - loc) / scale)^2 / 2 - log scale - log(2 pi) / 2",
    .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
    .support = GB_REAL,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = gb_symmetric_survival,
    .inverse_survival = gb_symmetric_inverse_survival,
    .mean = gb_first_parameter,
    .mode = gb_first_parameter,
    .variance = variance,
    .entropy = entropy,
    .measure = measure,
    .couple = couple,
    .kl = pairs,
};
