/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bernoulli dropout. */
#include <math.h>

#include "distributions/list.h"
#include "models/families/start_impl.h"
#include "ops/elementwise.h"

static bool fits(const gb_dropout_posterior_options *options, const gb_slot *slot)
{
    if (gb_transform_ok(slot->reach))
        gb_fail(slot->tape, GB_EARGUMENT,
                "dropout %s: the prior is of numbers that are %s, and a dropped weight is 0", slot->name,
                gb_transform_to(slot->reach)->must_be);
    else if (options->by_unit && slot->shape.rank < 1)
        gb_fail(slot->tape, GB_ESHAPE, "dropout %s: units have weights, and the shape is that of a number",
                slot->name);
    else
        return true;
    return false;
}

static gb_node keep_of(const gb_dropout_posterior_options *options, const gb_slot *slot)
{
    const double logit = log(options->keep) - log1p(-options->keep);
    return options->is_learned
               ? gb_sigmoid(gb_part_variable(slot->tape, slot->name, "raw_keep", gb_shape(), logit))
               : gb_num(slot->tape, options->keep);
}

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    const gb_dropout_posterior_options *const options = bytes;
    if (!fits(options, slot))
        return (gb_dist){0};
    const gb_node weight = gb_slot_location(slot, "weight", slot->shape, gb_start_of(options));
    const gb_node keep = keep_of(options, slot);
    const gb_node kept = options->rescaled ? gb_div(weight, keep) : weight;
    return options->by_unit ? gb_unit_dropout(kept, keep) : gb_bernoulli_dropout(kept, keep);
}

/* The start of all weights, kept and dropped ones together. */
static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    (void)slot;
    const gb_dropout_posterior_options *const options = bytes;
    const double keep = options->keep, kept = options->location / (options->rescaled ? keep : 1);
    *to = (gb_family_start){keep * kept, fabs(kept) * sqrt(keep * (1 - keep)), false};
    return gb_start_is_even(gb_start_of(options));
}

static const gb_option table[] = {
    GB_FAMILY_PLACE_ROWS(gb_dropout_posterior_options),
    GB_OPTION_ARGUMENT(gb_dropout_posterior_options, keep, GB_OPEN_UNIT,
                       "the probability of keeping a weight"),
    GB_OPTION_FLAG(gb_dropout_posterior_options, is_learned, "learn keep, a variable"),
    GB_OPTION_FLAG(gb_dropout_posterior_options, by_unit, "one mask for each input unit"),
    GB_OPTION_FLAG(gb_dropout_posterior_options, rescaled, "kept weights are divided by keep"),
    {0}};

const gb_family_type gb_dropout_family_type = {
    .size = sizeof(gb_family_type),
    .name = "dropout",
    .formula = "weight with probability keep, else 0",
    .options = table,
    .option_bytes = sizeof(gb_dropout_posterior_options),
    .posterior = posterior,
    .start = start,
};

gb_family gb_dropout_posterior_with(gb_shape shape, const gb_dropout_posterior_options *options)
{
    return gb_family_of(&gb_dropout_family_type, shape, options);
}
