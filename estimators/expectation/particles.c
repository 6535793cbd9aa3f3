/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of several draws: one cost made of the log weights of all particles, and what estimators ask of
 * it. */
#include "estimators/bounds/particles_impl.h"
#include "estimators/expectation/particles_impl.h"

#include <math.h>

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "plugins/options/made_impl.h"

bool gb_expect_take_bound(gb_expect *e, gb_bound bound)
{
    gb_option_block block;
    e->bound = bound.type ? bound : gb_evidence_bound();
    if (!gb_options_use(e->tape, "expect", "bound", &gb_bound_kind, e->bound.type, &e->bound.options, &block))
        return false;
    e->bound_options = gb_options_keep(e->tape, e->bound.type, &e->bound.options);
    if (!e->bound_options || !GB_HAS(e->bound.type, particles))
        return e->bound_options != NULL;
    const int64_t count = e->bound.type->particles(e->bound_options);
    if (count < 1 || count > INT32_MAX)
        return gb_fail(e->tape, GB_ELIMIT, "expect: the bound %s would take %lld draws for each sample",
                       e->bound.type->name, (long long)count) == GB_OK;
    e->particles = gb_site_axis(e->tape, "particles", count);
    e->axes |= e->particles;
    return e->particles != 0;
}

gb_node gb_particles_value(const gb_expect *e, gb_node log_weights)
{
    const gb_bound_type *const type = e->bound.type;
    const gb_node value = type->value(e->bound_options, log_weights);
    gb_plugin_made(e->tape, value, "bound", type->name, "value");
    return value;
}

/* ---- for authors of estimators ---- */

static bool has_weights(const gb_site *site)
{
    if (!gb_node_ok(site->log_weight))
        gb_fail(
            site->q.tape, GB_EARGUMENT,
            "draw %s: %s asks for log weights, and the cost is no bound of several draws (its type is to say "
            "GB_NEEDS_BOUND)",
            site->name, site->estimator.type->name);
    return gb_node_ok(site->log_weight);
}

typedef gb_node function(const void *options, gb_node log_weights);

/* Returns a function of the log weights that has one number for each of them, times the scale. */
static gb_node of_each(const gb_site *site, function *f)
{
    const gb_expect *const e = site->expectation;
    if (!has_weights(site))
        return (gb_node){0};
    const gb_node each = f(e->bound_options, gb_stop(gb_reveal(site->log_weight, e->particles)));
    return gb_stop(gb_mul(e->scale, gb_hide(each, e->particles)));
}

static bool has(const gb_site *site, function *f, const char *what)
{
    if (!f)
        gb_fail(site->q.tape, GB_EARGUMENT,
                "draw %s: %s needs the %s of the bound, and %s does not have them", site->name,
                site->estimator.type->name, what, site->expectation->bound.type->name);
    return f != NULL;
}

gb_node gb_site_log_weights(const gb_site *site)
{
    return has_weights(site) ? gb_stop(site->log_weight) : (gb_node){0};
}

gb_node gb_site_slopes(const gb_site *site)
{
    const gb_expect *const e = site->expectation;
    if (!has_weights(site))
        return (gb_node){0};
    const gb_node l = gb_stop(gb_reveal(site->log_weight, e->particles));
    const gb_node slopes = gb_gradient_of_sum(gb_particles_value(e, l), l);
    return gb_stop(gb_mul(e->scale, gb_hide(slopes, e->particles)));
}

gb_node gb_site_bends(const gb_site *site)
{
    const gb_bound_type *const type = site->expectation->bound.type;
    function *const bend = GB_HAS(type, bend) ? type->bend : NULL;
    return has(site, bend, "second derivatives") ? of_each(site, bend) : (gb_node){0};
}

gb_node gb_site_signals(const gb_site *site)
{
    const gb_bound_type *const type = site->expectation->bound.type;
    function *const signal = GB_HAS(type, signal) ? type->signal : NULL;
    return has(site, signal, "signals") ? of_each(site, signal) : (gb_node){0};
}

gb_node gb_site_row_factor(const gb_site *site)
{
    return has_weights(site) ? site->expectation->scale : (gb_node){0};
}

