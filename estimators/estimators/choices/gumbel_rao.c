/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rao-Blackwellised straight-through: the draw, with the mean derivative of several relaxed draws whose noise
 * is drawn given the draw. */
#include <stddef.h>

#include "estimators/estimators/choices/relaxed_impl.h"
#include "estimators/estimators/choices/shared/choice_impl.h"
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* The noise is held: z moves with the logits as a draw does. */
static gb_node draw(gb_site *site)
{
    const gb_gumbel_rao_options *const options = site->options;
    const gb_dist *const q = &site->q;
    const gb_node b = gb_stop(gb_sample(*q, site->noise, site->axes)), logits = gb_choice_logits(q);
    const gb_node z = gb_stop(gb_choice_given(site, b, gb_shape(options->draws)));
    const gb_node moving = gb_add(z, gb_gap(logits, gb_stop(logits)));
    const gb_node relaxed = gb_choice_relaxed(q, moving, options->temperature);
    return gb_add(b, gb_gradient_only(gb_mean_along(relaxed, gb_axis(0))));
}

static const gb_domain draws = {.size = sizeof(gb_domain),
                                .name = "draws",
                                .must_be = "a whole number from 1 to 100000",
                                .low = 1,
                                .high = 100000,
                                .whole = true};

static const gb_option table[] = {
    GB_OPTION_NUMBER(gb_gumbel_rao_options, temperature, 0.5, &gb_temperature_domain,
                     "temperature of the relaxation"),
    GB_OPTION_WHOLE(gb_gumbel_rao_options, draws, 10, &draws, "relaxed draws whose derivatives are averaged"),
    {0}};

const gb_estimator_type gb_gumbel_rao_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "gumbel_rao",
    .cite = "Paulus, Maddison and Krause 2021",
    .formula = "f'(b) mean ds(z), z drawn given b",
    .bias = "slopes of the cost stand for its differences, and are weighted by another distribution",
    .needs = GB_NEEDS_SMOOTH_COST,
    .lacks = gb_lacks_choice,
    .relaxes = true,
    .draw = draw,
    .options = table,
    .option_bytes = sizeof(gb_gumbel_rao_options),
};

gb_estimator gb_gumbel_rao_with(const gb_gumbel_rao_options *options)
{
    return gb_estimator_of(&gb_gumbel_rao_estimator_type, options);
}
