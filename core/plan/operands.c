/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operands of a unit's members: another member's temporary, contiguous memory, or strided memory, which
 * is loaded first. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/emitter_impl.h"
#include "core/tape/leaf_impl.h"

/* ---- strides ---- */

/* Lists all axes of a layout, hidden ones first. */
static void list_axes(const gb_layout *layout, gb_strided *out)
{
    out->rank = 0;
    for (int i = 0; i < gb_axes_count(layout->axes); i++, out->rank++) {
        out->axis[out->rank].size = (size_t)layout->hidden_size[i];
        out->axis[out->rank].stride = layout->hidden_stride[i];
    }
    for (int i = 0; i < layout->shape.rank; i++, out->rank++) {
        out->axis[out->rank].size = (size_t)layout->shape.size[i];
        out->axis[out->rank].stride = layout->stride[i];
    }
}

/* Removes axes of size 1 and joins those that are contiguous in memory. */
static void collapse(gb_strided *view)
{
    int64_t rank = 0;
    view->count = 1;
    for (int64_t i = 0; i < view->rank; i++) {
        const size_t size = view->axis[i].size;
        const int64_t stride = view->axis[i].stride;
        view->count *= size;
        if (size == 1)
            continue;
        const bool joins = rank > 0 && view->axis[rank - 1].stride == (int64_t)size * stride;
        rank += !joins;
        view->axis[rank - 1].size = size * (joins ? view->axis[rank - 1].size : 1);
        view->axis[rank - 1].stride = stride;
    }
    if (rank == 0) {
        view->axis[0].size = 1;
        view->axis[0].stride = 0;
        rank = 1;
    }
    view->rank = rank;
}

/* ---- operands ---- */

static size_t strided_bytes(const gb_strided *view)
{
    return offsetof(gb_strided, axis) + (size_t)view->rank * sizeof view->axis[0];
}

static bool same_view(const gb_strided *a, const gb_strided *b)
{
    return a->rank == b->rank && a->count == b->count &&
           memcmp(a->axis, b->axis, (size_t)a->rank * sizeof a->axis[0]) == 0;
}

/* Lists the places of `many` runs. */
static bool list_places(gb_plan *plan, gb_strided *view)
{
    const size_t count = view->run * view->many;
    int32_t *const place = gb_arena_take(&plan->arena, count * sizeof *place);
    if (!place)
        return gb_plan_out_of_memory(plan);
    for (size_t i = 0; i < count; i++) {
        int64_t at = 0;
        size_t rest = i;
        for (int64_t axis = view->rank - 1; axis >= view->outer; rest /= view->axis[axis].size, axis--)
            at += (int64_t)(rest % view->axis[axis].size) * view->axis[axis].stride;
        place[i] = (int32_t)(at + (rest > 0 ? (int64_t)rest * view->axis[view->outer - 1].stride : 0));
    }
    view->place = place;
    return true;
}

/* Whether no place of a list overflows. */
static bool is_near(const gb_strided *view)
{
    bool near = true;
    for (int64_t i = view->outer > 0 ? view->outer - 1 : 0; i < view->rank; i++)
        near &=
            llabs(view->axis[i].stride) < INT32_MAX / (GB_LISTED_ELEMENTS * (GB_MAX_HIDDEN + GB_MAX_RANK));
    return near;
}

/* Finds the axes of a run: as many as have few elements, at least the last. */
static bool find_run(gb_plan *plan, gb_strided *view)
{
    const int64_t last = view->rank - 1;
    view->run = view->axis[last].size;
    view->outer = last;
    view->many = 1;
    while (view->outer > 0 && view->run * view->axis[view->outer - 1].size <= GB_FEW_ELEMENTS)
        view->run *= view->axis[--view->outer].size;
    if (view->outer > 0 && view->run > 0 && view->run <= GB_SHORT_RUN) {
        const size_t next = view->axis[view->outer - 1].size, most = GB_LISTED_ELEMENTS / view->run;
        view->many = next < most ? next : most;
    }
    if (view->outer == last && view->many == 1)
        return true;
    if (is_near(view))
        return list_places(plan, view);
    view->run = view->axis[last].size;
    view->outer = last;
    view->many = 1;
    return true;
}

