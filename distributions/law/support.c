/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Supports that move with parameters: whether they do, and with which. */
#include <math.h>

#include "distributions/law/distribution_impl.h"
#include "distributions/transforms.h"
#include "ops/hold.h"

/* What is known of a set while transforms are applied to it. */
typedef struct image {
    bool has_end; /* it is not all real numbers (or vectors) */
    bool at_zero; /* its finite ends are 0 */
    bool moves;   /* an end depends on parameters */
} image;

static bool is_variable(gb_node param)
{
    return gb_node_ok(param) && !gb_is_constant(param);
}

static bool is_zero(gb_node param)
{
    const gb_range range = gb_node_range(param);
    return range.low == 0 && range.high == 0;
}

static image image_of_domain(const gb_domain *set)
{
    if (!set)
        return (image){0};
    const bool has_low = isfinite(set->low), has_high = isfinite(set->high);
    return (image){.has_end = has_low || has_high || set->outside,
                   .at_zero = !set->outside && (!has_low || set->low == 0) && (!has_high || set->high == 0)};
}

/* loc + scale x, or (x − loc) / scale. */
static image by_affine(image of, gb_node loc, gb_node scale, bool inverse)
{
    const bool scale_moves = is_variable(scale) && !(of.at_zero && (!inverse || is_zero(loc)));
    return (image){.has_end = of.has_end,
                   .at_zero = of.at_zero && is_zero(loc),
                   .moves = of.moves || (of.has_end && (is_variable(loc) || scale_moves))};
}

static image image_by(image of, const gb_transform *t, bool inverse)
{
    if (t->type == &gb_inverted_transform_type)
        return image_by(of, t->inner, !inverse);
    if (t->type == &gb_composed_transform_type)
        return inverse ? image_by(image_by(of, t->outer, true), t->inner, true)
                       : image_by(image_by(of, t->inner, false), t->outer, false);
    if (t->type == &gb_affine_transform_type)
        return by_affine(of, t->param[0], t->param[1], inverse);
    if (t->type == &gb_permutation_transform_type || t->type == &gb_reshaped_transform_type)
        return of;
    const image whole = image_of_domain(inverse ? t->type->from : t->type->to);
    const bool varies = is_variable(t->param[0]) || is_variable(t->param[1]);
    return (image){.has_end = whole.has_end || of.has_end || varies,
                   .at_zero = whole.at_zero && !of.has_end && !varies,
                   .moves = of.moves || (varies && !inverse)};
}

static image image_of(const gb_dist *d)
{
    image own = d->base ? image_of(d->base) : image_of_domain(d->type->support);
    own.moves |= d->type->moving_support;
    return d->transform ? image_by(own, d->transform, false) : own;
}

bool gb_dist_moving_support(gb_dist d)
{
    return d.type && image_of(&d).moves;
}

/* ---- parameters ---- */

static void add(gb_dist_nodes *to, gb_node node)
{
    if (!gb_node_ok(node))
        return;
    if (to->count < GB_DIST_NODES)
        to->node[to->count] = node;
    to->count++;
}

static void add_transform(gb_dist_nodes *to, const gb_transform *t)
{
    if (!t)
        return;
    add(to, t->param[0]);
    add(to, t->param[1]);
    add_transform(to, t->inner);
    add_transform(to, t->outer);
}

static void add_params(gb_dist_nodes *to, const gb_dist *d)
{
    for (size_t i = 0; i < GB_MAX_PARAMS; i++)
        add(to, d->param[i]);
}

void gb_dist_all_params(const gb_dist *d, gb_dist_nodes *to)
{
    for (; d; d = d->base) {
        add_params(to, d);
        add_transform(to, d->transform);
    }
}

void gb_dist_moving_params(const gb_dist *d, gb_dist_nodes *to)
{
    for (; d; d = d->base) {
        const gb_ends ends = GB_HAS(d->type, ends) ? d->type->ends(d) : (gb_ends){0};
        add(to, ends.low);
        add(to, ends.high);
        if (d->type->moving_support && !GB_HAS(d->type, ends))
            add_params(to, d);
        add_transform(to, d->transform);
    }
}
