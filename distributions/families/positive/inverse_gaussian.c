/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time at which a Brownian motion with drift first reaches a level.
 *
 * With a = √(shape / x) (x / mean − 1), b = √(shape / x) (x / mean + 1) and Mills' ratio
 * R(b) = (1 − Φ(b)) / φ(b), the density is φ(a) √(shape / x³) and the distribution function
 * Φ(a) + φ(a) R(b): the usual e^(2 shape / mean) Φ(−b), which overflows, is φ(a) R(b). */
#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/draw_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

enum { MEAN, SHAPE };

/* b is the sum of √(shape x) / mean and √(shape / x), a the difference. */
typedef struct place {
    gb_node a, b, from_x, from_mean; /* from_x = √(shape / x), from_mean = √(shape x) / mean */
} place;

static place place_of(const gb_dist *d, gb_node x)
{
    const gb_node from_x = gb_sqrt(gb_div(d->param[SHAPE], x)), ratio = gb_div(x, d->param[MEAN]);
    const gb_node apart = gb_div(gb_sub(x, d->param[MEAN]), d->param[MEAN]);
    const gb_node from_mean = gb_mul(from_x, ratio);
    return (place){gb_mul(from_x, apart), gb_add(from_mean, from_x), from_x, from_mean};
}

static gb_node mills_ratio(gb_node b)
{
    return gb_reciprocal(gb_mills(gb_neg(b)));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node half = gb_scale(gb_square(place_of(d, x).a), 0.5);
    const gb_node height = gb_sub(gb_log(d->param[SHAPE]), gb_scale(gb_log(x), 3));
    return gb_sub(gb_shift(gb_scale(height, 0.5), -GB_HALF_LOG_TWO_PI), half);
}

/* Of x = mean / r and x = mean r with r = 1 + w + √(w (w + 2)), w = mean u² / 2 shape and a normal u, the
 * first with probability r / (1 + r) (Michael, Schucany and Haas 1976). The gradients are implicit:
 * −∂F/∂mean / density = 2 R(b) √(shape x³) / mean², and x / shape (1 − (a + b) R(b)) in shape. */
static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node u = gb_normal_noise(from->noise, from->shape, from->axes);
    const gb_node w = gb_mul(gb_div(d->param[MEAN], d->param[SHAPE]), gb_scale(gb_square(u), 0.5));
    const gb_node root = gb_mul(gb_sqrt(w), gb_sqrt(gb_shift(w, 2))), r = gb_shift(gb_add(w, root), 1);
    const gb_node first = gb_bernoulli_noise(from->noise, from->shape, from->axes,
                                             gb_reciprocal(gb_shift(gb_reciprocal(r), 1)));
    const gb_node is_first = gb_greater(first, gb_num(d->tape, 0)), mean = d->param[MEAN];
    const gb_node x = gb_positive_number(gb_where(is_first, gb_div(mean, r), gb_mul(mean, r)));
    const place at = place_of(d, x);
    const gb_node ratio = mills_ratio(at.b), relative = gb_div(x, mean);
    const gb_node by_shape = gb_shift(gb_neg(gb_mul(gb_scale(at.from_mean, 2), ratio)), 1);
    const gb_node slope[] = {gb_scale(gb_mul(gb_mul(ratio, at.from_mean), relative), 2),
                             gb_mul(gb_div(x, d->param[SHAPE]), by_shape)};
    return gb_implicit_draw(x, 2, d->param, slope);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    const place at = place_of(d, x);
    return gb_add(gb_ndtr(at.a), gb_mul(gb_normal_density(at.a), mills_ratio(at.b)));
}

/* 1 − t R(t) */
static gb_node falls_at(gb_node t)
{
    const gb_node minus = gb_neg(t);
    return gb_div(gb_mills_excess(minus), gb_mills(minus));
}

/* R(a) − R(b), the integral of 1 − t R(t), by Gauss's rule with five nodes: for b − a < 1/4 to 1e-15. */
static gb_node narrow_difference(place at)
{
    static const double node[] = {0.538469310105683091036, 0.906179845938663992798};
    static const double weight[] = {0.478628670499366468041, 0.236926885056189087514};
    const gb_node half = at.from_x, middle = at.from_mean;
    gb_node sum = gb_scale(falls_at(middle), 0.568888888888888888889);
    for (size_t i = 0; i < 2; i++) {
        const gb_node off = gb_scale(half, node[i]);
        const gb_node both = gb_add(falls_at(gb_sub(middle, off)), falls_at(gb_add(middle, off)));
        sum = gb_add(sum, gb_scale(both, weight[i]));
    }
    return gb_mul(half, sum);
}

/* φ(a) (R(a) − R(b)) */
static gb_node survival(const gb_dist *d, gb_node x)
{
    const place at = place_of(d, x);
    const gb_node density = gb_normal_density(at.a);
    const gb_node wide = gb_sub(gb_ndtr(gb_neg(at.a)), gb_mul(density, mills_ratio(at.b)));
    const gb_node is_narrow = gb_less(at.from_x, gb_num(d->tape, 0.125));
    return gb_where(is_narrow, gb_mul(density, narrow_difference(at)), wide);
}

static gb_node mean(const gb_dist *d)
{
    return d->param[MEAN];
}

static gb_node variance(const gb_dist *d)
{
    return gb_mul(gb_square(d->param[MEAN]), gb_div(d->param[MEAN], d->param[SHAPE]));
}

/* mean (√(1 + k²) − k) with k = 3 mean / 2 shape. */
static gb_node mode(const gb_dist *d)
{
    const gb_node k = gb_scale(gb_div(d->param[MEAN], d->param[SHAPE]), 1.5);
    return gb_div(d->param[MEAN], gb_add(gb_sqrt(gb_shift(gb_square(k), 1)), k));
}

/* That of the shapes, as of gamma distributions of concentration 1/2, and shape_p (mean_q − mean_p)² /
 * 2 mean_q mean_p². */
static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    const gb_node of_q = q->param[MEAN], of_p = p->param[MEAN];
    const gb_node apart = gb_div(gb_sub(of_q, of_p), of_p);
    const gb_node of_means = gb_mul(gb_div(p->param[SHAPE], of_q), gb_square(apart));
    return gb_scale(gb_add(gb_ratio_excess(p->param[SHAPE], q->param[SHAPE]), of_means), 0.5);
}

static const gb_kl_pair pairs[] = {{.q = &gb_inverse_gaussian_type, .p = &gb_inverse_gaussian_type, .kl = kl},
                                   {0}};

const gb_dist_type gb_inverse_gaussian_type = {
    .size = sizeof(gb_dist_type),
    .name = "inverse_gaussian",
    .formula = "log(shape / (2 pi x^3)) / 2 - shape (x - mean)^2 / (2 mean^2 x)",
    .param = {GB_PARAMETER_OR("mean", GB_POSITIVE, 1), GB_PARAMETER_OR("shape", GB_POSITIVE, 1)},
    .support = GB_POSITIVE,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .kl = pairs,
    .survival = survival,
};
