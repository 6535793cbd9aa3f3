/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a plan, pass by pass. */
#include <string.h>

#include "core/kernels/workers_impl.h"
#include "core/plan/plan_impl.h"

/* Threads start when a plan first has arrays large enough to share. */
static bool find_workers(gb_plan *plan)
{
    enum { WORTH_SHARING = 30000 };
    gb_tape *const tape = gb_plan_tape(plan);
    size_t most = 0;
    for (size_t i = 0; i < plan->values.count; i++)
        most = plan->values.at[i].count > most ? plan->values.at[i].count : most;
    if (tape->options.threads == 1 || most < WORTH_SHARING)
        return true;
    if (!tape->workers)
        tape->workers = gb_workers_new(&tape->memory, tape->options.threads, tape->options.flush_subnormals);
    plan->workers = tape->workers;
    return plan->workers || gb_plan_out_of_memory(plan);
}

static bool plan_bodies(gb_plan *plan)
{
    for (gb_body_plan *body = plan->bodies_of; body; body = body->next) {
        body->plan = gb_plan_new(&body->goal, plan->samples, plan->rows, plan->fused);
        if (!body->plan || !gb_plan_body_buffers(plan, body))
            return false;
    }
    return true;
}

gb_plan *gb_plan_new(const gb_goal *goal, int64_t samples, int64_t rows, bool fused)
{
    gb_tape *const tape = goal->tape;
    gb_plan *plan = gb_memory_resize(&tape->memory, NULL, sizeof *plan);
    if (!plan) {
        gb_fail(tape, GB_ENOMEM, "run: out of memory planning the program");
        return NULL;
    }
    memset(plan, 0, sizeof *plan);
    plan->goal = goal;
    plan->arena.memory = &tape->memory;
    plan->samples = samples;
    plan->rows = rows;
    plan->fused = fused;
    if (gb_plan_values(plan) && gb_plan_units(plan) && find_workers(plan) && gb_plan_places(plan) &&
        gb_plan_emit(plan) && plan_bodies(plan))
        return plan;
    gb_plan_free(plan);
    return NULL;
}
