/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ready/models.h"

static bool build(gb_model_site *s, const void *options)
{
    gb_coefficients *const beta = gb_coefficients_new(s, .choices = options, .centre = gb_model_log_mean(s));
    const size_t root =
        gb_model_part(s, (gb_latent_part){.name = "root", .prior = gb_half_normal(gb_num(s->tape, 1))});
    if (!gb_coefficients_overlap(beta) || !gb_model_draw(s))
        return false;
    /* phi successes on average before one failure: logits = eta − log phi gives the mean exp(eta). */
    const gb_node log_phi = gb_scale(gb_log(gb_model_value(s, root)), -2), phi = gb_exp(log_phi),
                  eta = gb_coefficients_predictor(beta, s->x);
    gb_coefficients_show(beta, NULL);
    gb_model_show(s, "phi", phi);
    return gb_model_observe(s, gb_negative_binomial_logits(phi, gb_sub(eta, log_phi)));
}

static const gb_option table[] = {GB_REGRESSION_ROWS(gb_negative_binomial_model_options), {0}};

const gb_model_type gb_negative_binomial_model_type = {
    .size = sizeof(gb_model_type),
    .name = "negative_binomial",
    .formula = "y ~ negative binomial(mean exp(x beta), variance mean + mean^2 / phi)",
    .options = table,
    .option_bytes = sizeof(gb_negative_binomial_model_options),
    .outcome = GB_COUNT,
    .takes_offset = true,
    .takes_group = true,
    .build = build,
};

gb_model gb_negative_binomial_model_with(const gb_negative_binomial_model_options *options)
{
    return gb_model_of(&gb_negative_binomial_model_type, options);
}
