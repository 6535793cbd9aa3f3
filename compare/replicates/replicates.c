/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/replicates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/problems/rows_impl.h"
#include "compare/replicates/descend_impl.h"
#include "compare/replicates/domain_impl.h"
#include "compare/replicates/solve_impl.h"
#include "core/gradient.h"
#include "core/ground/clock_impl.h"
#include "core/op.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- recording ---- */

static gb_node expectation(gb_replicates *r)
{
    gb_trial *const trial = &r->trial;
    if (!trial->estimator.type)
        return gb_trial_record(trial, r->plan.problem, true);
    trial->expect = gb_expect_new(trial->tape, .axes = trial->replicates, .bound = r->plan.bound);
    const gb_node cost = gb_trial_record(trial, r->plan.problem, false);
    r->evaluations = gb_expect_evaluations(trial->expect, cost);
    r->costs_vary = (gb_node_axes(cost) & GB_SAMPLES) != 0;
    return r->plan.bound.type ? gb_expected_bound(trial->expect, cost, gb_num(trial->tape, 1))
                              : gb_expected(trial->expect, cost);
}

/* Gradients of the sum over replicates, in the widened parameters: one for each replicate. */
static bool gradients(gb_replicates *r, gb_node sum, gb_node *gradient)
{
    gb_node *const each = gb_tape_keep(r->trial.tape, (r->trial.parameters + 1) * sizeof *each);
    if (!each)
        return false;
    for (size_t i = 0; i < r->trial.parameters; i++)
        each[i] = r->trial.parameter[i].each;
    return gb_grads(gb_sum_over(sum, gb_node_axes(sum)), each, r->trial.parameters, gradient) == GB_OK;
}

/* Gradients of Σ weight · gradient. The weights 1, 2, 3 … matter: plain sums are 0 where parameters are
 * redundant. */
static bool second_gradients(gb_replicates *r, gb_node *gradient)
{
    gb_tape *const tape = r->trial.tape;
    gb_node sum = gb_num(tape, 0);
    for (size_t i = 0; i < r->trial.parameters; i++) {
        const gb_shape shape = gb_node_shape(gradient[i]);
        const gb_node weight = gb_reshape(gb_arange(tape, (int64_t)gb_shape_count(shape)), shape);
        sum = gb_add(sum, gb_sum(gb_mul(gradient[i], gb_shift(weight, 1 + (double)i))));
    }
    return gradients(r, sum, gradient);
}

static void add_root(gb_replicates *r, gb_node root)
{
    const size_t size = gb_shape_count(gb_node_shape(root));
    r->root[r->roots++] = (gb_replicate_root){
        .node = gb_widen(root, gb_node_axes(root) | r->trial.replicates), .size = size, .first = r->elements};
    r->elements += size;
}

/* ---- learning ---- */

enum { MOST_LEARNED = 64 };
static const double LEARNING_RATE = 0.01;

struct gb_replicate_descents {
    gb_descent lowers, trains; /* of what estimators learn; of parameters */
    gb_node held; /* a variable: while it is 1, what is assigned stays; inert: none may be held */
};

static void lower(gb_replicates *r, const gb_learned *learned)
{
    gb_node slope[GB_LEARNED_MOST];
    if (gb_grads(learned->target, learned->variable, learned->count, slope) != GB_OK)
        return;
    gb_descent *const lowers = &r->descents->lowers;
    if (!gb_node_ok(lowers->step))
        *lowers = gb_descent_of(r->trial.tape, "learning", LEARNING_RATE);
    for (size_t i = 0; i < learned->count; i++)
        gb_descend(lowers, learned->variable[i], slope[i], NULL);
}

static gb_updates assign(const gb_replicates *r, const gb_learned *learned)
{
    const gb_node held = r->descents->held, before = learned->variable[0];
    if (!gb_node_ok(held))
        return gb_assign(before, learned->target);
    const gb_node stays = gb_greater(held, gb_num(held.tape, 0));
    return gb_assign(before, gb_where(stays, before, learned->target));
}

