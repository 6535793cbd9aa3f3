/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A product of independent distributions as one: the last axes of a batch become axes of the event. */
#include "distributions/families/shared/slots_impl.h"
#include "distributions/families/vectors/gaussian_impl.h"
#include "distributions/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static int axes(const gb_dist *d)
{
    return (int)d->count;
}

static void shape(const gb_dist *d, gb_shape *batch, gb_shape *event)
{
    const gb_shape all = gb_dist_shape(*d->base), before = gb_dist_batch_shape(*d->base);
    const int rank = before.rank - axes(d);
    *batch = gb_shape_of(rank, all.size);
    *event = gb_shape_of(all.rank - rank, all.size + rank);
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_sum_event(gb_log_prob(*d->base, x), axes(d));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return gb_rsample(*d->base, from->noise, from->axes);
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    return gb_sample(*d->base, from->noise, from->axes);
}

static gb_node mean(const gb_dist *d)
{
    return gb_dist_mean(*d->base);
}

static gb_node variance(const gb_dist *d)
{
    return gb_dist_variance(*d->base);
}

static gb_node mode(const gb_dist *d)
{
    return gb_dist_mode(*d->base);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_sum_event(gb_dist_entropy(*d->base), axes(d));
}

static bool has(const gb_dist *d, gb_ability ability)
{
    return gb_dist_can(*d->base, ability);
}

static gb_transform reach(const gb_dist *d)
{
    return gb_dist_reach(*d->base);
}

/* ---- a product of normals as one normal vector ---- */

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

static bool is_normal(const gb_dist *d)
{
    return d->base->type == &gb_normal_type && d->count == 1;
}

const gb_gaussian gb_gaussian_by_product = {.type = &gb_independent_type,
                                            .fits = is_normal,
                                            .loc = product_loc,
                                            .half_log_det = product_half_log_det,
                                            .squares = product_squares,
                                            .weighted = product_weighted,
                                            .diagonal = product_diagonal};

/* ---- divergences ---- */

static bool same_axes(const gb_dist *q, const gb_dist *p)
{
    return q->count == p->count && gb_same_event(q, p) && gb_has_kl(*q->base, *p->base);
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_sum_event(gb_kl(*q->base, *p->base), axes(q));
}

/* −log p of a point mass on vectors or matrices, as for a point mass on a number. */
static bool is_point(const gb_dist *q, const gb_dist *p)
{
    return q->base->type == &gb_point_mass_type && p->type != &gb_independent_type && gb_same_event(q, p);
}

static gb_node kl_of_point(const gb_dist *q, const gb_dist *p)
{
    return gb_neg(gb_log_prob(*p, gb_dist_mean(*q->base)));
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_independent_type, .p = &gb_independent_type, .kl = kl, .fits = same_axes},
    GB_GAUSSIANS(independent, multivariate_normal),
    GB_GAUSSIANS(multivariate_normal, independent),
    GB_GAUSSIANS(independent, multivariate_normal_precision),
    GB_GAUSSIANS(multivariate_normal_precision, independent),
    GB_GAUSSIANS(independent, low_rank_normal),
    GB_GAUSSIANS(low_rank_normal, independent),
    {.q = &gb_independent_type, .kl = kl_of_point, .fits = is_point, .note = "-log p(value)"},
    {0}};

const gb_dist_type gb_independent_type = {
    .size = sizeof(gb_dist_type),
    .name = "independent",
    .formula = "sum of log q over axes",
    .wraps = true,
    .log_prob = log_prob,
    .rsample = rsample,
    .sample = sample,
    .shape = shape,
    .reach = reach,
    .has = has,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
    .kl = pairs,
};

gb_dist gb_independent(gb_dist base, int count)
{
    if (!gb_dist_ok(base))
        return (gb_dist){0};
    char text[GB_SHAPE_TEXT];
    if (count < 1 || count > gb_dist_batch_shape(base).rank) {
        gb_fail(base.tape, GB_EARGUMENT, "independent: %d axes, and the batch of %s has shape %s", count,
                base.type->name, gb_shape_text(gb_dist_batch_shape(base), text));
        return (gb_dist){0};
    }
    return gb_dist_checked(
        (gb_dist){.type = &gb_independent_type, .tape = base.tape, .base = &base, .count = count});
}
