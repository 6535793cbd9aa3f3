/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns nodes into values of the plan. Equal values are computed once, an alias becomes its first argument,
 * and a view becomes strides into its argument. */
#include "core/plan/node_impl.h"

#include <string.h>

#include "core/tape/leaf_impl.h"

/* ---- sharing ---- */

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    for (; count >= 8; count -= 8, b += 8) {
        uint64_t word;
        memcpy(&word, b, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    for (size_t i = 0; i < count; i++)
        h = (h ^ b[i]) * 0x100000001b3u;
    return h ^ (h >> 32);
}

static uint64_t hash_value(const gb_planned *v, size_t attribute_bytes)
{
    uint64_t h = hash_bytes(0x51ed270b, &v->op, sizeof v->op);
    h = hash_bytes(h, v->arg, v->args * sizeof *v->arg);
    h = hash_bytes(h, v->attributes, attribute_bytes);
    return hash_bytes(h, v->shape.size, (size_t)v->shape.rank * sizeof *v->shape.size);
}

static size_t attribute_bytes_of(const gb_collector *c, const gb_planned *v)
{
    return v->attributes ? c->tape->nodes.at[v->node].attribute_bytes : 0;
}

static bool same_value(const gb_collector *c, const gb_planned *a, const gb_planned *b)
{
    const size_t bytes = attribute_bytes_of(c, a);
    return a->op == b->op && a->args == b->args && a->axes == b->axes && a->type == b->type &&
           gb_shape_same(a->shape, b->shape) && bytes == attribute_bytes_of(c, b) &&
           memcmp(a->arg, b->arg, a->args * sizeof *a->arg) == 0 &&
           (bytes == 0 || memcmp(a->attributes, b->attributes, bytes) == 0);
}

/* Returns the entry of an equal value in the table, or the empty entry where this one belongs. */
static uint32_t *look_up(gb_collector *c, const gb_planned *v)
{
    size_t i = (size_t)hash_value(v, attribute_bytes_of(c, v)) & c->mask;
    while (c->table[i] && !same_value(c, &c->plan->values.at[c->table[i] - 1], v))
        i = (i + 1) & c->mask;
    return &c->table[i];
}

/* ---- making values ---- */

/* Returns whether a value says how many rows there are, or which they are. */
static bool is_of_rows(const gb_planned *v)
{
    gb_axes axis = 0;
    if (v->op == &gb_axis_size_op || v->op == &gb_axis_index_op)
        memcpy(&axis, v->attributes, sizeof axis);
    return axis == GB_ROWS;
}

static bool add_value(gb_collector *c, gb_planned v, uint32_t *index)
{
    gb_plan *const plan = c->plan;
    v.base = v.assigns = v.unit = v.next_member = GB_NONE;
    if (plan->rows < 0 && ((v.axes & GB_ROWS) || is_of_rows(&v))) {
        gb_fail(c->tape, GB_EFEED, "run: %s has a value for each row, but no input with rows was fed",
                v.op->name);
        return false;
    }
    if (!gb_plan_count(plan, v.axes, v.shape, &v.count)) {
        gb_fail(c->tape, GB_ELIMIT, "run: %s has too many elements for these numbers of samples and rows",
                v.op->name);
        return false;
    }
    v.domain = v.op->form == GB_FORM_REDUCE ? plan->values.at[v.arg[0]].count : v.count;
    v.constant = v.op == &gb_constant_op || v.op == &gb_axis_size_op || v.op == &gb_axis_index_op ||
                 (v.args > 0 && v.op->form != GB_FORM_NOISE);
    for (uint32_t i = 0; i < v.args; i++)
        v.constant &= plan->values.at[v.arg[i]].constant;
    if (gb_plan_team(plan)) /* messages are not left out, and the rows of others may change */
        v.constant &= !gb_is_exchange(&v) && !is_of_rows(&v);
    if (!GB_LIST_GROW(c->memory, &plan->values, 1))
        return gb_plan_out_of_memory(plan);
    *index = (uint32_t)plan->values.count;
    plan->values.at[plan->values.count++] = v;
    return true;
}

bool gb_collect_own(gb_collector *c, const gb_op *op, uint32_t arg, uint32_t *index)
{
    uint32_t *args = gb_arena_take(&c->plan->arena, sizeof *args);
    if (!args)
        return gb_plan_out_of_memory(c->plan);
    args[0] = arg;
    const gb_planned *from = &c->plan->values.at[arg];
    const bool check = gb_is_check(&(gb_planned){.op = op});
    return add_value(c,
                     (gb_planned){.op = op,
                                  .arg = args,
                                  .args = 1,
                                  .node = from->node,
                                  .shape = check ? gb_shape_of(0, NULL) : from->shape,
                                  .axes = check ? 0 : from->axes,
                                  .type = from->type},
                     index);
}

/* Checks the sizes of hidden axes that a view made: those of samples and rows were not known at recording.
 * Returns 0, or the axis that does not fit, and its size in the view. */
static gb_axes misfit(const gb_plan *plan, const gb_layout *layout, int64_t *size)
{
    int place = 0;
    for (gb_axes rest = layout->axes; rest; rest &= rest - 1) {
        *size = layout->hidden_size[place++];
        if (*size != gb_plan_axis_size(plan, gb_lowest_axis(rest)))
            return rest & -rest;
    }
    return 0;
}

static bool fail_view(const gb_collector *c, const gb_planned *v, gb_axes axis, int64_t size)
{
    const char *const name = gb_node_name(gb_node_at(c->tape, v->node)), *const gap = *name ? " " : "";
    const long long samples = (long long)gb_plan_axis_size(c->plan, gb_lowest_axis(GB_SAMPLES)),
                    rows = (long long)gb_plan_axis_size(c->plan, gb_lowest_axis(GB_ROWS));
    if (axis == GB_SAMPLES)
        gb_fail(c->tape, GB_ESHAPE,
                "run: %s%s%s (node %u) has %lld samples, and this run %lld; .samples of an ELBO or "
                "gb_program_set_samples sets another number",
                v->op->name, gap, name, v->node, (long long)size, samples);
    else
        gb_fail(c->tape, GB_ESHAPE,
                "run: %s%s%s (node %u) does not fit these numbers of samples (%lld) and rows (%lld)",
                v->op->name, gap, name, v->node, samples, rows);
    return false;
}

/* An alias with more hidden axes than its argument repeats it along them. */
static bool make_view(gb_collector *c, gb_planned *v)
{
    gb_plan *const plan = c->plan;
    gb_layout dense;
    gb_axes wrong = 0;
    int64_t size = 0;
    gb_layout *layout = gb_arena_take(&plan->arena, sizeof *layout);
    if (!layout)
        return gb_plan_out_of_memory(plan);
    const gb_layout *arg = gb_plan_layout(plan, &plan->values.at[v->arg[0]], &dense);
    *layout = *arg;
    if (v->op->form == GB_FORM_ALIAS)
        gb_plan_broadcast(plan, arg, v->axes, arg->shape, layout);
    else if (!v->op->view(v->attributes, arg, layout))
        return fail_view(c, v, 0, 0);
    else
        wrong = misfit(plan, layout, &size);
    if (wrong)
        return fail_view(c, v, wrong, size);
    v->layout = layout;
    return true;
}

static void finish_view(gb_plan *plan, uint32_t index)
{
    gb_planned *v = &plan->values.at[index];
    const gb_planned *from = &plan->values.at[v->arg[0]];
    v->base = from->base == GB_NONE ? v->arg[0] : from->base;
}

/* A sum of many terms is a chain of additions, from the left. */
static bool make_total(gb_collector *c, gb_planned *v, uint32_t *args)
{
    gb_plan *const plan = c->plan;
    uint32_t sum = args[0];
    for (uint32_t i = 1; i < v->args; i++) {
        uint32_t *pair = gb_arena_take(&plan->arena, 2 * sizeof *pair);
        if (!pair)
            return gb_plan_out_of_memory(plan);
        pair[0] = sum;
        pair[1] = args[i];
        if (i == v->args - 1) {
            v->arg = pair;
            v->args = 2;
            return true;
        }
        const gb_planned *a = &plan->values.at[sum], *b = &plan->values.at[args[i]];
        gb_planned part = {.op = v->op, .arg = pair, .args = 2, .node = v->node, .axes = a->axes | b->axes};
        gb_shape_broadcast(a->shape, b->shape, &part.shape);
        if (!add_value(c, part, &sum))
            return false;
    }
    return true;
}

/* Whole-array kernels read dense arrays: a view is copied for them. */
static bool make_dense(gb_collector *c, const gb_planned *v, uint32_t *args)
{
    for (uint32_t i = 0; i < v->args; i++)
        if (c->plan->values.at[args[i]].layout && !gb_collect_own(c, &gb_copy_op, args[i], &args[i]))
            return false;
    return true;
}

/* Members of a team have other numbers of rows. Where they exchange sums must not depend on it. */
static bool has_rows_apart(const gb_plan *plan, gb_axes axes)
{
    return (axes & GB_ROWS) && gb_plan_team(plan);
}

/* Returns the value of one element that all elements of a value equal, or GB_NONE. */
static uint32_t uniform_part(const gb_plan *plan, uint32_t index)
{
    const gb_planned *const value = &plan->values.at[index], *const of = value->layout
                                                                             ? &plan->values.at[value->base]
                                                                             : value;
    if (value->count == 1 && !has_rows_apart(plan, value->axes))
        return index;
    return value->layout && of->count == 1 && !has_rows_apart(plan, of->axes) ? value->base : GB_NONE;
}

static bool share_or_add(gb_collector *c, gb_planned v, uint32_t *index)
{
    uint32_t *const entry = look_up(c, &v);
    if (*entry && c->plan->fused) {
        *index = *entry - 1;
        return true;
    }
    if ((v.op->form == GB_FORM_VIEW || v.op->form == GB_FORM_ALIAS) && !make_view(c, &v))
        return false;
    if (!add_value(c, v, index))
        return false;
    if (v.layout)
        finish_view(c->plan, *index);
    *entry = *index + 1;
    return true;
}

/* Computes a value once and repeats it by a view, if it is the same for all elements. `done`: whether it
 * is. */
static bool compute_once(gb_collector *c, const gb_planned *v, uint32_t *index, bool *done)
{
    gb_plan *const plan = c->plan;
    gb_planned single = *v;
    *done = false;
    if (v->op->form != GB_FORM_ELEMENTWISE || v->args == 0)
        return true;
    bool many = false;
    for (uint32_t i = 0; i < v->args; i++) {
        if (uniform_part(plan, v->arg[i]) == GB_NONE)
            return true;
        many |= plan->values.at[v->arg[i]].count != 1;
    }
    if (!many)
        return true;
    uint32_t *args = gb_arena_take(&plan->arena, v->args * sizeof *args);
    uint32_t *arg = gb_arena_take(&plan->arena, sizeof *arg);
    gb_layout *layout = gb_arena_take(&plan->arena, sizeof *layout);
    if (!args || !arg || !layout)
        return gb_plan_out_of_memory(plan);
    for (uint32_t i = 0; i < v->args; i++)
        args[i] = uniform_part(plan, v->arg[i]);
    single.arg = args;
    single.shape = gb_shape_of(0, NULL);
    single.axes = 0;
    if (!share_or_add(c, single, arg))
        return false;
    gb_planned repeated = {.op = &gb_broadcast_op,
                           .arg = arg,
                           .args = 1,
                           .node = v->node,
                           .shape = v->shape,
                           .axes = v->axes,
                           .type = v->type};
    gb_plan_broadcast(plan, &(gb_layout){0}, v->axes, v->shape, layout);
    repeated.layout = layout;
    if (!add_value(c, repeated, index))
        return false;
    finish_view(plan, *index);
    *done = true;
    return true;
}

/* Returns whether all reduced axes have size 1, so that the reduction changes no element. */
static bool reduces_ones(const gb_collector *c, const gb_record *record)
{
    const gb_planned of = {.attributes = record->attributes, .arg = &c->value[record->arg[0]], .args = 1};
    size_t outer, reduced, inner;
    if (has_rows_apart(c->plan, ((const gb_reduce_over *)record->attributes)->hidden))
        return false;
    gb_plan_reduction(c->plan, &of, &outer, &reduced, &inner);
    return reduced == 1;
}

/* An elementwise operation reads through copies that only change shape or axes. A sum of terms reads through
 * fewer: its terms are added in pairs, whose shapes must fit. */
static void read_through_copies(const gb_collector *c, const gb_planned *v, uint32_t *args)
{
    size_t count;
    const bool total = v->op == &gb_total_op;
    if (v->op->form != GB_FORM_ELEMENTWISE || (v->args > GB_MAX_BLOCK_ARGS && !total) || !c->plan->fused ||
        !gb_plan_count(c->plan, v->axes, v->shape, &count))
        return;
    for (uint32_t i = 0; i < v->args; i++) {
        const gb_planned *arg = &c->plan->values.at[args[i]];
        while (arg->op == &gb_copy_op && arg->count == count &&
               !has_rows_apart(c->plan, arg->axes ^ v->axes) &&
               (!total || gb_shape_same(c->plan->values.at[arg->arg[0]].shape, arg->shape))) {
            args[i] = arg->arg[0];
            arg = &c->plan->values.at[args[i]];
        }
    }
}

/* Returns whether the result has no rows, and an argument has; or the reverse, for a view. */
static bool ends_rows(const gb_collector *c, const gb_record *record)
{
    gb_axes axes = 0;
    for (uint32_t i = 0; i < record->args; i++)
        axes |= c->tape->nodes.at[record->arg[i]].axes;
    const gb_axes changed = record->op->form == GB_FORM_VIEW ? axes ^ record->axes : axes & ~record->axes;
    return record->op->form != GB_FORM_ALIAS && (changed & GB_ROWS);
}

/* Members have other rows, so only sums and maxima over them are known to all. */
static bool may_end_rows(const gb_collector *c, uint32_t id)
{
    const gb_record *const record = &c->tape->nodes.at[id];
    return (!record->body && (record->op->form == GB_FORM_REDUCE || record->op->adds_rows)) ||
           gb_fail(c->tape, GB_EARGUMENT,
                   "run: %s (node %u) %s, which the members of a team have apart; they can add up what rows "
                   "have, and find the largest",
                   record->op->name, id,
                   record->body ? "takes rows together in each step"
                                : "takes or gives rows by their places") == GB_OK;
}

/* What is a sum over a member's rows becomes the sum over all rows. Each such node has an exchange of its
 * own: which values are equal depends on the number of rows. */
static bool add_exchange(gb_collector *c, uint32_t id)
{
    const gb_record *const record = &c->tape->nodes.at[id];
    const bool is_largest = record->op->form == GB_FORM_REDUCE && record->op->reduction == GB_REDUCE_MAX;
    uint32_t *const arg = gb_arena_take(&c->plan->arena, sizeof *arg);
    if (!arg)
        return gb_plan_out_of_memory(c->plan);
    *arg = c->value[id];
    const gb_planned v = {.op = is_largest ? &gb_exchange_largest_op : &gb_exchange_sum_op,
                          .arg = arg,
                          .args = 1,
                          .node = id,
                          .shape = record->shape,
                          .axes = record->axes,
                          .type = record->type};
    return add_value(c, v, &c->value[id]);
}

bool gb_collect_node(gb_collector *c, uint32_t id)
{
    const gb_record *record = &c->tape->nodes.at[id];
    const bool alias = record->op->form == GB_FORM_ALIAS;
    const bool reshaped = alias && !gb_shape_same(record->shape, c->tape->nodes.at[record->arg[0]].shape);
    if (alias && !reshaped && record->axes == c->plan->values.at[c->value[record->arg[0]]].axes) {
        c->value[id] = c->value[record->arg[0]];
        return true;
    }
    const bool lone = record->op == &gb_total_op && record->args == 1;
    const bool whole = record->op->form == GB_FORM_REDUCE && reduces_ones(c, record);
    const bool exchanges = gb_plan_team(c->plan) && ends_rows(c, record);
    if (exchanges && !may_end_rows(c, id))
        return false;
    gb_planned v = {.op = reshaped || lone || whole ? &gb_copy_op : record->op,
                    .attributes = alias || whole ? NULL : record->attributes,
                    .args = alias ? 1 : record->args,
                    .node = id,
                    .shape = record->shape,
                    .axes = record->axes,
                    .type = record->type};
    uint32_t *args = gb_arena_take(&c->plan->arena, v.args * sizeof *args);
    if (!args)
        return gb_plan_out_of_memory(c->plan);
    for (uint32_t i = 0; i < v.args; i++)
        args[i] = c->value[record->arg[i]];
    read_through_copies(c, &v, args);
    if (record->op->commutes && args[0] > args[1]) {
        const uint32_t swap = args[0];
        args[0] = args[1];
        args[1] = swap;
    }
    v.arg = args;
    if (record->op->form == GB_FORM_KERNEL && !make_dense(c, &v, args))
        return false;
    if (v.op == &gb_total_op && !make_total(c, &v, args))
        return false;
    bool done;
    if (!compute_once(c, &v, &c->value[id], &done) || !(done || share_or_add(c, v, &c->value[id])))
        return false;
    return !exchanges || add_exchange(c, id);
}
