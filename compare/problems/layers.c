/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers of choices of two, each of which sets the logits of the next: a belief network. */
#include <math.h>
#include <stdio.h>

#include "compare/problems/list_impl.h"
#include "compare/problems/problem_impl.h"
#include "core/op.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { LAYERS, UNITS, PULL, TARGET, MOST_LAYERS = 5, MOST_UNITS = 4 };

static bool are_whole(const gb_trial *trial)
{
    const double layers = trial->setting[LAYERS], units = trial->setting[UNITS];
    if (layers != floor(layers) || units != floor(units))
        gb_fail(trial->tape, GB_EARGUMENT, "layers: layers (%g) and units (%g) must be whole numbers", layers,
                units);
    return layers == floor(layers) && units == floor(units);
}

/* Numbers from −1 to 1 without a pattern that matters. */
static gb_node mixed(gb_tape *tape, gb_shape shape, double from)
{
    double all[MOST_UNITS * MOST_UNITS];
    const size_t count = gb_shape_count(shape);
    for (size_t i = 0; i < count; i++)
        all[i] = sin(from + 2.4 * (double)i);
    return gb_constant(tape, shape, gb_values_of(all, count));
}

/* Each unit of the layer below pulls at each logit, up where it is 1 and down where it is 0. */
static gb_node pulled(const gb_trial *trial, int layer, gb_node below)
{
    const int64_t units = (int64_t)trial->setting[UNITS];
    const gb_node by = gb_scale(mixed(trial->tape, gb_shape(units, units), layer), trial->setting[PULL]);
    return gb_sum_along(gb_mul(by, gb_shift(below, -0.5)), gb_axis(1));
}

static gb_node cost(gb_trial *trial)
{
    gb_tape *const t = trial->tape;
    gb_node below = {0}, sum = gb_num(t, -trial->setting[TARGET]);
    if (!are_whole(trial))
        return (gb_node){0};
    const int layers = (int)trial->setting[LAYERS];
    const gb_shape units = gb_shape((int64_t)trial->setting[UNITS]);
    for (int i = 0; i < layers; i++) {
        char bias[16], name[16];
        snprintf(bias, sizeof bias, "b%d", i + 1);
        snprintf(name, sizeof name, "z%d", i + 1);
        gb_node logits = gb_trial_parameter(trial, bias, units, gb_fill(0));
        if (i > 0)
            logits = gb_add(logits, pulled(trial, i, below));
        below = gb_trial_draw(trial, name, gb_bernoulli_logits(logits));
        sum = gb_add(sum, gb_sum(gb_mul(below, mixed(t, units, 1 + i))));
    }
    return gb_square(sum);
}

static const double CHECK_SETTINGS[] = {[LAYERS] = 2, [UNITS] = 1, [PULL] = 2, [TARGET] = -0.5};

const gb_problem gb_layers_problem = {
    .size = sizeof(gb_problem),
    .name = "layers",
    .formula = "E (sum of x_li z_li - t)^2, z_l ~ Bernoulli(logits b_l + W_l (z_(l-1) - 0.5))",
    .settings = {{"layers", 3, 1, MOST_LAYERS, "each sets the logits of the next, a whole number"},
                 {"units", 3, 1, MOST_UNITS, "of a layer, a whole number"},
                 {"pull", 2, -100, 100, "of the layer before: the size of W"},
                 {"t", 0.5, -100, 100, "where the cost is 0"}},
    .cost = cost,
    .exact = "enumerate",
    .shows = GB_SHOWS_DEPENDENT_DRAWS,
    .check_settings = CHECK_SETTINGS,
};
