/* SPDX-License-Identifier: GPL-3.0-or-later */
/* REBAR: the score function with the cost of a relaxed draw as control variate. z is logistic noise + logits,
 * b = [z > 0], and the relaxed draw is sigmoid(z / t). z̃ has the distribution of z given b.
 *
 * The mean is right for any multiplier eta and any temperature t of each element: only the score and the path
 * of that element are multiplied. */
#include <math.h>

#include "estimators/list.h"

#include "core/graph/replace_impl.h"
#include "estimators/estimators/choices/relaxed_impl.h"
#include "estimators/estimators/choices/shared/choice_impl.h"
#include "estimators/first_order.h"
#include "estimators/learn.h"
#include "ops/arrange.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { HARD, RELAXED, CONDITIONAL, EVALUATIONS };

/* What `draw` leaves for `combine`: b, z, z̃ and the variable of the temperature, if it is learned. */
enum { B, Z, Z_GIVEN_B, WARMTH };

static int64_t evaluations(const gb_site *site)
{
    (void)site;
    return EVALUATIONS;
}

static const gb_rebar_options *options_of(const gb_site *site)
{
    return site->options;
}

/* ---- the draw ---- */

/* Returns what is learned: one number, or one for each element. */
static gb_node learned(const gb_site *site, const char *part, double start)
{
    const bool each = options_of(site)->each_element;
    return gb_site_variable(site, part, each ? gb_dist_batch_shape(site->q) : gb_shape(), start);
}

/* Returns one number, or one for each element, so that it fits the elements of a draw. */
static gb_node along_events(const gb_site *site, gb_node x)
{
    const bool is_vector = gb_dist_event_shape(site->q).rank > 0 && gb_node_shape(x).rank > 0;
    return is_vector ? gb_expand(x, -1) : x;
}

/* Returns the relaxed draw of z. `v` moves the temperature; it is inert if that is not learned. At low
 * temperatures slopes are rare and huge. An optimiser that divides by their size does not see them for long,
 * and would go on for ever: hence the factor. */
static gb_node relaxed(const gb_site *site, gb_node z, gb_node v)
{
    const gb_rebar_options *const options = options_of(site);
    if (options->learn_temperature)
        z = gb_mul(z, along_events(site, gb_exp(gb_scale(gb_tanh(v), -log(options->temperature_factor)))));
    return gb_choice_relaxed(&site->q, z, options->temperature);
}

static bool something_is_learned(const gb_site *site)
{
    const gb_rebar_options *const options = options_of(site);
    if (options->learn || options->learn_temperature || !options->each_element)
        return true;
    gb_fail(
        site->q.tape, GB_EARGUMENT,
        "draw %s: rebar has each_element, and learns nothing: learn is for eta, learn_temperature for the "
        "temperature",
        site->name);
    return false;
}

/* Returns the three values, as a function of `v` at most. */
static gb_node values_of(const gb_site *site, gb_node v)
{
    const gb_node z = gb_stop(site->kept[Z]), z_given_b = gb_stop(site->kept[Z_GIVEN_B]);
    return gb_stack(
        3, (const gb_node[]){gb_stop(site->kept[B]), relaxed(site, z, v), relaxed(site, z_given_b, v)}, 0);
}

/* The values are stopped here: `combine` adds the gradients of the relaxed draws. */
static gb_node draw(gb_site *site)
{
    if (!something_is_learned(site))
        return (gb_node){0};
    const gb_choice_path path = gb_choice_path_of(site);
    site->kept[B] = path.b;
    site->kept[Z] = path.z;
    site->kept[Z_GIVEN_B] = path.z_given_b;
    if (options_of(site)->learn_temperature)
        site->kept[WARMTH] = learned(site, "warmth", 0);
    return gb_stop(values_of(site, site->kept[WARMTH]));
}

static gb_node relaxed_draw(const gb_site *site)
{
    const gb_node v = site->kept[WARMTH];
    return relaxed(site, site->kept[Z], gb_node_ok(v) ? gb_stop(v) : v);
}

static unsigned needs_with(const void *options)
{
    const gb_rebar_options *const rebar = options;
    return rebar->relax_later ? GB_RELAXES_LATER : 0;
}

/* ---- the estimate ---- */

/* Costs, as a function of `values`. */
typedef struct evaluated {
    gb_node values, costs;
    gb_node v;          /* of which the relaxed draws are a function; inert: of none */
    gb_node eta, level; /* `level` is inert if costs are not relative to one */
} evaluated;

/* Returns `cost`, with `weight` times the pathwise gradient of one evaluation added, in the site's parameters
 * only. */
static gb_node with_path(const gb_site *site, gb_node cost, gb_node path, gb_node slopes, int64_t evaluation,
                         gb_node weight)
{
    return gb_site_inject(site, cost, path, gb_mul(weight, gb_evaluation(slopes, evaluation)));
}

static gb_node off(const evaluated *e, gb_node cost)
{
    return gb_node_ok(e->level) ? gb_sub(cost, e->level) : cost;
}

