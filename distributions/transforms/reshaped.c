/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same numbers in another shape. */
#include <math.h>
#include <string.h>

#include "distributions/transforms.h"
#include "distributions/transforms/transform_impl.h"
#include "ops/array.h"

static gb_shape event(const gb_transform *t)
{
    return gb_shape_of((int)t->count, t->order);
}

/* `shape` with `new` as its last axes instead of `old`; rank −1 if it does not end with `old`. */
static gb_shape with_event(gb_shape shape, gb_shape old, gb_shape new)
{
    const int before = shape.rank - old.rank;
    if (before < 0 || !gb_shape_same(gb_shape_of(old.rank, shape.size + before), old) ||
        before + new.rank > GB_MAX_RANK)
        return (gb_shape){.rank = -1};
    return gb_shape_join(gb_shape_of(before, shape.size), new);
}

static gb_shape vector(const gb_transform *t)
{
    return gb_shape((int64_t)gb_shape_count(event(t)));
}

static gb_shape shape(const gb_transform *t, gb_shape x)
{
    return with_event(x, vector(t), event(t));
}

static gb_shape inverse_shape(const gb_transform *t, gb_shape y)
{
    return with_event(y, event(t), vector(t));
}

static gb_node forward(const gb_transform *t, gb_node x)
{
    return gb_reshape(x, shape(t, gb_node_shape(x)));
}

static gb_node inverse(const gb_transform *t, gb_node y)
{
    return gb_reshape(y, inverse_shape(t, gb_node_shape(y)));
}

#define REAL_ARRAY(rank)                                                                                     \
    {                                                                                                        \
        .size = sizeof(gb_domain), .name = "real_array", .must_be = "finite", .event_rank = (rank),          \
        .low = -INFINITY, .high = INFINITY, .above = true, .below = true                                     \
    }
static const gb_domain real_array[] = {REAL_ARRAY(3), REAL_ARRAY(4), REAL_ARRAY(5), REAL_ARRAY(6)};

static const gb_domain *to_of(const gb_transform *t)
{
    static const gb_domain *const domains[] = {GB_REAL,        GB_REAL_VECTOR, GB_REAL_MATRIX, real_array,
                                               real_array + 1, real_array + 2, real_array + 3};
    return domains[t->count];
}

const gb_transform_type gb_reshaped_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "reshaped",
    .formula = "the same numbers, row by row in another shape",
    .from = GB_REAL_VECTOR,
    .to = GB_REAL_MATRIX,
    .forward = forward,
    .inverse = inverse,
    .log_jacobian = gb_keeps_volume,
    .shape = shape,
    .inverse_shape = inverse_shape,
    .to_of = to_of,
};

gb_transform gb_reshaped_transform(gb_tape *tape, gb_shape to)
{
    if (!tape || gb_error(tape) != GB_OK)
        return (gb_transform){0};
    char text[GB_SHAPE_TEXT];
    if (to.rank < 0 || to.rank > GB_MAX_RANK || gb_shape_count(to) < 1) {
        gb_fail(tape, GB_ESHAPE, "reshaped: %s is no shape to fill", gb_shape_text(to, text));
        return (gb_transform){0};
    }
    int64_t *const sizes = gb_tape_keep(tape, sizeof to.size);
    if (!sizes)
        return (gb_transform){0};
    memcpy(sizes, to.size, (size_t)to.rank * sizeof *sizes);
    return (gb_transform){
        .type = &gb_reshaped_transform_type, .tape = tape, .order = sizes, .count = to.rank};
}
