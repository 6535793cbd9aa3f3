/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/gradient.h"
#include "core/tape.h"
#include "distributions/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/recursion.h"
#include "ready/equations.h"
#include "ready/models.h"

enum { OMEGA, ALPHA, BETA, PARAMETERS };

static void step(gb_scan_step *s)
{
    const gb_node *const p = s->user;
    s->output[0] = s->state[0];
    s->next[0] = gb_add(gb_add(p[OMEGA], gb_mul(p[ALPHA], s->input[0])), gb_mul(p[BETA], s->state[0]));
}

/* ---- whether the last outcomes are given exactly ---- */

/* The last rows, from one on, whose outcomes are as the mean says, or missing. */
typedef struct tail {
    int64_t first, numbers; /* that give them */
    const double *gain;     /* of all rows: their weights, 0 where the outcome is missing */
} tail;

/* How often each row counts; −1 where its outcome is missing. NULL on error. */
static double *read_gains(const gb_model_site *s)
{
    double *const gain = gb_tape_keep(s->tape, (size_t)s->rows * sizeof *gain);
    for (int64_t i = 0; gain && i < s->rows; i++)
        gain[i] = s->weights ? s->weights[i] : 1;
    for (size_t i = 0; gain && i < s->missing; i++)
        gain[s->missing_row[i]] = -1;
    return gain;
}

/* In rows before the tail, an outcome off the mean must not follow one that is on it: its variance would be
 * small. */
static bool may_begin(gb_equations *e, const tail *at)
{
    for (int64_t i = 0; i + 1 < at->first; i++)
        if (at->gain[i] >= 0 && at->gain[i + 1] > 0 && gb_equations_look(e, i) == GB_EQUATION_FULFILLED &&
            gb_equations_look(e, i + 1) != GB_EQUATION_FULFILLED)
            return false;
    return true;
}

/* The power of s with which the density falls, if omega ~ s, beta ~ s^a (and alpha, of `shares` in all), so
 * that h_t ~ s^(a (t − from)), but not below s: the best of a = 1, 1/2, 1/3 … */
static double power(const gb_model_site *s, const tail *at, int64_t from, int shares)
{
    enum { MOST = 64 };
    double best = (double)INFINITY;
    for (int64_t k = 1; k <= MOST; k++) {
        double is = shares / (double)k + 1 + 0.5 * (double)at->numbers;
        for (int64_t i = from + 1; i < s->rows; i++)
            is -= 0.5 * fmax(at->gain[i], 0) * fmin(1, (double)(i - from) / (double)k);
        best = fmin(best, is);
    }
    return best;
}

/* Without noise in the last outcomes their variances may fall to 0, and the density be infinite there. */
static bool has_noise(const gb_model_site *s)
{
    double *const gain = read_gains(s);
    gb_equations *const e = gain ? gb_equations_new(s, .level = true) : NULL;
    tail at = {.first = s->rows, .gain = gain};
    while (e && at.first > 0 &&
           (gain[at.first - 1] < 0 || gb_equations_add(e, at.first - 1) != GB_EQUATION_VIOLATED))
        at.first--;
    at.numbers = gb_equations_rank(e);
    const bool begins = e && at.first < s->rows && may_begin(e, &at);
    gb_equations_free(e);
    if (begins && (power(s, &at, at.first, 1) <= 0 || (at.first == 1 && power(s, &at, 0, 2) <= 0)))
        gb_fail(s->tape, GB_EARGUMENT,
                "garch: the last %lld outcomes of %s are given exactly by %lld numbers, so there is no "
                "posterior: its density is infinite where their variance is 0; leave out such rows at the "
                "end",
                (long long)(s->rows - at.first), s->outcome, (long long)at.numbers);
    return gb_error(s->tape) == GB_OK;
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
    if (gb_error(s->tape) != GB_OK || !has_noise(s) || !gb_model_draw(s))
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
