/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/learn.h"

#include <stdio.h>
#include <string.h>

#include "core/op.h"
#include "estimators/expectation/learn_impl.h"
#include "estimators/visit.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

struct own_learned {
    const own_learned *before;
    gb_learned it;
};

typedef struct learn_attributes {
    int64_t is_assigned;
} learn_attributes;

/* Arguments: x, target, variables. */
static const gb_op learn_op = {.size = sizeof(gb_op),
                               .name = "learn",
                               .formula = "x, which carries rules for auxiliary variables",
                               .form = GB_FORM_ALIAS,
                               .variadic = true,
                               .attribute_bytes = sizeof(learn_attributes),
                               .infer = gb_infer_first,
                               .vjp = gb_vjp_pass};

static const char *name_of(const gb_site *site, const char *part)
{
    enum { NUMBER = 16 };
    const gb_again *const again = site->expectation->again;
    const char *const rows = site->per & GB_ROWS ? ".rows" : "", *const word = again ? again->word : "";
    const int costs = site->expectation->costs;
    const size_t bytes = strlen(site->name) + strlen(word) + strlen(part) + strlen(rows) + NUMBER;
    char *const name = gb_tape_keep(site->q.tape, bytes);
    if (!name)
        return NULL;
    const int length = snprintf(name, bytes, "%s%s%s.%s%s", site->name, *word ? "." : "", word, part, rows);
    if (costs > 1)
        snprintf(name + length, bytes - (size_t)length, ".%d", costs);
    return name;
}

gb_node gb_site_variable(const gb_site *site, const char *part, gb_shape shape, double start)
{
    const char *const name = name_of(site, part);
    return name ? gb_variable(site->q.tape, name, shape, gb_fill(start)) : (gb_node){0};
}

/* ---- means ---- */

/* Returns Σ weight · x over the values of a site. */
static gb_node weighted(const own_site *own, gb_node x)
{
    gb_site site = own->site;
    site.per = GB_SAMPLES | (gb_node_axes(x) & GB_ROWS);
    site.own = site.own_weight = (gb_node){0};
    return site.estimator.type->combine(&site, gb_reveal(x, site.axis));
}

/* Returns x for each sample and row. From the last site to the first, since weights of one may depend on
 * values of those before it. */
static gb_node without_evaluations(const gb_site *site, gb_node x)
{
    for (const gb_site *other = site->before; other && gb_node_ok(x); other = other->before) {
        const own_site *const own = (const own_site *)other;
        if (!(gb_node_axes(x) & other->axis))
            continue;
        x = own->star ? gb_select(x, other->axis, 0) : weighted(own, x);
    }
    return x;
}

gb_node gb_site_mean(const gb_site *site, gb_node x)
{
    const gb_node each = without_evaluations(site, x);
    return gb_mean_over(each, gb_node_axes(each));
}

/* ---- moments of the cost ---- */

enum { MEAN, DEVIATION, WEIGHT, MOMENTS };
static const double DECAY = 0.99;

static gb_node moment(gb_node moments, int64_t which)
{
    return gb_squeeze(gb_slice(moments, 0, which, which + 1), 0);
}

static gb_node square_of(gb_node x, gb_node unit)
{
    return gb_square(gb_div(x, unit));
}

/* The moments of the mixture of earlier runs and this one. Only differences of costs are squared, so a
 * variance that is small beside the mean loses no digits; and in a unit of their size, so that the squares of
 * tiny and of huge costs are numbers. */
