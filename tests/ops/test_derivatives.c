/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The derivatives of every operation in the list, against differences: one test for each, made from the list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/list.h"
#include "support/op_case.h"

/* Operations whose value is random (what ends in _noise, and its parts) or whose gradient is not that of their value:
 * see test_control.c, test_draws.c, test_noise_*.c. */
static const char *const tested_elsewhere[] = {"stop", "inject",   "inject_score",  "gradient_only",
                                               "draw", "expected", "draw_category", "draw_permutation",
                                               "sobol"};

static bool is_tested_elsewhere(const gb_op *op)
{
    for (size_t i = 0; i < sizeof tested_elsewhere / sizeof *tested_elsewhere; i++)
        if (strcmp(op->name, tested_elsewhere[i]) == 0)
            return true;
    const size_t length = strlen(op->name), end = strlen("_noise");
    return length > end && strcmp(op->name + length - end, "_noise") == 0;
}

static void derivatives_agree_with_differences(void **state)
{
    const gb_op *op = *state;
    char why[OP_CASE_TEXT];
    unsigned failures = 0;
    if (is_tested_elsewhere(op))
        skip();
    if (!op_case_possible(op))
        fail_msg("%s has neither a domain nor an example, so nothing tests it", op->name);
    for (unsigned number = 0; number < OP_CASES; number++) {
        if (op_case_passes(op, number, why))
            continue;
        print_error("%s, case %u: %s\n", op->name, number, why);
        failures++;
    }
    assert_int_equal(failures, 0);
}

/* ---- the kit itself ---- */

static double cube(double x, double y, double z)
{
    (void)y, (void)z;
    return x * x * x;
}

static void cube_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_scale(gb_square(v->arg[0]), 3));
}

static void slightly_wrong_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_scale(gb_square(v->arg[0]), 3.0001));
}

/* The right number, but as if it were a constant. */
static void wrong_second_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_scale(gb_square(gb_stop(v->arg[0])), 3));
}

static const gb_op cube_op = {.size = sizeof(gb_op),
                              .name = "cube",
                              .formula = "x^3",
                              .form = GB_FORM_ELEMENTWISE,
                              .arguments = 1,
                              .lane = cube,
                              .vjp = cube_vjp,
                              .domain = {{-2, 2}}};

static unsigned passed_cases(const gb_op *op)
{
    char why[OP_CASE_TEXT];
    unsigned passed = 0;
    for (unsigned number = 0; number < OP_CASES; number++)
        passed += op_case_passes(op, number, why);
    return passed;
}

static void the_kit_accepts_an_operation_from_outside(void **state)
{
    (void)state;
    assert_int_equal(passed_cases(&cube_op), OP_CASES);
}

static void the_kit_sees_a_derivative_that_is_slightly_wrong(void **state)
{
    (void)state;
    gb_op op = cube_op;
    op.vjp = slightly_wrong_vjp;
    assert_true(passed_cases(&op) < OP_CASES / 2); /* some are empty, and pass */
    op.vjp = wrong_second_vjp;
    assert_true(passed_cases(&op) < OP_CASES / 2);
}

static void the_kit_wants_a_once_differentiable_operation_to_refuse_a_second_gradient(void **state)
{
    (void)state;
    gb_op op = cube_op;
    op.once_differentiable = true;
    assert_int_equal(passed_cases(&op), OP_CASES);
}

int main(void)
{
    const struct CMUnitTest of_the_kit[] = {
        cmocka_unit_test(the_kit_accepts_an_operation_from_outside),
        cmocka_unit_test(the_kit_sees_a_derivative_that_is_slightly_wrong),
        cmocka_unit_test(the_kit_wants_a_once_differentiable_operation_to_refuse_a_second_gradient),
    };
    size_t count;
    const gb_op *const *ops = gb_ops(&count);
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){.name = ops[i]->name,
                                       .test_func = derivatives_agree_with_differences,
                                       .initial_state = (void *)(uintptr_t)ops[i]};
    int failed = _cmocka_run_group_tests("derivatives agree with differences", tests, count, NULL, NULL);
    failed += cmocka_run_group_tests_name("the kit", of_the_kit, NULL, NULL);
    free(tests);
    return failed;
}
