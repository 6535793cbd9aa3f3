/* SPDX-License-Identifier: GPL-3.0-or-later */
/* States are summed out by the forward pass, in logs. */
#include <math.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matrix.h"
#include "ops/recursion.h"
#include "ops/reduce.h"
#include "ready/models.h"

/* State: log p(state, outcomes before), for each state. Input: log p(outcome | state). */
static void step(gb_scan_step *s)
{
    const gb_node *const transition = s->user;
    s->output[0] = s->state[0];
    s->next[0] =
        gb_logsumexp_along(gb_add(gb_expand(gb_add(s->state[0], s->input[0]), 1), *transition), gb_axis(0));
}

/* State: log p(outcomes from here on | state before), and this outcome's part is an input. */
static void step_back(gb_scan_step *s)
{
    const gb_node *const transition = s->user;
    s->output[0] = s->state[0];
    s->next[0] =
        gb_logsumexp_along(gb_add(*transition, gb_expand(gb_add(s->state[0], s->input[0]), 0)), gb_axis(1));
}

/* The probability of each state in each row, given all rows: (rows, K). */
static gb_node states_of(gb_node seen, gb_node before, gb_node log_move)
{
    const int64_t states = gb_shape_size(gb_node_shape(log_move), 0);
    const gb_scan_result r =
        gb_scan(seen.tape, step_back, gb_roots(gb_zeros(seen.tape, gb_shape(states))),
                .inputs = gb_roots(seen), .axis = 0, .outputs = 1, .reverse = true, .user = &log_move);
    return gb_softmax(gb_add(gb_add(before, seen), r.output[0]), -1);
}

/* The means increase, so that states have names; their prior is K! times that of means in any order. */
static bool order_means(gb_model_site *s, gb_node mean, int64_t states, double scale)
{
    gb_prior(s->elbo, "means", gb_normal(gb_num(s->tape, 0), gb_num(s->tape, scale)), mean);
    gb_factor(s->elbo, "order of the means", gb_num(s->tape, lgamma((double)states + 1)));
    return gb_error(s->tape) == GB_OK;
}

static gb_dist of_transitions(gb_tape *t, int64_t states, double stay)
{
    return gb_dirichlet(gb_add(gb_ones(t, gb_shape(states, states)), gb_scale(gb_eye(t, states), stay)));
}

static bool options_fit(const gb_model_site *s, const gb_hidden_markov_model_options *o)
{
    if (s->columns > 0)
        return gb_fail(s->tape, GB_EARGUMENT, "hidden_markov: the model takes no columns: \"%s ~ 1\"",
                       s->outcome) == GB_OK;
    return o->states >= 2 ||
           gb_fail(s->tape, GB_EARGUMENT, "hidden_markov: .states is %lld, and must be at least 2",
                   (long long)o->states) == GB_OK;
}

typedef struct latents {
    size_t mean, sigma, move;
} latents;

static latents declare(gb_model_site *s, const gb_hidden_markov_model_options *o)
{
    const gb_shape each = gb_shape(o->states), pairs = gb_shape(o->states, o->states);
    const double floor = o->raw ? o->sigma_floor * s->outcome_sd : o->sigma_floor;
    return (latents){
        .mean = gb_model_part(
            s, (gb_latent_part){.name = "mean", .shape = each, .prior = gb_no_prior, .support = GB_ORDERED}),
        .sigma = gb_model_part_of(s, "", "sigma", o->same_sigma ? gb_shape() : each,
                                  gb_model_sd_prior(s, o->sigma_scale, floor)),
        .move = gb_model_part_of(s, "", "transition", pairs, of_transitions(s->tape, o->states, o->stay))};
}

/* Sums the states out, from the law of the outcome in each of them: (rows, K). */
static bool observe(const gb_series *is, gb_dist each, gb_node log_move)
{
    gb_model_site *const s = is->site;
    const int64_t states = gb_shape_size(gb_node_shape(log_move), 0);
    const gb_node seen = gb_mul(gb_expand(gb_series_weight(is), 1), gb_log_prob(each, gb_expand(s->y, 1))),
                  first = gb_shift(gb_zeros(s->tape, gb_shape(states)), -log((double)states));
    const gb_scan_result r = gb_scan(s->tape, step, gb_roots(first), .inputs = gb_roots(seen), .axis = 0,
                                     .outputs = 1, .user = &log_move);
    gb_model_keep(s, "states", states_of(seen, r.output[0], log_move));
    return gb_model_likelihood(s, gb_logsumexp(r.last[0]), gb_mixture(r.output[0], each));
}

static bool build(gb_model_site *s, const void *options)
{
    const gb_hidden_markov_model_options *const o = options;
    if (!options_fit(s, o))
        return false;
    const gb_series is = gb_series_of(s, (gb_shrinkage){0}, o->raw, (size_t)o->states);
    const latents part = declare(s, o);
    if (!gb_model_draw(s) || !order_means(s, gb_model_value(s, part.mean), o->states, o->intercept_scale))
        return false;
    const gb_node mean = gb_series_place(&is, gb_model_value(s, part.mean)),
                  sigma = gb_series_scaled(&is, gb_model_value(s, part.sigma)),
                  move = gb_model_value(s, part.move);
    gb_model_show(s, "mean", mean);
    gb_model_show(s, "sigma", sigma);
    gb_model_show(s, "transition", move);
    return observe(&is, gb_dist_expand(gb_normal(mean, sigma), gb_shape(s->rows, o->states)), gb_log(move));
}

static const gb_option table[] = {
    GB_OPTION_WHOLE(gb_hidden_markov_model_options, states, 2, GB_COUNT, "number of states, K"),
    GB_OPTION_NUMBER(gb_hidden_markov_model_options, intercept_scale, 2.5, GB_POSITIVE,
                     "of the standardised means"),
    GB_OPTION_NUMBER(gb_hidden_markov_model_options, sigma_scale, 2.5, GB_POSITIVE, "of sigma, in sds of y"),
    GB_OPTION_NUMBER(gb_hidden_markov_model_options, stay, 0, GB_NON_NEGATIVE,
                     "added to the prior counts of staying"),
    GB_OPTION_FLAG(gb_hidden_markov_model_options, same_sigma, "one sigma for all states"),
    GB_OPTION_FLAG(gb_hidden_markov_model_options, raw, "priors are of the series as it is"),
    GB_OPTION_NUMBER(gb_hidden_markov_model_options, sigma_floor, 0.1, GB_POSITIVE,
                     "below it sds are unlikely"),
    {0}};

const gb_model_type gb_hidden_markov_model_type = {
    .size = sizeof(gb_model_type),
    .name = "hidden_markov",
    .cite = "Rabiner 1989",
    .formula = "y[t] ~ N(mean[z[t]], sigma[z[t]]^2), P(z[t + 1] = j | z[t] = i) = transition[i][j]",
    .options = table,
    .option_bytes = sizeof(gb_hidden_markov_model_options),
    .outcome = GB_REAL,
    .is_whole = true,
    .no_columns = true,
    .no_intercept = true,
    .build = build,
};

gb_model gb_hidden_markov_model_with(const gb_hidden_markov_model_options *options)
{
    return gb_model_of(&gb_hidden_markov_model_type, options);
}
