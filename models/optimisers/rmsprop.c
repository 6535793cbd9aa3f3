/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/optimiser.h"
#include "ops/elementwise.h"

/* Returns the moving mean of g², or if centred the moving variance of g. The variance has a recursion of its
 * own, v = decay (v + (1 − decay) (g − mean)²) with the old mean, which avoids cancellation. */
static gb_node mean_square(const gb_update_step *to, const gb_rmsprop_options *o)
{
    const double rest = 1 - o->decay;
    const gb_node g = to->gradient, before = gb_update_memory(to, "square");
    if (!o->centred)
        return gb_update_remember(to, before,
                                  gb_add(gb_scale(before, o->decay), gb_scale(gb_square(g), rest)));
    const gb_node mean = gb_update_memory(to, "mean"), off = gb_sub(g, mean);
    gb_update_remember(to, mean, gb_add(mean, gb_scale(off, rest)));
    return gb_update_remember(to, before, gb_scale(gb_add(before, gb_scale(gb_square(off), rest)), o->decay));
}

static gb_node update(const gb_update_step *to)
{
    const gb_rmsprop_options *const o = to->options;
    gb_node step = gb_div(to->gradient, gb_shift(gb_sqrt(mean_square(to, o)), o->epsilon));
    if (o->momentum > 0) {
        const gb_node before = gb_update_memory(to, "velocity");
        step = gb_update_remember(to, before, gb_add(gb_scale(before, o->momentum), step));
    }
    return gb_sub(to->variable, gb_mul(to->rate, step));
}

static const gb_option table[] = {
    GB_OPTIMISER_ROWS(gb_rmsprop_options, 1e-3),
    GB_OPTION_NUMBER(gb_rmsprop_options, decay, 0.9, &gb_decay_domain, "decay of the moving means"),
    GB_OPTION_NUMBER(gb_rmsprop_options, momentum, 0, &gb_decay_domain,
                     "fraction of the last step that is kept"),
    GB_OPTION_NUMBER(gb_rmsprop_options, epsilon, 1e-8, GB_POSITIVE, "added to the root"),
    GB_OPTION_FLAG(gb_rmsprop_options, centred, "divide by the variance instead of the mean square"),
    {0}};

const gb_optimiser_type gb_rmsprop_optimiser_type = {
    .size = sizeof(gb_optimiser_type),
    .name = "rmsprop",
    .cite = "Tieleman and Hinton 2012; centred: Graves 2013",
    .formula = "x - lr b, b = momentum b + g / (sqrt v + epsilon), v the moving mean of g^2 or variance of g",
    .options = table,
    .option_bytes = sizeof(gb_rmsprop_options),
    .update = update,
};

gb_optimiser gb_rmsprop_with(const gb_rmsprop_options *options)
{
    return gb_optimiser_of(&gb_rmsprop_optimiser_type, options);
}
