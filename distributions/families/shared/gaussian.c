/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the multivariate normals share: density, entropy, and the divergence between any two of them. */
#include "distributions/families/shared/gaussian_impl.h"

#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"

static const double log_two_pi = 1.837877066409345483560659472811235279;

/* Whether a parameter has as many rows as loc has elements, and as many columns if it is square. */
static bool is_of_size(const gb_domain *domain, gb_shape shape, int64_t n)
{
    const int rows = shape.rank - domain->event_rank;
    return shape.size[rows] == n && (!domain->square || shape.size[shape.rank - 1] == n);
}

gb_dist gb_gaussian_new(const gb_dist_type *type, const gb_node *param)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    const gb_dist d = gb_dist_new(type, param);
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

gb_node gb_gaussian_log_prob(const gb_gaussian *by, const gb_dist *d, gb_node x)
{
    const gb_node squares = by->squares(d, gb_as_column(gb_sub(x, by->loc(d))));
    const gb_node log_volume = gb_shift(by->half_log_det(d), 0.5 * log_two_pi * size_of_event(d));
    return gb_sub(gb_scale(squares, -0.5), log_volume);
}

gb_node gb_gaussian_entropy(const gb_gaussian *by, const gb_dist *d)
{
    return gb_shift(by->half_log_det(d), 0.5 * (1 + log_two_pi) * size_of_event(d));
}

gb_node gb_gaussian_draw(const gb_dist *d, const gb_source *from, gb_node m)
{
    const gb_shape wide = gb_node_shape(m);
    gb_shape shape = from->shape;
    shape.size[shape.rank - 1] = wide.size[wide.rank - 1];
    return gb_add(d->param[0], gb_matrix_vector(m, gb_normal_noise(from->noise, shape, from->axes)));
}

/* ---- a product of normals is one of them ---- */

static gb_node of_base(const gb_dist *d, size_t which)
{
    return gb_broadcast(d->base->param[which], gb_dist_shape(*d));
}

static gb_node product_loc(const gb_dist *d)
{
    return of_base(d, 0);
}

static gb_node product_half_log_det(const gb_dist *d)
{
    return gb_sum_along(gb_log(of_base(d, 1)), gb_axis(-1));
}

static gb_node product_squares(const gb_dist *d, gb_node m)
{
    return gb_sum_event(gb_square(gb_div(m, gb_as_column(of_base(d, 1)))), 2);
}

static gb_node product_diagonal(const gb_dist *d)
{
    return gb_square(of_base(d, 1));
}

static gb_node product_weighted(const gb_dist *d, gb_node v)
{
    return gb_sum_along(gb_div(v, product_diagonal(d)), gb_axis(-1));
}

static const gb_gaussian by_product = {.loc = product_loc,
                                       .half_log_det = product_half_log_det,
                                       .squares = product_squares,
                                       .weighted = product_weighted,
                                       .diagonal = product_diagonal};

/* ---- divergence ---- */

static const gb_gaussian *kind_of(const gb_dist *d)
{
    if (d->type == &gb_multivariate_normal_type)
        return &gb_gaussian_by_factor;
    if (d->type == &gb_multivariate_normal_precision_type)
        return &gb_gaussian_by_precision;
    if (d->type == &gb_low_rank_normal_type)
        return &gb_gaussian_by_low_rank;
    return d->type == &gb_independent_type && d->base->type == &gb_normal_type && d->count == 1 ? &by_product
                                                                                                : NULL;
}

static bool are_normal(const gb_dist *q, const gb_dist *p)
{
    return kind_of(q) && kind_of(p) && gb_shape_equal(gb_dist_event_shape(*q), gb_dist_event_shape(*p));
}

static gb_node weighted(const gb_gaussian *by, const gb_dist *d, gb_node v)
{
    return by->weighted ? by->weighted(d, v) : by->squares(d, gb_diag(gb_sqrt(v)));
}

/* tr Σ_p⁻¹ Σ_q */
static gb_node trace(const gb_dist *q, const gb_dist *p)
{
    const gb_gaussian *const of_q = kind_of(q), *const of_p = kind_of(p);
    gb_node sum = gb_num(q->tape, 0);
    if (of_q->root)
        sum = gb_add(sum, of_p->squares(p, of_q->root(q)));
    return of_q->diagonal ? gb_add(sum, weighted(of_p, p, of_q->diagonal(q))) : sum;
}

/* ½ (tr Σ_p⁻¹ Σ_q + (μ_q − μ_p)ᵀ Σ_p⁻¹ (μ_q − μ_p) − n + log |Σ_p| − log |Σ_q|) */
static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    const gb_gaussian *const of_q = kind_of(q), *const of_p = kind_of(p);
    const gb_node distance = of_p->squares(p, gb_as_column(gb_sub(of_q->loc(q), of_p->loc(p))));
    const gb_node volumes = gb_sub(of_p->half_log_det(p), of_q->half_log_det(q));
    return gb_add(gb_scale(gb_shift(gb_add(trace(q, p), distance), -size_of_event(q)), 0.5), volumes);
}

#define PAIR(from, to)                                                                                       \
    {                                                                                                        \
        .q = &gb_##from##_type, .p = &gb_##to##_type, .kl = kl, .fits = are_normal                           \
    }
#define PAIRS(self)                                                                                          \
    {                                                                                                        \
        PAIR(self, multivariate_normal), PAIR(self, multivariate_normal_precision),                          \
            PAIR(self, low_rank_normal), PAIR(self, independent), PAIR(independent, self),                   \
        {                                                                                                    \
            0                                                                                                \
        }                                                                                                    \
    }
const gb_kl_pair gb_gaussian_pairs_by_factor[] = PAIRS(multivariate_normal),
                 gb_gaussian_pairs_by_precision[] = PAIRS(multivariate_normal_precision),
                 gb_gaussian_pairs_by_low_rank[] = PAIRS(low_rank_normal);
