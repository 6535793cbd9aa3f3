/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ready/models.h"

static bool build(gb_model_site *s, const void *options)
{
    const gb_linear_model_options *const o = options;
    const bool is_known = gb_node_ok(s->error);
    gb_coefficients *const beta =
        gb_coefficients_new(s, .choices = o, .centre = s->outcome_mean, .scale = s->outcome_sd);
    if (!is_known && !gb_model_has_residue(s, .shared_scale = gb_coefficients_share_scale(beta)))
        return false;
    const size_t part = is_known ? 0 : gb_model_sigma(s, o->sigma_scale);
    if (!gb_model_draw(s))
        return false;
    const gb_node sigma = is_known ? s->error : gb_model_sigma_value(s, part, o->raw);
    gb_coefficients_show(beta, NULL);
    if (!is_known)
        gb_model_show(s, "sigma", sigma);
    return gb_model_observe(s, gb_normal(gb_coefficients_predictor(beta, s->x), sigma));
}

static const gb_option table[] = {
    GB_REGRESSION_ROWS(gb_linear_model_options),
    GB_OPTION_NUMBER(gb_linear_model_options, sigma_scale, 2.5, GB_POSITIVE, "of sigma, in sds of y"),
    {0}};

const gb_model_type gb_linear_model_type = {
    .size = sizeof(gb_model_type),
    .name = "linear",
    .formula = "y ~ N(x beta, sigma^2)",
    .options = table,
    .option_bytes = sizeof(gb_linear_model_options),
    .outcome = GB_REAL,
    .takes_offset = true,
    .takes_error = true,
    .takes_group = true,
    .build = build,
};

gb_model gb_linear_model_with(const gb_linear_model_options *options)
{
    return gb_model_of(&gb_linear_model_type, options);
}