static gb_node estimate_of(const gb_site *site, const evaluated *e)
{
    const gb_node hard = gb_evaluation(e->costs, HARD), conditional = gb_evaluation(e->costs, CONDITIONAL);
    const gb_node slopes = gb_gradient_of_sum(e->costs, e->values), eta = along_events(site, e->eta);
    const gb_node of_hard = gb_sub(off(e, hard), gb_mul(e->eta, off(e, conditional)));
    gb_node estimate = gb_site_inject(
        site, hard, gb_log_prob(site->q, gb_own_draw(gb_stop(gb_site_value(site, HARD)))), of_hard);
    estimate = with_path(site, estimate, relaxed(site, site->kept[Z], e->v), slopes, RELAXED, eta);
    return with_path(site, estimate, relaxed(site, site->kept[Z_GIVEN_B], e->v), slopes, CONDITIONAL,
                     gb_neg(eta));
}

/* ---- a learned temperature ---- */

static bool is_twice_differentiable(const gb_site *site, gb_node costs)
{
    const gb_site *const later = gb_fenced_after(costs, site->draw);
    if (later)
        gb_fail(site->q.tape, GB_EARGUMENT,
                "draw %s: a learned temperature takes second gradients of the cost. Draw %s depends on this "
                "draw, and the gradient of its estimator %s cannot be differentiated (pathwise, score, "
                "enumerate and quadrature can); or learn eta only",
                site->name, later->name, later->estimator.type->name);
    return !later;
}

/* The costs again, as a function of the temperature, which the first recording stops: no gradient of the
 * estimate is one in the temperature. A plan computes equal values once. */
static void learn_temperature(const gb_site *site, evaluated e)
{
    const gb_node v = e.v = site->kept[WARMTH];
    if (!is_twice_differentiable(site, e.costs))
        return;
    e.values = gb_widen(values_of(site, v), gb_node_axes(site->values));
    if (gb_replaced_with_draws(1, &site->values, &e.values, 1, &e.costs, &e.costs) == GB_OK)
        gb_site_lowers_variance(site, estimate_of(site, &e), 1, &v);
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_rebar_options *const options = options_of(site);
    evaluated e = {.values = site->values, .costs = costs, .eta = gb_num(costs.tape, options->eta)};
    if (gb_node_ok(site->kept[WARMTH]))
        e.v = gb_stop(site->kept[WARMTH]);
    if (options->learn) {
        e.eta = learned(site, "eta", options->eta);
        e.level = gb_site_cost_scale(site, gb_evaluation(costs, HARD)).mean;
    }
    const gb_node estimate = estimate_of(site, &e);
    if (options->learn)
        gb_site_lowers_variance(site, estimate, 1, &e.eta);
    if (options->learn_temperature && !gb_site_has_rule(site, site->kept[WARMTH]))
        learn_temperature(site, e);
    return estimate;
}

static const gb_domain eta = {
    .size = sizeof(gb_domain), .name = "eta", .must_be = "from -1000 to 1000", .low = -1e3, .high = 1e3};

static const gb_domain factor = {
    .size = sizeof(gb_domain), .name = "factor", .must_be = "from 1 to 1000", .low = 1, .high = 1e3};

static const gb_option table[] = {
    GB_OPTION_NUMBER(gb_rebar_options, temperature, 0.5, &gb_temperature_domain,
                     "temperature of the relaxation"),
    GB_OPTION_NUMBER(gb_rebar_options, eta, 1, &eta, "multiplier of the control variate"),
    GB_OPTION_FLAG(gb_rebar_options, learn, "learn eta, to minimise the variance"),
    GB_OPTION_NUMBER(gb_rebar_options, temperature_factor, 5, &factor,
                     "a learned temperature is within this factor of the first"),
    GB_OPTION_FLAG(gb_rebar_options, learn_temperature, "learn the temperature, to minimise the variance"),
    GB_OPTION_FLAG(gb_rebar_options, each_element, "learn a number for each element of the draw"),
    GB_OPTION_FLAG(gb_rebar_options, relax_later, "relax later rebar draws at the probes of this one"),
    {0}};

const gb_estimator_type gb_rebar_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "rebar",
    .cite = "Tucker, Mnih, Maddison, Lawson and Sohl-Dickstein 2017",
    .formula = "(f(b) - eta f(s(z'))) d log q(b) + eta d (f(s(z)) - f(s(z')))",
    .needs = GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SMOOTH_COST,
    .lacks = gb_lacks_choice,
    .expansion = GB_PROBES,
    .evaluations = evaluations,
    .first_order = true,
    .drops_own_path = true,
    .relaxes = true,
    .draw = draw,
    .combine = combine,
    .needs_with = needs_with,
    .relaxed = relaxed_draw,
    .options = table,
    .option_bytes = sizeof(gb_rebar_options),
};

gb_estimator gb_rebar_with(const gb_rebar_options *options)
{
    return gb_estimator_of(&gb_rebar_estimator_type, options);
}