/* Where objectives are lowered, what is assigned are moments of the cost, which are a unit for the others. */
static gb_updates learning(gb_replicates *r)
{
    gb_learned learned[MOST_LEARNED];
    gb_updates updates = gb_no_update;
    r->learned = gb_node_learned(r->loss, learned, MOST_LEARNED);
    const size_t count = r->plan.at_a_time > 1 ? 0 : r->learned < MOST_LEARNED ? r->learned : MOST_LEARNED;
    for (size_t i = 0; i < count; i++)
        if (!learned[i].is_assigned)
            lower(r, &learned[i]);
    if (gb_node_ok(r->descents->lowers.step))
        r->descents->held = gb_variable(r->trial.tape, "learning.held", gb_shape(), gb_fill(0));
    for (size_t i = 0; i < count; i++)
        if (learned[i].is_assigned)
            updates = gb_updates_join(updates, assign(r, &learned[i]));
    return gb_updates_join(updates, r->descents->lowers.updates);
}

static gb_updates training(gb_replicates *r, const gb_node *gradient)
{
    gb_descent *const trains = &r->descents->trains;
    if (r->plan.rate != 0)
        *trains = gb_descent_of(r->trial.tape, "training", r->plan.rate);
    for (size_t i = 0; i < r->trial.parameters && r->plan.rate != 0; i++)
        gb_descend(trains, r->trial.parameter[i].variable,
                   r->plan.problem->is_log_weight ? gb_neg(gradient[i]) : gradient[i],
                   gb_trial_domain(&r->trial, i));
    return trains->updates;
}

static bool copy_value(gb_node to, gb_node from)
{
    const gb_memory memory = gb_tape_memory(to.tape);
    const size_t count = gb_shape_count(gb_node_shape(from));
    double *const values = gb_memory_resize(&memory, NULL, count * sizeof *values + 1);
    const bool copied =
        values && gb_read(from, values, count) == GB_OK && gb_set(to, gb_values_of(values, count)) == GB_OK;
    gb_memory_release(&memory, values);
    return copied;
}

gb_status gb_replicates_learn_at(gb_replicates *r, double rate)
{
    if (!r || !r->descents || !gb_node_ok(r->descents->lowers.rate))
        return gb_replicates_status(r);
    gb_set(r->descents->held, gb_fill(0));
    return gb_set(r->descents->lowers.rate, gb_fill(rate));
}

gb_solved gb_replicates_solve(gb_replicates *r, int64_t runs)
{
    gb_learned learned[MOST_LEARNED];
    const gb_node held = r && r->descents ? r->descents->held : (gb_node){0};
    const size_t count = r && gb_node_ok(held) ? gb_node_learned(r->loss, learned, MOST_LEARNED) : 0;
    bool solved = count > 0 && count <= MOST_LEARNED, is_flat = false;
    for (size_t i = 0; i < count && solved; i++)
        solved =
            learned[i].is_assigned || gb_solve_learned(&r->trial, &r->begun, &learned[i], runs, &is_flat);
    if (!solved)
        return is_flat ? GB_FLAT : GB_UNSOLVED;
    const bool stays = gb_replicates_learn_at(r, 0) == GB_OK && gb_set(held, gb_fill(1)) == GB_OK;
    return stays ? GB_SOLVED : GB_UNSOLVED;
}

bool gb_replicates_learn_from(gb_replicates *r, const gb_replicates *from)
{
    gb_learned to[MOST_LEARNED], source[MOST_LEARNED];
    if (!r || !from)
        return false;
    const size_t count = gb_node_learned(r->loss, to, MOST_LEARNED);
    if (gb_node_learned(from->loss, source, MOST_LEARNED) != count || count > MOST_LEARNED)
        return false;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < to[i].count; j++)
            if (!copy_value(to[i].variable[j], source[i].variable[j]))
                return false;
    return true;
}