static gb_node updated(const gb_site *site, gb_node moments, gb_node cost)
{
    const gb_node zero = gb_num(cost.tape, 0), deviation = moment(moments, DEVIATION);
    const gb_node now = gb_site_mean(site, cost),
                  weight = gb_shift(gb_scale(moment(moments, WEIGHT), DECAY), 1 - DECAY);
    const gb_node share = gb_div(gb_num(cost.tape, 1 - DECAY), weight), kept = gb_shift(gb_neg(share), 1);
    const gb_node moved = gb_sub(now, moment(moments, MEAN)), off = gb_sub(cost, now);
    const gb_node size = gb_add(gb_add(deviation, gb_abs(moved)), gb_site_mean(site, gb_abs(off)));
    const gb_node unit = gb_where(gb_greater(size, zero), size, gb_num(cost.tape, 1));
    const gb_node spread = gb_site_mean(site, square_of(off, unit));
    const gb_node before = gb_add(square_of(deviation, unit), gb_mul(share, square_of(moved, unit)));
    const gb_node variance = gb_add(gb_mul(kept, before), gb_mul(share, spread));
    const gb_node all[MOMENTS] = {[MEAN] = gb_add(moment(moments, MEAN), gb_mul(share, moved)),
                                  [DEVIATION] = gb_mul(unit, gb_sqrt(variance)),
                                  [WEIGHT] = weight};
    return gb_stack(MOMENTS, all, 0);
}

/* Costs that are equal but for their rounding have no unit yet: an objective in a unit of 1e-16 of the cost
 * would be 1e32 times too large once a cost differs, and spoil the moments of an optimiser for long. */
static gb_node per_deviation(gb_node mean, gb_node deviation)
{
    gb_tape *const tape = mean.tape;
    const double rounding = gb_tape_real(tape) == GB_FLOAT ? 0x1p-20 : 0x1p-42;
    const gb_node is_cost = gb_greater(deviation, gb_scale(gb_abs(mean), rounding));
    return gb_where(is_cost, gb_reciprocal(deviation), gb_num(tape, 0));
}

gb_cost_scale gb_site_cost_scale(const gb_site *site, gb_node cost)
{
    gb_tape *const tape = site->q.tape;
    const char *const name = name_of(site, "cost");
    const bool is_there = name && gb_tape_has_variable(tape, name);
    if (!name)
        return (gb_cost_scale){{0}, {0}, {0}};
    const gb_node moments =
        is_there ? gb_variable_named(tape, name) : gb_variable(tape, name, gb_shape(MOMENTS), gb_fill(0));
    if (!is_there)
        gb_site_assigns(site, moments, updated(site, moments, gb_stop(cost)));
    const gb_node known = gb_stop(moments), mean = moment(known, MEAN), deviation = moment(known, DEVIATION);
    return (gb_cost_scale){
        .mean = mean, .deviation = deviation, .per_deviation = per_deviation(mean, deviation)};
}

typedef struct own_variables {
    gb_node *node;
    size_t count;
} own_variables;

static bool leave_out(void *context, gb_node node)
{
    own_variables *const own = context;
    for (size_t i = 0; i < own->count; i++)
        if (gb_node_same(own->node[i], node))
            own->node[i] = own->node[--own->count];
    return true;
}

static void leave_out_all(own_variables *own, const gb_dist *q)
{
    for (; q; q = q->base)
        for (size_t i = 0; i < GB_MAX_PARAMS; i++)
            if (gb_node_ok(q->param[i]))
                gb_visit(q->param[i], leave_out, own);
}

size_t gb_site_own_variables(const gb_site *site, gb_node what, gb_node *variables)
{
    own_variables own = {.node = variables, .count = gb_node_variables(what, variables, GB_LEARNED_MOST)};
    if (own.count > GB_LEARNED_MOST) {
        gb_fail(site->q.tape, GB_ELIMIT, "draw %s: at most %d variables can be learned together, not %zu",
                site->name, GB_LEARNED_MOST, own.count);
        return 0;
    }
    gb_visit(site->expectation->cost, leave_out, &own);
    for (const own_site *at = site->expectation->last; at; at = gb_site_before(at))
        leave_out_all(&own, &at->site.q);
    return own.count;
}

static bool is_among(gb_node variable, const own_learned *learned)
{
    for (; learned; learned = learned->before)
        for (size_t i = 0; i < learned->it.count; i++)
            if (gb_node_same(learned->it.variable[i], variable))
                return true;
    return false;
}

bool gb_site_has_rule(const gb_site *site, gb_node variable)
{
    bool found = is_among(variable, site->expectation->learned);
    for (const own_result *result = site->expectation->results; result && !found; result = result->before)
        found = is_among(variable, result->learned);
    return found;
}

