/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Special functions: values against references of 25 digits (special_references.txt, made by
 * special_references.py), identities and limits. */
#include "support/close.h"

#include "core/op.h"
#include "ops/list.h"
#include "support/files.h"

/* ---- one number ---- */

static double value_of(const char *name, double x, double y, double z)
{
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_op *op = gb_op_find(name);
    const gb_node arg[3] = {gb_num(t, x), gb_num(t, y), gb_num(t, z)};
    const double value = gb_value(gb_apply(NULL, op, op->arguments, arg, NULL, 0));
    assert_fine(t);
    gb_tape_free(t);
    return value;
}
#define VALUE(name, x, y) value_of(#name, (x), (y), 0)
#define VALUE_3(name, x, y, z) value_of(#name, (x), (y), (z))

/* ---- references ---- */

enum { MOST_REFERENCES = 700 };

/* Errors allowed, in ε (1 + |log f|). Slopes of draws of gamma, and what comes from them, are sums that
 * cancel some digits. */
typedef struct allowance {
    const char *name;
    double multiples;
} allowance;

static const allowance functions[] = {
    {"gamma_p", 10},
    {"gamma_q", 20},
    {"gamma_density", 4},
    {"gamma_p_slope", 1000},
    {"gamma_draw_slope", 1000},
    {"gamma_p_inverse", 10},
    {"beta_i", 10},
    {"beta_density", 200},
    {"beta_i_slope_a", 20},
    {"beta_i_slope_b", 20},
    {"beta_draw_slope_a", 20},
    {"beta_draw_slope_b", 20},
    {"beta_i_inverse", 10},
    {"beta_log_odds_slope_a", 20},
    {"beta_log_odds_slope_b", 20},
    {"beta_i_upper", 20},
    {"beta_i_upper_inverse", 20},
    {"polygamma", 4},
    {"digamma_gap", 10},
    {"digamma_rest_gap", 10},
    {"lbeta", 10},
    {"digamma_difference", 10},
    {"von_mises_cdf", 10},
    {"von_mises_density", 10},
    {"von_mises_cdf_slope", 20},
    {"von_mises_draw_slope", 20},
    {"von_mises_spread", 10},
    {"von_mises_spread_slope", 10},
    {"von_mises_spread_curve", 20},
    {"polygamma_rest", 10},
    {"polygamma_difference", 10},
    {"log_gamma_step_rest", 20},
    {"von_mises_bregman", 100},
    {"exp_excess", 4},
    {"log_less_digamma", 10},
    {"log_gamma_kernel", 10},
    {"log_gamma_bregman", 10},
    {"stirling_bregman", 10},
    {"kumaraswamy_log_rest", 20},
    {"kumaraswamy_log_rest_slope_a", 20},
    {"kumaraswamy_log_rest_slope_b", 20},
};

typedef struct references {
    size_t count;
    double argument[3][MOST_REFERENCES], value[MOST_REFERENCES];
} references;

static void read_references(const gb_op *op, references *r)
{
    FILE *file = open_table("ops/special/special_references.txt");
    char line[256];
    r->count = 0;
    while (fgets(line, sizeof line, file)) {
        const size_t length = strlen(op->name);
        if (strncmp(line, op->name, length) != 0 || line[length] != ' ')
            continue;
        assert_true(r->count < MOST_REFERENCES);
        char *at = line + length;
        for (size_t i = 0; i < op->arguments; i++)
            r->argument[i][r->count] = strtod(at, &at);
        r->value[r->count++] = strtod(at, &at);
    }
    fclose(file);
}

TEST_EACH(values_are_those_of_the_references, functions)
{
    const allowance *allowed = row;
    const gb_op *op = gb_op_find(allowed->name);
    static references r;
    static double is[MOST_REFERENCES];
    read_references(op, &r);
    assert_true(r.count >= 60);
    gb_node arg[3];
    for (size_t i = 0; i < op->arguments; i++)
        arg[i] = gb_constant(t, gb_shape((int64_t)r.count), gb_values_of(r.argument[i], r.count));
    gb_read(gb_apply(NULL, op, op->arguments, arg, NULL, 0), is, r.count);
    assert_fine(t);
    for (size_t i = 0; i < r.count; i++) {
        const double should = r.value[i];
        if (!is_close(is[i], should, allowed->multiples * (1 + fabs(log(fabs(should))))))
            fail_msg("%s(%a, %a, %a) is %.17g, not %.17g", op->name, r.argument[0][i], r.argument[1][i],
                     op->arguments > 2 ? r.argument[2][i] : 0, is[i], should);
    }
}

