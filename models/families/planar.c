/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planar flows (Rezende and Mohamed 2015): y = x + u tanh(w·x + b), where w·u > −1 makes the map invertible.
 * Any v gives such a u: it is moved along w until w·u = log(1 + (e − 1) e^(w·v)) − 1, which is 0 for v = 0.
 * So v = 0 is the identity. */
#include <math.h>

#include "models/families/flow_impl.h"
#include "models/families/start_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"

enum { V, W, B };

static const double log_e_minus_1 = 0.541324854612918128972;

/* Of one map: u and w are vectors, b and w·u numbers. */
typedef struct plane {
    gb_node u, w, b, along;
} plane;

static plane plane_of(const gb_flow *f, int64_t layer)
{
    const gb_node v = gb_at(f->weight[V], layer), w = gb_at(f->weight[W], layer), before = gb_dot(w, v);
    const gb_node along = gb_shift(gb_softplus(gb_shift(before, log_e_minus_1)), -1);
    const gb_node moved = gb_mul(gb_div(gb_sub(along, before), gb_dot(w, w)), w);
    return (plane){.u = gb_add(v, moved), .w = w, .b = gb_at(f->weight[B], layer), .along = along};
}

/* x + u h, for h (…) and x (…, n). */
static gb_node moved_by(gb_node x, gb_node u, gb_node h)
{
    return gb_add(x, gb_mul(gb_expand(h, -1), u));
}

static gb_node forward(const gb_flow *f, int64_t layer, gb_node x, gb_node *log_slope)
{
    const plane p = plane_of(f, layer);
    const gb_node h = gb_tanh(gb_add(gb_matmul(x, p.w), p.b));
    const gb_node slope = gb_sub(gb_num(f->tape, 1), gb_square(h));
    *log_slope = gb_log1p(gb_mul(slope, p.along));
    return moved_by(x, p.u, h);
}

/* ---- the inverse: the root a of a + w·u tanh(a + b) = w·y, which increases in a ---- */

/* Halves an interval that holds the root until it is as wide as rounding errors. */
static gb_node bisected(const plane *p, gb_node goal)
{
    const int halvings = gb_tape_real(goal.tape) == GB_FLOAT ? 26 : 54;
    const gb_node reach = gb_abs(p->along);
    gb_node a = goal;
    for (int i = 0; i < halvings; i++) {
        const gb_node value = gb_add(a, gb_mul(p->along, gb_tanh(gb_add(a, p->b))));
        const gb_node step = gb_scale(reach, ldexp(1, -1 - i));
        a = gb_where(gb_less(value, goal), gb_add(a, step), gb_sub(a, step));
    }
    return gb_stop(a);
}

/* A step of Newton's method adds the last digits, and the gradient; each further one doubles the order up to
 * which gradients of gradients are right. */
static gb_node root_of(const plane *p, gb_node goal)
{
    gb_node a = bisected(p, goal);
    for (int i = 0; i < 3; i++) {
        const gb_node h = gb_tanh(gb_add(a, p->b)), slope = gb_sub(gb_num(a.tape, 1), gb_square(h));
        const gb_node off = gb_sub(gb_add(a, gb_mul(p->along, h)), goal);
        a = gb_sub(a, gb_div(off, gb_shift(gb_mul(p->along, slope), 1)));
    }
    return a;
}

static gb_node inverse(const gb_flow *f, int64_t layer, gb_node y)
{
    const plane p = plane_of(f, layer);
    const gb_node a = root_of(&p, gb_matmul(y, p.w));
    return moved_by(y, p.u, gb_neg(gb_tanh(gb_add(a, p.b))));
}

/* ---- the family ---- */

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    static const gb_flow_kind kind = {.forward = forward, .inverse = inverse};
    const gb_planar_options *const o = bytes;
    gb_flow *const f = gb_flow_new(slot, &kind, o->layers);
    if (!f)
        return (gb_dist){0};
    const gb_shape vectors = gb_shape(f->layers, f->numbers);
    const gb_start random = {.spread = 1 / sqrt((double)f->numbers)};
    f->weight[V] = gb_part_variable(slot->tape, slot->name, "shift", vectors, 0);
    f->weight[W] = gb_slot_location(slot, "normal", vectors, random);
    f->weight[B] = gb_slot_location(slot, "offset", gb_shape(f->layers), (gb_start){.spread = 1});
    return gb_flow_posterior(slot, f, gb_flow_place_of(o));
}

static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    (void)slot;
    return gb_flow_starts(gb_flow_place_of((const gb_planar_options *)bytes), to);
}

static const gb_option table[] = {GB_FLOW_ROWS(gb_planar_options, 8), {0}};

const gb_family_type gb_planar_family_type = {
    .size = sizeof(gb_family_type),
    .name = "planar",
    .formula = "a flow of planar maps",
    .options = table,
    .option_bytes = sizeof(gb_planar_options),
    .posterior = posterior,
    .start = start,
};

gb_family gb_planar_with(gb_shape shape, const gb_planar_options *options)
{
    return gb_family_of(&gb_planar_family_type, shape, options);
}