static void add(const gb_site *site, const gb_learned *learned)
{
    own_learned *const own = gb_tape_keep(site->q.tape, sizeof *own);
    if (!own)
        return;
    *own = (own_learned){.before = site->expectation->learned, .it = *learned};
    site->expectation->learned = own;
}

void gb_site_lowers(const gb_site *site, gb_node objective, size_t count, const gb_node *variables)
{
    gb_learned learned = {.target = gb_close_draws(objective), .count = count};
    if (count > GB_LEARNED_MOST) {
        gb_fail(site->q.tape, GB_ELIMIT, "draw %s: at most %d variables can be learned together, not %zu",
                site->name, GB_LEARNED_MOST, count);
        return;
    }
    memcpy(learned.variable, variables, count * sizeof *variables);
    add(site, &learned);
}

static bool is_differentiated(gb_node param)
{
    return gb_node_ok(param) && gb_node_type(param) == GB_TYPE_REAL && !gb_is_constant(param);
}

/* The parameters are those of the draw, from which all nodes of the site are made. Those of a site that
 * follows in a star are taken at the draws, and what its estimator keeps does not depend on these. */
void gb_site_lowers_variance(const gb_site *site, gb_node estimate, size_t count, const gb_node *variables)
{
    const own_site *const own = gb_site_of(site->expectation, site->draw);
    const gb_dist *const q = own ? &own->q : &site->q;
    const gb_node each = without_evaluations(site, estimate), mean = gb_mean_over(each, GB_SAMPLES);
    const gb_node per = gb_site_cost_scale(site, estimate).per_deviation;
    gb_node sum = gb_num(estimate.tape, 0);
    for (size_t i = 0; i < GB_MAX_PARAMS; i++) {
        if (!is_differentiated(q->param[i]))
            continue;
        const gb_node gradient = gb_gradient_of_sum(mean, q->param[i]);
        const gb_node square = gb_square(gb_mul(gradient, per));
        sum = gb_add(sum, gb_sum_over(gb_sum(square), gb_node_axes(square)));
    }
    if (count > 0)
        gb_site_lowers(site, sum, count, variables);
}

static gb_learned assign_of(gb_node variable, gb_node value)
{
    return (gb_learned){.is_assigned = true, .target = gb_stop(value), .count = 1, .variable = {variable}};
}

void gb_site_assigns(const gb_site *site, gb_node variable, gb_node value)
{
    const gb_learned learned = assign_of(variable, gb_close_draws(value));
    add(site, &learned);
}

static gb_node with(gb_node x, const gb_learned *learned)
{
    const learn_attributes attributes = {.is_assigned = learned->is_assigned};
    gb_node arg[2 + GB_LEARNED_MOST] = {x, learned->target};
    memcpy(arg + 2, learned->variable, learned->count * sizeof *arg);
    return gb_apply(NULL, &learn_op, 2 + learned->count, arg, &attributes, sizeof attributes);
}

gb_node gb_with_learned(gb_node x, const own_learned *learned)
{
    for (; learned; learned = learned->before)
        x = with(x, &learned->it);
    return x;
}

gb_node gb_with_assign(gb_node x, gb_node variable, gb_node value)
{
    const gb_learned learned = assign_of(variable, value);
    return with(x, &learned);
}

/* ---- finding them ---- */

typedef struct found_learned {
    gb_learned *learned;
    size_t most, count;
} found_learned;

static bool find_learned(void *context, gb_node node)
{
    found_learned *const found = context;
    if (gb_node_op(node) != &learn_op)
        return true;
    if (found->count < found->most) {
        const learn_attributes *const attributes = gb_node_attributes(node);
        gb_learned *const learned = &found->learned[found->count];
        *learned = (gb_learned){.is_assigned = attributes->is_assigned,
                                .target = gb_node_argument(node, 1),
                                .count = gb_node_arguments(node) - 2};
        for (size_t i = 0; i < learned->count; i++)
            learned->variable[i] = gb_node_argument(node, 2 + i);
    }
    found->count++;
    return true;
}

size_t gb_node_learned(gb_node loss, gb_learned *learned, size_t most)
{
    found_learned found = {.learned = learned, .most = learned ? most : 0};
    return gb_visit(loss, find_learned, &found) == GB_OK ? found.count : 0;
}
