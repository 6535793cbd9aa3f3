/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a recorded step into what is computed for all steps before, the core, and what is computed for all
 * steps after: see recursion_impl.h. */
#include <string.h>

#include "core/noise.h"
#include "ops/array.h"
#include "ops/recursion/recursion_impl.h"

/* What is known of a node of the step. */
enum {
    INSIDE = 1,   /* belongs to the step */
    STATE = 2,    /* depends on the state */
    FOR_NEXT = 4, /* the next state depends on it */
    FOR_OUTPUT = 8,
    FOR_DRAW = 16, /* a draw depends on it, or is it */
    INPUT = 32,    /* an input, or a state that is known without the scan */
    NEXT = 64      /* a next state: known for all steps from the scan */
};

typedef struct splitting {
    const gb_step *step;
    uint32_t low, end;
    unsigned char *flags; /* [end − low + 1] */
    gb_node *known;       /* [states]: all places of those that are known without the scan */
    size_t *place;        /* [states]: of the others, in the scan; else KNOWN */
    size_t states;        /* of the scan */
    gb_copies before;     /* copies for all steps */
    gb_copies core;
    size_t others;
    gb_node *other, *arg; /* of the core: as in the step, as argument of the scan */
} splitting;

static const size_t KNOWN = SIZE_MAX;

/* Nodes outside of the step have the flags at the end, which stay 0. */
static unsigned char *flags_of(const splitting *s, gb_node node)
{
    const bool is_inside = node.id >= s->low && node.id < s->end;
    unsigned char *const flags = &s->flags[(is_inside ? node.id : s->end) - s->low];
    *flags = is_inside ? *flags : 0;
    return flags;
}

static gb_node node_at(const splitting *s, uint32_t id)
{
    return gb_tape_node(s->step->tape, id);
}

/* ---- what depends on what ---- */

