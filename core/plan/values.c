/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First pass of a plan: the values that the roots and assigns need. What nothing needs is left out, what is computed
 * twice is computed once, aliases are their first argument, and views become strides into what they look at. */
#include <string.h>

#include "core/plan/plan_impl.h"

static const gb_block_kernels copy_kernels = GB_KERNELS(copy), finite_kernels = GB_KERNELS(all_finite),
                              none_above_kernels = GB_KERNELS(none_above),
                              none_nan_kernels = GB_KERNELS(none_nan);

const gb_op gb_copy_op = {.size = sizeof(gb_op),
                          .name = "copy",
                          .formula = "x",
                          .form = GB_FORM_ELEMENTWISE,
                          .arguments = 1,
                          .blocks = &copy_kernels};
const gb_op gb_finite_op = {.size = sizeof(gb_op),
                            .name = "all_finite",
                            .formula = "|x| < ∞ for all elements",
                            .form = GB_FORM_REDUCE,
                            .arguments = 1,
                            .blocks = &finite_kernels};
const gb_op gb_none_above_op = {.size = sizeof(gb_op),
                                .name = "none_above",
                                .formula = "x < ∞ for all elements",
                                .form = GB_FORM_REDUCE,
                                .arguments = 1,
                                .blocks = &none_above_kernels};
const gb_op gb_none_nan_op = {.size = sizeof(gb_op),
                              .name = "none_nan",
                              .formula = "no element is NaN",
                              .form = GB_FORM_REDUCE,
                              .arguments = 1,
                              .blocks = &none_nan_kernels};

typedef struct collector {
    gb_plan *plan;
    gb_tape *tape;
    const gb_memory *memory;
    uint32_t nodes;  /* 1 + the highest that is needed */
    bool *needed;    /* [nodes] */
    uint32_t *value; /* [nodes]: the planned value of a node */
    uint32_t *table; /* hash of values for sharing: 1 + index */
    size_t mask;
} collector;

bool gb_plan_out_of_memory(gb_plan *plan)
{
    gb_fail(gb_plan_tape(plan), GB_ENOMEM, "run: out of memory planning the program");
    return false;
}

static int64_t axis_size(const gb_plan *plan, int bit)
{
    if (bit == 0)
        return plan->samples;
    return bit == 63 ? plan->rows : gb_plan_tape(plan)->axes.at[bit - 1].size;
}

void gb_plan_dense(const gb_plan *plan, gb_axes axes, gb_shape shape, gb_layout *layout)
{
    *layout = (gb_layout){.axes = axes, .shape = shape};
    int64_t stride = 1;
    for (int i = shape.rank - 1; i >= 0; i--) {
        layout->stride[i] = stride;
        stride *= shape.size[i];
    }
    for (int i = gb_axes_count(axes) - 1; i >= 0; i--) {
        const int bit = 63 - __builtin_clzll(axes);
        axes &= ~((gb_axes)1 << bit);
        layout->hidden_size[i] = axis_size(plan, bit);
        layout->hidden_stride[i] = stride;
        stride *= layout->hidden_size[i];
    }
}

/* False where the product overflows. */
static bool count_elements(const gb_plan *plan, gb_axes axes, gb_shape shape, size_t *count)
{
    size_t product = gb_shape_count(shape);
    for (gb_axes rest = axes; rest; rest &= rest - 1) {
        const size_t size = (size_t)axis_size(plan, gb_lowest_axis(rest));
        if (size > 0 && product > PTRDIFF_MAX / 64 / size)
            return false;
        product *= size;
    }
    *count = product;
    return true;
}

void gb_plan_reduction(const gb_plan *plan, const gb_planned *value, size_t *outer, size_t *reduced,
                       size_t *inner)
{
    const gb_planned *arg = &plan->values.at[value->arg[0]];
    if (!value->attributes) { /* a check */
        *outer = *inner = 1;
        *reduced = arg->count;
        return;
    }
    const gb_reduce_over *over = value->attributes;
    bool passed = false;
    *outer = *reduced = *inner = 1;
    for (gb_axes rest = arg->axes; rest; rest &= rest - 1) {
        const int bit = gb_lowest_axis(rest);
        const bool here = over->hidden >> bit & 1u;
        size_t *const product = here ? reduced : passed ? inner : outer;
        *product *= (size_t)axis_size(plan, bit);
        passed |= here;
    }
    for (int i = 0; i < arg->shape.rank; i++) {
        const bool here = over->visible >> i & 1u;
        size_t *const product = here ? reduced : passed ? inner : outer;
        *product *= (size_t)arg->shape.size[i];
        passed |= here;
    }
}

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

static size_t attribute_bytes_of(const collector *c, const gb_planned *v)
{
    return v->attributes ? c->tape->nodes.at[v->node].attribute_bytes : 0;
}

