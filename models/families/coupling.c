/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Couplings (Dinh, Sohl-Dickstein and Bengio 2017): each map leaves every second number as it is; from these
 * a network computes how the others move. The next map swaps the two halves, and after two maps another order
 * of the numbers is halved, so that all numbers meet. A number moves by a scale and a shift, or through a
 * spline before (Durkan, Bekasov, Murray and Papamakarios 2019). */
#include "models/families/flow_impl.h"
#include "models/families/start_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"

/* ---- halves ---- */

/* Where a number stands after `times` riffles: those at even places first, then those at odd ones. */
static int64_t riffled(int64_t place, int64_t n, int64_t times)
{
    for (int64_t i = 0; i < times; i++)
        place = place % 2 ? (n + 1) / 2 + place / 2 : place / 2;
    return place;
}

/* One number alone moves in every map. */
static bool is_kept(int64_t number, int64_t n, int64_t layer)
{
    return n > 1 && (riffled(number, n, layer / 2) + layer) % 2;
}

typedef struct halves {
    gb_node kept, moved; /* which numbers; kept is inert if there are none */
    gb_node back;        /* where each stands after the kept and then the moved ones */
} halves;

static halves halves_of(const gb_flow *f, int64_t layer)
{
    const int64_t n = f->numbers;
    int64_t *const order = gb_tape_keep(f->tape, 2 * (size_t)n * sizeof *order), *const back = order + n;
    int64_t kept = 0, at = 0;
    if (!order)
        return (halves){0};
    for (int moves = 0; moves < 2; moves++)
        for (int64_t i = 0; i < n; i++)
            if (is_kept(i, n, layer) == !moves) {
                kept += !moves;
                back[i] = at;
                order[at++] = i;
            }
    return (halves){.kept = kept > 0 ? gb_ints(f->tape, gb_shape(kept), order) : (gb_node){0},
                    .moved = gb_ints(f->tape, gb_shape(n - kept), order + kept),
                    .back = gb_ints(f->tape, gb_shape(n), back)};
}

/* ---- the map ---- */

/* The parameters of the moved numbers. One number alone has no input but 0. */
static gb_node parameters(const gb_flow *f, int64_t layer, gb_node kept)
{
    const gb_node input = gb_node_ok(kept) ? kept : gb_zeros(f->tape, gb_shape(1));
    return gb_flow_network(f, layer, input, (gb_node){0}, (gb_node){0});
}

static gb_node pick(gb_node x, gb_node which)
{
    return gb_node_ok(which) ? gb_gather(x, -1, which) : (gb_node){0};
}

static gb_node joined(const halves *h, gb_node kept, gb_node moved)
{
    return gb_node_ok(kept) ? gb_gather(gb_concat(2, (const gb_node[]){kept, moved}, -1), -1, h->back)
                            : moved;
}

static gb_node forward(const gb_flow *f, int64_t layer, gb_node x, gb_node *log_slope)
{
    const halves h = halves_of(f, layer);
    const gb_node kept = pick(x, h.kept);
    return joined(&h, kept, gb_flow_move(f, pick(x, h.moved), parameters(f, layer, kept), log_slope));
}

static gb_node inverse(const gb_flow *f, int64_t layer, gb_node y)
{
    const halves h = halves_of(f, layer);
    const gb_node kept = pick(y, h.kept);
    return joined(&h, kept, gb_flow_move_back(f, pick(y, h.moved), parameters(f, layer, kept)));
}

gb_dist gb_flow_coupled(const gb_slot *slot, int64_t layers, int64_t hidden, int64_t bins,
                        gb_flow_place place)
{
    static const gb_flow_kind kind = {.forward = forward, .inverse = inverse};
    gb_flow *const f = gb_flow_new(slot, &kind, layers);
    if (!f)
        return (gb_dist){0};
    const int64_t half = (f->numbers + 1) / 2;
    f->bins = bins;
    gb_flow_networks(slot, f, half, hidden, gb_flow_parameters(bins) * half);
    return gb_flow_posterior(slot, f, place);
}

/* ---- affine couplings ---- */

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    const gb_coupling_options *const o = bytes;
    return gb_flow_coupled(slot, o->layers, o->hidden, 0, gb_flow_place_of(o));
}

static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    (void)slot;
    return gb_flow_starts(gb_flow_place_of((const gb_coupling_options *)bytes), to);
}

static const gb_option table[] = {
    GB_FLOW_ROWS(gb_coupling_options, 6),
    GB_OPTION_WHOLE(gb_coupling_options, hidden, 32, &gb_flow_count_domain, "hidden units of a network"),
    {0}};

const gb_family_type gb_coupling_family_type = {
    .size = sizeof(gb_family_type),
    .name = "coupling",
    .formula = "a flow of affine couplings",
    .options = table,
    .option_bytes = sizeof(gb_coupling_options),
    .posterior = posterior,
    .start = start,
};

gb_family gb_coupling_with(gb_shape shape, const gb_coupling_options *options)
{
    return gb_family_of(&gb_coupling_family_type, shape, options);
}

/* ---- splines ---- */

static gb_dist spline_posterior(const gb_slot *slot, const void *bytes)
{
    const gb_spline_options *const o = bytes;
    return gb_flow_coupled(slot, o->layers, o->hidden, o->bins, gb_flow_place_of(o));
}

static bool spline_start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    (void)slot;
    return gb_flow_starts(gb_flow_place_of((const gb_spline_options *)bytes), to);
}

static const gb_domain bins_domain = {.size = sizeof(gb_domain),
                                      .name = "bins",
                                      .must_be = "a whole number from 2 to 100",
                                      .low = 2,
                                      .high = 100,
                                      .whole = true};

static const gb_option spline_table[] = {
    GB_FLOW_ROWS(gb_spline_options, 6),
    GB_OPTION_WHOLE(gb_spline_options, hidden, 32, &gb_flow_count_domain, "hidden units of a network"),
    GB_OPTION_WHOLE(gb_spline_options, bins, 8, &bins_domain, "bins of a spline"),
    {0}};

const gb_family_type gb_spline_family_type = {
    .size = sizeof(gb_family_type),
    .name = "spline",
    .formula = "a flow of rational-quadratic spline couplings",
    .options = spline_table,
    .option_bytes = sizeof(gb_spline_options),
    .posterior = spline_posterior,
    .start = spline_start,
};

gb_family gb_spline_with(gb_shape shape, const gb_spline_options *options)
{
    return gb_family_of(&gb_spline_family_type, shape, options);
}
