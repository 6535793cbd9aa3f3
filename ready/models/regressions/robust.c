/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ready/models.h"

/* A learned nu is above this: at 0 few rows that lie on a plane would leave no posterior of sigma. */
static const double least_freedom = 1;

static bool build(gb_model_site *s, const void *options)
{
    const gb_robust_model_options *const o = options;
    gb_coefficients *const beta =
        gb_coefficients_new(s, .choices = o, .centre = s->outcome_mean, .scale = s->outcome_sd);
    const size_t part = gb_model_sigma(s, o->sigma_scale);
    const bool is_learned = !(o->freedom > 0);
    const size_t more = is_learned ? gb_model_part_of(s, "", "nu above 1", gb_shape(),
                                                      gb_gamma(gb_num(s->tape, 2), gb_num(s->tape, 0.1)))
                                   : 0;
    if (!gb_model_has_residue(s, .shared_scale = gb_coefficients_share_scale(beta),
                              .freedom = is_learned ? least_freedom : o->freedom, .is_least = is_learned) ||
        !gb_model_draw(s))
        return false;
    const gb_node freedom =
        is_learned ? gb_shift(gb_model_value(s, more), least_freedom) : gb_num(s->tape, o->freedom);
    const gb_node sigma = gb_model_sigma_value(s, part, o->raw);
    gb_coefficients_show(beta, NULL);
    gb_model_show(s, "sigma", sigma);
    if (is_learned)
        gb_model_show(s, "nu", freedom);
    return gb_model_observe(s, gb_student_t(freedom, gb_coefficients_predictor(beta, s->x), sigma));
}

static const gb_option table[] = {
    GB_REGRESSION_ROWS(gb_robust_model_options),
    GB_OPTION_NUMBER(gb_robust_model_options, sigma_scale, 2.5, GB_POSITIVE, "of sigma, in sds of y"),
    GB_OPTION_NUMBER(gb_robust_model_options, freedom, 0, GB_NON_NEGATIVE, "of the t; 0: learned"),
    {0}};

const gb_model_type gb_robust_model_type = {
    .size = sizeof(gb_model_type),
    .name = "robust",
    .cite = "Lange, Little and Taylor 1989",
    .formula = "y ~ t(nu, x beta, sigma)",
    .options = table,
    .option_bytes = sizeof(gb_robust_model_options),
    .outcome = GB_REAL,
    .takes_offset = true,
    .takes_group = true,
    .build = build,
};

gb_model gb_robust_model_with(const gb_robust_model_options *options)
{
    return gb_model_of(&gb_robust_model_type, options);
}
