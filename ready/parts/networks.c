/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/networks.h"

#include <math.h>
#include <stdio.h>

#include "distributions/list.h"
#include "estimators/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"

const char *const gb_activation_names[16] = {"tanh", "relu",     "leaky_relu", "elu", "gelu",
                                             "silu", "softplus", "sigmoid",    "sin", NULL};
const char *const gb_noise_sharing_names[8] = {"shared", "local", "flipout", "weights", NULL};

gb_width_list gb_network_widths(gb_tape *t, int64_t units, int64_t layers, int64_t outputs)
{
    enum { MOST = 1000 };
    if (layers > MOST) {
        gb_fail(t, GB_EARGUMENT, "network: .layers is %lld, and at most %d are allowed", (long long)layers,
                MOST);
        return (gb_width_list){0};
    }
    int64_t *const width = gb_tape_keep(t, (size_t)(layers + 1) * sizeof *width);
    for (int64_t i = 0; width && i <= layers; i++)
        width[i] = i < layers ? units : outputs;
    return gb_widths_of(width ? (size_t)layers + 1 : 0, width);
}

/* ---- layers that differ ---- */

enum { DIFFER = 4 };

/* An option of a layer that does not exist has no effect, and so is rejected. */
static bool layers_are_there(gb_model_site *s, const gb_network_choices *o)
{
    const bool is_given[DIFFER] = {false, o->units_2 || o->dropout_2 > 0, o->units_3 || o->dropout_3 > 0,
                                   o->units_4 || o->dropout_4 > 0};
    for (int64_t i = o->layers; i < DIFFER; i++)
        if (is_given[i])
            return gb_fail(s->tape, GB_EARGUMENT,
                           "network: .units_%d or .dropout_%d is given, and .layers is %lld", (int)i + 1,
                           (int)i + 1, (long long)o->layers) == GB_OK;
    return true;
}

static gb_width_list widths_of(gb_model_site *s, const gb_network_choices *o, int64_t outputs)
{
    const int64_t own[DIFFER] = {o->units, o->units_2, o->units_3, o->units_4};
    const gb_width_list all = gb_network_widths(s->tape, o->units, o->layers, outputs);
    int64_t *const width = gb_tape_keep(s->tape, (all.count + 1) * sizeof *width);
    for (size_t i = 0; width && i < all.count; i++)
        width[i] = i + 1 == all.count ? outputs : i < DIFFER && own[i] > 0 ? own[i] : width[i - 1];
    return gb_widths_of(width ? all.count : 0, width);
}

/* None if all are `dropout`. */
static gb_rate_list rates_of(gb_model_site *s, const gb_network_choices *o)
{
    const double own[DIFFER] = {o->dropout, o->dropout_2, o->dropout_3, o->dropout_4};
    const bool differ = o->dropout_2 > 0 || o->dropout_3 > 0 || o->dropout_4 > 0;
    double *const rate = differ ? gb_tape_keep(s->tape, (size_t)o->layers * sizeof *rate) : NULL;
    for (int64_t i = 0; rate && i < o->layers; i++)
        rate[i] = i == 0 || (i < DIFFER && own[i] > 0) ? own[i] : rate[i - 1];
    return gb_rates_of(rate ? (size_t)o->layers : 0, rate);
}

gb_node gb_model_network(gb_model_site *s, const void *options, int64_t outputs)
{
    const gb_network_choices *const o = options;
    if (s->columns == 0)
        gb_fail(s->tape, GB_EARGUMENT, "network: there are no columns, and so nothing that could enter it");
    if (gb_error(s->tape) != GB_OK || !layers_are_there(s, o))
        return (gb_node){0};
    const gb_width_list widths = widths_of(s, o, outputs);
    const gb_rate_list rates = rates_of(s, o);
    if (gb_error(s->tape) != GB_OK)
        return (gb_node){0};
    return gb_mlp(s->elbo, gb_model_name(s, "network"), gb_model_standard(s), widths,
                  .activation = gb_activation_names[o->activation], .noise = o->sharing,
                  .posterior = s->posterior, .estimator = s->estimator, .prior_scale = o->prior_scale,
                  .dropout = rates.count > 0 ? 0 : o->dropout, .dropouts = rates,
                  .input_dropout = o->input_dropout, .learned_dropout = o->learned_dropout,
                  .layer_norm = o->layer_norm);
}

gb_node gb_model_network_latent(gb_model_site *s, const char *name, gb_shape shape, gb_dist prior,
                                gb_estimator estimator, bool is_point)
{
    const gb_family_type *const given = s->posterior.type;
    gb_family family = s->posterior;
    if (given == &gb_dropout_family_type || (!given && is_point))
        family = gb_point(shape);
    else if (!given || given == &gb_given_family_type)
        family = gb_mean_field(shape);
    family.shape = shape;
    return gb_latent(s->elbo, gb_model_name(s, name), family, prior,
                     estimator.type ? estimator : gb_pathwise());
}

/* ---- networks of variables ---- */

static gb_node variable(gb_tape *t, const char *name, const char *part, gb_shape shape, double spread)
{
    char text[120];
    gb_slot slot;
    const gb_family family = gb_point(shape, .spread = spread);
    snprintf(text, sizeof text, "%.90s.%s", name, part);
    return gb_slot_of(t, text, family, (gb_dist){0}, &slot) ? gb_family_point(family, &slot) : (gb_node){0};
}

gb_node gb_network_of_variables(gb_tape *t, const char *name, gb_node x, gb_width_list widths,
                                const char *activation)
{
    char layer[100];
    for (size_t i = 0; i < widths.count && gb_node_ok(x); i++) {
        const int64_t inputs = gb_shape_size(gb_node_shape(x), -1), units = widths.width[i];
        snprintf(layer, sizeof layer, "%.60s.%zu", name, i + 1);
        const gb_node w = variable(t, layer, "weight", gb_shape(inputs, units), 1 / sqrt((double)inputs)),
                      b = variable(t, layer, "bias", gb_shape(units), 0);
        x = gb_activate(gb_affine(x, w, b), i + 1 < widths.count ? activation : "identity");
    }
    return widths.count > 0 ? x : (gb_node){0};
}

gb_node gb_model_seen(const gb_model_site *s)
{
    const gb_node both[] = {gb_model_standard(s), s->present};
    return gb_node_ok(s->present) ? gb_concat(2, both, -1) : both[0];
}
