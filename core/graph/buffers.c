/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/buffers_impl.h"

#include "core/run/plans_impl.h"

static size_t buffers_of(const gb_plan *plan)
{
    size_t bytes = plan->work_bytes;
    for (const gb_body_plan *body = plan->bodies_of; body; body = body->next)
        bytes += buffers_of(body->plan);
    return bytes;
}

bool gb_program_buffers(gb_program *program, size_t *bytes)
{
    if (gb_prepare(program) != GB_OK)
        return false;
    *bytes = buffers_of(gb_plan_find(program));
    return true;
}
