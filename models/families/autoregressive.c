/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inverse autoregressive flows (Kingma et al. 2016), with the masks of Germain et al. 2015. In each map
 * number i moves by e^s x_i + t, with s and t from the numbers before it in x: all at once for a draw. The
 * inverse finds one number after the other. Every second map goes through the numbers backwards. */
#include "models/families/flow_impl.h"
#include "models/families/start_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"

/* ---- masks: hidden unit j sees the numbers up to number j % (n − 1) ---- */

static int64_t last_seen(int64_t unit, int64_t n)
{
    return n > 1 ? unit % (n - 1) : -1;
}

static gb_node mask_in(const gb_flow *f, int64_t hidden)
{
    const int64_t n = f->numbers;
    double *const mask = gb_tape_keep(f->tape, (size_t)(n * hidden) * sizeof *mask);
    for (int64_t i = 0; mask && i < n; i++)
        for (int64_t j = 0; j < hidden; j++)
            mask[i * hidden + j] = i <= last_seen(j, n);
    return mask ? gb_constant(f->tape, gb_shape(n, hidden), gb_values_of(mask, (size_t)(n * hidden)))
                : (gb_node){0};
}

/* Parameter p of number i stands at place p n + i. */
static gb_node mask_out(const gb_flow *f, int64_t hidden)
{
    const int64_t n = f->numbers, outputs = gb_flow_parameters(0) * n;
    double *const mask = gb_tape_keep(f->tape, (size_t)(hidden * outputs) * sizeof *mask);
    for (int64_t j = 0; mask && j < hidden; j++)
        for (int64_t k = 0; k < outputs; k++)
            mask[j * outputs + k] = last_seen(j, n) < k % n;
    return mask ? gb_constant(f->tape, gb_shape(hidden, outputs),
                              gb_values_of(mask, (size_t)(hidden * outputs)))
                : (gb_node){0};
}

/* ---- the map ---- */

static gb_node in_order(gb_node x, int64_t layer)
{
    return layer % 2 ? gb_flip(x, -1) : x;
}

static gb_node parameters(const gb_flow *f, int64_t layer, gb_node x)
{
    const int64_t hidden = gb_shape_size(gb_node_shape(f->weight[0]), -1);
    return gb_flow_network(f, layer, x, mask_in(f, hidden), mask_out(f, hidden));
}

static gb_node forward(const gb_flow *f, int64_t layer, gb_node x, gb_node *log_slope)
{
    x = in_order(x, layer);
    return in_order(gb_flow_move(f, x, parameters(f, layer, x), log_slope), layer);
}

/* Each pass finds one more number, exactly: its parameters depend on those before it only. */
static gb_node inverse(const gb_flow *f, int64_t layer, gb_node y)
{
    y = in_order(y, layer);
    gb_node x = gb_zeros(f->tape, gb_node_shape(y));
    for (int64_t i = 0; i < f->numbers; i++)
        x = gb_flow_move_back(f, y, parameters(f, layer, x));
    return in_order(x, layer);
}

/* ---- the family ---- */

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    static const gb_flow_kind kind = {.forward = forward, .inverse = inverse};
    const gb_autoregressive_options *const o = bytes;
    gb_flow *const f = gb_flow_new(slot, &kind, o->layers);
    if (!f)
        return (gb_dist){0};
    gb_flow_networks(slot, f, f->numbers, o->hidden, gb_flow_parameters(0) * f->numbers);
    return gb_flow_posterior(slot, f, gb_flow_place_of(o));
}

static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    (void)slot;
    return gb_flow_starts(gb_flow_place_of((const gb_autoregressive_options *)bytes), to);
}

static const gb_option table[] = {GB_FLOW_ROWS(gb_autoregressive_options, 4),
                                  GB_OPTION_WHOLE(gb_autoregressive_options, hidden, 32,
                                                  &gb_flow_count_domain, "hidden units of a network"),
                                  {0}};

const gb_family_type gb_autoregressive_family_type = {
    .size = sizeof(gb_family_type),
    .name = "autoregressive",
    .formula = "an inverse autoregressive flow",
    .options = table,
    .option_bytes = sizeof(gb_autoregressive_options),
    .posterior = posterior,
    .start = start,
};

gb_family gb_autoregressive_with(gb_shape shape, const gb_autoregressive_options *options)
{
    return gb_family_of(&gb_autoregressive_family_type, shape, options);
}
