/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What densities are made of: values on every instruction set and in both real types against
 * density_values.txt, which density_values.py computed with 450 digits. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/density.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "points.h"

typedef gb_node function(gb_node x, gb_node y);

static gb_node slope(gb_node (*f)(gb_node), gb_node x)
{
    return gb_grad(gb_sum(f(x)), x);
}

static gb_node log1p_square(gb_node x, gb_node unused)
{
    (void)unused;
    return gb_log1p_square(x);
}

static gb_node log1p_square_slope(gb_node x, gb_node unused)
{
    (void)unused;
    return slope(gb_log1p_square, x);
}

static gb_node log_gamma_step(gb_node x, gb_node unused)
{
    (void)unused;
    return gb_log_gamma_step(x);
}

static gb_node log_gamma_step_slope(gb_node x, gb_node unused)
{
    (void)unused;
    return slope(gb_log_gamma_step, x);
}

static gb_node gamma_rest(gb_node x, gb_node unused)
{
    (void)unused;
    return gb_gamma_rest(x);
}

static gb_node gamma_rest_slope(gb_node x, gb_node unused)
{
    (void)unused;
    return slope(gb_gamma_rest, x);
}

static gb_node gamma_body(gb_node a, gb_node r)
{
    return gb_gamma_body(a, r, gb_log(r), gb_num(r.tape, 0));
}

/* The largest errors allowed, in units in the last place, for double and float: those of ops/density.h,
 * a little rounded up. */
static const struct test {
    const char *name;
    function *of;
    double ulps, float_ulps;
} tests[] = {
    {"log1p_square", log1p_square, 1.2, 1.6},
    {"log1p_square_slope", log1p_square_slope, 2, 3},
    {"log_gamma_step", log_gamma_step, 6, 8},
    {"log_gamma_step_slope", log_gamma_step_slope, 4, 4},
    {"gamma_body", gamma_body, 2.5, 3.5},
    {"gamma_rest", gamma_rest, 3.5, 4},
    {"gamma_rest_slope", gamma_rest_slope, 5.5, 4.5},
};

/* ---- values ---- */

static points p;

static void compute_points(function *of, const char *isa, gb_real real)
{
    setenv("GREBE_ISA", isa, 1);
    gb_tape *const t = gb_tape_new(.real = real, .threads = 1);
    unsetenv("GREBE_ISA");
    const gb_node a = gb_input(t, "x", gb_shape((int64_t)p.count)),
                  b = gb_input(t, "y", gb_shape((int64_t)p.count));
    gb_feed(a, p.x, 1);
    gb_feed(b, p.y, 1);
    gb_read(of(a, b), p.is, p.count);
    assert_fine(t);
    gb_tape_free(t);
}

static void check_values(const struct test *test, const char *isa, gb_real real)
{
    read_points(&p, GB_TESTS "/ops/special/density_values.txt", test->name, 2, real);
    compute_points(test->of, isa, real);
    check_points(&p, test->name, isa, real, real == GB_FLOAT ? test->float_ulps : test->ulps);
}

TEST_EACH(values_are_those_of_the_table, tests)
{
    for (size_t isa = 0; isa < 3; isa++)
        for (int real = 0; real < 2; real++)
            check_values(row, isa_name[isa], real ? GB_FLOAT : GB_DOUBLE);
}

/* ---- the ends of the domain ---- */

static double at(function *of, double a, double b)
{
    gb_tape *const t = gb_tape_new(.threads = 1);
    const gb_node x_node = gb_input(t, "x", gb_shape()), y_node = gb_input(t, "y", gb_shape());
    gb_feed(x_node, &a, 1);
    gb_feed(y_node, &b, 1);
    const double value = gb_value(of(x_node, y_node));
    assert_fine(t);
    gb_tape_free(t);
    return value;
}

TEST(values_at_the_ends_are_limits)
{
    const double inf = INFINITY;
    assert_close(at(gamma_body, 0.5, 0), inf, 0);
    assert_close(at(gamma_body, 1, 0), 0, 0);
    assert_close(at(gamma_body, 2, 0), -inf, 0);
    assert_close(at(gamma_body, 5, 0), -inf, 0);
    for (double a = 0.5; a < 10; a += 2)
        assert_close(at(gamma_body, a, inf), -inf, 0);
    assert_close(at(gamma_body, NAN, 1), NAN, 0);
    assert_close(at(gamma_body, 1, NAN), NAN, 0);
    assert_close(at(gamma_body, 5, NAN), NAN, 0);
    assert_close(at(gamma_rest, 0, 0), inf, 0);
    assert_close(at(gamma_rest, inf, 0), inf, 0);
    assert_close(at(gamma_rest, NAN, 0), NAN, 0);
    assert_close(at(log_gamma_step, 0, 0), -inf, 0);
    assert_close(at(log_gamma_step, inf, 0), inf, 0);
    assert_close(at(log_gamma_step, -1, 0), NAN, 0);
    assert_close(at(log_gamma_step, NAN, 0), NAN, 0);
    assert_close(at(log_gamma_step_slope, 0, 0), inf, 0);
    assert_close(at(log_gamma_step_slope, inf, 0), 0, 0);
    assert_close(at(log_gamma_step_slope, -1, 0), NAN, 0);
    assert_close(at(log1p_square, -inf, 0), inf, 0);
    assert_close(at(log1p_square, NAN, 0), NAN, 0);
    assert_close(at(log1p_square_slope, -inf, 0), 0, 0);
    assert_close(at(log1p_square_slope, NAN, 0), NAN, 0);
}
