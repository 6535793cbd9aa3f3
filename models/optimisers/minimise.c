/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gb_minimise: from a loss to the assigns that minimise it. */
#include "models/optimisers/minimise_impl.h"

#include <string.h>

#include "core/gradient.h"
#include "estimators/learn.h"
#include "estimators/visit.h"
#include "models/optimisers/average_impl.h"
#include "models/optimisers/clip_impl.h"
#include "models/optimisers/optimiser_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/list.h"

/* The state of recording. All variables share one step variable, named after the first of them. */
typedef struct minimiser {
    const gb_minimise_request *request;
    gb_update_step to;
    gb_update_rest rest; /* trial points of the current variable */
    gb_updates all, settle, go_on;
    bool average; /* average the iterates of the current objective */
} minimiser;

/* Returns whether a gradient is zero as recorded: the loss does not depend on the variable. */
static bool is_zero(gb_node gradient)
{
    double value;
    return gb_is_uniform(gradient, &value) && value == 0;
}

/* Returns the next step. Above 2²⁴, floats are more than 1 apart: the rounding error of a sum is added to the
 * next one (Kahan 1965). */
static gb_node one_more(minimiser *m)
{
    const gb_node before = gb_update_memory_of(&m->to, "step", gb_shape());
    if (gb_tape_real(m->to.variable.tape) != GB_FLOAT)
        return gb_update_remember(&m->to, before, gb_shift(before, 1));
    const gb_node owed = gb_update_memory_of(&m->to, "step_owed", gb_shape()), added = gb_shift(owed, 1);
    const gb_node next = gb_update_remember(&m->to, before, gb_add(before, added));
    gb_update_remember(&m->to, owed, gb_sub(added, gb_sub(next, before)));
    return next;
}

static void count_steps(minimiser *m)
{
    if (gb_node_ok(m->to.step))
        return;
    m->to.step = one_more(m);
    m->to.rate = gb_optimiser_rate(&m->to);
}

static gb_node next_value(minimiser *m, const char *name, gb_node variable, gb_node gradient)
{
    m->to.name = name;
    m->to.variable = variable;
    m->to.gradient = gradient;
    m->rest = (gb_update_rest){0};
    m->to.rest = &m->rest;
    count_steps(m);
    return m->to.type->update(&m->to);
}

/* The average is over accepted points if the optimiser has trial points; else `settled` and `trial` are
 * inert. */
static void assign(minimiser *m, gb_node variable, gb_node next, gb_update_rest rest)
{
    const bool rests = rest.settled.tape != NULL;
    m->all = gb_updates_join(gb_assign(variable, next), m->all);
    if (m->average)
        m->all = gb_updates_join(
            gb_average_iterate(variable, rests ? rest.settled : next, m->to.step, m->request->average_after),
            m->all);
    if (!rests)
        return;
    m->settle = gb_updates_join(gb_assign(variable, rest.settled), m->settle);
    m->go_on = gb_updates_join(gb_assign(variable, rest.trial), m->go_on);
}

/* ---- all variables as one ---- */

static int64_t length(gb_node node)
{
    return (int64_t)gb_shape_count(gb_node_shape(node));
}

/* Returns all nodes as one vector. `parts` has room for `count`. */
static gb_node end_to_end(size_t count, const gb_node *nodes, gb_node *parts)
{
    for (size_t i = 0; i < count; i++)
        parts[i] = gb_reshape(nodes[i], gb_shape(length(nodes[i])));
    return count == 1 ? parts[0] : gb_concat(count, parts, 0);
}

static gb_node piece(gb_node whole, int64_t begin, gb_node like)
{
    return gb_reshape(gb_slice(whole, 0, begin, begin + length(like)), gb_node_shape(like));
}