/* ---- life ---- */

static bool compile(gb_replicates *r, gb_updates updates)
{
    gb_node *const nodes = gb_tape_keep(r->trial.tape, (r->roots + 1) * sizeof *nodes);
    for (size_t i = 0; nodes && i < r->roots; i++)
        nodes[i] = r->root[i].node;
    r->program = nodes ? gb_compile(r->trial.tape, gb_roots_of(r->roots, nodes), updates) : NULL;
    return r->program && gb_prepare(r->program) == GB_OK;
}

static bool record(gb_replicates *r)
{
    gb_tape *const tape = r->trial.tape;
    const gb_node loss = r->loss = expectation(r);
    const size_t parameters = r->trial.parameters;
    gb_node *const gradient = gb_tape_keep(tape, (parameters + 1) * sizeof *gradient);
    r->root = gb_tape_keep(tape, (parameters + 1) * sizeof *r->root);
    if (!gradient || !r->root || !gradients(r, loss, gradient) ||
        (r->plan.second && !second_gradients(r, gradient)))
        return false;
    for (size_t i = 0; i < parameters; i++)
        add_root(r, gradient[i]);
    if (r->plan.value)
        add_root(r, loss);
    return compile(r, gb_updates_join(learning(r), training(r, gradient)));
}

/* Replaces 0 by the default 1. Returns false, with an error, for an invalid plan. */
static bool plan_fits(gb_replicates *r)
{
    gb_replicate_plan *const plan = &r->plan;
    gb_tape *const tape = r->trial.tape;
    plan->samples = plan->samples ? plan->samples : 1;
    plan->at_a_time = plan->at_a_time ? plan->at_a_time : 1;
    plan->runs = plan->runs ? plan->runs : 1;
    if (!plan->problem)
        gb_fail(tape, GB_EARGUMENT, "replicates: a plan needs a problem");
    else if (plan->samples < 0 || plan->at_a_time < 0 || plan->runs < 0 || plan->at_a_time > INT32_MAX ||
             plan->runs > INT32_MAX)
        gb_fail(tape, GB_EARGUMENT,
                "replicates: %lld samples, %lld replicates at a time, %lld runs: each is from 1 to 2^31 - 1",
                (long long)plan->samples, (long long)plan->at_a_time, (long long)plan->runs);
    else if (!(plan->rate >= 0 && plan->rate < HUGE_VAL))
        gb_fail(tape, GB_EARGUMENT, "replicates: the rate is %g; it must be 0 or more", plan->rate);
    else if (plan->rate > 0 && plan->at_a_time > 1)
        gb_fail(tape, GB_EARGUMENT, "replicates: a rate needs one replicate at a time, not %lld",
                (long long)plan->at_a_time);
    else if (plan->batch < 0 || (plan->batch > 0 && plan->at_a_time > 1))
        gb_fail(tape, GB_EARGUMENT,
                "replicates: a batch of %lld rows, %lld replicates at a time; a batch has a row or more, and "
                "needs one replicate at a time",
                (long long)plan->batch, (long long)plan->at_a_time);
    return gb_error(tape) == GB_OK;
}

bool gb_replicates_begin(gb_replicates *r, const gb_replicate_plan *plan)
{
    if (!r)
        return false;
    *r = (gb_replicates){.evaluations = 1};
    if (plan)
        r->plan = *plan;
    gb_trial *const trial = &r->trial;
    trial->tape = gb_tape_new(.seed = r->plan.seed, .real = r->plan.real, .threads = r->plan.threads);
    if (!trial->tape || !plan_fits(r) || gb_tape_set_samples(trial->tape, r->plan.samples) != GB_OK)
        return false;
    trial->estimator = r->plan.estimator;
    trial->data = r->plan.data;
    trial->batch = r->plan.batch;
    memcpy(trial->setting, r->plan.setting, sizeof r->plan.setting);
    if (r->plan.at_a_time > 1)
        trial->replicates = gb_site_axis(trial->tape, "replicates", r->plan.at_a_time);
    r->descents = gb_tape_keep(trial->tape, sizeof *r->descents);
    if (gb_error(trial->tape) != GB_OK || !record(r))
        return false;
    r->room = (size_t)r->plan.at_a_time * (size_t)r->plan.runs;
    r->values = gb_tape_keep(trial->tape, r->elements * r->room * sizeof *r->values);
    return r->values != NULL;
}

