/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "ops/array.h"
#include "ready/models.h"

static bool build(gb_model_site *s, const void *options)
{
    gb_coefficients *const beta =
        gb_coefficients_new(s, .choices = options, .shape = gb_shape(s->classes - 1));
    if (!gb_coefficients_overlap(beta) || !gb_model_draw(s))
        return false;
    const gb_node eta = gb_coefficients_predictor(beta, s->x);
    const gb_node both[] = {gb_zeros(s->tape, gb_shape(1)), eta};
    gb_coefficients_show(beta, s->class_name + 1);
    return gb_model_observe(s, gb_categorical_logits(gb_concat(2, both, -1)));
}

static const gb_option table[] = {GB_REGRESSION_ROWS(gb_multinomial_model_options), {0}};

const gb_model_type gb_multinomial_model_type = {
    .size = sizeof(gb_model_type),
    .name = "multinomial",
    .formula = "y ~ categorical(softmax(0, x beta))",
    .options = table,
    .option_bytes = sizeof(gb_multinomial_model_options),
    .outcome = GB_COUNT,
    .is_of_classes = true,
    .build = build,
};

gb_model gb_multinomial_model_with(const gb_multinomial_model_options *options)
{
    return gb_model_of(&gb_multinomial_model_type, options);
}
