/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers for all passes of a plan: sizes and layouts, the plan's own operations, and freeing it. */
#include "core/plan/plan_impl.h"

static const gb_block_kernels copy_kernels = GB_KERNELS_OF(copy, "x"),
                              finite_kernels = GB_KERNELS(all_finite),
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

const gb_op gb_exchange_sum_op = {.size = sizeof(gb_op),
                                  .name = "team_sum",
                                  .formula = "the sum over the members of a team",
                                  .form = GB_FORM_KERNEL,
                                  .arguments = 1,
                                  .reduction = GB_REDUCE_SUM};
const gb_op gb_exchange_largest_op = {.size = sizeof(gb_op),
                                      .name = "team_max",
                                      .formula = "the largest of the members of a team",
                                      .form = GB_FORM_KERNEL,
                                      .arguments = 1,
                                      .reduction = GB_REDUCE_MAX};

bool gb_plan_out_of_memory(gb_plan *plan)
{
    gb_fail(gb_plan_tape(plan), GB_ENOMEM, "run: out of memory planning the program");
    return false;
}

int64_t gb_plan_axis_size(const gb_plan *plan, int bit)
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
        layout->hidden_size[i] = gb_plan_axis_size(plan, bit);
        layout->hidden_stride[i] = stride;
        stride *= layout->hidden_size[i];
    }
}

const gb_layout *gb_plan_layout(const gb_plan *plan, const gb_planned *value, gb_layout *dense)
{
    if (value->layout)
        return value->layout;
    gb_plan_dense(plan, value->axes, value->shape, dense);
    return dense;
}

void gb_plan_broadcast(const gb_plan *plan, const gb_layout *from, gb_axes axes, gb_shape shape,
                       gb_layout *layout)
{
    const int missing = shape.rank - from->shape.rank;
    int place = 0;
    gb_plan_dense(plan, axes, shape, layout);
    layout->offset = from->offset;
    for (gb_axes rest = axes; rest; rest &= rest - 1)
        layout->hidden_stride[place++] = gb_layout_stride(from, rest & (~rest + 1));
    for (int i = 0; i < shape.rank; i++) {
        const bool repeated = i < missing || (from->shape.size[i - missing] == 1 && shape.size[i] != 1);
        layout->stride[i] = repeated ? 0 : from->stride[i - missing];
    }
}

bool gb_plan_count(const gb_plan *plan, gb_axes axes, gb_shape shape, size_t *count)
{
    size_t product = gb_shape_count(shape);
    for (gb_axes rest = axes; rest; rest &= rest - 1) {
        const size_t size = (size_t)gb_plan_axis_size(plan, gb_lowest_axis(rest));
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
        *product *= (size_t)gb_plan_axis_size(plan, bit);
        passed |= here;
    }
    for (int i = 0; i < arg->shape.rank; i++) {
        const bool here = over->visible >> i & 1u;
        size_t *const product = here ? reduced : passed ? inner : outer;
        *product *= (size_t)arg->shape.size[i];
        passed |= here;
    }
}

/* ---- freeing ---- */

void gb_plan_free(gb_plan *plan)
{
    const gb_memory *memory = &gb_plan_tape(plan)->memory;
    if (plan->native)
        plan->free_native(plan->native);
    for (gb_body_plan *body = plan->bodies_of; body; body = body->next) {
        gb_memory_release(memory, body->goal.needed);
        if (body->plan)
            gb_plan_free(body->plan);
    }
    void *const lists[] = {plan->values.at, plan->units.at,   plan->code.at,  plan->bodies.at,
                           plan->fixups.at, plan->watches.at, plan->checks.at};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        gb_memory_release(memory, lists[i]);
    gb_release_aligned(memory, plan->work);
    gb_release_aligned(memory, plan->scratch.at);
    gb_arena_free(&plan->arena);
    gb_memory_release(memory, plan);
}
