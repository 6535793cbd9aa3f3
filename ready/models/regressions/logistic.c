/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "ready/models.h"

static bool build(gb_model_site *s, const void *options)
{
    gb_coefficients *const beta = gb_coefficients_new(s, .choices = options);
    if (!gb_coefficients_overlap(beta) || !gb_model_draw(s))
        return false;
    const gb_node eta = gb_coefficients_predictor(beta, s->x);
    gb_coefficients_show(beta, NULL);
    return gb_model_observe(s, gb_node_ok(s->trials) ? gb_binomial_logits(s->trials, eta)
                                                     : gb_bernoulli_logits(eta));
}

static const gb_option table[] = {GB_REGRESSION_ROWS(gb_logistic_model_options), {0}};

const gb_model_type gb_logistic_model_type = {
    .size = sizeof(gb_model_type),
    .name = "logistic",
    .formula = "y ~ Bernoulli(1 / (1 + exp(-x beta)))",
    .options = table,
    .option_bytes = sizeof(gb_logistic_model_options),
    .outcome = GB_COUNT,
    .is_of_classes = true,
    .most_classes = 2,
    .takes_trials = true,
    .takes_offset = true,
    .takes_group = true,
    .build = build,
};

gb_model gb_logistic_model_with(const gb_logistic_model_options *options)
{
    return gb_model_of(&gb_logistic_model_type, options);
}
