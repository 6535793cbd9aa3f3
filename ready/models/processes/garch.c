/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/gradient.h"
#include "distributions/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/recursion.h"
#include "ready/models.h"

enum { OMEGA, ALPHA, BETA, PARAMETERS };

static void step(gb_scan_step *s)
{
    const gb_node *const p = s->user;
    s->output[0] = s->state[0];
    s->next[0] = gb_add(gb_add(p[OMEGA], gb_mul(p[ALPHA], s->input[0])), gb_mul(p[BETA], s->state[0]));
}

static bool build(gb_model_site *s, const void *options)
{
    const gb_garch_model_options *const o = options;
    gb_series is = gb_series_of(s, o->prior, o->raw, 2);
    const size_t level = gb_series_number(&is, "intercept", gb_shape(), o->intercept_scale),
                 base = gb_series_spread(&is, "omega", gb_shape(), o->omega_scale),
                 shares = gb_model_part_of(s, "", "shares", gb_shape(3),
                                           gb_dirichlet(gb_ones(s->tape, gb_shape(3))));
    gb_model_impute(s);
    if (!gb_model_draw(s))
        return false;
    /* alpha + beta < 1: the third share is the rest. */
    const gb_node share = gb_model_value(s, shares), mu = gb_series_place(&is, gb_model_value(s, level)),
                  mean = gb_add(mu, gb_series_effect(&is));
    gb_node p[PARAMETERS] = {[OMEGA] = gb_scale(gb_model_value(s, base), is.scale * is.scale),
                             [ALPHA] = gb_at(share, 0),
                             [BETA] = gb_at(share, 1)};
    const gb_node off = gb_broadcast(gb_sub(gb_model_outcome(s), mean), gb_shape(s->rows));
    const gb_scan_result r = gb_scan(s->tape, step, gb_roots(gb_num(s->tape, s->outcome_sd * s->outcome_sd)),
                                     .inputs = gb_roots(gb_square(off)), .outputs = 1, .user = p);
    gb_series_show(&is, mu);
    gb_model_show(s, "omega", p[OMEGA]);
    gb_model_show(s, "alpha", p[ALPHA]);
    gb_model_show(s, "beta", p[BETA]);
    const gb_node sd = gb_sqrt(r.output[0]);
    gb_model_keep(s, "sd", sd);
    return gb_model_observe(s, gb_normal(mean, sd));
}

static const gb_option table[] = {
    GB_SERIES_ROWS(gb_garch_model_options),
    GB_OPTION_NUMBER(gb_garch_model_options, omega_scale, 1, GB_POSITIVE, "of omega, in variances of y"),
    {0}};

const gb_model_type gb_garch_model_type = {
    .size = sizeof(gb_model_type),
    .name = "garch",
    .cite = "Bollerslev 1986",
    .formula = "y[t] ~ N(mu + x[t] b, h[t]), h[t + 1] = omega + alpha e[t]^2 + beta h[t]",
    .options = table,
    .option_bytes = sizeof(gb_garch_model_options),
    .outcome = GB_REAL,
    .is_whole = true,
    .no_intercept = true,
    .draws_missing = true,
    .build = build,
};

gb_model gb_garch_model_with(const gb_garch_model_options *options)
{
    return gb_model_of(&gb_garch_model_type, options);
}
