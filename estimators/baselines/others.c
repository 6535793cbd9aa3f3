/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/baseline.h"

#include <string.h>

#include "core/op.h"
#include "estimators/visit.h"
#include "ops/control.h"

typedef struct others_attributes {
    gb_axes axis;
    const char *who;
} others_attributes;

/* The number of samples and rows is first known when a program is planned, so the check is made then. */
static bool others_there(gb_tape *tape, const gb_kernel_call *call)
{
    const others_attributes *const others = call->attributes;
    const gb_layout *const layout = call->arg;
    if (layout->hidden_size[gb_axis_place(layout->axes, others->axis)] >= 2)
        return true;
    if (others->axis == GB_SAMPLES)
        gb_fail(tape, GB_EARGUMENT,
                "%s: a single sample has no others to take the mean of; draw two or more "
                "(gb_program_set_samples, or .samples of gb_tape_new), or use another baseline",
                others->who);
    else
        gb_fail(
            tape, GB_EARGUMENT,
            "%s: a single row has no others to take the mean of; feed two or more, or use another baseline",
            others->who);
    return false;
}

static void copy(const gb_kernel_call *call)
{
    memcpy(call->out, call->in[0],
           gb_layout_count(&call->out_layout) * (call->real == GB_FLOAT ? sizeof(float) : sizeof(double)));
}

static const gb_op others_op = {.size = sizeof(gb_op),
                                .name = "others",
                                .formula = "x, if there are at least two samples or rows",
                                .form = GB_FORM_KERNEL,
                                .arguments = 1,
                                .attribute_bytes = sizeof(others_attributes),
                                .infer = gb_infer_first,
                                .vjp = gb_vjp_pass,
                                .run = copy,
                                .prepare = others_there};

static bool find_rows(void *context, gb_node node)
{
    bool *const is_found = context;
    if (gb_node_op(node) == &others_op)
        *is_found |= ((const others_attributes *)gb_node_attributes(node))->axis == GB_ROWS;
    return !*is_found;
}

bool gb_node_needs_two_rows(gb_node loss)
{
    bool is_found = false;
    return gb_visit(loss, find_rows, &is_found) == GB_OK && is_found;
}

gb_node gb_if_others(gb_node x, gb_axes axis, const char *who)
{
    const char *const kept = gb_node_ok(x) ? gb_tape_keep_text(x.tape, who ? who : "a baseline") : NULL;
    const others_attributes attributes = {.axis = axis, .who = kept};
    return gb_apply(NULL, &others_op, 1, &x, &attributes, sizeof attributes);
}
