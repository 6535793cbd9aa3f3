/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dense layers, and perceptrons made of them. */
#include <math.h>
#include <stdio.h>

#include "core/op.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "models/elbo/elbo_impl.h"
#include "models/families/name_impl.h"
#include "models/networks.h"

typedef struct dense {
    gb_elbo *e;
    gb_tape *tape;
    const char *name;
    gb_node x;
    gb_shape weights, biases;
    double spread;
    gb_dense_options o;
} dense;

/* Dropout is the posterior, and not noise beside one. */
static bool is_posterior(const dense *d)
{
    return d->o.dropout > 0 && !d->o.posterior.type;
}

static bool options_fit(const dense *d)
{
    const gb_dense_options *const o = &d->o;
    if (!(o->dropout >= 0) || !(o->dropout < 1))
        gb_fail(d->tape, GB_EARGUMENT, "dense %s: .dropout is %g, and must be from 0 to below 1", d->name,
                o->dropout);
    else if (o->dropout > 0 && o->posterior.type == &gb_dropout_family_type)
        gb_fail(d->tape, GB_EARGUMENT,
                "dense %s: .dropout and a .posterior of dropout would drop twice; leave one of them out",
                d->name);
    else if (o->learned_dropout && !is_posterior(d))
        gb_fail(
            d->tape, GB_EARGUMENT,
            "dense %s: .learned_dropout needs a rate to start from (.dropout), and no .posterior: without "
            "the KL of dropout the rate would go to 0",
            d->name);
    else if (o->mask.type && !o->learned_dropout)
        gb_fail(d->tape, GB_EARGUMENT, "dense %s: .mask is for .learned_dropout", d->name);
    else if (o->no_bias && (o->bias_posterior.type || o->bias_prior.type))
        gb_fail(d->tape, GB_EARGUMENT,
                "dense %s: with .no_bias there is no bias, and so neither .bias_posterior "
                "nor .bias_prior",
                d->name);
    else if (!(o->prior_scale >= 0) || isinf(o->prior_scale))
        gb_fail(d->tape, GB_EARGUMENT, "dense %s: .prior_scale is %g, and must be positive and finite, or 0",
                d->name, o->prior_scale);
    else if (o->prior_scale > 0 && (o->prior.type || o->bias_prior.type))
        gb_fail(d->tape, GB_EARGUMENT,
                "dense %s: .prior_scale stands for .prior and .bias_prior; give it or them", d->name);
    else
        return true;
    return false;
}

/* ---- posteriors ---- */

static gb_family shaped(const dense *d, gb_family family, gb_shape shape, const char *which)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    if (family.shape.rank != 0 && !gb_shape_same(family.shape, shape))
        gb_fail(d->tape, GB_ESHAPE,
                "dense %s: %s has the shape %s, but the layer needs %s; gb_shape() takes what there is",
                d->name, which, gb_shape_text(family.shape, a), gb_shape_text(shape, b));
    family.shape = shape;
    return family;
}

static gb_family posterior_of_weights(const dense *d)
{
    const gb_dense_options *const o = &d->o;
    if (is_posterior(d))
        return gb_dropout_posterior(d->weights, .spread = d->spread, .keep = 1 - o->dropout, .by_unit = true,
                                    .rescaled = true, .is_learned = o->learned_dropout);
    if (!o->posterior.type)
        return gb_mean_field(d->weights, .spread = d->spread, .scale = 0.1 * d->spread);
    gb_family family = shaped(d, o->posterior, d->weights, ".posterior");
    gb_family_spread(&family, d->spread);
    return family;
}

static gb_family posterior_of_biases(const dense *d)
{
    const gb_family of_weights = d->o.posterior, given = d->o.bias_posterior;
    if (given.type)
        return shaped(d, given, d->biases, ".bias_posterior");
    if (is_posterior(d) || of_weights.type == &gb_dropout_family_type)
        return gb_point(d->biases);
    if (!of_weights.type || of_weights.type == &gb_given_family_type)
        return gb_mean_field(d->biases, .scale = 0.1 * d->spread);
    gb_family family = of_weights;
    family.shape = d->biases;
    return family;
}

