/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/baselines/others_impl.h"

#include <stdio.h>
#include <string.h>

#include "core/op.h"
#include "core/team.h"
#include "estimators/visit.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

typedef struct others_attributes {
    gb_axes axis;
    int64_t group; /* so many are left out together: 1, or 2 for antithetic pairs */
    char who[48];
} others_attributes;

/* The number of samples and rows is first known when a program is planned, so the check is made then. */
static bool others_there(gb_tape *tape, const gb_kernel_call *call)
{
    const others_attributes *const others = call->attributes;
    const gb_layout *const layout = call->arg;
    if (others->axis == GB_ROWS && gb_tape_team(tape))
        return true; /* how many rows the others have is told at each run; without any, the mean is NaN */
    if (layout->hidden_size[gb_axis_place(layout->axes, others->axis)] > others->group)
        return true;
    if (others->group > 1)
        gb_fail(tape, GB_EARGUMENT,
                "%s: a single antithetic pair has no others to take the mean of; draw four samples or more "
                "(gb_program_set_samples, or .samples of gb_tape_new), or use another baseline",
                others->who);
    else if (others->axis == GB_SAMPLES)
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
                                .formula = "x, if there are other samples or rows",
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

static gb_node if_others(gb_node x, gb_axes axis, int64_t group, const char *who)
{
    others_attributes attributes = {.axis = axis, .group = group};
    snprintf(attributes.who, sizeof attributes.who, "%s", who ? who : "a baseline");
    return gb_apply(NULL, &others_op, 1, &x, &attributes, sizeof attributes);
}

gb_node gb_if_others(gb_node x, gb_axes axis, const char *who)
{
    if (!(gb_node_axes(x) & axis))
        return x;
    return if_others(x, axis, 1, who);
}

/* ---- antithetic pairs ---- */

static bool varies_over_samples(gb_infer *infer)
{
    return gb_infer_first(infer) &&
           (infer->axes & GB_SAMPLES ||
            gb_infer_fail(infer, GB_EARGUMENT, "the argument does not vary over samples"));
}

/* The samples are the lowest axis, so each sample is one run of memory. */
static void swap(const gb_kernel_call *call)
{
    const gb_layout *const out = &call->out_layout;
    const size_t samples = (size_t)out->hidden_size[0];
    const size_t bytes =
        gb_layout_count(out) / samples * (call->real == GB_FLOAT ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < samples; i++) {
        const size_t other = i ^ 1;
        if (other < samples)
            memcpy((char *)call->out + i * bytes, (const char *)call->in[0] + other * bytes, bytes);
        else
            memset((char *)call->out + i * bytes, 0, bytes);
    }
}

static gb_node swapped(gb_node x);

static void swap_vjp(const gb_vjp *v)
{
    v->adjoint[0] = swapped(v->gradient);
}

static const gb_op swap_op = {.size = sizeof(gb_op),
                              .name = "swap_pairs",
                              .formula = "x of the other sample of a pair; 0 for a last one without a pair",
                              .form = GB_FORM_KERNEL,
                              .arguments = 1,
                              .infer = varies_over_samples,
                              .vjp = swap_vjp,
                              .run = swap};

static gb_node swapped(gb_node x)
{
    return gb_apply(NULL, &swap_op, 1, &x, NULL, 0);
}

gb_node gb_mean_of_other_pairs(gb_node x, const char *who)
{
    const gb_node one = gb_widen(gb_num(x.tape, 1), GB_SAMPLES);
    const gb_node others = gb_sub(gb_sum_over(x, GB_SAMPLES), gb_add(x, swapped(x)));
    const gb_node count = gb_sub(gb_axis_size(x.tape, GB_SAMPLES), gb_add(one, swapped(one)));
    return if_others(gb_div(others, count), GB_SAMPLES, 2, who);
}

bool gb_is_of_other_pairs(gb_node node)
{
    return gb_node_op(node) == &others_op && ((const others_attributes *)gb_node_attributes(node))->group > 1;
}
