/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/execute_impl.h"

#include "core/kernels/flush_impl.h"
#include "core/native/native_impl.h"

static const void *current_address(const gb_tape *tape, const gb_watch *watch)
{
    if (watch->kind == GB_IN_INPUT)
        return tape->inputs.at[watch->slot].data;
    const gb_variable_slot *slot = &tape->variables.at[watch->slot];
    return watch->kind == GB_IN_NEXT ? slot->next : slot->now;
}

/* Commits exchange the buffers of variables, and feeds may change the addresses of inputs. */
static void bind_pointers(gb_plan *plan)
{
    for (size_t i = 0; i < plan->watches.count; i++) {
        gb_watch *watch = &plan->watches.at[i];
        const void *address = current_address(gb_plan_tape(plan), watch);
        if (address == watch->bound)
            continue;
        watch->bound = address;
        for (uint32_t at = watch->first; at; at = plan->fixups.at[at - 1].next) {
            const gb_fixup *fixup = &plan->fixups.at[at - 1];
            *fixup->where = (const char *)address + fixup->offset;
        }
    }
}

static void run_code(const gb_plan *plan, size_t from, size_t to)
{
    for (const gb_block *block = plan->code.at + from, *end = plan->code.at + to; block < end; block++)
        block->kernel(block, block->lines, 0);
}

void gb_plan_run_once(gb_plan *plan)
{
    run_code(plan, 0, plan->once);
    plan->constants_done = true;
}

void gb_plan_run_code(gb_plan *plan)
{
    if (!plan->constants_done)
        gb_plan_run_once(plan);
    if (!gb_native_run(plan, 1))
        run_code(plan, plan->once, plan->code.count);
}

void gb_plan_run(gb_plan *plan)
{
    const bool flush = gb_plan_tape(plan)->options.flush_subnormals;
    const uint64_t before = flush ? gb_flush_begin() : 0;
    const double begin = gb_native_before_run(plan, plan->code.at + plan->once, 1);
    bind_pointers(plan);
    gb_plan_run_code(plan);
    gb_native_after_run(plan, begin);
    if (flush)
        gb_flush_end(before);
}

const gb_check *gb_plan_failed(gb_plan *plan)
{
    const gb_check *first = NULL;
    for (size_t i = 0; i < plan->checks.count; i++) {
        if (plan->failed[i] && !first)
            first = &plan->checks.at[i];
        plan->failed[i] = 0;
    }
    for (gb_body_plan *body = plan->bodies_of; body; body = body->next) {
        if (body->failed && !first)
            first = &body->outside;
        body->failed = false;
    }
    return first;
}
