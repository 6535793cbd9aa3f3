/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An operation from outside, held to the installed conformance kit: a
 * right one, and one with a wrong slope. */
#include <stdio.h>

#include <grebe/grebe.h>
#include <grebe/kit/kit.h>

#include "../support/cube.h"

static void right(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_scale(gb_square(v->arg[0]), 3));
}

static void wrong(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_square(v->arg[0]));
}

static bool passes(void (*vjp)(const gb_vjp *v), gb_report *report)
{
    const gb_op op = {.size = sizeof(gb_op),
                      .name = "cube",
                      .formula = "x^3",
                      .form = GB_FORM_ELEMENTWISE,
                      .arguments = 1,
                      .vjp = vjp,
                      .lane = cube,
                      .domain = {{-2, 2}}};
    return gb_check_op(&op, .report = report, .cases = 64);
}

int main(void)
{
    gb_report good = {.size = sizeof good}, bad = {.size = sizeof bad};
    const bool as_expected = passes(right, &good) && !passes(wrong, &bad);
    gb_report_print(&good, stdout);
    return !as_expected || good.checks < 10 || bad.failures == 0;
}
