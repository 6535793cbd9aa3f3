/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "distributions/list.h"
#include "estimators/list.h"
#include "ops/elementwise.h"
#include "ready/models.h"

typedef gb_belief_network_model_options belief_options;

static const char *numbered(char text[48], const char *name, int64_t layer)
{
    snprintf(text, 48, "%s.%lld", name, (long long)layer);
    return text;
}

static gb_family family_of(const gb_model_site *s)
{
    return s->posterior.type ? s->posterior : gb_point(gb_shape());
}

/* Draws layer `layer` from what is below it. Only the highest has its prior here: those of others depend on
 * layers that are drawn later. */
static gb_node draw_layer(gb_model_site *s, const belief_options *o, int64_t layer, gb_node below)
{
    char name[48];
    const gb_width_list width = {1, &o->units};
    const gb_dist q = gb_bernoulli_logits(gb_network_of_variables(
        s->tape, gb_model_name(s, numbered(name, "recognition", layer)), below, width, "identity"));
    if (!gb_dist_ok(q))
        return (gb_node){0};
    if (layer == 1)
        gb_model_keep(s, "code", gb_dist_mean(q));
    const gb_dist prior =
        layer < o->layers
            ? gb_no_prior
            : gb_bernoulli_logits(gb_model_network_latent(
                  s, "top", gb_shape(o->units),
                  gb_normal(gb_num(s->tape, 0), gb_num(s->tape, o->prior_scale)), gb_pathwise(), true));
    return gb_latent(s->elbo, gb_model_name(s, numbered(name, "hidden", layer)), gb_posterior_of(q), prior,
                     s->estimator.type ? s->estimator : gb_disarm(), .weight = s->weight);
}

/* The logits of what is below layer `layer`. */
static gb_node logits_below(const gb_model_site *s, const belief_options *o, int64_t layer, gb_node hidden,
                            int64_t units)
{
    char name[48];
    return gb_dense(s->elbo, gb_model_name(s, numbered(name, "generation", layer)), hidden, units,
                    .noise = o->sharing, .posterior = family_of(s), .prior_scale = o->prior_scale);
}

static bool build(gb_model_site *s, const void *options)
{
    const belief_options *const o = options;
    char name[48];
    const gb_width_list all = gb_network_widths(s->tape, o->units, o->layers, s->columns);
    gb_node *const hidden = gb_tape_keep(s->tape, (all.count + 1) * sizeof *hidden);
    if (all.count == 0 || !hidden)
        return false;
    gb_node below = gb_model_seen(s);
    for (int64_t l = 1; l <= o->layers; l++)
        below = hidden[l] = draw_layer(s, o, l, below);
    for (int64_t l = o->layers; l > 1 && gb_error(s->tape) == GB_OK; l--)
        gb_prior(s->elbo, gb_model_name(s, numbered(name, "prior of hidden", l - 1)),
                 gb_bernoulli_logits(logits_below(s, o, l, hidden[l], o->units)), hidden[l - 1],
                 .weight = s->weight);
    const gb_node logits = logits_below(s, o, 1, hidden[1], s->columns);
    gb_model_keep(s, "reconstruction", gb_sigmoid(logits));
    return gb_node_ok(logits) && gb_model_observe_columns(s, gb_bernoulli_logits(logits));
}

static const gb_option table[] = {GB_NETWORK_LAYER_ROWS(gb_belief_network_model_options, 20), {0}};

const gb_model_type gb_belief_network_model_type = {
    .size = sizeof(gb_model_type),
    .name = "belief_network",
    .cite = "Neal 1992",
    .formula = "x ~ Bernoulli(sigmoid(h_1 W_1 + b_1)), h_1 ~ Bernoulli(sigmoid(h_2 W_2 + b_2)) ...",
    .options = table,
    .option_bytes = sizeof(belief_options),
    .no_intercept = true,
    .columns = GB_BINARY,
    .build = build,
};

gb_model gb_belief_network_model_with(const gb_belief_network_model_options *options)
{
    return gb_model_of(&gb_belief_network_model_type, options);
}