/* Finds an equal load among the latest ones, or adds a new one. */
static bool find_load(gb_emitter *e, gb_load wanted, const gb_strided *view, gb_operand *out)
{
    enum { LOOK_BACK = 16 };
    size_t i = e->loads.count;
    const size_t oldest = i > LOOK_BACK ? i - LOOK_BACK : 0;
    out->kind = GB_OPERAND_LOAD;
    while (i > oldest) {
        gb_load *at = &e->loads.at[--i];
        if (at->value == wanted.value && at->offset == wanted.offset && same_view(at->view, view)) {
            at->last_use = wanted.last_use;
            out->value = (uint32_t)i;
            return true;
        }
    }
    gb_strided *copy = gb_arena_take(&e->plan->arena, strided_bytes(view));
    if (!copy || !GB_LIST_GROW(e->memory, &e->loads, 1))
        return gb_plan_out_of_memory(e->plan);
    memcpy(copy, view, strided_bytes(view));
    if (!find_run(e->plan, copy))
        return false;
    wanted.view = copy;
    out->value = (uint32_t)e->loads.count;
    e->loads.at[e->loads.count++] = wanted;
    return true;
}

static bool find_operand(gb_emitter *e, uint32_t member, const gb_planned *user, uint32_t value,
                         gb_operand *out)
{
    const gb_plan *plan = e->plan;
    const gb_planned *arg = &plan->values.at[value];
    *out = (gb_operand){.kind = GB_OPERAND_MEMBER, .value = value};
    if (plan->fused && gb_is_member(arg) && arg->unit == user->unit) {
        e->last_use[value] = member;
        return true;
    }
    const uint32_t from = arg->layout ? arg->base : value;
    gb_layout dense, repeated;
    gb_strided view;
    memset(&view, 0, sizeof view); /* views are compared as bytes */
    const gb_layout *layout = gb_plan_layout(plan, arg, &dense);
    if (arg->count != user->domain) {
        gb_plan_broadcast(plan, layout, user->axes, user->shape, &repeated);
        layout = &repeated;
    }
    list_axes(layout, &view);
    collapse(&view);
    /* Only elementwise kernels can read one line again and again. */
    const bool repeats =
        view.rank == 1 && view.axis[0].stride == 0 && (gb_is_member(user) || user->domain == 1);
    const bool guarded = plan->values.at[from].op == &gb_input_op; /* borrowed data may lack padding */
    const bool one = plan->values.at[from].count == 1;
    *out = (gb_operand){.kind = GB_OPERAND_DIRECT,
                        .value = from,
                        .offset = (size_t)layout->offset * e->width,
                        .repeats = repeats && user->domain != 1};
    if (!guarded && (repeats ? one : view.rank == 1 && view.axis[0].stride == 1))
        return true;
    if (repeats) {
        view.count = 1;
        view.axis[0].size = 1;
    }
    return find_load(e, (gb_load){.value = from, .offset = out->offset, .last_use = member}, &view, out);
}

bool gb_emit_find_operands(gb_emitter *e)
{
    const gb_plan *plan = e->plan;
    uint32_t member = 0;
    e->operands.count = e->loads.count = 0;
    for (uint32_t i = e->unit->first; i != GB_NONE; i = plan->values.at[i].next_member, member++) {
        const gb_planned *value = &plan->values.at[i];
        e->last_use[i] = member;
        if (!GB_LIST_GROW(e->memory, &e->operands, GB_MAX_BLOCK_ARGS))
            return gb_plan_out_of_memory(e->plan);
        for (uint32_t a = 0; a < value->args; a++)
            if (!find_operand(e, member, value, value->arg[a], &e->operands.at[e->operands.count + a]))
                return false;
        e->operands.count += GB_MAX_BLOCK_ARGS;
    }
    return true;
}
