/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators for draws of 0 and 1, with a draw for each row of data and one that depends on it: the mean of
 * the gradient is that of a sum over all values. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "estimators/moments.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { ROWS = 3, BITS = 2, PARAMETERS = 3 };
static const double ROW[ROWS] = {0.8, -1.2, 0.3};

static const struct rows_case {
    const char *name;
    bool mixes; /* it takes costs that mix rows */
} cases[] = {{"arms", true},  {"arms:draws=2", true},        {"bitflip", false},
             {"ugc", false},  {"double_cv", true},           {"double_cv:alpha=0.5:learn", true},
             {"rodeo", true}, {"rodeo:beta=0.3:learn", true}};

typedef struct by_rows {
    gb_node gradient[PARAMETERS]; /* in bias, slope and weight */
    gb_program *program;
} by_rows;

/* b has the logits bias + slope · row, c the logit weight (Σ b − 0.5). The cost is a sum of squares over the
 * rows and, if rows mix, the square of a sum over rows. */
static by_rows rows_by(const char *text, bool mixes, int samples)
{
    by_rows r;
    gb_estimator by;
    char error[200];
    assert_true(gb_estimator_parse(text, &by, error, sizeof error));
    gb_tape *const t = test_tape(.seed = 12, .samples = samples);
    gb_expect *const e = gb_expect_new(t);
    const gb_node row = gb_input_rows(t, "row", gb_shape());
    const gb_node p[PARAMETERS] = {gb_variable(t, "bias", gb_shape(BITS), GB_VALUES(0.4, -2.2)),
                                   gb_variable(t, "slope", gb_shape(), gb_fill(0.7)),
                                   gb_variable(t, "weight", gb_shape(), gb_fill(1.3))};
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(gb_add(p[0], gb_mul(p[1], row))), by);
    const gb_node ones = gb_sum(b);
    const gb_node c = gb_draw(e, "c", gb_bernoulli_logits(gb_mul(p[2], gb_shift(ones, -0.5))), by);
    const gb_node off = gb_sub(gb_add(ones, gb_scale(c, 1.5)), row);
    gb_node cost = gb_sum_over(gb_mul(gb_square(off), gb_shift(p[2], 1)), GB_ROWS);
    if (mixes)
        cost = gb_add(cost, gb_scale(gb_square(gb_sum_over(off, GB_ROWS)), 0.3));
    assert_int_equal(gb_grads(gb_expected(e, cost), p, PARAMETERS, r.gradient), GB_OK);
    assert_fine(t);
    gb_feed(row, ROW, ROWS);
    r.program = gb_compile(t, (gb_node_list){.count = PARAMETERS, .node = r.gradient}, gb_no_update);
    return r;
}

/* ---- the exact gradient ---- */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

enum { OUTCOMES = 1 << (BITS + 1) };

/* The chance of one outcome of a row, its scores in the four numbers, and its `off`. */
static double outcome_of(int code, double row, double score[4], double *off)
{
    static const double bias[BITS] = {0.4, -2.2};
    double chance = 1, ones = 0;
    memset(score, 0, 4 * sizeof *score);
    for (int i = 0; i < BITS; i++) {
        const double b = code >> i & 1, p = sigmoid(bias[i] + 0.7 * row);
        chance *= b == 1 ? p : 1 - p;
        ones += b;
        score[i] = b - p;
        score[2] += (b - p) * row;
    }
    const double c = code >> BITS & 1, q = sigmoid(1.3 * (ones - 0.5));
    score[3] = (c - q) * (ones - 0.5);
    *off = ones + 1.5 * c - row;
    return chance * (c == 1 ? q : 1 - q);
}

/* By the sum over all outcomes of all rows. */
static void exact_of(bool mixes, double gradient[4])
{
    memset(gradient, 0, 4 * sizeof *gradient);
    for (int code = 0; code < OUTCOMES * OUTCOMES * OUTCOMES; code++) {
        double chance = 1, squares = 0, sum = 0, score[4] = {0};
        for (int n = 0, rest = code; n < ROWS; n++, rest /= OUTCOMES) {
            double of_row[4], off;
            chance *= outcome_of(rest % OUTCOMES, ROW[n], of_row, &off);
            squares += off * off;
            sum += off;
            for (int i = 0; i < 4; i++)
                score[i] += of_row[i];
        }
        const double cost = 2.3 * squares + (mixes ? 0.3 * sum * sum : 0);
        for (int i = 0; i < 4; i++)
            gradient[i] += chance * (cost * score[i] + (i == 3 ? squares : 0));
    }
}

TEST_EACH(the_mean_is_exact, cases)
{
    enum { RUNS = 1250, SAMPLES = 1000, TESTS = 64 };
    static double seen[4][RUNS];
    const struct rows_case *const is = row;
    for (int mixes = 0; mixes <= is->mixes; mixes++) {
        double exact[4];
        const by_rows r = rows_by(is->name, mixes, SAMPLES);
        exact_of(mixes, exact);
        for (int run = 0; run < RUNS; run++) {
            double bias[BITS];
            assert_int_equal(gb_run(r.program), GB_OK);
            gb_read(r.gradient[0], bias, BITS);
            seen[0][run] = bias[0], seen[1][run] = bias[1];
            seen[2][run] = gb_value(r.gradient[1]), seen[3][run] = gb_value(r.gradient[2]);
        }
        for (int i = 0; i < 4; i++) {
            moments m = {.draw = seen[i], .count = RUNS};
            moments_finish(&m);
            assert_true(sees_bias(&m, 0.1 * fmax(fabs(exact[i]), 0.1 * sqrt(m.variance * SAMPLES))));
            if (!(fabs(m.mean - exact[i]) <= z_bound(1e-6, TESTS) * m.mean_error))
                fail_msg("mixes %d, number %d: %g ± %g, not %g", mixes, i, m.mean, m.mean_error, exact[i]);
        }
    }
}