TEST(the_slope_of_log_i0e_is_minus_the_spread)
{
    static references r;
    read_references(gb_op_find("von_mises_spread"), &r);
    for (size_t i = 0; i < r.count; i++)
        assert_close(-VALUE(log_i0e_slope, r.argument[0][i], 0), r.value[i], 150);
}

TEST(a_slope_of_student_t_loses_digits_with_the_degrees_of_freedom)
{
    static references r;
    read_references(gb_op_find("student_t_draw_slope"), &r);
    assert_true(r.count >= 60);
    for (size_t i = 0; i < r.count; i++) {
        const double df = r.argument[0][i], is = VALUE(student_t_draw_slope, df, r.argument[1][i]);
        assert_true(fabs(is / r.value[i] - 1) <= fmin(1e-14 * (1 + df), 2e-9));
    }
}

/* ---- identities ---- */

/* In [0, 1), spread evenly. */
static double even(int i, double step)
{
    return fmod((i + 1) * step, 1);
}

static const double GOLDEN = 0.6180339887498949, SILVER = 0.4142135623730951, BRONZE = 0.3027756377319946;

TEST(lower_and_upper_gamma_are_one_together)
{
    for (int i = 0; i < 1000; i++) {
        const double a = exp(30 * even(i, GOLDEN) - 12), x = a * exp(6 * even(i, SILVER) - 3);
        assert_close(VALUE(gamma_p, a, x) + VALUE(gamma_q, a, x), 1, 16);
    }
}

TEST(gamma_of_the_next_shape_differs_by_a_density)
{
    for (int i = 0; i < 1000; i++) {
        const double a = floor(exp(10 * even(i, GOLDEN)) * 64) / 64,
                     x = (a + 1) * exp(2 * even(i, SILVER) - 1);
        assert_close(VALUE(gamma_p, a + 1, x) + VALUE(gamma_density, a + 1, x), VALUE(gamma_p, a, x), 2000);
    }
}

TEST(beta_is_its_own_mirror_image)
{
    for (int i = 0; i < 1000; i++) {
        const double a = exp(12 * even(i, GOLDEN) - 6), b = exp(12 * even(i, SILVER) - 6);
        const double x = floor(even(i, BRONZE) * 1024 + 1) / 1026; /* y is exact enough */
        const double y = 1 - x;
        assert_close(VALUE_3(beta_i, a, b, 1 - y) + VALUE_3(beta_i, b, a, y), 1, 400);
    }
}

TEST(slopes_of_log_odds_are_those_of_draws)
{
    for (int i = 0; i < 300; i++) {
        const double a = exp(16 * even(i, GOLDEN) - 4), b = exp(16 * even(i, SILVER) - 4);
        const double x = (a / (a + b) + 2 * even(i, BRONZE)) / 3, y = 1 - x, l = log(x) - log(y);
        assert_close(x * y * VALUE_3(beta_log_odds_slope_a, a, b, l), VALUE_3(beta_draw_slope_a, a, b, x),
                     1e6);
        assert_close(x * y * VALUE_3(beta_log_odds_slope_b, a, b, l), VALUE_3(beta_draw_slope_b, a, b, x),
                     1e6);
    }
    assert_close(VALUE_3(beta_log_odds_slope_a, 0.2, 3, -601) - VALUE_3(beta_log_odds_slope_a, 0.2, 3, -599),
                 10, 1e4);
    assert_close(VALUE_3(beta_log_odds_slope_b, 3, 0.2, 601) - VALUE_3(beta_log_odds_slope_b, 3, 0.2, 599),
                 -10, 1e4);
}

TEST(beta_with_a_shape_of_one_is_a_power)
{
    for (int i = 0; i < 300; i++) {
        const double a = exp(12 * even(i, GOLDEN) - 6), x = even(i, SILVER);
        assert_close(VALUE_3(beta_i, a, 1, x), pow(x, a), 10 * (1 + fabs(a * log(x))));
    }
}

TEST(quantiles_have_their_probabilities)
{
    for (int i = 0; i < 300; i++) {
        const double a = exp(16 * even(i, GOLDEN) - 4), b = exp(16 * even(i, SILVER) - 4),
                     p = even(i, BRONZE);
        const double x = VALUE(gamma_p_inverse, a, p), condition = x * VALUE(gamma_density, a, x) / p;
        assert_close(VALUE(gamma_p, a, x), p, 20 * (1 + condition));
        const double u = VALUE_3(beta_i_inverse, a, b, p), of_u = u * VALUE_3(beta_density, a, b, u) / p;
        assert_close(VALUE_3(beta_i, a, b, u), p, 20 * (1 + of_u));
    }
}

