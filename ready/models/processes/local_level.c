/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The level of each row is integrated out: the Kalman filter gives its mean a and variance P, given the rows
 * before. */
#include "core/gradient.h"
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ops/recursion.h"
#include "ready/models.h"

enum { NOISE, DRIFT };

/* With w copies of the outcome, of which 0 are a missing one. */
static void step(gb_scan_step *s)
{
    const gb_node *const variance = s->user, a = s->state[0], p = s->state[1], y = s->input[0],
                         w = s->input[1];
    const gb_node of_mean = gb_add(variance[NOISE], gb_mul(w, p));
    s->output[0] = a;
    s->output[1] = p;
    s->next[0] = gb_add(a, gb_mul(gb_div(gb_mul(w, p), of_mean), gb_sub(y, a)));
    s->next[1] = gb_add(gb_div(gb_mul(p, variance[NOISE]), of_mean), variance[DRIFT]);
}

/* log ∫ N(y | level, noise)^w N(level | a, P) d level, of each row. */
static gb_node evidence(gb_node y, gb_node w, gb_node a, gb_node p, gb_node noise)
{
    const gb_node of_noise = gb_mul(w, gb_log(gb_scale(noise, 2 * GB_PI))),
                  of_level = gb_log1p(gb_div(gb_mul(w, p), noise)),
                  of_data = gb_div(gb_mul(w, gb_square(gb_sub(y, a))), gb_add(noise, gb_mul(w, p)));
    return gb_scale(gb_add(gb_add(of_noise, of_level), of_data), -0.5);
}

/* What the rows from one on say: the sum r of their errors, and its precision (Durbin and Koopman 2012,
 * chapter 4). */
static void step_back(gb_scan_step *s)
{
    const gb_node noise = *(const gb_node *)s->user, off = s->input[0], p = s->input[1], w = s->input[2],
                  of_mean = gb_add(noise, gb_mul(w, p)), kept = gb_div(noise, of_mean);
    s->output[0] = s->next[0] = gb_add(gb_div(gb_mul(w, off), of_mean), gb_mul(kept, s->state[0]));
    s->output[1] = s->next[1] = gb_add(gb_div(w, of_mean), gb_mul(gb_square(kept), s->state[1]));
}

/* Mean and standard deviation of each level, given all rows. */
static void keep_levels(gb_model_site *s, gb_node y, gb_node w, gb_node a, gb_node p, gb_node noise)
{
    const gb_node zero = gb_num(s->tape, 0);
    const gb_scan_result r =
        gb_scan(s->tape, step_back, gb_roots(zero, zero), .inputs = gb_roots(gb_sub(y, a), p, w),
                .outputs = 2, .reverse = true, .user = &noise);
    gb_model_keep(s, "level", gb_add(a, gb_mul(p, r.output[0])));
    gb_model_keep(s, "level.sd", gb_sqrt(gb_sub(p, gb_mul(gb_square(p), r.output[1]))));
}

static bool build(gb_model_site *s, const void *options)
{
    const gb_local_level_model_options *const o = options;
    const gb_series is = gb_series_of(s, o->prior, o->raw, 2);
    const size_t noise = gb_series_spread(&is, "sigma", gb_shape(), o->sigma_scale),
                 drift = gb_series_spread(&is, "sigma.level", gb_shape(), o->level_scale);
    if (!gb_model_has_residue(s, .level = true, .drifts = true,
                              .shared_scale = gb_coefficients_share_scale(is.columns)) ||
        !gb_model_draw(s))
        return false;
    const gb_node sigma = gb_series_scaled(&is, gb_model_value(s, noise)),
                  of_level = gb_series_scaled(&is, gb_model_value(s, drift)), effect = gb_series_effect(&is),
                  y = gb_sub(s->y, effect), w = gb_series_weight(&is);
    gb_node variance[] = {[NOISE] = gb_square(sigma), [DRIFT] = gb_square(of_level)};
    const double spread = is.scale * o->intercept_scale;
    const gb_scan_result r =
        gb_scan(s->tape, step, gb_roots(gb_num(s->tape, is.centre), gb_num(s->tape, spread * spread)),
                .inputs = gb_roots(y, w), .outputs = 2, .user = variance);
    gb_series_show(&is, (gb_node){0});
    gb_model_show(s, "sigma", sigma);
    gb_model_show(s, "sigma.level", of_level);
    const gb_node a = r.output[0], p = r.output[1];
    keep_levels(s, y, w, a, p, variance[NOISE]);
    return gb_model_likelihood(s, evidence(y, w, a, p, variance[NOISE]),
                               gb_normal(gb_add(a, effect), gb_sqrt(gb_add(p, variance[NOISE]))));
}

static const gb_option table[] = {
    GB_SERIES_ROWS(gb_local_level_model_options),
    GB_OPTION_NUMBER(gb_local_level_model_options, sigma_scale, 2.5, GB_POSITIVE, "of sigma, in sds of y"),
    GB_OPTION_NUMBER(gb_local_level_model_options, level_scale, 1, GB_POSITIVE,
                     "of sigma.level, in sds of y"),
    {0}};

const gb_model_type gb_local_level_model_type = {
    .size = sizeof(gb_model_type),
    .name = "local_level",
    .cite = "Durbin and Koopman 2012",
    .formula = "y[t] ~ N(level[t] + x[t] beta, sigma^2), level[t + 1] ~ N(level[t], sigma.level^2)",
    .options = table,
    .option_bytes = sizeof(gb_local_level_model_options),
    .outcome = GB_REAL,
    .is_whole = true,
    .no_intercept = true,
    .build = build,
};

gb_model gb_local_level_model_with(const gb_local_level_model_options *options)
{
    return gb_model_of(&gb_local_level_model_type, options);
}
