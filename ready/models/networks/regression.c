/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ready/models.h"

/* Of an output of a row, (1), in the unit of the outcome. */
static gb_node scaled(const gb_model_site *s, gb_node standard)
{
    return gb_scale(gb_reshape(standard, gb_shape()), s->outcome_sd);
}

/* The noise where the network has no output for it. */
static gb_node sigma_of(gb_model_site *s, const gb_network_model_options *o)
{
    if (o->sigma > 0)
        return gb_num(s->tape, o->sigma);
    const gb_dist prior = gb_model_sd_prior(s, o->sigma_scale, o->sigma_floor);
    const bool is_point =
        o->dropout > 0 || o->input_dropout > 0 || o->dropout_2 > 0 || o->dropout_3 > 0 || o->dropout_4 > 0;
    const gb_node sigma = gb_scale(
        gb_model_network_latent(s, "sigma", gb_shape(), prior, s->estimator, is_point), s->outcome_sd);
    gb_model_show(s, "sigma", sigma);
    return sigma;
}

static bool build(gb_model_site *s, const void *options)
{
    static const double least = 1e-3;
    const gb_network_model_options *const o = options;
    if (o->sigma > 0 && o->heteroscedastic)
        return gb_fail(s->tape, GB_EARGUMENT,
                       "network: .sigma is given, and .heteroscedastic learns it: leave one of them out") ==
               GB_OK;
    const gb_node f = gb_model_network(s, o, o->heteroscedastic ? 2 : 1);
    if (!gb_node_ok(f))
        return false;
    const gb_head head = o->heteroscedastic ? gb_head_of(f, least) : (gb_head){.mean = f};
    const gb_node mean = gb_shift(scaled(s, head.mean), s->outcome_mean),
                  sigma = o->heteroscedastic ? scaled(s, head.scale) : sigma_of(s, o);
    gb_model_keep(s, "mean", mean);
    if (o->heteroscedastic)
        gb_model_keep(s, "sigma", sigma);
    return gb_model_observe(s, gb_normal(mean, sigma));
}

static const gb_option table[] = {
    GB_NETWORK_ROWS(gb_network_model_options),
    GB_OPTION_FLAG(gb_network_model_options, heteroscedastic, "the noise depends on x"),
    GB_OPTION_NUMBER(gb_network_model_options, sigma, 0, GB_NON_NEGATIVE, "of the noise; 0: learned"),
    GB_OPTION_NUMBER(gb_network_model_options, sigma_scale, 1, GB_POSITIVE, "of sigma, in sds of y"),
    GB_OPTION_NUMBER(gb_network_model_options, sigma_floor, 0.01, GB_POSITIVE, "below it sds are unlikely"),
    {0}};

const gb_model_type gb_network_model_type = {
    .size = sizeof(gb_model_type),
    .name = "network",
    .cite = "Blundell et al. 2015",
    .formula = "y ~ N(f(x; w), sigma^2), w ~ N(0, s^2)",
    .options = table,
    .option_bytes = sizeof(gb_network_model_options),
    .outcome = GB_REAL,
    .no_intercept = true,
    .build = build,
};

gb_model gb_network_model_with(const gb_network_model_options *options)
{
    return gb_model_of(&gb_network_model_type, options);
}
