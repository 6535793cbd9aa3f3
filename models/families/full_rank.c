/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "models/families/start_impl.h"
#include "ops/elementwise.h"
#include "ops/matrix.h"

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    const gb_full_rank_options *const options = bytes;
    const int64_t n = gb_slot_count(slot);
    if (n < 1) {
        gb_fail(slot->tape, GB_ESHAPE, "latent %s: full_rank was given a shape without numbers", slot->name);
        return (gb_dist){0};
    }
    const gb_node location = gb_slot_location(slot, "location", gb_shape(n), gb_start_of(options));
    const gb_node scale = gb_slot_scale(slot, "scale", gb_shape(n), options->scale, options->map);
    const gb_node lower = gb_part_variable(slot->tape, slot->name, "lower", gb_shape(n, n), 0);
    const gb_node root = gb_add(gb_tril(lower, -1), gb_diag(scale));
    return gb_slot_reached(slot, gb_multivariate_normal(location, root));
}

static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    (void)slot;
    const gb_full_rank_options *const options = bytes;
    *to = (gb_family_start){options->location, options->scale, false};
    return gb_start_is_even(gb_start_of(options));
}

static const gb_option table[] = {
    GB_FAMILY_PLACE_ROWS(gb_full_rank_options), GB_FAMILY_SCALE_ROWS(gb_full_rank_options), {0}};

const gb_family_type gb_full_rank_family_type = {
    .size = sizeof(gb_family_type),
    .name = "full_rank",
    .formula = "one normal, covariance L L'",
    .options = table,
    .option_bytes = sizeof(gb_full_rank_options),
    .posterior = posterior,
    .start = start,
};

gb_family gb_full_rank_with(gb_shape shape, const gb_full_rank_options *options)
{
    return gb_family_of(&gb_full_rank_family_type, shape, options);
}
