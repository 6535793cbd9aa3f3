/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/scan.h"
#include "ready/models.h"

/* log(P / (1 − P)) for P = p₀ + … + p_k: from log sums on both sides, so that neither end is lost. */
static gb_node thresholds_of(gb_node share, int64_t classes)
{
    const gb_node below = gb_cumsum(share, 0), above = gb_cumsum(gb_flip(share, 0), 0);
    return gb_sub(gb_log(gb_slice(below, 0, 0, classes - 1)),
                  gb_flip(gb_log(gb_slice(above, 0, 0, classes - 1)), 0));
}

static bool build(gb_model_site *s, const void *options)
{
    gb_coefficients *const beta = gb_coefficients_new(s, .choices = options, .no_intercept = true);
    const size_t share =
        gb_model_part(s, (gb_latent_part){.name = "shares",
                                          .shape = gb_shape(s->classes),
                                          .prior = gb_dirichlet(gb_ones(s->tape, gb_shape(s->classes)))});
    if (!gb_coefficients_overlap(beta) || !gb_model_draw(s))
        return false;
    const gb_node thresholds = thresholds_of(gb_model_value(s, share), s->classes);
    gb_coefficients_show(beta, NULL);
    gb_model_show(s, "threshold", gb_sub(thresholds, gb_coefficients_level(beta)));
    return gb_model_observe(s, gb_ordered_logistic(gb_coefficients_predictor(beta, s->x), thresholds));
}

static const gb_option table[] = {GB_REGRESSION_ROWS(gb_ordinal_model_options), {0}};

const gb_model_type gb_ordinal_model_type = {
    .size = sizeof(gb_model_type),
    .name = "ordinal",
    .cite = "McCullagh 1980",
    .formula = "P(y <= k) = 1 / (1 + exp(x beta - c_k))",
    .options = table,
    .option_bytes = sizeof(gb_ordinal_model_options),
    .outcome = GB_COUNT,
    .is_of_classes = true,
    .is_ordered = true,
    .takes_offset = true,
    .takes_group = true,
    .build = build,
};

gb_model gb_ordinal_model_with(const gb_ordinal_model_options *options)
{
    return gb_model_of(&gb_ordinal_model_type, options);
}
