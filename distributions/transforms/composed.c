/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One transform after another, and the inverse of a transform. */
#include "distributions/transforms.h"
#include "ops/array.h"
#include "ops/elementwise.h"

static const gb_transform *keep(gb_transform t)
{
    gb_transform *const kept = gb_tape_keep(t.tape, sizeof *kept);
    if (kept)
        *kept = t;
    return kept;
}

/* ---- outer(inner(x)) ---- */

static gb_node composed_forward(const gb_transform *t, gb_node x)
{
    return gb_transform_forward(*t->outer, gb_transform_forward(*t->inner, x));
}

static gb_node composed_inverse(const gb_transform *t, gb_node y)
{
    return gb_transform_inverse(*t->inner, gb_transform_inverse(*t->outer, y));
}

/* The log slope of one map for an event of the composition: summed over the axes that repeat the map. */
static gb_node log_slope(const gb_transform *t, gb_node x, gb_node y, int event_rank)
{
    const int own = gb_transform_from(*t)->event_rank;
    gb_shape each = gb_node_shape(x), of_y = gb_node_shape(y);
    each.rank -= own;
    of_y.rank -= gb_transform_to(*t)->event_rank;
    gb_shape_broadcast(each, of_y, &each); /* y also has the batch of the parameters */
    return gb_sum_event(gb_broadcast(gb_transform_log_jacobian(*t, x, y), each), event_rank - own);
}

/* The rank of an event between the two maps. */
static int rank_between(const gb_transform *t)
{
    const int inner = gb_transform_to(*t->inner)->event_rank,
              outer = gb_transform_from(*t->outer)->event_rank;
    return inner > outer ? inner : outer;
}

static gb_node composed_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    const gb_node between = gb_transform_inverse(*t->outer, y);
    const int grown = gb_transform_to(*t->inner)->event_rank - gb_transform_from(*t->inner)->event_rank;
    const int rank = rank_between(t);
    return gb_add(log_slope(t->outer, between, y, rank), log_slope(t->inner, x, between, rank - grown));
}

static gb_shape composed_shape(const gb_transform *t, gb_shape x)
{
    return gb_transform_shape(*t->outer, gb_transform_shape(*t->inner, x));
}

static gb_shape composed_inverse_shape(const gb_transform *t, gb_shape y)
{
    return gb_transform_inverse_shape(*t->inner, gb_transform_inverse_shape(*t->outer, y));
}

/* The domain of the map with the larger events. */
static const gb_domain *composed_from(const gb_transform *t)
{
    const gb_domain *const inner = gb_transform_from(*t->inner), *const outer = gb_transform_from(*t->outer);
    return inner->event_rank >= outer->event_rank ? inner : outer;
}

static const gb_domain *composed_to(const gb_transform *t)
{
    const gb_domain *const inner = gb_transform_to(*t->inner), *const outer = gb_transform_to(*t->outer);
    return outer->event_rank >= inner->event_rank ? outer : inner;
}

static gb_node composed_increases(const gb_transform *t)
{
    const gb_node inner = gb_transform_increases(*t->inner), outer = gb_transform_increases(*t->outer);
    if (gb_node_ok(inner) && gb_node_ok(outer))
        return gb_equal(gb_to_real(inner), gb_to_real(outer));
    return gb_node_ok(inner) ? inner : outer;
}

const gb_transform_type gb_composed_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "composed",
    .formula = "outer(inner(x))",
    .from = GB_REAL,
    .to = GB_REAL,
    .forward = composed_forward,
    .inverse = composed_inverse,
    .log_jacobian = composed_log_jacobian,
    .shape = composed_shape,
    .inverse_shape = composed_inverse_shape,
    .increases = composed_increases,
    .from_of = composed_from,
    .to_of = composed_to,
};

gb_transform gb_composed_transform(gb_transform outer, gb_transform inner)
{
    if (!gb_transform_ok(outer) || !gb_transform_ok(inner))
        return (gb_transform){0};
    const gb_transform t = {
        .type = &gb_composed_transform_type, .tape = inner.tape, .inner = keep(inner), .outer = keep(outer)};
    return t.inner && t.outer ? t : (gb_transform){0};
}

/* ---- the other way round ---- */

static gb_node inverted_forward(const gb_transform *t, gb_node x)
{
    return gb_transform_inverse(*t->inner, x);
}

static gb_node inverted_inverse(const gb_transform *t, gb_node y)
{
    return gb_transform_forward(*t->inner, y);
}

static gb_node inverted_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    return gb_neg(gb_transform_log_jacobian(*t->inner, y, x));
}

static gb_shape inverted_shape(const gb_transform *t, gb_shape x)
{
    return gb_transform_inverse_shape(*t->inner, x);
}

static gb_shape inverted_inverse_shape(const gb_transform *t, gb_shape y)
{
    return gb_transform_shape(*t->inner, y);
}

static const gb_domain *inverted_from(const gb_transform *t)
{
    return gb_transform_to(*t->inner);
}

static const gb_domain *inverted_to(const gb_transform *t)
{
    return gb_transform_from(*t->inner);
}

static gb_node inverted_increases(const gb_transform *t)
{
    return gb_transform_increases(*t->inner);
}

const gb_transform_type gb_inverted_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "inverted",
    .formula = "T^-1(x)",
    .from = GB_REAL,
    .to = GB_REAL,
    .forward = inverted_forward,
    .inverse = inverted_inverse,
    .log_jacobian = inverted_log_jacobian,
    .shape = inverted_shape,
    .inverse_shape = inverted_inverse_shape,
    .increases = inverted_increases,
    .from_of = inverted_from,
    .to_of = inverted_to,
};

gb_transform gb_inverted_transform(gb_transform transform)
{
    if (!gb_transform_ok(transform))
        return (gb_transform){0};
    const gb_transform t = {
        .type = &gb_inverted_transform_type, .tape = transform.tape, .inner = keep(transform)};
    return t.inner ? t : (gb_transform){0};
}