TEST(log_beta_has_its_recurrence)
{
    for (int i = 0; i < 300; i++) {
        const double a = floor(exp(8 * even(i, GOLDEN)) * 64) / 64, b = exp(12 * even(i, SILVER) - 4);
        const double next = VALUE(lbeta, a + 1, b) + log1p(b / a), now = VALUE(lbeta, a, b);
        assert_true(fabs(next - now) < 20 * DBL_EPSILON * (1 + fabs(now) + log1p(b / a)));
    }
}

TEST(von_mises_is_its_own_mirror_image)
{
    for (int i = 0; i < 300; i++) {
        const double kappa = exp(24 * even(i, GOLDEN) - 6), x = 3.1 * even(i, SILVER);
        assert_close(VALUE(von_mises_cdf, kappa, x) + VALUE(von_mises_cdf, kappa, -x), 1, 4);
        assert_close(VALUE(von_mises_draw_slope, kappa, x), -VALUE(von_mises_draw_slope, kappa, -x), 0);
    }
}

/* ---- limits ---- */

TEST(gamma_has_its_limits)
{
    const double inf = HUGE_VAL;
    assert_close(VALUE(gamma_p, 2, 0), 0, 0);
    assert_close(VALUE(gamma_q, 2, 0), 1, 0);
    assert_close(VALUE(gamma_p, 2, inf), 1, 0);
    assert_close(VALUE(gamma_q, 2, inf), 0, 0);
    assert_close(VALUE(gamma_p, 0, 1), 1, 0);
    assert_close(VALUE(gamma_q, 0, 1), 0, 0);
    assert_close(VALUE(gamma_p, inf, 1), 0, 0);
    assert_close(VALUE(gamma_q, inf, 1), 1, 0);
    assert_close(VALUE(gamma_q, 1, 1000), 0, 0);
    assert_close(VALUE(gamma_p, inf, inf), NAN, 0);
    assert_close(VALUE(gamma_p, -1, 1), NAN, 0);
    assert_close(VALUE(gamma_p, 1, -1), NAN, 0);
    assert_close(VALUE(gamma_q, NAN, 1), NAN, 0);
    assert_close(VALUE(gamma_q, 1, NAN), NAN, 0);
    assert_close(VALUE(gamma_density, 0.5, 0), inf, 0);
    assert_close(VALUE(gamma_density, 1, 0), 1, 0);
    assert_close(VALUE(gamma_density, 3, 0), 0, 0);
    assert_close(VALUE(gamma_density, 3, inf), 0, 0);
    assert_close(VALUE(gamma_p_slope, 3, 0), 0, 0);
    assert_close(VALUE(gamma_p_slope, 3, inf), 0, 0);
    assert_close(VALUE(gamma_p_inverse, 3, 0), 0, 0);
    assert_close(VALUE(gamma_p_inverse, 3, 1), inf, 0);
    assert_close(VALUE(gamma_p_inverse, 1e-5, 0.5), 0, 0);
    assert_close(VALUE(gamma_p_inverse, 3, 1.5), NAN, 0);
    assert_close(VALUE(gamma_p_inverse, -3, 0.5), NAN, 0);
    assert_close(VALUE(gamma_draw_slope, 3, -inf), inf, 0);
    assert_close(VALUE(gamma_draw_slope, 3, 800), 0, 0);
    assert_close(VALUE(gamma_draw_slope, -1, 0), NAN, 0);
    assert_close(VALUE(gamma_draw_slope, 1, NAN), NAN, 0);
}

TEST(beta_has_its_limits)
{
    assert_close(VALUE_3(beta_i, 2, 3, 0), 0, 0);
    assert_close(VALUE_3(beta_i, 2, 3, 1), 1, 0);
    assert_close(VALUE_3(beta_i, 0, 3, 0.5), 1, 0);
    assert_close(VALUE_3(beta_i, 2, 0, 0.5), 0, 0);
    assert_close(VALUE_3(beta_i, HUGE_VAL, 1, 0.5), 0, 0);
    assert_close(VALUE_3(beta_i, 1, HUGE_VAL, 0.5), 1, 0);
    assert_close(VALUE_3(beta_i, 0, 0, 0.5), NAN, 0);
    assert_close(VALUE_3(beta_i, 1, 1, 1.5), NAN, 0);
    assert_close(VALUE_3(beta_i, 1, -1, 0.5), NAN, 0);
    assert_close(VALUE_3(beta_i, 1, 1, NAN), NAN, 0);
    assert_close(VALUE_3(beta_density, 0.5, 2, 0), HUGE_VAL, 0);
    assert_close(VALUE_3(beta_density, 2, 1, 1), 2, 0);
    assert_close(VALUE_3(beta_density, 2, 3, 1), 0, 0);
    assert_close(VALUE_3(beta_i_slope_a, 2, 3, 0), 0, 0);
    assert_close(VALUE_3(beta_i_slope_b, 2, 3, 1), 0, 0);
    assert_close(VALUE_3(beta_i_inverse, 2, 3, 0), 0, 0);
    assert_close(VALUE_3(beta_i_inverse, 2, 3, 1), 1, 0);
    assert_close(VALUE_3(beta_i_inverse, 2, 3, -1), NAN, 0);
    const double tiny = exp((log(0.6) + log(0.001) + VALUE(lbeta, 0.001, 0.01)) / 0.001);
    assert_true(tiny > 0 && tiny < 1e-150);
    assert_close(VALUE_3(beta_i_inverse, 0.001, 0.01, 0.6), tiny, 1e5);
    assert_close(VALUE_3(beta_i_inverse, 0.01, 0.001, 0.4), 1, 0);
    assert_close(VALUE_3(beta_i_inverse, 1e-3, 1e-4, 0.4), 1, 0);
    assert_close(VALUE_3(beta_i, 1e-300, 1e10, 0.5), 1, 0);
}

