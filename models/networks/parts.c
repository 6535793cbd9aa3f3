/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of layers that have no latents: activations by name, normalisation, dropout as noise, heads. */
#include <string.h>

#include "core/op.h"
#include "models/elbo/elbo_impl.h"
#include "models/networks.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "plugins/plugin.h"

/* ---- activations ---- */

static gb_node identity(gb_node x)
{
    return x;
}

/* Both have two branches, which meet. */
static gb_node leaky_relu(gb_node x)
{
    return gb_continuous_in(gb_leaky_relu(x, 0.01), 1, &x);
}

static gb_node elu(gb_node x)
{
    return gb_continuous_in(gb_elu(x, 1), 1, &x);
}

/* clang-format off */
#define GB_ACTIVATION_LIST(do_)                                                                              \
    do_("identity", identity) do_("relu", gb_relu) do_("leaky_relu", leaky_relu) do_("elu", elu)             \
    do_("gelu", gb_gelu) do_("silu", gb_silu) do_("softplus", gb_softplus) do_("tanh", gb_tanh)              \
    do_("sigmoid", gb_sigmoid) do_("sin", gb_sin)
/* clang-format on */

#define GB_ACTIVATION_NAME(name, function) name,
static const char *const names[] = {GB_ACTIVATION_LIST(GB_ACTIVATION_NAME)};
#define GB_ACTIVATION_FUNCTION(name, function) function,
static gb_node (*const functions[])(gb_node) = {GB_ACTIVATION_LIST(GB_ACTIVATION_FUNCTION)};
enum { ACTIVATIONS = sizeof names / sizeof *names };

const char *const *gb_activations(size_t *count)
{
    if (count)
        *count = ACTIVATIONS;
    return names;
}

gb_node gb_activate(gb_node x, const char *name)
{
    if (!gb_node_check(x, "activate"))
        return (gb_node){0};
    for (size_t i = 0; name && i < ACTIVATIONS; i++)
        if (strcmp(name, names[i]) == 0)
            return functions[i](x);
    const char *const nearest = name ? gb_nearest_name(name, ACTIVATIONS, names) : NULL;
    gb_fail(x.tape, GB_ENAME, "activate: there is no activation %s%s%s%s", name ? name : "(NULL)",
            nearest ? "; did you mean " : " (gb_activations lists all)", nearest ? nearest : "",
            nearest ? "?" : "");
    return (gb_node){0};
}

/* ---- normalisation ---- */

static gb_node mean_of_vector(gb_node x)
{
    return gb_expand(gb_mean_along(x, gb_axis(-1)), -1);
}

gb_node gb_layer_norm(gb_node x)
{
    static const double least = 1e-5;
    if (!gb_node_check(x, "layer_norm"))
        return (gb_node){0};
    const gb_shape shape = gb_node_shape(x);
    if (shape.rank < 1 || shape.size[shape.rank - 1] == 1) {
        gb_fail(x.tape, GB_ESHAPE,
                shape.rank < 1
                    ? "layer_norm: a number has no axis to normalise over"
                    : "layer_norm: the last axis has one number, and that less its mean is always 0; "
                      "take more units, or no norm");
        return (gb_node){0};
    }
    const gb_node centred = gb_sub(x, mean_of_vector(x));
    return gb_mul(centred, gb_rsqrt(gb_shift(mean_of_vector(gb_square(centred)), least)));
}

/* ---- dropout ---- */

static bool can_be_dropped(gb_node x, const char *name, double rate)
{
    if (!(rate >= 0) || !(rate < 1))
        gb_fail(x.tape, GB_EARGUMENT, "dropout %s: the rate is %g, and must be from 0 to below 1",
                name ? name : "(NULL)", rate);
    else if (gb_node_shape(x).rank < 1)
        gb_fail(x.tape, GB_ESHAPE, "dropout %s: a number has no axis of units", name ? name : "(NULL)");
    else
        return true;
    return false;
}

static gb_node masked(gb_node x, gb_noise stream, double keep, gb_axes axes)
{
    const gb_shape shape = gb_node_shape(x);
    const gb_node mask =
        gb_bernoulli_noise(stream, gb_shape(shape.size[shape.rank - 1]), axes, gb_num(x.tape, keep));
    return gb_mul(x, gb_scale(mask, 1 / keep));
}

gb_node gb_dropout(gb_elbo *e, const char *name, gb_node x, double rate, bool one_mask)
{
    if (!gb_elbo_takes(e, x, "dropout") || !can_be_dropped(x, name, rate))
        return (gb_node){0};
    if (rate <= 0)
        return x;
    const gb_noise stream = gb_stream(x.tape, name);
    const gb_axes rows = one_mask ? 0 : gb_node_axes(x) & GB_ROWS;
    const gb_node dropped = masked(x, stream, 1 - rate, GB_SAMPLES | rows);
    return rows ? gb_elbo_stand_in(e, name, dropped, masked(x, stream, 1 - rate, GB_SAMPLES)) : dropped;
}

/* ---- heads ---- */

gb_head gb_head_of(gb_node f, double least)
{
    char text[GB_SHAPE_TEXT];
    if (!gb_node_check(f, "head"))
        return (gb_head){{0}, {0}};
    const gb_shape shape = gb_node_shape(f);
    const int64_t outputs = shape.rank > 0 ? shape.size[shape.rank - 1] : 1;
    if (outputs % 2 != 0)
        gb_fail(f.tape, GB_ESHAPE,
                "head: the network has outputs %s, and must have two for each number: a mean and a scale",
                gb_shape_text(shape, text));
    else if (!gb_domain_holds(GB_POSITIVE, least))
        gb_fail(f.tape, GB_EARGUMENT, "head: the least scale is %g, and must be %s", least,
                GB_POSITIVE->must_be);
    else
        return (gb_head){gb_slice(f, -1, 0, outputs / 2),
                         gb_shift(gb_softplus(gb_slice(f, -1, outputs / 2, outputs)), least)};
    return (gb_head){{0}, {0}};
}
