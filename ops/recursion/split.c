/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a recorded step into what is computed for all steps before, the core, and what is computed for all
 * steps after: see recursion_impl.h. */
#include <string.h>

#include "ops/draws/draws_impl.h"
#include "ops/recursion/recursion_impl.h"

/* What is known of a node of the step. */
enum {
    INSIDE = 1,   /* belongs to the step */
    STATE = 2,    /* depends on the state */
    FOR_NEXT = 4, /* the next state depends on it */
    FOR_OUTPUT = 8,
    FOR_DRAW = 16, /* a draw depends on it, or is it */
    INPUT = 32,
    NEXT = 64 /* a next state: known for all steps from the scan */
};

typedef struct splitting {
    const gb_step *step;
    uint32_t low, end;
    unsigned char *flags; /* [end − low] */
    gb_copies before;     /* copies for all steps */
    gb_copies core;
    size_t others, capacity;
    gb_node *other, *arg; /* of the core: as in the step, as argument of the scan */
} splitting;

static unsigned char *flags_of(const splitting *s, gb_node node)
{
    static unsigned char none;
    none = 0;
    return node.id >= s->low && node.id < s->end ? &s->flags[node.id - s->low] : &none;
}

static gb_node node_at(const splitting *s, uint32_t id)
{
    return gb_tape_node(s->step->tape, id);
}

/* ---- what depends on what ---- */

static void mark_states(const splitting *s)
{
    const gb_step *const step = s->step;
    for (size_t i = 0; i < step->states; i++)
        *flags_of(s, step->state[i]) |= STATE;
    for (size_t i = 0; i < step->inputs; i++)
        *flags_of(s, step->input[i]) |= INPUT;
    for (uint32_t id = s->low; id < s->end; id++) {
        const gb_node node = node_at(s, id);
        if (gb_node_body(node) != step->body)
            continue;
        unsigned char *const flags = flags_of(s, node);
        *flags |= INSIDE;
        if (gb_node_op(node)->form == GB_FORM_NOISE)
            *flags |= FOR_DRAW;
        for (size_t i = 0; i < gb_node_arguments(node); i++)
            *flags |= *flags_of(s, gb_node_argument(node, i)) & STATE;
    }
}

/* The states after each step are known from the scan. So outputs need nothing of what leads to them. */
static void mark_uses(const splitting *s)
{
    const gb_step *const step = s->step;
    for (size_t i = 0; i < step->states; i++)
        *flags_of(s, step->next[i]) |= FOR_NEXT;
    for (size_t i = 0; i < step->states; i++)
        if (gb_node_arguments(step->next[i]) > 0 && (*flags_of(s, step->next[i]) & STATE))
            *flags_of(s, step->next[i]) |= NEXT;
    for (size_t i = 0; i < step->outputs; i++)
        *flags_of(s, step->output[i]) |= FOR_OUTPUT;
    for (uint32_t id = s->end; id-- > s->low;) {
        const gb_node node = node_at(s, id);
        unsigned char passed = *flags_of(s, node);
        if (!(passed & INSIDE))
            continue;
        passed &= passed & NEXT ? FOR_NEXT | FOR_DRAW : FOR_NEXT | FOR_OUTPUT | FOR_DRAW;
        for (size_t i = 0; i < gb_node_arguments(node); i++)
            *flags_of(s, gb_node_argument(node, i)) |= passed;
    }
}

/* Returns whether a node of the step is computed for all steps before the scan. */
static bool is_before(const splitting *s, unsigned flags)
{
    if (!(flags & INSIDE) || (flags & STATE))
        return false;
    return !s->step->whole || (flags & (FOR_DRAW | INPUT));
}

static bool is_core(const splitting *s, unsigned flags)
{
    return (flags & INSIDE) && (flags & FOR_NEXT) && !is_before(s, flags);
}

/* ---- before ---- */

/* A draw becomes one draw for each place of more axes. */
static gb_node draw_again(const gb_copies *c, gb_node node, const gb_node *arg)
{
    gb_noise_attributes attributes;
    memcpy(&attributes, gb_node_attributes(node), sizeof attributes);
    attributes.axes |= c->drawn_over;
    return gb_apply(c->tape, gb_node_op(node), gb_node_arguments(node), arg, &attributes, sizeof attributes);
}

