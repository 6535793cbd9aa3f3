/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operation scan: the states of a recursion, step by step. */
#include <string.h>

#include "ops/recursion/recursion_impl.h"

/* ---- recording ---- */

gb_axes gb_axes_of_states(gb_tape *tape, gb_axes time, size_t count, const gb_node *arg)
{
    gb_axes axes = 0;
    for (size_t i = 0; i < count; i++)
        axes |= gb_node_axes(arg[i]);
    return axes & ~gb_tape_steps_within(tape, time);
}

gb_core *gb_core_for(const gb_scan_attributes *how, size_t count, const gb_node *arg)
{
    const gb_axes axes = gb_axes_of_states(arg[0].tape, how->time, count, arg);
    for (gb_core *core = how->core; core; core = core->variants) {
        bool fits = core->axes == axes;
        for (size_t i = core->states; i < count && fits; i++)
            fits = gb_node_axes(core->body.given[i]) == (gb_node_axes(arg[i]) & ~how->time) &&
                   core->body.moves[i] == ((gb_node_axes(arg[i]) & how->time) != 0);
        if (fits)
            return core;
    }
    return NULL;
}

/* The core was recorded for arguments with fewer hidden axes, or with more. */
static gb_core *make_variant(const gb_infer *infer, gb_core *old)
{
    const gb_scan_attributes *const how = infer->attributes;
    gb_tape *const tape = infer->tape;
    gb_core *const core = gb_core_new(tape, old->states, infer->count - old->states);
    gb_node *const next = gb_tape_keep(tape, (old->states + 1) * sizeof *next);
    if (!core || !next)
        return NULL;
    core->all = old->all;
    core->read = old->read;
    core->axes = gb_axes_of_states(tape, how->time, infer->count, infer->arg);
    if (!gb_core_begin(tape, core, how->time, infer->arg))
        return NULL;
    gb_core_copy(tape, old, core->body.given, next);
    if (!gb_core_end(tape, core, next))
        return NULL;
    core->variants = old->variants;
    old->variants = core;
    return core;
}

static bool shapes_fit(const gb_infer *infer, const gb_core *core)
{
    char is[GB_SHAPE_TEXT], was[GB_SHAPE_TEXT];
    if (infer->count != core->body.given_count)
        return gb_infer_fail(infer, GB_EARGUMENT, "%zu arguments, and its step takes %zu", infer->count,
                             core->body.given_count);
    for (size_t i = 0; i < infer->count; i++) {
        const gb_node given = core->body.given[i];
        if (gb_node_type(given) != infer->arg_type[i])
            return gb_infer_fail(infer, GB_ETYPE, "argument %zu has another type of values than in its step",
                                 i + 1);
        if (!gb_shape_same(gb_node_shape(given), infer->arg_shape[i]))
            return gb_infer_fail(infer, GB_ESHAPE, "argument %zu has shape %s, and %s in its step", i + 1,
                                 gb_shape_text(infer->arg_shape[i], is),
                                 gb_shape_text(gb_node_shape(given), was));
    }
    return true;
}

bool gb_scan_infer(gb_infer *infer)
{
    const gb_scan_attributes *const how = infer->attributes;
    gb_core *core = how->core;
    if (!shapes_fit(infer, core))
        return false;
    int64_t length = 0;
    for (size_t i = 0; i < core->states; i++)
        length += (core->all[i] ? how->steps + 1 : 1) * (int64_t)gb_shape_count(infer->arg_shape[i]);
    infer->shape = core->states == 1 && core->all[0]
                       ? gb_shape_join(gb_shape(how->steps + 1), infer->arg_shape[0])
                       : gb_shape(length);
    if (!gb_core_for(how, infer->count, infer->arg) && !make_variant(infer, core))
        return false;
    infer->axes = gb_axes_of_states(infer->tape, how->time, infer->count, infer->arg);
    return true;
}

const gb_body *gb_scan_body(const void *attributes, size_t count, const gb_node *arg)
{
    return &gb_core_for(attributes, count, arg)->body;
}

/* ---- running ---- */

/* A state: `places` of them in the value, each with `count` elements for each place of the hidden axes. */
typedef struct state_place {
    size_t count, from; /* elements; the first of all places */
    bool all;
} state_place;

/* Another argument: [outer, steps, inner] elements, or [outer · inner] without the axis of steps. */
typedef struct other_place {
    size_t outer, inner;
    bool moves;
} other_place;

typedef struct places {
    size_t states, others, width;
    size_t hidden; /* places of the hidden axes */
    size_t length; /* elements of the value for each of them */
    state_place *state;
    other_place *other;
} places;

