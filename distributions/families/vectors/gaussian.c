/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the multivariate normals: density, entropy, draws, and the divergence between any two. */
#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/families/vectors/gaussian_impl.h"
#include "distributions/law/own_draw_impl.h"

#include "ops/arrange.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/products/known_impl.h"
#include "ops/reduce.h"

/* Whether a parameter has as many rows as loc has elements; if it is square, as many columns too. */
static bool is_of_size(const gb_domain *domain, gb_shape shape, int64_t n)
{
    const int rows = shape.rank - domain->event_rank;
    return shape.size[rows] == n && (!domain->square || shape.size[shape.rank - 1] == n);
}

gb_dist gb_gaussian_new(const gb_dist_type *type, const gb_node *param)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    const gb_dist d = gb_dist_of(type, param);
    if (!gb_dist_ok(d))
        return d;
    const gb_shape loc = gb_node_shape(param[0]);
    for (size_t i = 1; i < GB_MAX_PARAMS && type->param[i].name; i++)
        if (!is_of_size(type->param[i].domain, gb_node_shape(param[i]), loc.size[loc.rank - 1])) {
            gb_fail(d.tape, GB_ESHAPE, "%s: loc has shape %s, but %s %s: they are of different sizes",
                    type->name, gb_shape_text(loc, a), type->param[i].name,
                    gb_shape_text(gb_node_shape(param[i]), b));
            return (gb_dist){0};
        }
    return d;
}

static double size_of_event(const gb_dist *d)
{
    return (double)gb_dist_event_shape(*d).size[0];
}

gb_node gb_as_column(gb_node x)
{
    return gb_expand(x, -1);
}

gb_node gb_matrix_vector(gb_node m, gb_node x)
{
    return gb_squeeze(gb_matmul(m, gb_as_column(x)), -1);
}

/* (x - loc)' S^-1 (x - loc). Of an own draw, by the standard normals that it was made from. */
static gb_node squares_at(const gb_gaussian *by, const gb_dist *d, gb_node x)
{
    bool held;
    const gb_node noise = gb_source_of(d, x, &held);
    if (gb_node_ok(noise) && !held)
        return by->of_noise(d, noise);
    if (gb_node_ok(noise) && by->held)
        return by->held(d, noise, x);
    const gb_node squares = by->squares(d, gb_as_column(gb_sub(x, by->loc(d))));
    return gb_node_ok(noise) ? gb_with_value(by->of_noise(d, noise), squares) : squares;
}

gb_node gb_noise_squares(const gb_dist *d, gb_node noise)
{
    (void)d;
    return gb_sum_event(gb_square(noise), 1);
}

gb_node gb_gaussian_log_prob(const gb_gaussian *by, const gb_dist *d, gb_node x)
{
    const gb_node squares = squares_at(by, d, x);
    const gb_node log_volume = gb_shift(by->half_log_det(d), 0.5 * GB_LOG_TWO_PI * size_of_event(d));
    return gb_sub(gb_scale(squares, -0.5), log_volume);
}

gb_node gb_gaussian_entropy(const gb_gaussian *by, const gb_dist *d)
{
    return gb_shift(by->half_log_det(d), 0.5 * (1 + GB_LOG_TWO_PI) * size_of_event(d));
}

gb_node gb_gaussian_noise(const gb_source *from, gb_node m)
{
    const gb_shape wide = gb_node_shape(m);
    gb_shape shape = from->shape;
    if (!gb_node_ok(m))
        return (gb_node){0};
    shape.size[shape.rank - 1] = wide.size[wide.rank - 1];
    return gb_normal_noise(from->noise, shape, from->axes);
}

gb_node gb_gaussian_draw(const gb_dist *d, const gb_source *from, gb_node m)
{
    const gb_node noise = gb_gaussian_noise(from, m);
    return gb_drawn(d, gb_add(d->param[0], gb_matrix_vector(m, noise)), noise);
}

/* ---- divergence ---- */

static const gb_gaussian *kind_of(const gb_dist *d)
{
    static const gb_gaussian *const kinds[] = {&gb_gaussian_by_factor, &gb_gaussian_by_precision,
                                               &gb_gaussian_by_low_rank, &gb_gaussian_by_product};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->type == d->type && (!kinds[i]->fits || kinds[i]->fits(d)))
            return kinds[i];
    return NULL;
}

bool gb_gaussians_fit(const gb_dist *q, const gb_dist *p)
{
    return kind_of(q) && kind_of(p) && gb_same_event(q, p);
}

static gb_node weighted(const gb_gaussian *by, const gb_dist *d, gb_node v)
{
    return by->weighted ? by->weighted(d, v) : by->squares(d, gb_diag(gb_sqrt(v)));
}

/* tr Σ_p⁻¹ Σ_q */
static gb_node trace(const gb_gaussian *of_q, const gb_dist *q, const gb_gaussian *of_p, const gb_dist *p)
{
    gb_node sum = gb_num(q->tape, 0);
    if (of_q->root)
        sum = gb_add(sum, of_p->squares(p, of_q->root(q)));
    return of_q->diagonal ? gb_add(sum, weighted(of_p, p, of_q->diagonal(q))) : sum;
}

/* ½ (tr Σ_p⁻¹ Σ_q + (μ_q − μ_p)ᵀ Σ_p⁻¹ (μ_q − μ_p) − n + log |Σ_p| − log |Σ_q|) */
gb_node gb_gaussian_kl(const gb_dist *q, const gb_dist *p)
{
    const gb_gaussian *const of_q = kind_of(q), *const of_p = kind_of(p);
    const gb_node distance = of_p->squares(p, gb_as_column(gb_sub(of_q->loc(q), of_p->loc(p))));
    const gb_node volumes = gb_sub(of_p->half_log_det(p), of_q->half_log_det(q));
    const gb_node squares = gb_add(trace(of_q, q, of_p, p), distance);
    return gb_add(gb_scale(gb_shift(squares, -size_of_event(q)), 0.5), volumes);
}