static bool copy_before(splitting *s)
{
    const gb_step *const step = s->step;
    s->before.drawn_over = step->time;
    s->before.draw = draw_again;
    for (size_t i = 0; i < step->inputs; i++)
        gb_copies_put(&s->before, step->input[i], step->stream[i]);
    for (uint32_t id = s->low; id < s->end; id++) {
        const unsigned flags = s->flags[id - s->low];
        if (is_before(s, flags) && (flags & (FOR_NEXT | FOR_OUTPUT)) && !(flags & INPUT) &&
            !gb_copy(&s->before, node_at(s, id)))
            return false;
    }
    return true;
}

/* ---- the core ---- */

/* Rejects what would not be right in a core. Axes of steps may end in it: those of an inner scan. */
static bool core_allows(const splitting *s, gb_node node)
{
    gb_axes axes = 0;
    const gb_op *const op = gb_node_op(node);
    for (size_t i = 0; i < gb_node_arguments(node); i++)
        axes |= gb_node_axes(gb_node_argument(node, i));
    if (op->form == GB_FORM_NOISE || op->opens)
        gb_fail(s->step->tape, GB_EARGUMENT,
                "scan: %s (node %u) is a draw whose parameters depend on the state; draw noise without "
                "parameters in the step, and transform it",
                op->name, node.id);
    else if (axes & ~gb_node_axes(node) & ~gb_tape_steps_within(s->step->tape, 0))
        gb_fail(s->step->tape, GB_EARGUMENT,
                "scan: %s (node %u) joins samples or rows on the way to the next state; a scan keeps them "
                "separate",
                op->name, node.id);
    return gb_error(s->step->tape) == GB_OK;
}

/* Adds an argument of the core, unless it is there already. */
static void add_other(splitting *s, gb_node node)
{
    if (is_core(s, *flags_of(s, node)) || gb_is_constant(node))
        return;
    for (size_t i = 0; i < s->others; i++)
        if (gb_node_same(s->other[i], node))
            return;
    s->arg[s->step->states + s->others] = gb_copy_of(&s->before, node);
    s->other[s->others++] = node;
}

/* Finds the arguments of the core. Returns false if it cannot be one. */
static bool find_others(splitting *s)
{
    const gb_step *const step = s->step;
    const gb_memory memory = gb_tape_memory(step->tape);
    size_t most = 2 * step->states + 1;
    for (uint32_t id = s->low; id < s->end; id++)
        most += is_core(s, s->flags[id - s->low]) ? gb_node_arguments(node_at(s, id)) : 0;
    s->other = gb_memory_resize(&memory, NULL, most * sizeof *s->other);
    s->arg = gb_memory_resize(&memory, NULL, most * sizeof *s->arg);
    if (!s->other || !s->arg) {
        gb_fail(step->tape, GB_ENOMEM, "scan: out of memory");
        return false;
    }
    memcpy(s->arg, step->start, step->states * sizeof *s->arg);
    for (uint32_t id = s->low; id < s->end; id++) {
        const gb_node node = node_at(s, id);
        if (!is_core(s, s->flags[id - s->low]))
            continue;
        if (!core_allows(s, node))
            return false;
        for (size_t i = 0; i < gb_node_arguments(node); i++)
            add_other(s, gb_node_argument(node, i));
    }
    for (size_t i = 0; i < step->states; i++)
        add_other(s, step->next[i]);
    return true;
}