size_t gb_scan_workspace(const gb_kernel_call *call)
{
    return sizeof(places) + call->count * (sizeof(state_place) + sizeof(other_place));
}

static other_place place_other(const gb_layout *arg, gb_axes time)
{
    other_place p = {.outer = 1, .inner = gb_shape_count(arg->shape), .moves = (arg->axes & time) != 0};
    const int at = gb_axis_place(arg->axes, time);
    for (int i = 0; i < gb_axes_count(arg->axes); i++)
        if (!p.moves || i != at)
            *(i < at ? &p.outer : &p.inner) *= (size_t)arg->hidden_size[i];
    return p;
}

bool gb_scan_prepare(gb_tape *tape, const gb_kernel_call *call)
{
    const gb_scan_attributes *const how = call->attributes;
    places *const p = call->workspace;
    (void)tape;
    *p = (places){.states = how->core->states,
                  .width = call->real == GB_FLOAT ? sizeof(float) : sizeof(double),
                  .hidden = 1,
                  .length = gb_shape_count(call->out_layout.shape)};
    p->others = call->count - p->states;
    p->state = (state_place *)(void *)(p + 1);
    p->other = (other_place *)(void *)(p->state + p->states);
    for (int i = 0; i < gb_axes_count(call->out_layout.axes); i++)
        p->hidden *= (size_t)call->out_layout.hidden_size[i];
    size_t from = 0;
    for (size_t i = 0; i < p->states; i++) {
        p->state[i] = (state_place){
            .count = gb_shape_count(call->arg[i].shape), .from = from, .all = how->core->all[i]};
        from += p->state[i].count * (p->state[i].all ? (size_t)how->steps + 1 : 1);
    }
    for (size_t i = 0; i < p->others; i++)
        p->other[i] = place_other(&call->arg[p->states + i], how->time);
    return true;
}

/* A single number fills a line. */
static inline void fill_line(void *to, const void *from, size_t width)
{
    double wide;
    float narrow;
    if (width == sizeof wide) {
        memcpy(&wide, from, sizeof wide);
        for (size_t i = 0; i < 8; i++)
            ((double *)to)[i] = wide;
    } else {
        memcpy(&narrow, from, sizeof narrow);
        for (size_t i = 0; i < 16; i++)
            ((float *)to)[i] = narrow;
    }
}

/* Copies `count` groups of `each` elements; their distances are in elements. */
static inline void copy_groups(char *to, size_t to_step, const char *from, size_t from_step, size_t count,
                               size_t each, size_t width)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * to_step * width, from + i * from_step * width, each * width);
}

/* An argument that is the same in all steps. */
static void load_fixed(const gb_kernel_call *call, const places *p, size_t which)
{
    const other_place o = p->other[which];
    void *const to = gb_kernel_call_given(call)[0][p->states + which];
    if (o.outer * o.inner == 1)
        fill_line(to, call->in[p->states + which], p->width);
    else
        memcpy(to, call->in[p->states + which], o.outer * o.inner * p->width);
}

/* Some steps that are made at once. */
typedef struct stretch {
    size_t steps, first;       /* the first that is made */
    ptrdiff_t by;              /* 1 or −1 */
    size_t all;                /* the steps of the scan */
    void *const *const *given; /* addresses by step */
    const void *const *const *result;
} stretch;

/* The elements of successive steps are neighbours, if a step has one for each place of the axes before. */
#define LOAD_NUMBERS(name, real)                                                                             \
    static void name(const stretch *s, const real *from, size_t count, size_t which)                         \
    {                                                                                                        \
        real *to[GB_BODY_MOST];                                                                              \
        for (size_t i = 0; i < s->steps; i++)                                                                \
            to[i] = s->given[i][which];                                                                      \
        for (size_t o = 0; o < count; o++, from += s->all)                                                   \
            for (size_t i = 0; i < s->steps; i++)                                                            \
                to[i][o] = from[(ptrdiff_t)i * s->by];                                                       \
    }
LOAD_NUMBERS(load_doubles, double)
LOAD_NUMBERS(load_floats, float)

static void load_moving(const gb_kernel_call *call, const places *p, const stretch *s, size_t which)
{
    const other_place o = p->other[which];
    const char *from = (const char *)call->in[p->states + which] + s->first * o.inner * p->width;
    if (o.outer * o.inner == 1)
        for (size_t i = 0; i < s->steps; i++, from += s->by * (ptrdiff_t)p->width)
            fill_line(s->given[i][p->states + which], from, p->width);
    else if (o.inner == 1 && p->width == sizeof(double))
        load_doubles(s, (const double *)(const void *)from, o.outer, p->states + which);
    else if (o.inner == 1)
        load_floats(s, (const float *)(const void *)from, o.outer, p->states + which);
    else
        for (size_t i = 0; i < s->steps; i++, from += s->by * (ptrdiff_t)(o.inner * p->width))
            copy_groups(s->given[i][p->states + which], o.inner, from, s->all * o.inner, o.outer, o.inner,
                        p->width);
}

