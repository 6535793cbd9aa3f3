/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/choices/relaxed_impl.h"
#include "estimators/estimators/choices/shared/choice_impl.h"
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static gb_node draw(gb_site *site)
{
    const gb_node relaxed = gb_site_relaxed_draw(site);
    return gb_add(gb_choice_of(&site->q, gb_stop(relaxed), 0.5), gb_gradient_only(relaxed));
}

const gb_estimator_type gb_straight_through_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "straight_through",
    .cite = "Bengio, Leonard and Courville 2013; Jang, Gu and Poole 2017",
    .formula = "f'(b) ds(z), b the value nearest to s(z)",
    .bias = "slopes of the cost stand for its differences, and are weighted by another distribution",
    .needs = GB_NEEDS(GB_CAN_RELAX) | GB_NEEDS_SMOOTH_COST,
    .lacks = gb_lacks_choice,
    .relaxes = true,
    .draw = draw,
    .options = gb_relaxation_rows,
    .option_bytes = sizeof(gb_relaxed_draws_options),
};

gb_estimator gb_straight_through_with(const gb_straight_through_options *options)
{
    return gb_estimator_of(&gb_straight_through_estimator_type, options);
}
