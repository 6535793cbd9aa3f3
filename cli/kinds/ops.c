/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations. */
#include <string.h>

#include "cli/kinds/kind.h"
#include "kit/check_op.h"
#include "plugins/bundle.h"

static void list_op(gb_cli_listing *l, size_t i)
{
    static const char *const form[] = {"leaf",   "alias", "view",   "elementwise",
                                       "reduce", "noise", "kernel", "composite"};
    const gb_op *const op = (const void *)gb_kind_at(&gb_op_kind, i);
    gb_cli_field(l, "formula", op->formula);
    if (l->json)
        gb_cli_field(l, "form", form[op->form]);
    gb_cli_flag(l, "once_differentiable", op->once_differentiable, "differentiable once");
}

/* The kit compares derivatives with differences of the value. */
static const char *op_is_beyond(const char *name)
{
    static const char *const other_gradient[] = {"stop",          "inject", "inject_score",
                                                 "gradient_only", "draw",   "expected"};
    static const char *const random[] = {"draw_category", "draw_permutation", "sobol"};
    const size_t length = strlen(name), end = strlen("_noise");
    const gb_op *const op = (const void *)gb_kind_find(&gb_op_kind, name);
    for (size_t i = 0; i < sizeof other_gradient / sizeof *other_gradient; i++)
        if (strcmp(name, other_gradient[i]) == 0)
            return "its gradient is not that of its value";
    for (size_t i = 0; i < sizeof random / sizeof *random; i++)
        if (strcmp(name, random[i]) == 0)
            return "its value is random";
    if (length > end && strcmp(name + length - end, "_noise") == 0)
        return "its value is random";
    return op->example || op->domain[0].low < op->domain[0].high ? NULL
                                                                 : "it has no example to be tried with";
}

static bool check_op(const char *name, const gb_cli_checking *how, gb_report *report)
{
    const gb_op *const op = (const void *)gb_kind_find(&gb_op_kind, name);
    return gb_check_op(op, .report = report, .seed = how->seed, .cases = how->thorough ? 4096 : 0);
}

const gb_cli_kind gb_cli_ops_kind = {
    .name = "ops",
    .one = "operation",
    .of = &gb_op_kind,
    .list = list_op,
    .beyond = op_is_beyond,
    .check = check_op,
};
