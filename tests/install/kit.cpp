// SPDX-License-Identifier: GPL-3.0-or-later
// As kit.c, in C++: the functions without the macros of named arguments.
#include <cstdio>

#include <grebe/grebe.h>
#include <grebe/kit/kit.h>

static double cube(double x, double, double)
{
    return x * x * x;
}

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
    gb_op op = {};
    op.size = sizeof op;
    op.name = "cube";
    op.formula = "x^3";
    op.form = GB_FORM_ELEMENTWISE;
    op.arguments = 1;
    op.vjp = vjp;
    op.lane = cube;
    op.domain[0].low = -2;
    op.domain[0].high = 2;
    gb_check_op_options options = {};
    options.size = sizeof options;
    options.report = report;
    options.cases = 64;
    return gb_check_op_with(&op, &options);
}

int main()
{
    gb_report good = {}, bad = {};
    good.size = bad.size = sizeof good;
    const bool as_expected = passes(right, &good) && !passes(wrong, &bad);
    gb_report_print(&good, stdout);
    return !as_expected || good.checks < 10 || bad.failures == 0;
}
