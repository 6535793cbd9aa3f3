/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/families/flow_impl.h"

#include <math.h>

#include "distributions/list.h"
#include "distributions/transforms.h"
#include "models/families/start_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

const gb_domain gb_flow_count_domain = {.size = sizeof(gb_domain),
                                        .name = "flow_count",
                                        .must_be = "a whole number from 1 to 65536",
                                        .low = 1,
                                        .high = 65536,
                                        .whole = true};

/* ---- as a transform ---- */

/* gb_transform_same compares `inner` by its parameters, which no two flows share. */
static const gb_flow *flow_of(const gb_transform *t)
{
    return (const void *)t->inner;
}

/* The log Jacobian is that of the whole flow, for each vector x. */
static gb_node through(const gb_flow *f, gb_node x, gb_node *log_jacobian)
{
    *log_jacobian = gb_sum_along(gb_log(f->spread), gb_axis(-1));
    for (int64_t layer = 0; layer < f->layers; layer++) {
        gb_node log_slope = {0};
        x = f->kind->forward(f, layer, x, &log_slope);
        *log_jacobian = gb_add(*log_jacobian, log_slope);
    }
    return gb_add(f->centre, gb_mul(f->spread, x));
}

static gb_node forward(const gb_transform *t, gb_node x)
{
    gb_node log_slope;
    return through(flow_of(t), x, &log_slope);
}

static gb_node inverse(const gb_transform *t, gb_node y)
{
    const gb_flow *const f = flow_of(t);
    y = gb_div(gb_sub(y, f->centre), f->spread);
    for (int64_t layer = f->layers; layer-- > 0;)
        y = f->kind->inverse(f, layer, y);
    return y;
}

/* Planning joins the operations of this pass through the maps with those of the draw. */
static gb_node log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)y;
    gb_node log_slope;
    through(flow_of(t), x, &log_slope);
    return log_slope;
}

static gb_shape shape(const gb_transform *t, gb_shape x)
{
    return x.rank > 0 && x.size[x.rank - 1] == flow_of(t)->numbers ? x : (gb_shape){.rank = -1};
}

static const gb_transform_type flow_type = {
    .size = sizeof(gb_transform_type),
    .name = "flow",
    .formula = "centre + spread F(x)",
    .from = GB_REAL_VECTOR,
    .to = GB_REAL_VECTOR,
    .forward = forward,
    .inverse = inverse,
    .log_jacobian = log_jacobian,
    .shape = shape,
    .inverse_shape = shape,
};

/* ---- as a posterior ---- */

gb_flow *gb_flow_new(const gb_slot *slot, const gb_flow_kind *kind, int64_t layers)
{
    const int64_t numbers = gb_slot_count(slot);
    if (numbers < 1) {
        gb_fail(slot->tape, GB_ESHAPE, "latent %s: a flow needs at least one free number", slot->name);
        return NULL;
    }
    gb_flow *const f = gb_tape_keep(slot->tape, sizeof *f);
    if (f)
        *f = (gb_flow){.kind = kind, .tape = slot->tape, .numbers = numbers, .layers = layers};
    return f;
}

gb_dist gb_flow_posterior(const gb_slot *slot, gb_flow *f, gb_flow_place place)
{
    if (!f)
        return (gb_dist){0};
    const gb_shape n = gb_shape(f->numbers);
    f->centre = gb_slot_location(slot, "centre", n, place.start);
    f->spread = gb_slot_scale(slot, "spread", n, place.scale, place.map);
    const gb_dist normal = gb_normal(gb_zeros(slot->tape, n), gb_num(slot->tape, 1));
    f->self = (gb_transform){.type = &flow_type, .tape = slot->tape, .param = {f->centre, f->spread}};
    const gb_transform t = {.type = &flow_type, .tape = slot->tape, .inner = &f->self};
    return gb_slot_reached(slot, gb_transformed(gb_independent(normal, 1), t));
}

bool gb_flow_starts(gb_flow_place place, gb_family_start *to)
{
    *to = (gb_family_start){place.start.location, place.scale, false};
    return gb_start_is_even(place.start);
}

/* ---- networks ---- */

enum { WEIGHT_IN, BIAS_IN, WEIGHT_OUT, BIAS_OUT };

/* Only the weights of the first layer are random: so the outputs are 0, and no two units stay alike. The
 * units share their effect: steps of all weights at once then do not grow with their number. */
void gb_flow_networks(const gb_slot *slot, gb_flow *f, int64_t inputs, int64_t hidden, int64_t outputs)
{
    gb_tape *const tape = slot->tape;
    const gb_start random = {.spread = 1 / sqrt((double)inputs)};
    f->weight[WEIGHT_IN] = gb_slot_location(slot, "weight_in", gb_shape(f->layers, inputs, hidden), random);
    f->weight[BIAS_IN] = gb_part_variable(tape, slot->name, "bias_in", gb_shape(f->layers, hidden), 0);
    f->weight[WEIGHT_OUT] =
        gb_part_variable(tape, slot->name, "weight_out", gb_shape(f->layers, hidden, outputs), 0);
    f->weight[BIAS_OUT] = gb_part_variable(tape, slot->name, "bias_out", gb_shape(f->layers, outputs), 0);
}

static gb_node masked(gb_node weight, gb_node mask)
{
    return gb_node_ok(mask) ? gb_mul(weight, mask) : weight;
}

gb_node gb_flow_network(const gb_flow *f, int64_t layer, gb_node x, gb_node mask_in, gb_node mask_out)
{
    const int64_t inputs = gb_shape_size(gb_node_shape(x), -1),
                  hidden = gb_shape_size(gb_node_shape(f->weight[BIAS_IN]), -1);
    const gb_node w_in = gb_slice(gb_at(f->weight[WEIGHT_IN], layer), 0, 0, inputs),
                  w_out = gb_at(f->weight[WEIGHT_OUT], layer);
    const gb_node unit = gb_silu(gb_affine(x, masked(w_in, mask_in), gb_at(f->weight[BIAS_IN], layer)));
    const gb_node shared = gb_scale(unit, 1 / sqrt((double)hidden));
    return gb_affine(shared, masked(w_out, mask_out), gb_at(f->weight[BIAS_OUT], layer));
}
