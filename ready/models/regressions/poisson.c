/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "ready/models.h"

static bool build(gb_model_site *s, const void *options)
{
    gb_coefficients *const beta = gb_coefficients_new(s, .choices = options, .centre = gb_model_log_mean(s));
    if (!gb_coefficients_overlap(beta) || !gb_model_draw(s))
        return false;
    gb_coefficients_show(beta, NULL);
    return gb_model_observe(s, gb_poisson_log(gb_coefficients_predictor(beta, s->x)));
}

static const gb_option table[] = {GB_REGRESSION_ROWS(gb_poisson_model_options), {0}};

const gb_model_type gb_poisson_model_type = {
    .size = sizeof(gb_model_type),
    .name = "poisson",
    .formula = "y ~ Poisson(exp(x beta))",
    .options = table,
    .option_bytes = sizeof(gb_poisson_model_options),
    .outcome = GB_COUNT,
    .takes_offset = true,
    .takes_group = true,
    .build = build,
};

gb_model gb_poisson_model_with(const gb_poisson_model_options *options)
{
    return gb_model_of(&gb_poisson_model_type, options);
}