/* Records the core on given nodes of its own. */
static bool record_core(splitting *s, gb_core *core)
{
    const gb_step *const step = s->step;
    gb_copies *const c = &s->core;
    gb_node *const next = gb_tape_keep(step->tape, (step->states + 1) * sizeof *next);
    if (!next || !gb_core_begin(step->tape, core, step->time, s->arg))
        return false;
    for (size_t i = 0; i < step->states; i++)
        gb_copies_put(c, step->state[i], core->body.given[i]);
    for (size_t i = 0; i < s->others; i++)
        if (s->other[i].id >= s->low && s->other[i].id < s->end)
            gb_copies_put(c, s->other[i], core->body.given[step->states + i]);
    c->others = s->others;
    c->other = s->other;
    c->other_copy = core->body.given + step->states;
    bool done = true;
    for (uint32_t id = s->low; id < s->end && done; id++)
        if (is_core(s, s->flags[id - s->low]) && gb_node_op(node_at(s, id))->form != GB_FORM_LEAF)
            done = gb_copy(c, node_at(s, id));
    for (size_t i = 0; i < step->states; i++)
        next[i] = gb_copy_of(c, step->next[i]);
    return gb_core_end(step->tape, core, next) && done;
}

static gb_core *make_core(splitting *s)
{
    const gb_step *const step = s->step;
    if (!find_others(s))
        return NULL;
    gb_core *const core = gb_core_new(step->tape, step->states, s->others);
    if (!core)
        return NULL;
    for (size_t i = 0; i < step->states; i++) {
        core->all[i] = !step->all || step->all[i];
        core->read[i] = *flags_of(s, step->state[i]) & FOR_NEXT;
    }
    core->axes = gb_axes_of_states(step->tape, step->time, step->states + s->others, s->arg);
    return record_core(s, core) ? core : NULL;
}

/* ---- after ---- */

static bool copy_after(splitting *s, gb_node scan)
{
    const gb_step *const step = s->step;
    const gb_states states = gb_states_of(scan);
    for (size_t i = 0; i < step->states; i++) {
        if (*flags_of(s, step->state[i]) & FOR_OUTPUT)
            gb_copies_put(&s->before, step->state[i], gb_states_before(&states, i));
        const unsigned flags = *flags_of(s, step->next[i]);
        if ((flags & NEXT) && (flags & FOR_OUTPUT))
            gb_copies_put(&s->before, step->next[i], gb_states_after(&states, i));
    }
    for (uint32_t id = s->low; id < s->end; id++) {
        const gb_node node = node_at(s, id);
        const unsigned flags = s->flags[id - s->low];
        if ((flags & INSIDE) && (flags & STATE) && (flags & FOR_OUTPUT) && !(flags & NEXT) &&
            gb_node_op(node)->form != GB_FORM_LEAF && !gb_copy(&s->before, node))
            return false;
    }
    for (size_t i = 0; i < step->outputs; i++)
        step->stacked[i] = gb_widen(gb_copy_of(&s->before, step->output[i]), step->time);
    return gb_error(step->tape) == GB_OK;
}

static gb_node split(splitting *s)
{
    const gb_step *const step = s->step;
    mark_states(s);
    mark_uses(s);
    gb_core *const core = copy_before(s) ? make_core(s) : NULL;
    if (!core)
        return (gb_node){0};
    const gb_scan_attributes how = {.core = core,
                                    .time = step->time,
                                    .steps = step->steps,
                                    .whole = step->whole,
                                    .back = step->back,
                                    .op = step->op};
    const gb_node scan =
        gb_apply(step->tape, step->op[step->back], step->states + s->others, s->arg, &how, sizeof how);
    return gb_node_ok(scan) && copy_after(s, scan) ? scan : (gb_node){0};
}

gb_node gb_step_split(const gb_step *step)
{
    const gb_memory memory = gb_tape_memory(step->tape);
    splitting s = {.step = step, .low = step->low, .end = (uint32_t)gb_tape_length(step->tape)};
    gb_node scan = {0};
    s.flags = gb_memory_resize(&memory, NULL, (size_t)s.end - s.low + 1);
    if (!s.flags)
        gb_fail(step->tape, GB_ENOMEM, "scan: out of memory");
    else if (gb_copies_begin(&s.before, step->tape, "scan", s.low, s.end)) {
        memset(s.flags, 0, (size_t)s.end - s.low + 1);
        if (gb_copies_begin(&s.core, step->tape, "scan", s.low, s.end)) {
            scan = split(&s);
            gb_copies_end(&s.core);
        }
        gb_copies_end(&s.before);
    }
    gb_memory_release(&memory, s.flags);
    gb_memory_release(&memory, s.other);
    gb_memory_release(&memory, s.arg);
    return scan;
}