void gb_replicates_end(gb_replicates *r)
{
    if (!r)
        return;
    gb_tape_free(r->trial.tape);
    r->trial.tape = NULL;
    r->values = NULL;
}

gb_status gb_replicates_status(const gb_replicates *r)
{
    return r ? gb_error(r->trial.tape) : GB_EARGUMENT;
}

/* ---- running ---- */

static void read_values(gb_replicates *r, size_t run)
{
    for (size_t i = 0; i < r->roots; i++) {
        const size_t size = r->root[i].size;
        gb_read_root(r->program, i,
                     r->values + r->root[i].first * r->room + run * size * (size_t)r->plan.at_a_time);
    }
}

bool gb_replicates_runs(gb_replicates *r, int64_t first, int64_t runs, double *seconds)
{
    const double begun = seconds ? gb_seconds() : 0;
    if (!r || !r->values)
        return false;
    if (first < 0 || runs < 0 || first > r->plan.runs - runs) {
        gb_fail(r->trial.tape, GB_EARGUMENT,
                "replicates: %lld runs from place %lld; the plan has %lld places", (long long)runs,
                (long long)first, (long long)r->plan.runs);
        return false;
    }
    for (int64_t i = 0; i < runs; i++) {
        if (!gb_trial_next_rows(&r->trial, r->begun++) || gb_run(r->program) != GB_OK)
            return false;
        read_values(r, (size_t)(first + i));
    }
    if (seconds)
        *seconds = gb_seconds() - begun;
    return true;
}

void gb_replicates_skip(gb_replicates *r, int64_t runs)
{
    if (!r || runs <= 0 || !r->program)
        return;
    r->begun += (uint64_t)runs;
    gb_program_set_step(r->program, gb_program_step(r->program) + (uint64_t)runs);
}

bool gb_replicates_run(gb_replicates *r, double *seconds)
{
    return gb_replicates_runs(r, 0, 1, seconds);
}

/* The root that has an element, by halving. */
static size_t root_of(const gb_replicates *r, size_t element)
{
    size_t low = 0, high = r->roots;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (element < r->root[middle].first)
            high = middle;
        else
            low = middle;
    }
    return low;
}

const double *gb_replicates_element(const gb_replicates *r, size_t element, size_t *stride)
{
    if (!r || !r->values || element >= r->elements)
        return NULL;
    const gb_replicate_root *const root = &r->root[root_of(r, element)];
    if (stride)
        *stride = root->size;
    return r->values + root->first * r->room + (element - root->first);
}

/* ---- parameters ---- */

size_t gb_replicates_parameters(const gb_replicates *r)
{
    size_t elements = 0;
    for (size_t i = 0; i < r->trial.parameters; i++)
        elements += gb_shape_count(gb_node_shape(r->trial.parameter[i].variable));
    return elements;
}

bool gb_replicates_get(const gb_replicates *r, double *values)
{
    for (size_t i = 0; i < r->trial.parameters; i++) {
        const gb_node variable = r->trial.parameter[i].variable;
        const size_t count = gb_shape_count(gb_node_shape(variable));
        if (gb_read(variable, values, count) != GB_OK)
            return false;
        values += count;
    }
    return true;
}

