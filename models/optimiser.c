/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/optimiser.h"

#include <stdio.h>
#include <string.h>

#include "core/gradient.h"
#include "estimators/learn.h"
#include "estimators/visit.h"
#include "models/family.h"
#include "ops/elementwise.h"

/* ---- minimising ---- */

gb_optimiser gb_optimiser_of(const gb_optimiser_type *type, const void *options, size_t bytes)
{
    gb_optimiser optimiser = {.type = bytes <= GB_OPTIMISER_OPTIONS ? type : NULL};
    if (optimiser.type && bytes > 0)
        memcpy(optimiser.options.bytes, options, bytes);
    return optimiser;
}

static gb_node own_variable(const gb_update_step *to, const char *part, gb_shape shape)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", to->type->name, part);
    return gb_part_variable(to->variable.tape, gb_node_name(to->variable), name, shape, 0);
}

gb_node gb_update_memory(const gb_update_step *to, const char *part)
{
    return own_variable(to, part, gb_node_shape(to->variable));
}

/* A gradient that is zero by the way it was recorded: the loss does not move with the variable. */
static bool is_zero(gb_node gradient)
{
    double value;
    return gb_is_uniform(gradient, &value) && value == 0;
}

/* What is being put together: all variables count their steps in one variable, named after the first of them. */
typedef struct minimiser {
    gb_update_step to;
    gb_updates all;
} minimiser;

static void update(minimiser *m, gb_node variable, gb_node gradient)
{
    m->to.variable = variable;
    m->to.gradient = gradient;
    if (!gb_node_ok(m->to.step)) {
        const gb_node before = own_variable(&m->to, "step", gb_shape());
        m->to.step = gb_shift(before, 1);
        m->all = gb_assign(before, m->to.step);
    }
    m->all = gb_updates_join(m->to.type->update(&m->to), m->all);
}

static void lower(minimiser *m, gb_node loss, size_t count, const gb_node *variables, gb_node *gradients)
{
    if (gb_grads(loss, variables, count, gradients) != GB_OK)
        return;
    for (size_t i = 0; i < count; i++)
        if (!is_zero(gradients[i]))
            update(m, variables[i], gradients[i]);
}

/* What the estimators in the loss learn besides. */
static void learn(minimiser *m, gb_node loss, size_t count, gb_learned *learned)
{
    gb_node gradients[GB_LEARNED_MOST];
    const size_t found = gb_learned_by(loss, learned, count);
    for (size_t i = 0; i < found && i < count; i++)
        if (learned[i].is_assigned)
            m->all = gb_updates_join(gb_assign(learned[i].variable[0], learned[i].target), m->all);
        else
            lower(m, learned[i].target, learned[i].count, learned[i].variable, gradients);
}

gb_updates gb_minimise(gb_node loss, gb_optimiser optimiser)
{
    gb_tape *const tape = loss.tape;
    if (!gb_node_ok(loss) || gb_error(tape) != GB_OK)
        return gb_no_update;
    if (!optimiser.type) {
        gb_fail(tape, GB_EARGUMENT, "minimise: no optimiser was given (gb_adam() …)");
        return gb_no_update;
    }
    minimiser m = {.to = {.type = optimiser.type, .options = optimiser.options.bytes}};
    const gb_memory memory = gb_tape_memory(tape);
    const size_t count = gb_variables_of(loss, NULL, 0), learned = gb_learned_by(loss, NULL, 0);
    gb_node *const variables = gb_memory_resize(&memory, NULL, (2 * count + 1) * sizeof *variables);
    gb_learned *const lessons = gb_memory_resize(&memory, NULL, (learned + 1) * sizeof *lessons);
    if (!variables || !lessons)
        gb_fail(tape, GB_ENOMEM, "minimise: out of memory");
    else {
        gb_variables_of(loss, variables, count);
        lower(&m, loss, count, variables, variables + count);
        if (gb_error(tape) == GB_OK && !gb_node_ok(m.to.step))
            gb_fail(tape, GB_EARGUMENT, "minimise: the loss has no gradient in any variable");
        learn(&m, loss, learned, lessons);
    }
    gb_memory_release(&memory, variables);
    gb_memory_release(&memory, lessons);
    return gb_error(tape) == GB_OK ? m.all : gb_no_update;
}

/* ---- the list ---- */

static const gb_optimiser_type *const types[] = {&gb_adam_type};

const gb_optimiser_type *const *gb_optimisers(size_t *count)
{
    if (count)
        *count = sizeof types / sizeof *types;
    return types;
}

const gb_optimiser_type *gb_optimiser_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}