static void mark_states(const splitting *s)
{
    const gb_step *const step = s->step;
    memset(s->flags, 0, (size_t)s->end - s->low);
    for (size_t i = 0; i < step->states; i++)
        *flags_of(s, step->state[i]) |= s->place[i] == KNOWN ? INPUT : STATE;
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

/* Finds the states whose next values depend on no state, then those whose next values depend on no other …;
 * and the places of the others. */
static void find_known(splitting *s)
{
    const gb_step *const step = s->step;
    size_t left = step->states + 1;
    s->states = step->states;
    while (mark_states(s), !step->whole && s->states < left) {
        left = s->states;
        for (size_t i = 0; i < step->states; i++)
            if (s->place[i] != KNOWN && !(*flags_of(s, step->next[i]) & STATE)) {
                s->place[i] = KNOWN;
                s->states--;
            }
    }
    for (size_t i = 0, place = 0; i < step->states; i++)
        if (s->place[i] != KNOWN)
            s->place[i] = place++;
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
    for (size_t i = 0; i < step->states; i++)
        if (step->same[i].tape)
            *flags_of(s, step->same[i]) |= NEXT;
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

static gb_states states_of(const splitting *s, gb_node scan)
{
    const gb_step *const step = s->step;
    return (gb_states){.value = scan,
                       .how = gb_node_ok(scan) ? gb_node_attributes(scan) : NULL,
                       .time = step->time,
                       .steps = step->steps,
                       .back = step->back,
                       .known = s->known,
                       .place = s->place};
}

static bool is_copied(const splitting *s, gb_node node)
{
    return !(*flags_of(s, node) & INSIDE) || gb_copy_of(&s->before, node).id != node.id;
}

static bool can_be_copied(const splitting *s, gb_node node)
{
    bool ready = !is_copied(s, node);
    for (size_t i = 0; i < gb_node_arguments(node) && ready; i++)
        ready = is_copied(s, gb_node_argument(node, i));
    return ready;
}

static bool copy_ready(splitting *s)
{
    for (uint32_t id = s->low; id < s->end; id++) {
        const unsigned flags = s->flags[id - s->low];
        if (is_before(s, flags) && (flags & (FOR_NEXT | FOR_OUTPUT)) && !(flags & INPUT) &&
            can_be_copied(s, node_at(s, id)) && !gb_copy(&s->before, node_at(s, id)))
            return false;
    }
    return true;
}

/* A known state is the first state, then the next values. */
static void shift_ready(splitting *s)
{
    const gb_step *const step = s->step;
    const gb_states states = states_of(s, (gb_node){0});
    for (size_t i = 0; i < step->states; i++) {
        if (s->place[i] != KNOWN || s->known[i].tape || !is_copied(s, step->next[i]))
            continue;
        const gb_node next = gb_copy_of(&s->before, step->next[i]),
                      start = gb_reshape(step->start[i],
                                         gb_shape_join(gb_shape(1), gb_node_shape(step->start[i]))),
                      later = gb_reveal(gb_widen(next, step->time), step->time);
        s->known[i] =
            gb_concat(2, (const gb_node[]){step->back ? later : start, step->back ? start : later}, 0);
        if (gb_node_ok(s->known[i]))
            gb_copies_put(&s->before, step->state[i], gb_states_before(&states, i));
    }
}

/* Each known state may depend on another one. */
static bool copy_before(splitting *s)
{
    const gb_step *const step = s->step;
    s->before.drawn_over = step->time;
    s->before.draw = draw_again;
    for (size_t i = 0; i < step->inputs; i++)
        gb_copies_put(&s->before, step->input[i], step->stream[i]);
    for (size_t left = step->states - s->states + 1; left > 0; left--) {
        if (!copy_ready(s))
            return false;
        shift_ready(s);
    }
    return gb_error(step->tape) == GB_OK;
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
        gb_fail(
            s->step->tape, GB_EARGUMENT,
            "scan: %s (node %u) is a draw whose parameters depend on the state, and it is no transform of "
            "noise without parameters; ops/recursion.h says which draws are",
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
    s->arg[s->states + s->others] = gb_copy_of(&s->before, node);
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
    for (size_t i = 0; i < step->states; i++)
        if (s->place[i] != KNOWN)
            s->arg[s->place[i]] = step->start[i];
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
        if (s->place[i] != KNOWN)
            add_other(s, step->next[i]);
    return true;
}

/* Records the core on given nodes of its own. */
static bool record_core(splitting *s, gb_core *core)
{
    const gb_step *const step = s->step;
    gb_copies *const c = &s->core;
    gb_node *const next = gb_tape_keep(step->tape, (s->states + 1) * sizeof *next);
    if (!next || !gb_core_begin(step->tape, core, step->time, s->arg))
        return false;
    for (size_t i = 0; i < step->states; i++)
        if (s->place[i] != KNOWN)
            gb_copies_put(c, step->state[i], core->body.given[s->place[i]]);
    for (size_t i = 0; i < s->others; i++)
        if (s->other[i].id >= s->low && s->other[i].id < s->end)
            gb_copies_put(c, s->other[i], core->body.given[s->states + i]);
    c->others = s->others;
    c->other = s->other;
    c->other_copy = core->body.given + s->states;
    bool done = true;
    for (uint32_t id = s->low; id < s->end && done; id++)
        if (is_core(s, s->flags[id - s->low]) && gb_node_op(node_at(s, id))->form != GB_FORM_LEAF)
            done = gb_copy(c, node_at(s, id));
    for (size_t i = 0; i < step->states; i++)
        if (s->place[i] != KNOWN)
            next[s->place[i]] = gb_copy_of(c, step->next[i]);
    return gb_core_end(step->tape, core, next) && done;
}

static gb_core *make_core(splitting *s)
{
    const gb_step *const step = s->step;
    if (!find_others(s))
        return NULL;
    gb_core *const core = gb_core_new(step->tape, s->states, s->others);
    if (!core)
        return NULL;
    for (size_t i = 0; i < step->states; i++)
        if (s->place[i] != KNOWN) {
            core->all[s->place[i]] = !step->all || step->all[i];
            core->read[s->place[i]] = *flags_of(s, step->state[i]) & FOR_NEXT;
        }
    core->axes = gb_axes_of_states(step->tape, step->time, s->states + s->others, s->arg);
    return record_core(s, core) ? core : NULL;
}

static gb_node record_scan(splitting *s)
{
    const gb_step *const step = s->step;
    gb_core *const core = make_core(s);
    if (!core)
        return (gb_node){0};
    const gb_scan_attributes how = {.core = core,
                                    .time = step->time,
                                    .steps = step->steps,
                                    .whole = step->whole,
                                    .back = step->back,
                                    .op = step->op};
    return gb_apply(step->tape, step->op[step->back], s->states + s->others, s->arg, &how, sizeof how);
}

/* ---- after ---- */

static bool copy_after(splitting *s, const gb_states *states)
{
    const gb_step *const step = s->step;
    for (size_t i = 0; i < step->states; i++) {
        if (s->place[i] != KNOWN && (*flags_of(s, step->state[i]) & FOR_OUTPUT))
            gb_copies_put(&s->before, step->state[i], gb_states_before(states, i));
        const gb_node is_next[] = {step->next[i], step->same[i]};
        for (size_t k = 0; k < 2 && is_next[k].tape; k++) {
            const unsigned flags = *flags_of(s, is_next[k]);
            if ((flags & NEXT) && (flags & FOR_OUTPUT))
                gb_copies_put(&s->before, is_next[k], gb_states_after(states, i));
        }
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

static bool split(splitting *s, gb_states *states)
{
    gb_node scan = {0};
    find_known(s);
    mark_uses(s);
    if (!copy_before(s))
        return false;
    if (s->states > 0 && !gb_node_ok(scan = record_scan(s)))
        return false;
    *states = states_of(s, scan);
    return copy_after(s, states);
}

static bool allocate(splitting *s)
{
    gb_tape *const tape = s->step->tape;
    const gb_memory memory = gb_tape_memory(tape);
    s->known = gb_tape_keep(tape, (s->step->states + 1) * sizeof *s->known);
    s->place = gb_tape_keep(tape, (s->step->states + 1) * sizeof *s->place);
    s->flags = gb_memory_resize(&memory, NULL, (size_t)s->end - s->low + 1);
    if (!s->flags)
        gb_fail(tape, GB_ENOMEM, "scan: out of memory");
    return s->known && s->place && s->flags;
}

bool gb_step_split(const gb_step *step, gb_states *states)
{
    const gb_memory memory = gb_tape_memory(step->tape);
    splitting s = {.step = step, .low = step->low, .end = (uint32_t)gb_tape_length(step->tape)};
    bool done = false;
    if (allocate(&s) && gb_copies_begin(&s.before, step->tape, "scan", s.low, s.end)) {
        if (gb_copies_begin(&s.core, step->tape, "scan", s.low, s.end)) {
            done = split(&s, states);
            gb_copies_end(&s.core);
        }
        gb_copies_end(&s.before);
    }
    gb_memory_release(&memory, s.flags);
    gb_memory_release(&memory, s.other);
    gb_memory_release(&memory, s.arg);
    return done;
}
