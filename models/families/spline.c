/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Couplings by splines (Durkan, Bekasov, Murray and Papamakarios 2019). */
#include "models/families/flow_impl.h"
#include "models/families/start_impl.h"

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    const gb_spline_options *const o = bytes;
    return gb_flow_coupled(slot, o->layers, o->hidden, o->bins, gb_flow_place_of(o));
}

static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
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

static const gb_option table[] = {
    GB_FLOW_ROWS(gb_spline_options, 6),
    GB_OPTION_WHOLE(gb_spline_options, hidden, 32, &gb_flow_count_domain, "hidden units of a network"),
    GB_OPTION_WHOLE(gb_spline_options, bins, 8, &bins_domain, "bins of a spline"),
    {0}};

const gb_family_type gb_spline_family_type = {
    .size = sizeof(gb_family_type),
    .name = "spline",
    .formula = "a flow of rational-quadratic spline couplings",
    .options = table,
    .option_bytes = sizeof(gb_spline_options),
    .posterior = posterior,
    .start = start,
};

gb_family gb_spline_with(gb_shape shape, const gb_spline_options *options)
{
    return gb_family_of(&gb_spline_family_type, shape, options);
}
