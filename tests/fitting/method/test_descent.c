/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L-BFGS on arrays, and the dense matrices it is used with. */
#include "support/close.h"

#include "fitting/density/dense_impl.h"
#include "fitting/method/settling_impl.h"
#include "fitting/search/descent_impl.h"
#include "fitting/search/inverse_impl.h"

enum { N = 6, PAIRS = 8 };

typedef double objective(const double *x, double *gradient);

/* ½ Σ cᵢ (xᵢ − i)², with c from 1 to 10⁵. */
static double valley(const double *x, double *gradient)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const double c = pow(10, i), d = x[i] - i;
        gradient[i] = c * d;
        sum += c * d * d / 2;
    }
    return sum;
}

static double banana(const double *x, double *gradient)
{
    double sum = 0;
    memset(gradient, 0, N * sizeof *gradient);
    for (int i = 0; i < N; i += 2) {
        const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
        sum += a * a + 100 * b * b;
        gradient[i] = -2 * a - 400 * x[i] * b;
        gradient[i + 1] = 200 * b;
    }
    return sum;
}

/* Finite for |x| < 1 only, with its minimum at 0.999 in each. */
static double box(const double *x, double *gradient)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        if (fabs(x[i]) >= 1)
            return NAN;
        sum += -1e-3 * log1p(-x[i]) - x[i];
        gradient[i] = 1e-3 / (1 - x[i]) - 1;
    }
    return sum;
}

static double slope(const double *x, double *gradient)
{
    for (int i = 0; i < N; i++)
        gradient[i] = -1;
    return -x[0] - x[1] - x[2] - x[3] - x[4] - x[5];
}

/* Steep and curved at 0, and then level downhill for ever: steps that curvature suggests are too short. */
static double runway(const double *x, double *gradient)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        sum += 10 * exp(-10 * x[i]) - x[i];
        gradient[i] = -100 * exp(-10 * x[i]) - 1;
    }
    return sum;
}

/* A valley whose values have rounding errors of 10⁻¹², by their height. The gradient has none. */
static double high_banana(const double *x, double *gradient)
{
    return 1e6 + banana(x, gradient) + 1e-6 * sin(1e9 * x[0]);
}

/* Returns how many evaluations were asked for. */
static int go_on(gb_descent *d, objective *f, int most)
{
    double gradient[N];
    int k = 0;
    for (; k < most && gb_descent_asks(d); k++) {
        memset(gradient, 0, sizeof gradient);
        const double value = f(d->trial, gradient);
        gb_descent_take(d, value, gradient);
    }
    return k;
}

static gb_descent run(objective *f, const double *start, double enough, double longest, int most)
{
    gb_descent d;
    double *const numbers = gb_tape_keep(test_tape(), gb_descent_numbers(N, PAIRS) * sizeof *numbers);
    gb_descent_begin(&d, N, PAIRS, numbers, start);
    d.enough = enough;
    d.longest = longest;
    go_on(&d, f, most);
    return d;
}

TEST(a_descent_finds_minima_to_the_last_digits)
{
    const double start[N] = {9, -7, 5, -3, 1, 2};
    const gb_descent d = run(valley, start, 1e-20, 0, 300);
    assert_int_equal(d.phase, GB_DESCENT_DONE);
    for (int i = 0; i < N; i++)
        assert_near(d.x[i], i, 1e-9);
    const gb_descent e = run(banana, start, 1e-18, 0, 500);
    assert_int_equal(e.phase, GB_DESCENT_DONE);
    for (int i = 0; i < N; i++)
        assert_near(e.x[i], 1, 1e-7);
}

TEST(where_values_are_rounded_slopes_lead_on)
{
    const double start[N] = {0.5, 0.2, 0.9, 0.7, 1.2, 1.5};
    const gb_descent d = run(high_banana, start, 1e-16, 0, 500);
    assert_int_equal(d.phase, GB_DESCENT_DONE);
    for (int i = 0; i < N; i++)
        assert_near(d.x[i], 1, 1e-6);
}

TEST(points_without_a_value_shorten_the_step)
{
    const double start[N] = {0};
    const gb_descent d = run(box, start, 1e-14, 0, 500);
    assert_int_equal(d.phase, GB_DESCENT_DONE);
    for (int i = 0; i < N; i++)
        assert_near(d.x[i], 0.999, 1e-6);
}

TEST(a_start_without_a_value_is_lost)
{
    const double start[N] = {2};
    assert_int_equal(run(box, start, 1e-14, 0, 10).phase, GB_DESCENT_LOST);
}

TEST(no_step_is_longer_than_the_longest)
{
    const double start[N] = {0};
    objective *const each[] = {slope, runway};
    for (int i = 0; i < 2; i++) {
        double before = 0;
        for (int most = 1; most < 40; most++) {
            const gb_descent d = run(each[i], start, 0, 0.5, most);
            assert_true(d.x[0] - before <= 0.5 + 1e-12);
            before = d.x[0];
        }
        assert_true(before >= 5); /* and steps are that long */
    }
}

/* The valley, with its minimum elsewhere. */
static double valley_nearby(const double *x, double *gradient)
{
    double at[N];
    for (int i = 0; i < N; i++)
        at[i] = x[i] + 0.3 * pow(10, -0.5 * i);
    return valley(at, gradient);
}

