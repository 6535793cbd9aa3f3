/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "distributions/list.h"
#include "distributions/transforms.h"
#include "models/families/start_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"

static double factor_of(const gb_low_rank_options *options)
{
    return options->factor == 0 ? 0.1 * options->scale : options->factor;
}

/* The product of the blocks, which lie along a first axis, as one vector. */
static gb_dist in_blocks(const gb_slot *slot, gb_shape each, gb_node location, gb_node factor, gb_node scale)
{
    const int64_t rank = gb_shape_size(gb_node_shape(factor), -1);
    const gb_node w = gb_reshape(factor, gb_shape_join(each, gb_shape(rank)));
    const gb_dist block =
        gb_low_rank_normal(gb_reshape(location, each), w, gb_square(gb_reshape(scale, each)));
    const gb_transform to_blocks = gb_reshaped_transform(slot->tape, each);
    return gb_transformed(gb_independent(block, 1), gb_inverted_transform(to_blocks));
}

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    const gb_low_rank_options *const options = bytes;
    const int64_t n = gb_slot_count(slot), rank = options->rank, blocks = options->blocks;
    if (n % blocks != 0 || n < blocks) {
        gb_fail(slot->tape, GB_ESHAPE,
                "latent %s: low_rank was given %lld blocks, which do not divide its %lld free numbers",
                slot->name, (long long)blocks, (long long)n);
        return (gb_dist){0};
    }
    if (rank > n) {
        gb_fail(
            slot->tape, GB_ESHAPE,
            "latent %s: low_rank was given rank %lld for %lld free numbers; the covariance of %lld numbers "
            "has at most rank %lld (gb_full_rank)",
            slot->name, (long long)rank, (long long)n, (long long)n, (long long)n);
        return (gb_dist){0};
    }
    const gb_node location = gb_slot_location(slot, "location", gb_shape(n), gb_start_of(options));
    const gb_node scale = gb_slot_scale(slot, "scale", gb_shape(n), options->scale, options->map);
    const gb_node factor =
        gb_slot_location(slot, "factor", gb_shape(n, rank), (gb_start){.spread = factor_of(options)});
    return gb_slot_reached(slot, blocks > 1
                                     ? in_blocks(slot, gb_shape(blocks, n / blocks), location, factor, scale)
                                     : gb_low_rank_normal(location, factor, gb_square(scale)));
}

/* The factor is random, so the start of the standard deviation is a mean. */
static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    (void)slot;
    const gb_low_rank_options *const options = bytes;
    const double scale = options->scale, factor = factor_of(options);
    const double all = sqrt(scale * scale + (double)options->rank * factor * factor);
    *to = (gb_family_start){options->location, all, true};
    return gb_start_is_even(gb_start_of(options));
}

static const gb_domain gb_rank_domain = {.size = sizeof(gb_domain),
                                         .name = "rank",
                                         .must_be = "a whole number above 0",
                                         .low = 1,
                                         .high = INT32_MAX,
                                         .whole = true};

static const gb_option table[] = {
    GB_FAMILY_PLACE_ROWS(gb_low_rank_options),
    GB_FAMILY_SCALE_ROWS(gb_low_rank_options),
    GB_OPTION_WHOLE(gb_low_rank_options, rank, 1, &gb_rank_domain, "columns of W"),
    GB_OPTION_NUMBER(gb_low_rank_options, factor, 0, GB_NON_NEGATIVE,
                     "standard deviation of the start of W; 0: a tenth of scale"),
    GB_OPTION_WHOLE(gb_low_rank_options, blocks, 1, &gb_rank_domain,
                    "equal parts, independent of each other"),
    {0}};

const gb_family_type gb_low_rank_family_type = {
    .size = sizeof(gb_family_type),
    .name = "low_rank",
    .formula = "one normal, covariance W W' + diag(scale^2), in blocks",
    .options = table,
    .option_bytes = sizeof(gb_low_rank_options),
    .posterior = posterior,
    .start = start,
};

gb_family gb_low_rank_with(gb_shape shape, const gb_low_rank_options *options)
{
    return gb_family_of(&gb_low_rank_family_type, shape, options);
}
