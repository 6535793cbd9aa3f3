/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RELAX: REBAR with any function c(z) in place of the relaxed cost. z̃ has the distribution of z given b. */
#include <math.h>

#include "estimators/list.h"

#include "core/noise.h"
#include "estimators/estimators/choices/relaxed_impl.h"
#include "estimators/estimators/choices/shared/choice_impl.h"
#include "estimators/learn.h"
#include "estimators/smooth.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"

enum { Z, Z_GIVEN_B };

static gb_node draw(gb_site *site)
{
    const gb_choice_path path = gb_choice_path_of(site);
    site->kept[Z] = path.z;
    site->kept[Z_GIVEN_B] = path.z_given_b;
    return gb_stop(path.b);
}

/* ---- the surrogate ---- */

/* A quadratic of the relaxed draw, and a network of one hidden layer, if it has units. */
typedef struct own_surrogate {
    gb_node offset, linear, square;
    gb_node weights, biases, outputs; /* inert: no network */
    double temperature;
} own_surrogate;

/* Returns a number from −1 to 1 without a pattern (splitmix64, Steele, Lea and Flood 2014). */
static double mixed(uint64_t key, uint64_t place)
{
    uint64_t x = key + (place + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1;
}

/* Returns weights that differ from unit to unit: units that begin alike would stay alike. */
static gb_node first_weights(const gb_site *site, int64_t inputs, int64_t hidden)
{
    uint64_t key;
    const size_t count = (size_t)(inputs * hidden);
    double *const all = gb_tape_keep(site->q.tape, count * sizeof *all);
    if (!all || !gb_noise_key(site->noise, &key))
        return (gb_node){0};
    for (size_t i = 0; i < count; i++)
        all[i] = 4 / sqrt((double)inputs) * mixed(key, i);
    return gb_constant(site->q.tape, gb_shape(inputs, hidden), gb_values_of(all, count));
}

static own_surrogate own_surrogate_of(const gb_site *site)
{
    const gb_relax_options *const options = site->options;
    const gb_shape shape = gb_dist_shape(site->q);
    const int64_t inputs = (int64_t)gb_shape_count(shape), hidden = options->hidden;
    own_surrogate c = {.offset = gb_site_variable(site, "offset", gb_shape(), 0),
                       .linear = gb_site_variable(site, "linear", shape, 0),
                       .square = gb_site_variable(site, "square", shape, 0),
                       .temperature = options->temperature};
    if (hidden == 0)
        return c;
    c.weights = gb_add(first_weights(site, inputs, hidden),
                       gb_site_variable(site, "weights", gb_shape(inputs, hidden), 0));
    c.biases = gb_site_variable(site, "biases", gb_shape(hidden), 0);
    c.outputs = gb_site_variable(site, "outputs", gb_shape(hidden), 0);
    return c;
}

static gb_node own_surrogate_at(const gb_site *site, gb_node z, const void *user)
{
    const own_surrogate *const c = user;
    const gb_node s = gb_choice_relaxed(&site->q, z, c->temperature);
    const gb_node slope = gb_add(c->linear, gb_mul(c->square, s));
    const gb_node quadratic = gb_add(c->offset, gb_site_sum(site, gb_mul(slope, s)));
    if (!gb_node_ok(c->weights))
        return quadratic;
    const int64_t inputs = (int64_t)gb_shape_count(gb_dist_shape(site->q));
    const gb_node in = gb_reshape(gb_shift(s, -0.5), gb_shape(inputs));
    const gb_node units = gb_tanh(gb_affine(in, c->weights, c->biases));
    return gb_add(quadratic, gb_site_sum(site, gb_dot(c->outputs, units)));
}

/* ---- the estimate ---- */

/* Adds `sign` times the gradient of c(z), in the site's parameters only. */
static gb_node with_path(const gb_site *site, gb_node estimate, gb_node path, gb_node slope, double sign)
{
    return gb_site_inject(site, estimate, path, gb_scale(slope, sign));
}

/* Records c(z). Where it depends on evaluations of another site, z must carry their axis too: c has a slope
 * of its own at each of them. */
static gb_node surrogate_at(const gb_site *site, gb_surrogate *surrogate, const void *user, gb_node *z)
{
    const gb_node c = gb_site_sum(site, surrogate(site, *z, user));
    const gb_axes all = gb_node_axes(c) | gb_node_axes(*z);
    if (all == gb_node_axes(*z))
        return c;
    *z = gb_widen(*z, all);
    return gb_site_sum(site, surrogate(site, *z, user));
}

/* c = mean + deviation · surrogate, with the running moments of the cost; or the surrogate itself, if it is
 * in the unit of the cost. */
static gb_node with_surrogate(const gb_site *site, gb_node cost, gb_surrogate *surrogate, const void *user,
                              const gb_cost_scale *unit)
{
    gb_node z = gb_stop(site->kept[Z]), z_given_b = gb_stop(site->kept[Z_GIVEN_B]);
    gb_node free = surrogate_at(site, surrogate, user, &z);
    gb_node conditional = surrogate_at(site, surrogate, user, &z_given_b), c = conditional;
    const gb_op *jump;
    if (!gb_is_smooth(free, z, &jump)) {
        if (jump)
            gb_fail(site->q.tape, GB_EARGUMENT,
                    "draw %s: relax needs a surrogate that is smooth, and %s jumps", site->name, jump->name);
        return (gb_node){0};
    }
    if (unit) {
        free = gb_mul(unit->deviation, free);
        conditional = gb_mul(unit->deviation, conditional);
        c = gb_add(unit->mean, conditional);
    }
    gb_node estimate = gb_inject(cost, gb_site_log_prob(site), gb_sub(cost, c));
    estimate = with_path(site, estimate, site->kept[Z], gb_gradient_of_sum(free, z), 1);
    estimate =
        with_path(site, estimate, site->kept[Z_GIVEN_B], gb_gradient_of_sum(conditional, z_given_b), -1);
    gb_node own[GB_LEARNED_MOST];
    const size_t count = gb_site_own_variables(site, gb_add(free, conditional), own);
    if (count > 0)
        gb_site_lowers_variance(site, estimate, count, own);
    return estimate;
}

static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_relax_options *const options = site->options;
    gb_cost_scale unit;
    if (options->surrogate && options->hidden != 0) {
        gb_fail(site->q.tape, GB_EARGUMENT,
                "draw %s: relax has a surrogate of yours and %lld hidden units, which belong to its own one; "
                "leave out one of both",
                site->name, (long long)options->hidden);
        return (gb_node){0};
    }
    if (!options->in_cost_unit)
        unit = gb_site_cost_scale(site, cost);
    const gb_cost_scale *const in = options->in_cost_unit ? NULL : &unit;
    if (options->surrogate)
        return with_surrogate(site, cost, options->surrogate, options->user, in);
    const own_surrogate own = own_surrogate_of(site);
    return with_surrogate(site, cost, own_surrogate_at, &own, in);
}