static gb_dist normal(const dense *d, double scale)
{
    return gb_normal(gb_num(d->tape, 0), gb_num(d->tape, scale));
}

static gb_lazy *latent(const dense *d, const char *part, gb_family family, gb_dist prior,
                       gb_estimator estimator)
{
    char name[GB_PART_NAME];
    if (gb_error(d->tape) != GB_OK || !gb_joined_name(d->tape, d->name, ".", part, name))
        return NULL;
    if (!prior.type)
        prior = normal(d, 1);
    return gb_latent_lazy(d->e, name, family, prior, estimator.type ? estimator : gb_pathwise());
}

/* ---- the layer ---- */

static gb_estimator estimator_of_weights(const dense *d)
{
    if (!is_posterior(d) || !d->o.learned_dropout)
        return d->o.estimator;
    return gb_dropout_draws(.mask = d->o.mask.type ? d->o.mask : gb_relaxed_draws(.temperature = 0.1));
}

static gb_noise_sharing noise_of(const dense *d)
{
    if (!is_posterior(d))
        return d->o.noise;
    return d->o.one_mask || !(gb_node_axes(d->x) & GB_ROWS) ? GB_NOISE_SHARED : GB_NOISE_WEIGHTS;
}

static gb_node input_of(const dense *d)
{
    char name[GB_PART_NAME];
    if (is_posterior(d) || d->o.dropout <= 0)
        return d->x;
    return gb_joined_name(d->tape, d->name, ".", "mask", name)
               ? gb_dropout(d->e, name, d->x, d->o.dropout, d->o.one_mask)
               : (gb_node){0};
}

static gb_node record(const dense *d)
{
    const gb_dense_options *const o = &d->o;
    gb_dist of_weight = o->prior, of_bias = o->bias_prior.type ? o->bias_prior : o->prior;
    if (o->prior_scale > 0) {
        of_weight = normal(d, o->prior_scale * d->spread);
        of_bias = normal(d, o->prior_scale);
    }
    gb_lazy *const w = latent(d, "weight", posterior_of_weights(d), of_weight, estimator_of_weights(d));
    gb_lazy *const b = o->no_bias ? NULL : latent(d, "bias", posterior_of_biases(d), of_bias, o->estimator);
    gb_node h = gb_lazy_affine(input_of(d), w, b, noise_of(d));
    if (!gb_node_ok(h))
        return h;
    h = o->layer_norm ? gb_layer_norm(h) : h;
    return gb_named(gb_activate(h, o->activation ? o->activation : "identity"), d->name);
}

gb_node gb_dense_with(gb_elbo *e, const char *name, gb_node x, int64_t units, const gb_dense_options *options)
{
    char text[GB_SHAPE_TEXT];
    dense d = {.e = e, .tape = x.tape, .name = name ? name : "", .x = x};
    if (!gb_elbo_takes(e, x, "dense") || !gb_options_take(x.tape, "dense", &d.o, sizeof d.o, options))
        return (gb_node){0};
    const gb_shape shape = gb_node_shape(x);
    if (!*d.name)
        gb_fail(d.tape, GB_ENAME, "dense: a name is required, for its latents");
    else if (shape.rank < 1 || shape.size[shape.rank - 1] < 1)
        gb_fail(d.tape, GB_ESHAPE, "dense %s: what enters has shape %s, and must have a last axis of inputs",
                d.name, gb_shape_text(shape, text));
    else if (units < 1)
        gb_fail(d.tape, GB_ESHAPE, "dense %s: %lld units were asked for", d.name, (long long)units);
    else if (options_fit(&d)) {
        const int64_t inputs = shape.size[shape.rank - 1];
        d.weights = gb_shape(inputs, units);
        d.biases = gb_shape(units);
        d.spread = 1 / sqrt((double)inputs);
        return record(&d);
    }
    return (gb_node){0};
}

