/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/shared/standard_impl.h"
#include "estimators/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

/* Draws of one run that depend on each other: quantiles of jointly drawn uniforms. */
static gb_node drawn_together(const gb_site *site, gb_draws draws)
{
    const gb_dist *const q = &site->q;
    const bool of_normals = gb_is_of_normals(q);
    const gb_shape shape = of_normals ? gb_shape_of_normals(q) : gb_dist_shape(*q);
    const gb_node u = draws == GB_SOBOL ? gb_sobol_noise(site->noise, shape, site->axes)
                                        : gb_antithetic_noise(site->noise, shape, site->axes);
    return of_normals ? gb_draw_of_normals(q, gb_ndtri(u)) : gb_icdf(*q, u);
}

static gb_node draw(gb_site *site)
{
    const gb_pathwise_options *const options = site->options;
    return options->draws == GB_INDEPENDENT ? gb_rsample(site->q, site->noise, site->axes)
                                            : drawn_together(site, options->draws);
}

static const char *lacks(const gb_dist *q, const void *bytes)
{
    const gb_pathwise_options *const options = bytes;
    if (!options || options->draws == GB_INDEPENDENT)
        return NULL;
    return gb_is_of_normals(q) || gb_dist_can(*q, GB_CAN_ICDF)
               ? NULL
               : "quantile function in closed form, for antithetic or Sobol draws";
}

/* A cost that mixes samples has a different mean if the samples depend on each other. */
static unsigned needs_with(const void *bytes)
{
    const gb_pathwise_options *const options = bytes;
    return options->draws == GB_INDEPENDENT ? 0 : GB_NEEDS_SEPARATE_SAMPLES | GB_JOINS_SAMPLES;
}

static const char *const choices[] = {"independent", "antithetic", "sobol", NULL};
static const gb_option table[] = {
    GB_OPTION_CHOICE(gb_pathwise_options, draws, choices, "how the draws of one run depend on each other"),
    {0}};

const gb_estimator_type gb_pathwise_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "pathwise",
    .cite = "Kingma and Welling 2014",
    .formula = "df(g(theta, e))",
    .needs = GB_NEEDS(GB_CAN_RSAMPLE) | GB_NEEDS_SMOOTH_COST,
    .lacks = lacks,
    .draw = draw,
    .options = table,
    .option_bytes = sizeof(gb_pathwise_options),
    .needs_with = needs_with,
};

gb_estimator gb_pathwise_with(const gb_pathwise_options *options)
{
    return gb_estimator_of(&gb_pathwise_estimator_type, options);
}
