/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/op.h"
#include "estimators/estimator.h"
#include "ops/reduce.h"

/* The number of samples is known when a program is planned: then is the time to say that one is too few. */
static bool others_there(gb_tape *tape, const gb_kernel_call *call)
{
    const gb_layout *const layout = call->arg;
    if (layout->hidden_size[gb_axis_place(layout->axes, GB_SAMPLES)] >= 2)
        return true;
    gb_fail(tape, GB_EARGUMENT,
            "leave_one_out: a single sample has no others to take the mean of; draw two or more "
            "(gb_set_samples, or "
            ".samples of gb_tape_new) or take another baseline");
    return false;
}

static void copy(const gb_kernel_call *call)
{
    const gb_layout *const layout = &call->out_layout;
    size_t count = gb_shape_count(layout->shape);
    for (gb_axes rest = layout->axes; rest; rest &= rest - 1)
        count *= (size_t)layout->hidden_size[gb_axis_place(layout->axes, rest & (~rest + 1))];
    memcpy(call->out, call->in[0], count * (call->real == GB_FLOAT ? sizeof(float) : sizeof(double)));
}

static void pass_adjoint(const gb_vjp *v)
{
    v->adjoint[0] = v->gradient;
}

static const gb_op others_op = {.size = sizeof(gb_op),
                                .name = "others",
                                .formula = "x, if there are two samples or more",
                                .form = GB_FORM_KERNEL,
                                .arguments = 1,
                                .infer = gb_infer_first,
                                .vjp = pass_adjoint,
                                .run = copy,
                                .prepare = others_there};

static gb_node value(const gb_site *site, const gb_baseline *baseline, gb_node cost)
{
    (void)site, (void)baseline;
    if (!(gb_node_axes(cost) & GB_SAMPLES))
        return cost;
    const gb_node others = gb_leave_one_out_mean(cost, GB_SAMPLES);
    return gb_apply(NULL, &others_op, 1, &others, NULL, 0);
}

static const gb_baseline_type leave_one_out_type = {
    .size = sizeof(gb_baseline_type),
    .name = "leave_one_out",
    .cite = "Kool, van Hoof and Welling 2019",
    .formula = "the mean of f over the other samples",
    .value = value,
};

const gb_baseline gb_leave_one_out = {.type = &leave_one_out_type};