static void update_as_one(minimiser *m, gb_node *parts)
{
    const size_t count = m->to.count;
    const gb_node *const variables = m->to.variables;
    const gb_node x = end_to_end(count, variables, parts), g = end_to_end(count, m->to.gradients, parts);
    const gb_node next = next_value(m, gb_variable_name(variables[0]), x, g);
    int64_t begin = 0;
    for (size_t i = 0; i < count; begin += length(variables[i++])) {
        gb_update_rest rest = m->rest;
        if (rest.settled.tape) {
            rest.settled = piece(rest.settled, begin, variables[i]);
            rest.trial = piece(rest.trial, begin, variables[i]);
        }
        assign(m, variables[i], piece(next, begin, variables[i]), rest);
    }
}

/* ---- one objective ---- */

/* Removes the variables without a gradient. Returns the number that is left. */
static size_t with_gradient(size_t count, gb_node *variables, gb_node *gradients)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_zero(gradients[i])) {
            variables[left] = variables[i];
            gradients[left++] = gradients[i];
        }
    return left;
}

/* Records the updates for one objective. `gradients` has room for 2 · count. */
static void lower(minimiser *m, gb_node loss, size_t count, gb_node *variables, gb_node *gradients)
{
    if (gb_grads(loss, variables, count, gradients) != GB_OK)
        return;
    m->to.loss = loss;
    m->to.count = with_gradient(count, variables, gradients);
    m->to.variables = variables;
    m->to.gradients = gradients;
    gb_clip_gradients(m->request->clip, m->request->clip_norm, m->to.count, gradients);
    if (m->to.type->joint && m->to.count > 0)
        update_as_one(m, gradients + count);
    for (size_t i = 0; !m->to.type->joint && i < m->to.count; i++) {
        const gb_node next = next_value(m, gb_variable_name(variables[i]), variables[i], gradients[i]);
        assign(m, variables[i], next, m->rest);
    }
}

/* Whether a rule moves one of these variables. */
static bool moves(const gb_learned *learned, gb_node_list variables)
{
    for (size_t i = 0; i < learned->count; i++)
        for (size_t k = 0; k < variables.count; k++)
            if (gb_node_same(learned->variable[i], variables.node[k]))
                return true;
    return false;
}

/* Records the rules of the estimators in the loss, but those that move one of `except`. */
static void learn(minimiser *m, gb_node loss, size_t count, gb_learned *learned, gb_node_list except)
{
    gb_node gradients[2 * GB_LEARNED_MOST];
    const size_t found = gb_node_learned(loss, learned, count);
    m->average = false;
    for (size_t i = 0; i < found && i < count; i++)
        if (moves(&learned[i], except))
            continue;
        else if (learned[i].is_assigned)
            m->all = gb_updates_join(gb_assign(learned[i].variable[0], learned[i].target), m->all);
        else
            lower(m, learned[i].target, learned[i].count, learned[i].variable, gradients);
    m->to.variables = m->to.gradients = NULL;
}

/* ---- which variables ---- */

static bool is_listed_once(const gb_minimise_request *o, size_t index)
{
    const gb_node variable = o->variables.node[index];
    gb_tape *const tape = o->loss.tape;
    if (variable.tape != tape || !gb_node_ok(variable) || !gb_node_is(variable, "variable")) {
        gb_fail(tape, GB_EARGUMENT, "minimise: number %zu of .variables is not a variable of this tape",
                index);
        return false;
    }
    for (size_t i = 0; i < index; i++)
        if (gb_node_same(variable, o->variables.node[i])) {
            gb_fail(tape, GB_EARGUMENT, "minimise: %s is given twice in .variables",
                    gb_variable_name(variable));
            return false;
        }
    return true;
}

static bool choose(const gb_minimise_request *o, size_t count, gb_node *variables)
{
    if (o->variables.count == 0)
        return gb_node_variables(o->loss, variables, count) == count;
    for (size_t i = 0; i < count; i++) {
        if (!is_listed_once(o, i))
            return false;
        variables[i] = o->variables.node[i];
    }
    return true;
}