static const gb_domain hidden = {.size = sizeof(gb_domain),
                                 .name = "hidden",
                                 .must_be = "a whole number from 0 to 1024",
                                 .low = 0,
                                 .high = 1024,
                                 .whole = true};

static const gb_option table[] = {
    GB_OPTION_OTHER(gb_relax_options, surrogate, "a function that records c(z)"),
    GB_OPTION_OTHER(gb_relax_options, user, "a pointer that is passed to it"),
    GB_OPTION_NUMBER(gb_relax_options, temperature, 0.5, &gb_temperature_domain,
                     "temperature of the default surrogate"),
    GB_OPTION_FLAG(gb_relax_options, in_cost_unit, "the surrogate is in the unit of the cost"),
    GB_OPTION_WHOLE(gb_relax_options, hidden, 0, &hidden, "units of a network in the default surrogate"),
    {0}};

const gb_estimator_type gb_relax_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "relax",
    .cite = "Grathwohl, Choi, Wu, Roeder and Duvenaud 2018",
    .formula = "(f(b) - c(z')) d log q(b) + d (c(z) - c(z'))",
    .needs = GB_NEEDS_SEPARATE_SAMPLES,
    .lacks = gb_lacks_choice,
    .first_order = true,
    .drops_own_path = true,
    .draw = draw,
    .combine = combine,
    .options = table,
    .option_bytes = sizeof(gb_relax_options),
};

gb_estimator gb_relax_with(const gb_relax_options *options)
{
    return gb_estimator_of(&gb_relax_estimator_type, options);
}