bool gb_replicates_set(const gb_replicates *r, const double *values)
{
    for (size_t i = 0; i < r->trial.parameters; i++) {
        const gb_node variable = r->trial.parameter[i].variable;
        const size_t count = gb_shape_count(gb_node_shape(variable));
        if (gb_set(variable, gb_values_of(values, count)) != GB_OK)
            return false;
        values += count;
    }
    return true;
}

gb_status gb_replicates_restart(gb_replicates *r, double rate)
{
    gb_tape *const tape = r->trial.tape;
    if (r->plan.rate == 0)
        return gb_fail(tape, GB_EARGUMENT, "replicates: a plan without a rate makes no steps to restart");
    if (!(rate >= 0 && rate < HUGE_VAL))
        return gb_fail(tape, GB_EARGUMENT, "replicates: the rate is %g; it must be 0 or more", rate);
    return gb_descent_restart(&r->descents->trains, rate);
}

void gb_replicates_name(const gb_replicates *r, size_t element, size_t bytes, char *name)
{
    if (bytes == 0)
        return;
    name[0] = '\0';
    if (element >= r->elements)
        return;
    const size_t i = root_of(r, element);
    if (i >= r->trial.parameters) {
        snprintf(name, bytes, "value");
        return;
    }
    const gb_shape shape = gb_node_shape(r->trial.parameter[i].variable);
    int used = snprintf(name, bytes, "%s", r->trial.parameter[i].name);
    size_t inner = gb_shape_count(shape);
    element -= r->root[i].first;
    for (int axis = 0; axis < shape.rank && used >= 0 && (size_t)used < bytes; axis++) {
        inner /= (size_t)shape.size[axis];
        used += snprintf(name + used, bytes - (size_t)used, "%c%zu%s", axis ? ',' : '[',
                         element / inner % (size_t)shape.size[axis], axis + 1 == shape.rank ? "]" : "");
    }
}

/* ---- the exact value ---- */

/* An estimator is exact only if its estimate does not vary from run to run. */
static bool varies(gb_replicates *r, const double *first)
{
    if (!r->plan.estimator.type)
        return false;
    if (!gb_replicates_run(r, NULL))
        return true;
    double scale = 0, most = 0;
    for (size_t i = 0; i < r->elements; i++) {
        const double gap = r->values[i] > first[i] ? r->values[i] - first[i] : first[i] - r->values[i];
        const double size = first[i] < 0 ? -first[i] : first[i];
        scale = size > scale ? size : scale;
        most = gap > most ? gap : most;
    }
    return !(most <= 1e-9 * scale);
}

bool gb_replicates_exact(const gb_replicate_plan *plan, const double *parameters, size_t elements,
                         double *exact)
{
    if (!plan || !plan->problem || !parameters || !exact)
        return false;
    if (gb_bound_particles(plan->bound) > 0 && !plan->problem->expects_bound)
        return false;
    gb_replicate_plan own = *plan;
    gb_replicates r;
    own.at_a_time = own.runs = 1;
    own.rate = 0;
    own.batch = 0;
    own.real = GB_DOUBLE;
    own.estimator = (gb_estimator){0};
    if (!own.problem->expected) {
        const gb_estimator_type *const type = gb_estimator_find(own.problem->exact);
        if (!type)
            return false;
        own.samples = 1; /* a closed form may depend on their number, a sum over values does not */
        own.estimator = gb_estimator_of(type, NULL);
    }
    const bool fits =
        gb_replicates_begin(&r, &own) && r.elements == elements && gb_replicates_set(&r, parameters);
    bool good = fits && gb_replicates_run(&r, NULL), overflows = false;
    if (good)
        memcpy(exact, r.values, elements * sizeof *exact);
    for (size_t i = 0; i < elements && good; i++)
        overflows |= !isfinite(exact[i]);
    good = good && (overflows || !varies(&r, exact));
    if (fits && gb_replicates_status(&r) == GB_ENONFINITE) {
        for (size_t i = 0; i < elements; i++)
            exact[i] = (double)NAN;
        good = true;
    }
    gb_replicates_end(&r);
    return good;
}