TEST(a_descent_that_begins_again_keeps_its_pairs)
{
    const double start[N] = {9, -7, 5, -3, 1, 2};
    gb_descent d = run(valley, start, 1e-20, 0, 300);
    assert_int_equal(d.phase, GB_DESCENT_DONE);
    gb_descent fresh = run(valley_nearby, d.x, 1e-20, 0, 0);
    const int all = go_on(&fresh, valley_nearby, 300);
    gb_descent_again(&d);
    const int few = go_on(&d, valley_nearby, 300);
    if (few > all / 2)
        fail_msg("%d evaluations, and %d from the beginning", few, all);
    for (int i = 0; i < N; i++) {
        assert_near(d.x[i], i - 0.3 * pow(10, -0.5 * i), 1e-9);
        assert_near(fresh.x[i], d.x[i], 1e-8);
    }
    gb_descent_again(&d);
    go_on(&d, box, 10); /* has no value there */
    assert_int_equal(d.phase, GB_DESCENT_LOST);
}

TEST(a_gradient_that_is_none_ends_in_a_word)
{
    const double start[N] = {0, 1, 2, 3, 4, 5}; /* the minimum */
    assert_int_equal(run(valley, start, 1e-14, 0, 10).phase, GB_DESCENT_DONE);
}

/* ---- matrices ---- */

TEST(a_factor_an_inverse_and_solutions_agree)
{
    double a[N * N], l[N * N], inverse[N * N], room[N * N], x[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i * N + j] = (i == j ? N : 0) + cos(i + 2.0 * j) + cos(j + 2.0 * i);
    assert_true(gb_dense_factor(N, a, l));
    gb_dense_inverse(N, l, inverse, room);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double is = 0, back = 0;
            for (int k = 0; k < N; k++) {
                is += a[i * N + k] * inverse[k * N + j];
                back += l[i * N + k] * l[j * N + k];
            }
            assert_near(is, i == j, 1e-13);
            assert_near(back, a[i * N + j], 1e-13);
            assert_true(j <= i || l[i * N + j] == 0);
        }
    for (int i = 0; i < N; i++)
        x[i] = a[i * N + 2];
    gb_dense_solve(N, l, x);
    gb_dense_solve_transposed(N, l, x);
    for (int i = 0; i < N; i++)
        assert_near(x[i], i == 2, 1e-13);
    a[0] = -1;
    assert_false(gb_dense_factor(N, a, l));
    a[0] = NAN;
    assert_false(gb_dense_factor(N, a, l));
}

/* ---- the inverse Hessian of a path ---- */

TEST(a_path_through_a_valley_teaches_the_inverse_hessian)
{
    for (int dense = 0; dense < 2; dense++) {
        gb_inverse h;
        double numbers[N * N + N], x[N] = {0}, product[N];
        assert_true(gb_inverse_numbers(N, dense) <= sizeof numbers / sizeof *numbers);
        gb_inverse_begin(&h, N, dense, numbers);
        const double none[N] = {0};
        gb_inverse_add(&h, none, none); /* without curvature: left out */
        assert_false(h.has_pair);
        for (int k = 0; k < 200; k++) { /* pairs of Hessian 10^i */
            double s[N], y[N];
            for (int i = 0; i < N; i++) {
                s[i] = sin(1.3 * k * (i + 1) + i) * pow(10, -0.5 * i);
                y[i] = pow(10, i) * s[i];
            }
            gb_inverse_add(&h, s, y);
        }
        for (int i = 0; i < N; i++) {
            memset(x, 0, sizeof x);
            x[i] = 1;
            gb_inverse_times(&h, x, product);
            assert_near(product[i] * pow(10, i), 1, 1e-9);
        }
    }
}

/* ---- stationary iterates ---- */

TEST(iterates_that_move_are_told_from_those_that_do_not)
{
    enum { TWO = 2 };
    gb_settling s;
    double numbers[16 * TWO], x[TWO], mean[TWO];
    assert_int_equal(gb_settling_numbers(TWO), 16 * TWO);
    gb_settling_begin(&s, TWO, 10, numbers);
    bool full = false;
    for (int k = 0; k < 80; k++) {
        x[0] = k % 2 ? 1 : -1; /* stays */
        x[1] = k + x[0];       /* runs off */
        full = gb_settling_add(&s, x);
        assert_int_equal(full, k == 79);
    }
    assert_true(!gb_settling_moves(&s, 0, 1.1) && gb_settling_moves(&s, 1, 1.1));
    gb_settling_mean(&s, mean);
    assert_near(mean[0], 0, 1e-12);
    assert_near(mean[1], 59.5, 1e-9);
    for (int k = 80; k < 160; k++) { /* segments of twice the length */
        x[0] = k % 2 ? 1 : -1;
        x[1] = k + x[0];
        full = gb_settling_add(&s, x);
    }
    assert_true(full && s.length == 20);
    gb_settling_mean(&s, mean);
    assert_near(mean[1], 119.5, 1e-9);
    gb_settling_begin(&s, TWO, 10, numbers);
    for (int k = 0; k < 80; k++) /* constant: does not move */
        gb_settling_add(&s, (const double[]){3, 4});
    assert_true(!gb_settling_moves(&s, 0, 1.1) && !gb_settling_moves(&s, 1, 1.1));
}
