/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ReinMax: straight-through by Heun's method. The slopes of the cost at the draw are multiplied by the
 * Jacobian of the probabilities halfway between p and the draw, twice, less half of that at p. */
#include <stddef.h>

#include "distributions/families/shared/probability_impl.h"
#include "estimators/estimators/choices/relaxed_impl.h"
#include "estimators/estimators/choices/shared/choice_impl.h"
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"

/* Returns 0, with the gradient of the probabilities as they move by ∂z from where they are `at`. */
static gb_node moved(const gb_dist *q, gb_node z, gb_node at)
{
    return gb_gradient_only(gb_choice_relaxed(q, gb_add(gb_stop(at), gb_gap(z, gb_stop(z))), 1));
}

static gb_node draw(gb_site *site)
{
    const gb_reinmax_options *const options = site->options;
    const gb_dist *const q = &site->q;
    const gb_node b = gb_stop(gb_sample(*q, site->noise, site->axes)), z = gb_choice_logits(q);
    const gb_node halfway = gb_scale(gb_add(b, gb_choice_relaxed(q, z, options->temperature)), 0.5);
    const gb_node at = gb_choice_logits_of(q, halfway);
    return gb_add(b, gb_sub(gb_scale(moved(q, z, at), 2), gb_scale(moved(q, z, z), 0.5)));
}

static const gb_option table[] = {GB_OPTION_NUMBER(gb_reinmax_options, temperature, 1, &gb_temperature_domain,
                                                   "of the probabilities that the draw is averaged with"),
                                  {0}};

const gb_estimator_type gb_reinmax_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "reinmax",
    .cite = "Liu, Dong, Liu, Yu and Gao 2023",
    .formula = "f'(b) (2 d softmax at (p + b) / 2 - d softmax at p / 2)",
    .bias = "slopes of the cost at the draws stand for its differences; right if the cost is quadratic",
    .needs = GB_NEEDS_SMOOTH_COST,
    .lacks = gb_lacks_choice,
    .relaxes = true,
    .draw = draw,
    .options = table,
    .option_bytes = sizeof(gb_reinmax_options),
};

gb_estimator gb_reinmax_with(const gb_reinmax_options *options)
{
    return gb_estimator_of(&gb_reinmax_estimator_type, options);
}