static bool same_value(const collector *c, const gb_planned *a, const gb_planned *b)
{
    const size_t bytes = attribute_bytes_of(c, a);
    return a->op == b->op && a->args == b->args && a->axes == b->axes && a->type == b->type &&
           gb_shape_equal(a->shape, b->shape) && bytes == attribute_bytes_of(c, b) &&
           memcmp(a->arg, b->arg, a->args * sizeof *a->arg) == 0 &&
           (bytes == 0 || memcmp(a->attributes, b->attributes, bytes) == 0);
}

/* The index of an equal value that is there already, or the empty place in the table. */
static uint32_t *look_up(collector *c, const gb_planned *v)
{
    size_t i = (size_t)hash_value(v, attribute_bytes_of(c, v)) & c->mask;
    while (c->table[i] && !same_value(c, &c->plan->values.at[c->table[i] - 1], v))
        i = (i + 1) & c->mask;
    return &c->table[i];
}

/* ---- making values ---- */

static bool is_row_count(const gb_planned *v)
{
    gb_axes axis = 0;
    if (v->op == &gb_axis_size_op)
        memcpy(&axis, v->attributes, sizeof axis);
    return axis == GB_ROWS;
}

static bool add_value(collector *c, gb_planned v, uint32_t *index)
{
    gb_plan *const plan = c->plan;
    v.base = v.assigns = v.unit = v.next_member = GB_NONE;
    if (plan->rows < 0 && ((v.axes & GB_ROWS) || is_row_count(&v))) {
        gb_fail(c->tape, GB_EFEED, "run: %s has a value for each row, but no input with rows was fed",
                v.op->name);
        return false;
    }
    if (!count_elements(plan, v.axes, v.shape, &v.count)) {
        gb_fail(c->tape, GB_ELIMIT, "run: %s has too many elements for these numbers of samples and rows",
                v.op->name);
        return false;
    }
    v.domain = v.op->form == GB_FORM_REDUCE ? plan->values.at[v.arg[0]].count : v.count;
    v.constant = v.op == &gb_constant_op || v.op == &gb_axis_size_op || v.op == &gb_axis_index_op ||
                 (v.args > 0 && v.op->form != GB_FORM_NOISE);
    for (uint32_t i = 0; i < v.args; i++)
        v.constant &= plan->values.at[v.arg[i]].constant;
    if (!GB_LIST_GROW(c->memory, &plan->values, 1))
        return gb_plan_out_of_memory(plan);
    *index = (uint32_t)plan->values.count;
    plan->values.at[plan->values.count++] = v;
    return true;
}

