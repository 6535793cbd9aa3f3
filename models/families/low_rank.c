/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "distributions/list.h"
#include "models/families/start_impl.h"
#include "ops/elementwise.h"

static int64_t rank_of(const gb_low_rank_options *options)
{
    return options->rank == 0 ? 1 : options->rank;
}

static double factor_of(const gb_low_rank_options *options)
{
    return options->factor == 0 ? 0.1 * gb_scale_or_usual(options->scale) : options->factor;
}

static gb_dist posterior(const gb_family *family, const gb_slot *slot)
{
    const gb_low_rank_options *const options = gb_family_options(family);
    const int64_t n = gb_slot_count(slot), rank = rank_of(options);
    if (rank < 1 || !gb_domain_holds(GB_POSITIVE, factor_of(options))) {
        gb_fail(
            slot->tape, GB_EARGUMENT,
            "low_rank %s: rank %lld, which must be 1 or more, with a factor that starts at %g, which must be %s",
            slot->name, (long long)rank, factor_of(options), GB_POSITIVE->must_be);
        return (gb_dist){0};
    }
    const gb_node location = gb_slot_location(slot, "location", gb_shape(n), gb_start_of(options));
    const gb_node scale = gb_slot_scale(slot, "scale", gb_shape(n), options->scale, options->map);
    const gb_node factor =
        gb_slot_location(slot, "factor", gb_shape(n, rank), (gb_start){.spread = factor_of(options)});
    return gb_slot_reached(slot, gb_low_rank_normal(location, factor, gb_square(scale)));
}

/* The factor is random, so its share of the standard deviation is one of the mean only. */
static bool start(const gb_family *family, const gb_slot *slot, gb_family_start *to)
{
    (void)slot;
    const gb_low_rank_options *const options = gb_family_options(family);
    const double scale = gb_scale_or_usual(options->scale), factor = factor_of(options);
    const double all = sqrt(scale * scale + (double)rank_of(options) * factor * factor);
    *to = (gb_family_start){options->location, all, true};
    return gb_start_is_even(gb_start_of(options));
}

const gb_family_type gb_low_rank_family_type = {
    .size = sizeof(gb_family_type),
    .name = "low_rank",
    .formula = "one normal, covariance W W' + diag(scale^2)",
    .posterior = posterior,
    .start = start,
};

gb_family gb_low_rank_with(gb_low_rank_options options)
{
    return gb_family_of(&gb_low_rank_family_type, options.shape, &options, sizeof options);
}
