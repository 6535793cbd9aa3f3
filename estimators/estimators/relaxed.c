/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/list.h"

#include "estimators/estimators/relaxed_impl.h"
#include "ops/control.h"

gb_node gb_site_relaxed_draw(const gb_site *site)
{
    const gb_relaxation_options *const options = gb_site_options(site);
    const gb_node temperature = gb_node_ok(options->annealed) ? gb_stop(options->annealed)
                                                              : gb_num(site->q.tape, options->temperature);
    return gb_rsample(gb_dist_relaxed(site->q, temperature), site->noise, site->axes);
}

static gb_node draw(gb_site *site)
{
    return gb_site_relaxed_draw(site);
}

void gb_complete_relaxation(void *bytes)
{
    gb_relaxation_options *const options = bytes;
    options->temperature = options->temperature == 0 ? 0.5 : options->temperature;
}

const gb_estimator_option gb_relaxation_table[] = {{.name = "temperature",
                                                    .kind = GB_OPTION_NUMBER,
                                                    .offset = offsetof(gb_relaxation_options, temperature),
                                                    .low = 1e-3,
                                                    .high = 1e3,
                                                    .words = "of the relaxation; 0.5"},
                                                   {0}};

const gb_estimator_type gb_relaxed_type = {
    .size = sizeof(gb_estimator_type),
    .name = "relaxed",
    .cite = "Maddison, Mnih and Teh 2017; Jang, Gu and Poole 2017",
    .formula = "df(s(z)), s(z) = sigmoid(z / temperature) or softmax",
    .bias = "the relaxed draw has another law; less of it at a low temperature",
    .needs = GB_NEEDS(GB_CAN_RELAX) | GB_NEEDS_SMOOTH_COST,
    .relaxes = true,
    .draw = draw,
    .options = gb_relaxation_table,
    .complete = gb_complete_relaxation,
};

gb_estimator gb_relaxed_draws_with(gb_relaxation_options options)
{
    return gb_estimator_of(&gb_relaxed_type, &options, sizeof options);
}