/* An operation of the plan's own on one value, of the same shape. */
static bool add_own(collector *c, const gb_op *op, uint32_t arg, uint32_t *index)
{
    uint32_t *args = gb_arena_take(&c->plan->arena, sizeof *args);
    if (!args)
        return gb_plan_out_of_memory(c->plan);
    args[0] = arg;
    const gb_planned *from = &c->plan->values.at[arg];
    const bool check = op != &gb_copy_op;
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

/* A view may have made an axis of the samples or the rows, whose sizes were not known before. */
static bool axes_fit(const gb_plan *plan, const gb_layout *layout)
{
    int place = 0;
    for (gb_axes rest = layout->axes; rest; rest &= rest - 1)
        if (layout->hidden_size[place++] != axis_size(plan, gb_lowest_axis(rest)))
            return false;
    return true;
}

/* An alias with more hidden axes than its argument repeats it along them. */
static void widen(const gb_plan *plan, gb_axes axes, const gb_layout *arg, gb_layout *layout)
{
    gb_plan_dense(plan, axes, arg->shape, layout);
    for (gb_axes rest = axes; rest; rest &= rest - 1) {
        const gb_axes axis = rest & (~rest + 1);
        layout->hidden_stride[gb_axis_place(axes, axis)] =
            arg->axes & axis ? arg->hidden_stride[gb_axis_place(arg->axes, axis)] : 0;
    }
    for (int i = 0; i < arg->shape.rank; i++)
        layout->stride[i] = arg->stride[i];
    layout->offset = arg->offset;
}

static bool make_view(collector *c, gb_planned *v)
{
    gb_plan *const plan = c->plan;
    const gb_planned *from = &plan->values.at[v->arg[0]];
    gb_layout dense;
    gb_layout *layout = gb_arena_take(&plan->arena, sizeof *layout);
    if (!layout)
        return gb_plan_out_of_memory(plan);
    if (!from->layout)
        gb_plan_dense(plan, from->axes, from->shape, &dense);
    const gb_layout *arg = from->layout ? from->layout : &dense;
    *layout = *arg;
    if (v->op->form == GB_FORM_ALIAS)
        widen(plan, v->axes, arg, layout);
    else if (!v->op->view(v->attributes, arg, layout) || !axes_fit(plan, layout)) {
        gb_fail(c->tape, GB_ESHAPE, "run: %s (node %u) does not fit these numbers of samples and rows",
                v->op->name, v->node);
        return false;
    }
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
static bool make_total(collector *c, gb_planned *v, uint32_t *args)
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
static bool make_dense(collector *c, const gb_planned *v, uint32_t *args)
{
    for (uint32_t i = 0; i < v->args; i++)
        if (c->plan->values.at[args[i]].layout && !add_own(c, &gb_copy_op, args[i], &args[i]))
            return false;
    return true;
}

/* The one number that all elements of a value are, or GB_NONE. */
static uint32_t uniform_part(const gb_plan *plan, uint32_t index)
{
    const gb_planned *value = &plan->values.at[index];
    if (value->count == 1)
        return index;
    if (!value->layout || plan->values.at[value->base].count != 1)
        return GB_NONE;
    return value->base;
}

static bool share_or_add(collector *c, gb_planned v, uint32_t *index)
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

/* What is the same for all elements is computed once, and repeated by a view. `done`: it was. */
static bool compute_once(collector *c, const gb_planned *v, uint32_t *index, bool *done)
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
    gb_plan_dense(plan, v->axes, v->shape, layout);
    memset(layout->stride, 0, sizeof layout->stride);
    memset(layout->hidden_stride, 0, sizeof layout->hidden_stride);
    repeated.layout = layout;
    if (!add_value(c, repeated, index))
        return false;
    finish_view(plan, *index);
    *done = true;
    return true;
}

/* True where all reduced axes have size 1, so that a sum or a maximum is what it was. */
static bool reduces_ones(const collector *c, const gb_record *record)
{
    const gb_planned of = {.attributes = record->attributes, .arg = &c->value[record->arg[0]], .args = 1};
    size_t outer, reduced, inner;
    gb_plan_reduction(c->plan, &of, &outer, &reduced, &inner);
    return reduced == 1;
}

/* A copy that only changes shape or axes need not be read where the elements are all that matters. Terms of a sum are
 * added in pairs, whose shapes must fit. */
static void read_through_copies(const collector *c, const gb_planned *v, uint32_t *args)
{
    size_t count;
    const bool total = v->op == &gb_total_op;
    if (v->op->form != GB_FORM_ELEMENTWISE || (v->args > GB_MAX_BLOCK_ARGS && !total) || !c->plan->fused ||
        !count_elements(c->plan, v->axes, v->shape, &count))
        return;
    for (uint32_t i = 0; i < v->args; i++) {
        const gb_planned *arg = &c->plan->values.at[args[i]];
        while (arg->op == &gb_copy_op && arg->count == count &&
               (!total || gb_shape_equal(c->plan->values.at[arg->arg[0]].shape, arg->shape))) {
            args[i] = arg->arg[0];
            arg = &c->plan->values.at[args[i]];
        }
    }
}

static bool collect_node(collector *c, uint32_t id)
{
    const gb_record *record = &c->tape->nodes.at[id];
    const bool alias = record->op->form == GB_FORM_ALIAS;
    const bool reshaped = alias && !gb_shape_equal(record->shape, c->tape->nodes.at[record->arg[0]].shape);
    if (alias && !reshaped && record->axes == c->plan->values.at[c->value[record->arg[0]]].axes) {
        c->value[id] = c->value[record->arg[0]];
        return true;
    }
    const bool lone = record->op == &gb_total_op && record->args == 1;
    const bool whole = record->op->form == GB_FORM_REDUCE && reduces_ones(c, record);
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
    if (!compute_once(c, &v, &c->value[id], &done))
        return false;
    return done || share_or_add(c, v, &c->value[id]);
}

static void mark_needed(collector *c)
{
    for (uint32_t id = c->nodes; id-- > 0;) {
        if (!c->needed[id])
            continue;
        const gb_record *record = &c->tape->nodes.at[id];
        const uint32_t args = record->op->form == GB_FORM_ALIAS ? 1 : record->args;
        for (uint32_t i = 0; i < args; i++)
            c->needed[record->arg[i]] = true;
    }
}

static bool collector_begin(collector *c)
{
    const gb_program *program = c->plan->program;
    for (size_t i = 0; i < program->root_count; i++)
        c->nodes = program->roots[i] >= c->nodes ? program->roots[i] + 1 : c->nodes;
    for (size_t i = 0; i < program->target_count; i++)
        c->nodes = program->targets[i].value >= c->nodes ? program->targets[i].value + 1 : c->nodes;
    size_t table = 64;
    while (table < 2 * (size_t)c->nodes)
        table *= 2;
    c->mask = table - 1;
    c->needed = gb_memory_resize(c->memory, NULL, c->nodes * sizeof *c->needed + 1);
    c->value = gb_memory_resize(c->memory, NULL, c->nodes * sizeof *c->value + 1);
    c->table = gb_memory_resize(c->memory, NULL, table * sizeof *c->table);
    if (!c->needed || !c->value || !c->table)
        return gb_plan_out_of_memory(c->plan);
    memset(c->needed, 0, c->nodes * sizeof *c->needed);
    memset(c->table, 0, table * sizeof *c->table);
    for (size_t i = 0; i < program->root_count; i++)
        c->needed[program->roots[i]] = true;
    for (size_t i = 0; i < program->target_count; i++)
        c->needed[program->targets[i].value] = true;
    mark_needed(c);
    return true;
}

static bool add_check(collector *c, const gb_op *op, uint32_t value, uint32_t variable)
{
    gb_plan *const plan = c->plan;
    uint32_t index;
    if (plan->values.at[value].type != GB_TYPE_REAL || plan->values.at[value].count == 0)
        return true;
    if (!GB_LIST_GROW(c->memory, &plan->checks, 1))
        return gb_plan_out_of_memory(plan);
    plan->checks.at[plan->checks.count++] =
        (gb_check){.node = plan->values.at[value].node, .variable = variable};
    if (!add_own(c, op, value, &index))
        return false;
    plan->values.at[index].base = (uint32_t)plan->checks.count - 1;
    plan->values.at[index].constant = false; /* it is asked anew in every run */
    return true;
}

/* Roots are kept where they are computed; what is not computed is copied, so that it can be read later. */
static bool add_root(collector *c, uint32_t node, uint32_t *root)
{
    gb_plan *const plan = c->plan;
    *root = c->value[node];
    const gb_planned *value = &plan->values.at[*root];
    if ((value->layout || (gb_is_leaf(value) && !value->constant)) && !add_own(c, &gb_copy_op, *root, root))
        return false;
    plan->values.at[*root].kept = true;
    return plan->program->target_count == 0 || add_check(c, &gb_none_above_op, *root, GB_NONE);
}

/* A value is computed into the variable's second buffer, unless it has another home: then it is copied there. */
static bool add_target(collector *c, const gb_target *target)
{
    uint32_t value = c->value[target->value];
    const gb_planned *at = &c->plan->values.at[value];
    if ((gb_is_leaf(at) || at->layout || at->constant || at->kept || at->assigns != GB_NONE) &&
        !add_own(c, &gb_copy_op, value, &value))
        return false;
    c->plan->values.at[value].assigns = target->variable;
    c->plan->values.at[value].constant = false;
    return add_check(c, &gb_finite_op, value, target->variable);
}

/* What operations refuse stops the run, whether or not a root shows it. −∞ may be meant: it is the logit of the
 * impossible. */
static bool add_refusals(collector *c)
{
    const uint32_t count = (uint32_t)c->plan->values.count;
    for (uint32_t i = 0; i < count; i++)
        if (c->plan->values.at[i].op->refusal && !add_check(c, &gb_none_nan_op, i, GB_NONE))
            return false;
    return true;
}

static bool collect(collector *c)
{
    gb_plan *const plan = c->plan;
    const gb_program *program = plan->program;
    if (!collector_begin(c))
        return false;
    for (uint32_t id = 0; id < c->nodes; id++)
        if (c->needed[id] && !collect_node(c, id))
            return false;
    plan->root = gb_arena_take(&plan->arena, (program->root_count + 1) * sizeof *plan->root);
    if (!plan->root)
        return gb_plan_out_of_memory(plan);
    for (size_t i = 0; i < program->root_count; i++)
        if (!add_root(c, program->roots[i], &plan->root[i]))
            return false;
    for (size_t i = 0; i < program->target_count; i++)
        if (!add_target(c, &program->targets[i]))
            return false;
    return add_refusals(c);
}

/* What was looked through may have no use left. */
static void mark_used(gb_plan *plan)
{
    for (size_t i = plan->values.count; i-- > 0;) {
        gb_planned *value = &plan->values.at[i];
        value->used |= value->kept || value->assigns != GB_NONE || gb_is_check(value);
        for (uint32_t a = 0; value->used && a < value->args; a++)
            plan->values.at[value->arg[a]].used = true;
    }
}

bool gb_plan_values(gb_plan *plan)
{
    collector c = {.plan = plan, .tape = gb_plan_tape(plan), .memory = &gb_plan_tape(plan)->memory};
    const bool done = collect(&c);
    if (done)
        mark_used(plan);
    gb_memory_release(c.memory, c.needed);
    gb_memory_release(c.memory, c.value);
    gb_memory_release(c.memory, c.table);
    return done;
}
