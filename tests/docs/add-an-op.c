/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fault that docs/add-an-op.md shows the kit finding: a slope that is off by a hundredth. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>
#include <grebe/kit/check_op.h>

static double value(double x, double unused_y, double unused_z)
{
    (void)unused_y, (void)unused_z;
    return x == 0 ? 1 : sin(x) / x;
}

static void vjp(const gb_vjp *v)
{
    const gb_node x = v->arg[0], slope = gb_div(gb_sub(gb_cos(x), v->value), x);
    v->adjoint[0] = gb_chain(v->gradient, gb_scale(slope, 1.01));
}

static const gb_op sinc = {.size = sizeof(gb_op),
                           .name = "sinc",
                           .formula = "sin x / x",
                           .form = GB_FORM_ELEMENTWISE,
                           .arguments = 1,
                           .vjp = vjp,
                           .lane = value,
                           .once_differentiable = true,
                           .domain = {{1, 4}}};

int main(void)
{
    gb_report report = {.size = sizeof report, .file = stdout};
    gb_check_op(&sinc, .report = &report);
    return report.failures != 1;
}