/* The log weights at the draws, along a visible axis; and whether one of these is that of the particle whose
 * place along the hidden axis it is. */
typedef struct others {
    int64_t count;
    gb_node all, is_own;
} others;

static others others_of(const gb_site *site)
{
    gb_tape *const tape = site->q.tape;
    const gb_axes axis = site->particles;
    const gb_node l = site->evaluations == 1 ? site->log_weight : gb_evaluation(site->log_weight, 0);
    const int64_t count = gb_site_axis_size(tape, axis);
    return (others){.count = count,
                    .all = gb_stop(gb_reveal(l, axis)),
                    .is_own = gb_equal(gb_arange(tape, count), gb_axis_index(tape, axis))};
}

/* The bound of each particle in turn with another log weight: by the bound's own formula, or K times. */
static gb_node value_instead(const gb_site *site, gb_node instead)
{
    const gb_expect *const e = site->expectation;
    const others o = others_of(site);
    if (!GB_HAS(e->bound.type, value_instead))
        return gb_particles_value(e, gb_where(o.is_own, instead, o.all));
    const gb_node each = e->bound.type->value_instead(
        e->bound_options, o.all,
        gb_reveal(gb_widen(instead, gb_node_axes(instead) | e->particles), e->particles));
    return gb_hide(each, e->particles);
}

gb_node gb_site_cost_instead(const gb_site *site, gb_node instead, gb_node *slope)
{
    const gb_expect *const e = site->expectation;
    if (!has_weights(site) || !gb_node_ok(instead))
        return (gb_node){0};
    const gb_node stopped = gb_stop(instead), value = value_instead(site, stopped);
    if (slope)
        *slope = gb_stop(gb_mul(e->scale, gb_gradient_of_sum(value, stopped)));
    return gb_stop(gb_mul(e->scale, value));
}

/* −∞ where one of the others is, which the sum of all less one's own would not tell. */
static gb_node mean_of_others(gb_node l, gb_axes axis)
{
    const gb_node lowest = gb_num(l.tape, -(double)INFINITY), zero = gb_num(l.tape, 0);
    const gb_node there = gb_greater(l, lowest), lacking = gb_where(there, zero, gb_num(l.tape, 1));
    const gb_node mean = gb_leave_one_out_mean(gb_where(there, l, zero), axis);
    return gb_where(gb_greater(gb_leave_one_out_mean(lacking, axis), zero), lowest, mean);
}

gb_node gb_site_other_weights(const gb_site *site, bool log_of_mean)
{
    gb_tape *const tape = site->q.tape;
    if (!has_weights(site))
        return (gb_node){0};
    const others o = others_of(site);
    const gb_axes axis = site->particles;
    if (o.count < 2) {
        gb_fail(tape, GB_EARGUMENT, "draw %s: %s compares the draws of a bound, and %s takes only one",
                site->name, site->estimator.type->name, site->expectation->bound.type->name);
        return (gb_node){0};
    }
    return log_of_mean ? gb_hide(gb_shift(gb_log_sum_of_others(o.all), -log((double)o.count - 1)), axis)
                       : mean_of_others(gb_hide(o.all, axis), axis);
}

gb_node gb_site_particle_log_probs(const gb_site *site)
{
    const gb_node log_q = gb_sum(gb_log_prob(site->q, gb_own_draw(gb_stop(gb_site_value(site, 0)))));
    return gb_sum_over(log_q, gb_node_axes(log_q) & GB_ROWS & ~site->per);
}

/* ---- the gradient through log q ---- */

gb_node gb_site_drop_own_path(const gb_site *site, gb_node cost)
{
    return site->particles ? cost : gb_site_stop_own_path(site, cost);
}

gb_node gb_site_stop_own_path(const gb_site *site, gb_node cost)
{
    if (!gb_node_ok(site->own))
        return cost;
    if (!gb_node_ok(site->log_weight))
        return gb_inject(cost, gb_site_log_prob(site), gb_neg(site->own_weight));
    return gb_site_inject(site, cost, gb_site_particle_log_probs(site),
                          gb_neg(gb_mul(site->own_weight, gb_site_slopes(site))));
}