TEST(the_others_have_their_limits)
{
    const double inf = HUGE_VAL;
    assert_close(VALUE(lbeta, 0, 2), inf, 0);
    assert_close(VALUE(lbeta, 2, inf), -inf, 0);
    assert_close(VALUE(lbeta, -1, 2), NAN, 0);
    assert_close(VALUE(digamma_difference, 3, 0), 0, 0);
    assert_close(VALUE(digamma_difference, 0, 1), NAN, 0);
    assert_close(VALUE(polygamma, 0, 0), -inf, 0);
    assert_close(VALUE(polygamma, 1, 0), inf, 0);
    assert_close(VALUE(polygamma, 2, inf), 0, 0);
    assert_close(VALUE(polygamma, 1, -0.5), NAN, 0);
    assert_close(VALUE(polygamma, 1.5, 1), NAN, 0);
    assert_close(VALUE(von_mises_cdf, 2, 4), 1, 0);
    assert_close(VALUE(von_mises_cdf, 2, -4), 0, 0);
    assert_close(VALUE(von_mises_cdf, 2, 0), 0.5, 1);
    assert_close(VALUE(von_mises_cdf, 0, 1), 0.5 + 0.5 / acos(-1), 0.5 * 4);
    assert_close(VALUE(von_mises_cdf, -1, 0), NAN, 0);
    assert_close(VALUE(von_mises_cdf, 1, NAN), NAN, 0);
    assert_close(VALUE(von_mises_density, 2, 4), 0, 0);
    assert_close(VALUE(von_mises_draw_slope, 2, 0), 0, 0);
}

/* Lanes are called for padding, with any numbers. */
TEST(no_numbers_do_harm)
{
    static const double any[] = {-INFINITY, -1, -0.0, 0x1p-1074, 1e-300,   1e-9, 0.5,
                                 1,         40, 1e9,  1e300,     INFINITY, NAN};
    enum { ANY = sizeof any / sizeof *any };
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        const gb_op *op = gb_op_find(functions[f].name);
        const int last = op->arguments > 2 ? ANY : 1;
        for (int i = 0; op->lane && i < ANY * ANY * last; i++) {
            const double value = op->lane(any[i % ANY], any[i / ANY % ANY], any[i / ANY / ANY]);
            const bool probability = strcmp(op->name, "gamma_p") == 0 || strcmp(op->name, "beta_i") == 0 ||
                                     strcmp(op->name, "gamma_q") == 0 ||
                                     strcmp(op->name, "von_mises_cdf") == 0;
            if (probability && !isnan(value) && !(value >= 0 && value <= 1))
                fail_msg("%s(%g, %g, %g) is %g", op->name, any[i % ANY], any[i / ANY % ANY],
                         any[i / ANY / ANY], value);
        }
    }
}

/* The slope is that of a draw whose rank stays: a small step of a, and log x with it, leaves P as it is. */
TEST(a_draw_of_gamma_keeps_its_rank)
{
    for (int i = 0; i < 200; i++) {
        const double a = exp(14 * even(i, GOLDEN) - 2), p = even(i, SILVER), step = 1e-5 * a;
        const double before = log(VALUE(gamma_p_inverse, a - step, p));
        const double after = log(VALUE(gamma_p_inverse, a + step, p));
        const double slope = VALUE(gamma_draw_slope, a, log(VALUE(gamma_p_inverse, a, p)));
        const double error = slope - (after - before) / (2 * step);
        assert_true(fabs(error) < 1e-6 * slope);
    }
}
