/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A normal whose precision is a band matrix, by its factor: z = centre + spread ⊙ u, where u is a regression
 * of each number on those before it, u_i = x_i + Σ_k link[k, i] u_{i−1−k}, for standard normal x. So x = M u
 * with M of ones on the diagonal and `band` diagonals below it, and the precision of u is Mᵀ M. As a flow it
 * is one map that keeps the volume. A draw is a recursion, log q of a value is not. */
#include "models/families/flow_impl.h"
#include "models/families/start_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/recursion.h"
#include "ops/reduce.h"

enum { LINK };

static int64_t band_of(const gb_flow *f)
{
    return gb_node_ok(f->weight[LINK]) ? gb_shape_size(gb_node_shape(f->weight[LINK]), 0) : 0;
}

/* ---- the map ---- */

/* One number before it is a state of its own: then the recursion is a line, which gb_scan evaluates fast. */
static void step_by_one(gb_scan_step *s)
{
    s->output[0] = s->next[0] = gb_add(s->input[0], gb_mul(s->input[1], s->state[0]));
}

/* The state has the last numbers, the latest one first. */
static void step(gb_scan_step *s)
{
    const gb_node before = s->state[0];
    const int64_t band = gb_shape_size(gb_node_shape(before), -1);
    const gb_node u = gb_add(s->input[0], gb_sum_along(gb_mul(before, s->input[1]), gb_axis(-1)));
    const gb_node all[] = {gb_expand(u, -1), gb_slice(before, -1, 0, band - 1)};
    s->next[0] = gb_concat(2, all, -1);
    s->output[0] = u;
}

/* Zeros in the shape of x (…, n), with `last` numbers in place of the n. */
static gb_node zeros_before(const gb_flow *f, gb_node x, int64_t last)
{
    gb_shape shape = gb_node_shape(x);
    shape.size[shape.rank - 1] = last;
    return gb_zeros(f->tape, shape);
}

static gb_node forward(const gb_flow *f, int64_t layer, gb_node x, gb_node *log_slope)
{
    (void)layer;
    const int64_t band = band_of(f);
    *log_slope = gb_num(f->tape, 0);
    if (band == 0 || !gb_node_ok(x))
        return x;
    const bool by_one = band == 1;
    const gb_node link = by_one ? gb_at(f->weight[LINK], 0) : f->weight[LINK];
    const gb_node before = zeros_before(f, x, band), first = by_one ? gb_squeeze(before, -1) : before;
    return gb_scan(f->tape, by_one ? step_by_one : step, gb_roots(first), .inputs = gb_roots(x, link),
                   .axis = -1, .outputs = 1)
        .output[0];
}

/* x_i = u_i − Σ_k link[k, i] u_{i−1−k}: zeros stand before the first number. */
static gb_node inverse(const gb_flow *f, int64_t layer, gb_node u)
{
    (void)layer;
    const int64_t band = band_of(f), n = f->numbers;
    if (band == 0 || !gb_node_ok(u))
        return u;
    const gb_node padded = gb_concat(2, (const gb_node[]){zeros_before(f, u, band), u}, -1);
    gb_node x = u;
    for (int64_t k = 0; k < band; k++)
        x = gb_sub(x,
                   gb_mul(gb_at(f->weight[LINK], k), gb_slice(padded, -1, band - 1 - k, band - 1 - k + n)));
    return x;
}

/* ---- the family ---- */

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    static const gb_flow_kind kind = {.forward = forward, .inverse = inverse};
    const gb_banded_options *const o = bytes;
    gb_flow *const f = gb_flow_new(slot, &kind, 1);
    if (!f)
        return (gb_dist){0};
    const int64_t band = o->band < f->numbers ? o->band : f->numbers - 1;
    if (band > 0)
        f->weight[LINK] = gb_part_variable(slot->tape, slot->name, "link", gb_shape(band, f->numbers), 0);
    return gb_flow_posterior(slot, f, gb_flow_place_of(o));
}

static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    (void)slot;
    return gb_flow_starts(gb_flow_place_of((const gb_banded_options *)bytes), to);
}

static const gb_option table[] = {GB_FAMILY_PLACE_ROWS(gb_banded_options),
                                  GB_FAMILY_SCALE_ROWS(gb_banded_options),
                                  GB_OPTION_WHOLE(gb_banded_options, band, 1, &gb_flow_count_domain,
                                                  "diagonals of the precision on each side"),
                                  {0}};

const gb_family_type gb_banded_family_type = {
    .size = sizeof(gb_family_type),
    .name = "banded",
    .formula = "one normal, whose precision is a band matrix",
    .options = table,
    .option_bytes = sizeof(gb_banded_options),
    .posterior = posterior,
    .start = start,
};

gb_family gb_banded_with(gb_shape shape, const gb_banded_options *options)
{
    return gb_family_of(&gb_banded_family_type, shape, options);
}