static void check_found(const minimiser *m, gb_tape *tape)
{
    const gb_node_list listed = m->request->variables;
    for (size_t i = 0; i < listed.count && m->to.count < listed.count; i++)
        if (i >= m->to.count || !gb_node_same(listed.node[i], m->to.variables[i])) {
            gb_fail(tape, GB_EARGUMENT, "minimise: the loss has no gradient in %s",
                    gb_variable_name(listed.node[i]));
            return;
        }
    if (m->to.count == 0)
        gb_fail(tape, GB_EARGUMENT, "minimise: the loss has no gradient in any variable");
}

/* ---- minimising ---- */

static bool rate_is_right(const gb_optimiser_type *type, gb_node rate, gb_tape *tape)
{
    char text[GB_SHAPE_TEXT];
    double value;
    if (!rate.tape)
        return true;
    if (rate.tape != tape || !gb_node_ok(rate))
        gb_fail(tape, GB_ENODE, "%s: rate is not a usable node of this tape", type->name);
    else if (gb_node_type(rate) != GB_TYPE_REAL || gb_node_shape(rate).rank != 0 || gb_node_axes(rate) != 0)
        gb_fail(tape, GB_ESHAPE, "%s: rate has the shape %s%s, and must be one real number", type->name,
                gb_shape_text(gb_node_shape(rate), text), gb_node_axes(rate) ? " and hidden axes" : "");
    else if (gb_is_uniform(rate, &value) && !gb_domain_holds(GB_NON_NEGATIVE, value))
        gb_fail(tape, GB_EARGUMENT, "%s: rate is %g, and must be %s", type->name, value,
                GB_NON_NEGATIVE->must_be);
    return gb_error(tape) == GB_OK;
}

/* The table must begin with the rows of the head: otherwise options would be read at wrong places. */
static bool has_head(const gb_optimiser_type *type)
{
    return GB_HAS(type, options) && type->options->name && strcmp(type->options->name, "lr") == 0 &&
           type->option_bytes >= sizeof(gb_optimiser_head);
}

static bool optimiser_is_right(const gb_optimiser *optimiser, gb_tape *tape)
{
    gb_option_block block;
    const gb_optimiser_type *const type = optimiser->type;
    const gb_optimiser_head *const head =
        gb_options_use(tape, "minimise", NULL, &gb_optimiser_kind, type, &optimiser->options, &block);
    if (head && !has_head(type))
        gb_fail(tape, GB_EARGUMENT, "%s: the table of its options must begin with GB_OPTIMISER_ROWS",
                type->name);
    return head && gb_error(tape) == GB_OK && rate_is_right(type, head->rate, tape);
}

static bool number_is_right(const gb_minimise_request *o, const char *name, double value)
{
    if (gb_domain_holds(GB_NON_NEGATIVE, value))
        return true;
    gb_fail(o->loss.tape, GB_EARGUMENT, "minimise, %s: %s is %g, and must be %s", o->optimiser.type->name,
            name, value, GB_NON_NEGATIVE->must_be);
    return false;
}

bool gb_minimise_has_list(const gb_minimise_request *o)
{
    if (o->variables.count == 0 || o->variables.node)
        return true;
    gb_fail(o->loss.tape, GB_EARGUMENT, "minimise: %zu .variables are given, but the list is NULL",
            o->variables.count);
    return false;
}

static bool options_are_right(const gb_minimise_request *o)
{
    if (!o->optimiser.type) {
        gb_fail(o->loss.tape, GB_EARGUMENT, "minimise: no optimiser was given (gb_adam() …)");
        return false;
    }
    if (o->average_after != 0 && !o->average) {
        gb_fail(o->loss.tape, GB_EARGUMENT,
                "minimise, %s: .average_after is %g, and there are no averages: .average = true makes them",
                o->optimiser.type->name, o->average_after);
        return false;
    }
    return gb_minimise_has_list(o) && optimiser_is_right(&o->optimiser, o->loss.tape) &&
           number_is_right(o, "clip", o->clip) && number_is_right(o, "clip_norm", o->clip_norm) &&
           number_is_right(o, "average_after", o->average_after);
}