/* ---- perceptrons ---- */

gb_width_list gb_widths_of(size_t count, const int64_t *widths)
{
    return (gb_width_list){count, widths};
}

gb_rate_list gb_rates_of(size_t count, const double *rates)
{
    return (gb_rate_list){count, rates};
}

/* Of what enters layer i. */
static double dropout_of(const gb_mlp_options *o, size_t i)
{
    return i == 0 ? o->input_dropout : o->dropouts.count > 0 ? o->dropouts.rate[i - 1] : o->dropout;
}

static bool has_dropout(const gb_mlp_options *o, size_t layers)
{
    bool has = false;
    for (size_t i = 0; i < layers; i++)
        has |= dropout_of(o, i) > 0;
    return has;
}

/* The options of layer i: what the first and the last have instead is not what the others have. */
static gb_dense_options of_layer(const gb_mlp_options *o, size_t i, size_t count)
{
    gb_dense_options layer = {.size = sizeof layer,
                              .activation = o->activation,
                              .noise = o->noise,
                              .posterior = o->posterior,
                              .prior = o->prior,
                              .estimator = o->estimator,
                              .bias_posterior = o->bias_posterior,
                              .bias_prior = o->bias_prior,
                              .no_bias = o->no_bias,
                              .layer_norm = o->layer_norm,
                              .dropout = dropout_of(o, i),
                              .one_mask = o->one_mask,
                              .learned_dropout = o->learned_dropout,
                              .mask = o->mask,
                              .prior_scale = o->prior_scale};
    if (i + 1 == count) {
        layer.activation = o->last_activation;
        layer.layer_norm = false;
    }
    if (layer.dropout == 0 && has_dropout(o, count)) {
        layer.learned_dropout = false;
        layer.mask = (gb_estimator){0};
        if (!layer.posterior.type)
            layer.posterior = gb_point(gb_shape());
    }
    return layer;
}

gb_node gb_mlp_with(gb_elbo *e, const char *name, gb_node x, gb_width_list widths,
                    const gb_mlp_options *options)
{
    gb_mlp_options o;
    char number[24], layer[GB_PART_NAME];
    if (!gb_elbo_takes(e, x, "mlp") || !gb_options_take(x.tape, "mlp", &o, sizeof o, options))
        return (gb_node){0};
    if (!name || !*name)
        gb_fail(x.tape, GB_ENAME, "mlp: a name is required, for its layers");
    else if (widths.count == 0 || !widths.width)
        gb_fail(x.tape, GB_EARGUMENT, "mlp %s: no widths were given: gb_widths(50, 50, 1)", name);
    else if (widths.count == 1 && !(o.dropout == 0))
        gb_fail(x.tape, GB_EARGUMENT,
                "mlp %s: .dropout is %g, of what enters all layers but the first, and there is one layer; "
                ".input_dropout is of what enters that",
                name, o.dropout);
    else if (o.dropouts.count > 0 &&
             (o.dropouts.count + 1 != widths.count || !o.dropouts.rate || o.dropout > 0))
        gb_fail(
            x.tape, GB_EARGUMENT,
            "mlp %s: .dropouts has %zu rates, in place of .dropout; %zu layers need %zu, one for each but "
            "the first",
            name, o.dropouts.count, widths.count, widths.count - 1);
    if (gb_error(x.tape) != GB_OK)
        return (gb_node){0};
    for (size_t i = 0; i < widths.count && gb_node_ok(x); i++) {
        const gb_dense_options own = of_layer(&o, i, widths.count);
        snprintf(number, sizeof number, "%zu", i + 1);
        x = gb_joined_name(x.tape, name, ".", number, layer)
                ? gb_dense_with(e, layer, x, widths.width[i], &own)
                : (gb_node){0};
    }
    return x;
}
