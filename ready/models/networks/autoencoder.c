/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "estimators/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ready/models.h"

typedef gb_variational_autoencoder_model_options vae_options;

/* q of the code of a row, by an encoder. */
static gb_dist code_of_row(const gb_model_site *s, const vae_options *o)
{
    static const double least = 1e-6;
    const gb_width_list widths =
        gb_network_widths(s->tape, o->units, o->layers, o->binary_code ? o->codes : 2 * o->codes);
    if (widths.count == 0)
        return (gb_dist){0};
    const gb_node f = gb_network_of_variables(s->tape, gb_model_name(s, "encoder"), gb_model_seen(s), widths,
                                              gb_activation_names[o->activation]);
    if (!gb_node_ok(f))
        return (gb_dist){0};
    if (o->binary_code)
        return gb_bernoulli_logits(f);
    const gb_head head = gb_head_of(f, least);
    return gb_normal(head.mean, head.scale);
}

static gb_node draw_code(const gb_model_site *s, const vae_options *o, gb_dist q)
{
    gb_tape *const t = s->tape;
    const gb_dist prior =
        o->binary_code ? gb_bernoulli(gb_num(t, 0.5)) : gb_normal(gb_num(t, 0), gb_num(t, 1));
    const gb_estimator usual = o->binary_code ? gb_disarm() : gb_pathwise();
    return gb_latent(s->elbo, gb_model_name(s, "code"), gb_posterior_of(q), prior,
                     s->estimator.type ? s->estimator : usual, .weight = s->weight);
}

/* The outputs for a code: means of the columns, or logits. */
static gb_node decoded(const gb_model_site *s, const vae_options *o, gb_node code)
{
    const gb_width_list widths = gb_network_widths(s->tape, o->units, o->layers, s->columns);
    const gb_node f = gb_mlp(s->elbo, gb_model_name(s, "decoder"), code, widths,
                             .activation = gb_activation_names[o->activation], .noise = o->sharing,
                             .posterior = s->posterior.type ? s->posterior : gb_point(gb_shape()),
                             .prior_scale = o->prior_scale);
    return o->binary || !gb_node_ok(f) ? f : gb_add(gb_model_means(s), gb_mul(gb_model_sds(s), f));
}

static gb_dist law_of(gb_model_site *s, const vae_options *o, gb_node f)
{
    gb_model_keep(s, "reconstruction", o->binary ? gb_sigmoid(f) : f);
    if (o->binary)
        return gb_bernoulli_logits(f);
    const gb_dist prior = gb_model_sd_prior(s, o->sd_scale, o->sd_floor);
    const gb_node sd = gb_mul(
        gb_model_sds(s), gb_model_network_latent(s, "sd", gb_shape(s->columns), prior, gb_pathwise(), true));
    gb_model_show(s, "sd", sd);
    return gb_normal(f, sd);
}

static bool build(gb_model_site *s, const void *options)
{
    const vae_options *const o = options;
    const gb_dist q = code_of_row(s, o);
    if (!gb_dist_ok(q))
        return false;
    gb_model_keep(s, "code", gb_dist_mean(q));
    const gb_node f = decoded(s, o, draw_code(s, o, q));
    return gb_node_ok(f) && gb_model_observe_columns(s, law_of(s, o, f));
}

static const gb_domain *domain(const void *options)
{
    const vae_options *const o = options;
    return o->binary ? GB_BINARY : NULL;
}

static const gb_option table[] = {
    GB_OPTION_WHOLE(gb_variational_autoencoder_model_options, codes, 2, GB_COUNT,
                    "numbers of the code of a row"),
    GB_OPTION_FLAG(gb_variational_autoencoder_model_options, binary_code, "codes are 0 or 1"),
    GB_OPTION_FLAG(gb_variational_autoencoder_model_options, binary, "columns are 0 or 1"),
    GB_NETWORK_LAYER_ROWS(gb_variational_autoencoder_model_options, 50),
    GB_OPTION_CHOICE(gb_variational_autoencoder_model_options, activation, gb_activation_names,
                     "of hidden units"),
    GB_OPTION_NUMBER(gb_variational_autoencoder_model_options, sd_scale, 1, GB_POSITIVE,
                     "of noise, in sds of columns"),
    GB_OPTION_NUMBER(gb_variational_autoencoder_model_options, sd_floor, 0.1, GB_POSITIVE,
                     "below it sds are unlikely"),
    {0}};

const gb_model_type gb_variational_autoencoder_model_type = {
    .size = sizeof(gb_model_type),
    .name = "variational_autoencoder",
    .cite = "Kingma and Welling 2014",
    .formula = "x ~ p(x | decoder(z)), z ~ N(0, I), q(z | x) by an encoder",
    .options = table,
    .option_bytes = sizeof(vae_options),
    .no_intercept = true,
    .build = build,
    .domain = domain,
};

gb_model gb_variational_autoencoder_model_with(const gb_variational_autoencoder_model_options *options)
{
    return gb_model_of(&gb_variational_autoencoder_model_type, options);
}
