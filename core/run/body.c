/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluating bodies, for the operations that own them. */
#include <math.h>

#include "core/run/execute_impl.h"
#include "core/run/nonfinite_impl.h"

void *gb_body_given(const gb_kernel_call *call, size_t index)
{
    return call->body->given[index];
}

const void *gb_body_result(const gb_kernel_call *call, size_t index)
{
    return call->body->result[index];
}

static bool has_failed(gb_body_plan *body)
{
    const gb_check *const check = gb_plan_failed(body->plan);
    if (check)
        body->check = *check;
    body->failed = check != NULL;
    return body->failed;
}

bool gb_body_run(const gb_kernel_call *call, int64_t step)
{
    gb_body_plan *const body = call->body;
    gb_plan *const plan = body->plan;
    body->step = step;
    gb_plan_run_code(plan);
    if ((plan->checks.count > 0 || plan->bodies_of) && has_failed(body))
        return false;
    return body->look_for == GB_FINITE || !gb_plan_has_worse(plan, body->look_for);
}
