/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluating bodies, for the operations that own them. */
#include <string.h>

#include "core/native/native_impl.h"
#include "core/run/execute_impl.h"
#include "core/run/nonfinite_impl.h"

static gb_body_plan *body_of(const gb_kernel_call *call)
{
    gb_body_plan *body;
    memcpy(&body, (const char *)call->workspace - GB_LINE_BYTES, sizeof(gb_body_plan *));
    return body;
}

bool gb_kernel_call_is_watched(const gb_kernel_call *call)
{
    return body_of(call)->look_for != GB_FINITE;
}

size_t gb_kernel_call_steps(const gb_kernel_call *call)
{
    return body_of(call)->steps;
}

void *const *const *gb_kernel_call_given(const gb_kernel_call *call)
{
    return (void *const *const *)body_of(call)->given;
}

const void *const *const *gb_kernel_call_result(const gb_kernel_call *call)
{
    return (const void *const *const *)body_of(call)->result;
}

/* It stays so until the plan around has seen it. */
static bool has_failed(gb_body_plan *body)
{
    const gb_check *const check = gb_plan_failed(body->plan);
    if (check)
        body->check = *check;
    body->failed |= check != NULL;
    return check != NULL;
}

/* The code of the first run only is that of the plan. */
static void run_code(const gb_body_plan *body, size_t steps)
{
    if (!body->code) {
        gb_plan_run_code(body->plan);
        return;
    }
    if (!body->plan->constants_done)
        gb_plan_run_once(body->plan);
    if (gb_native_run(body->plan, steps))
        return;
    for (const gb_block *at = body->code, *end = at + steps * body->length; at < end; at++)
        at->kernel(at, at->lines, 0);
}

static void run_steps(const gb_body_plan *body, size_t steps)
{
    gb_plan *const plan = body->plan;
    const gb_block *const code = body->code ? body->code : plan->code.at + plan->once;
    const double begin = gb_native_before_run(plan, code, body->steps);
    run_code(body, steps);
    gb_native_after_run(plan, begin);
}

bool gb_kernel_call_run(const gb_kernel_call *call, size_t steps, int64_t first, int64_t by)
{
    gb_body_plan *const body = body_of(call);
    gb_plan *const plan = body->plan;
    run_steps(body, steps);
    body->step = first + (int64_t)(steps - 1) * by;
    if ((plan->checks.count > 0 || plan->bodies_of) && has_failed(body))
        return false;
    if (body->look_for != GB_FINITE && gb_plan_has_worse(plan, body->look_for))
        return false;
    for (size_t i = 0; i < body->goal.body->carried; i++)
        memcpy(body->given[0][i], body->result[steps - 1][i], body->bytes[i]);
    return true;
}