/* Returns false on error. */
static bool begin(minimiser *m, const gb_minimise_request *request)
{
    const gb_optimiser *const optimiser = &request->optimiser;
    gb_tape *const tape = request->loss.tape;
    *m = (minimiser){.request = request, .average = request->average};
    if (!gb_node_ok(request->loss) || gb_error(tape) != GB_OK || !options_are_right(request))
        return false;
    m->to = (gb_update_step){.type = optimiser->type,
                             .options = gb_options_keep(tape, optimiser->type, &optimiser->options),
                             .assigns = &m->all};
    return m->to.options;
}

gb_updates gb_minimise_learned(const gb_minimise_request *request, gb_node_list except)
{
    minimiser m;
    if (!begin(&m, request))
        return gb_no_update;
    const gb_memory memory = gb_tape_memory(request->loss.tape);
    const size_t learned = gb_node_learned(request->loss, NULL, 0);
    gb_learned *const lessons = gb_memory_resize(&memory, NULL, (learned + 1) * sizeof *lessons);
    if (lessons)
        learn(&m, request->loss, learned, lessons, except);
    else
        gb_fail(request->loss.tape, GB_ENOMEM, "minimise: out of memory");
    gb_memory_release(&memory, lessons);
    return gb_error(request->loss.tape) == GB_OK ? m.all : gb_no_update;
}

gb_minimised gb_minimise_all(const gb_minimise_request *request)
{
    const gb_minimised none = {gb_no_update, gb_no_update, gb_no_update};
    const gb_node loss = request->loss;
    gb_tape *const tape = loss.tape;
    minimiser m;
    if (!begin(&m, request))
        return none;
    const gb_memory memory = gb_tape_memory(tape);
    const size_t count =
                     request->variables.count ? request->variables.count : gb_node_variables(loss, NULL, 0),
                 learned = gb_node_learned(loss, NULL, 0);
    gb_node *const variables = gb_memory_resize(&memory, NULL, (3 * count + 1) * sizeof *variables);
    gb_learned *const lessons = gb_memory_resize(&memory, NULL, (learned + 1) * sizeof *lessons);
    if (!variables || !lessons)
        gb_fail(tape, GB_ENOMEM, "minimise: out of memory");
    else if (choose(request, count, variables)) {
        lower(&m, loss, count, variables, variables + count);
        if (gb_error(tape) == GB_OK)
            check_found(&m, tape);
        learn(&m, loss, learned, lessons, (gb_node_list){0});
    }
    gb_memory_release(&memory, variables);
    gb_memory_release(&memory, lessons);
    return gb_error(tape) == GB_OK ? (gb_minimised){m.all, m.settle, m.go_on} : none;
}

gb_updates gb_minimise_with(gb_node loss, gb_optimiser optimiser, const gb_minimise_options *options)
{
    gb_minimise_options o;
    if (!gb_options_take(loss.tape, "minimise", &o, sizeof o, options))
        return gb_no_update;
    return gb_minimise_all(&(gb_minimise_request){.loss = loss,
                                                  .optimiser = optimiser,
                                                  .variables = o.variables,
                                                  .clip = o.clip,
                                                  .clip_norm = o.clip_norm,
                                                  .average = o.average,
                                                  .average_after = o.average_after})
        .step;
}

/* ---- comparing two requests ---- */

static bool same_variables(gb_node_list a, gb_node_list b)
{
    for (size_t i = 0; i < a.count && i < b.count; i++)
        if (!gb_node_same(a.node[i], b.node[i]))
            return false;
    return a.count == b.count;
}

bool gb_minimise_is_same(const gb_minimise_request *a, const gb_minimise_request *b)
{
    return gb_optimiser_same(&a->optimiser, &b->optimiser) && same_variables(a->variables, b->variables) &&
           a->clip == b->clip && a->clip_norm == b->clip_norm && a->average == b->average &&
           a->average_after == b->average_after;
}