/* Copies a state to its place in the value. */
static inline void store_state(const gb_kernel_call *call, const places *p, size_t which, size_t place,
                               const void *state)
{
    const state_place s = p->state[which];
    char *const to = (char *)call->out + (s.from + place * s.count) * p->width;
    if (s.count * p->hidden == 1 && p->width == sizeof(double))
        memcpy(to, state, sizeof(double));
    else
        copy_groups(to, p->length, state, s.count, p->hidden, s.count, p->width);
}

#define STORE_NUMBERS(name, real)                                                                            \
    static void name(const places *p, const stretch *s, real *to, size_t which)                              \
    {                                                                                                        \
        const real *from[GB_BODY_MOST];                                                                      \
        for (size_t i = 0; i < s->steps; i++)                                                                \
            from[i] = s->result[i][which];                                                                   \
        for (size_t h = 0; h < p->hidden; h++, to += p->length)                                              \
            for (size_t i = 0; i < s->steps; i++)                                                            \
                to[(ptrdiff_t)i * s->by] = from[i][h];                                                       \
    }
STORE_NUMBERS(store_doubles, double)
STORE_NUMBERS(store_floats, float)

static void store_states(const gb_kernel_call *call, const places *p, const stretch *s, size_t which)
{
    const state_place of = p->state[which];
    const size_t after = s->by > 0 ? s->first + 1 : s->first; /* the place of the first new state */
    char *const to = (char *)call->out + (of.from + after * of.count) * p->width;
    const size_t left = s->by > 0 ? s->all - s->first : s->first + 1;
    if (!of.all) {
        if (left == s->steps)
            store_state(call, p, which, 0, s->result[s->steps - 1][which]);
    } else if (of.count == 1 && p->width == sizeof(double))
        store_doubles(p, s, (double *)(void *)to, which);
    else if (of.count == 1)
        store_floats(p, s, (float *)(void *)to, which);
    else
        for (size_t i = 0; i < s->steps; i++)
            store_state(call, p, which, after + (size_t)((ptrdiff_t)i * s->by), s->result[i][which]);
}

/* The first states may lack hidden axes. */
static void load_start(const gb_kernel_call *call, const places *p, size_t which)
{
    const gb_layout *const arg = &call->arg[which];
    const size_t bytes = p->state[which].count * p->width;
    int64_t at[GB_MAX_HIDDEN] = {0};
    char *const to = gb_kernel_call_given(call)[0][which];
    for (size_t h = 0; h < p->hidden; h++) {
        const int64_t from = gb_event_offset(arg, call->out_layout.axes, at);
        memcpy(to + h * bytes, (const char *)call->in[which] + (size_t)from * p->width, bytes);
        gb_next_event(&call->out_layout, at);
    }
    if (bytes * p->hidden == p->width)
        fill_line(to, to, p->width);
}

void gb_scan_run(const gb_kernel_call *call)
{
    const gb_scan_attributes *const how = call->attributes;
    const bool back = how->back;
    const places *const p = call->workspace;
    const size_t all = (size_t)how->steps, most = gb_kernel_call_steps(call);
    if (how->core->line && !gb_kernel_call_is_watched(call)) {
        for (size_t i = 0; i < p->states; i++)
            gb_scan_run_line(call, i, p->state[i].from);
        return;
    }
    for (size_t i = 0; i < p->states; i++) {
        load_start(call, p, i);
        store_state(call, p, i, back && p->state[i].all ? all : 0, gb_kernel_call_given(call)[0][i]);
    }
    for (size_t i = 0; i < p->others; i++)
        if (!p->other[i].moves)
            load_fixed(call, p, i);
    for (size_t done = 0; done < all;) {
        const stretch s = {.steps = all - done < most ? all - done : most,
                           .first = back ? all - 1 - done : done,
                           .by = back ? -1 : 1,
                           .all = all,
                           .given = gb_kernel_call_given(call),
                           .result = gb_kernel_call_result(call)};
        for (size_t i = 0; i < p->others; i++)
            if (p->other[i].moves)
                load_moving(call, p, &s, i);
        if (!gb_kernel_call_run(call, s.steps, (int64_t)s.first, s.by))
            return;
        for (size_t i = 0; i < p->states; i++)
            store_states(call, p, &s, i);
        done += s.steps;
    }
}
