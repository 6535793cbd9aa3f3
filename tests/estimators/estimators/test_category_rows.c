/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators of choices among K, with a draw for each row of data, behind a normal draw and before another
 * one that depends on it: the mean of the gradient is that of a sum over all values. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/hermite.h"
#include "estimators/list.h"
#include "estimators/moments.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { ROWS = 3, K = 3, BIAS = 0, SLOPE = K, WEIGHT, MU, NUMBERS, NODES = 4 };
static const double ROW[ROWS] = {0.8, -1.2, 0.3}, START[NUMBERS] = {0.4, -0.9, 0.2, 0.7, 1.3, 0.3};
static const double SIGMA = 0.5;
static const double BY_ROW[K] = {1, -1, 0.5}, BY_Z[K] = {0, 1, -0.6}, VALUE[K] = {0.2, 1.4, -0.8};

static const struct rows_case {
    const char *name;
    bool mixes; /* it takes costs that mix rows */
    double evaluations;
} cases[] = {{"arsm", true, 7},
             {"disarm_iw", true, 3},
             {"disarm_sb", true, 3},
             {"disarm_tree", true, 3},
             {"sum_and_sample:summed=1", false, 4},
             {"unordered_set:draws=2", false, 4}};

/* ---- the exact gradient ---- */

static void softmax(const double *logit, double *p)
{
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += p[k] = exp(logit[k]);
    for (int k = 0; k < K; k++)
        p[k] /= sum;
}

/* E off and E off² of a row, at a value of the normal draw. */
static void moments_of_row(const double *x, double row, double at, double *first, double *second)
{
    double logit[K], p[K], q[K];
    for (int k = 0; k < K; k++)
        logit[k] = x[BIAS + k] + x[SLOPE] * (row + at) * BY_ROW[k];
    softmax(logit, p);
    *first = *second = 0;
    for (int z = 0; z < K; z++) {
        for (int k = 0; k < K; k++)
            logit[k] = x[WEIGHT] * VALUE[z] * BY_Z[k];
        softmax(logit, q);
        for (int c = 0; c < K; c++) {
            const double off = VALUE[z] + 1.5 * VALUE[c] - row;
            *first += p[z] * q[c] * off;
            *second += p[z] * q[c] * off * off;
        }
    }
}

static double expected_at(const double *x, double at, bool mixes)
{
    double sum = 0, all = 0, variance = 0;
    for (int i = 0; i < ROWS; i++) {
        double first, second;
        moments_of_row(x, ROW[i], at, &first, &second);
        sum += (x[WEIGHT] + 1) * second;
        all += first;
        variance += second - first * first;
    }
    return sum + (mixes ? 0.3 * (all * all + variance) : 0);
}

static double expected(const double *x, bool mixes)
{
    enum { POINTS = 40 };
    double node[POINTS], weight[POINTS], sum = 0;
    assert_true(gb_hermite_rule(POINTS, node, weight));
    for (int i = 0; i < POINTS; i++)
        sum += weight[i] * expected_at(x, x[MU] + SIGMA * node[i], mixes);
    return sum;
}

/* Five-point differences. */
static double slope(int number, bool mixes)
{
    static const double far[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1}, h = 1e-3;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double x[NUMBERS];
        memcpy(x, START, sizeof x);
        x[number] += far[i] * h;
        sum += weight[i] * expected(x, mixes);
    }
    return sum / (12 * h);
}

/* ---- by estimators ---- */

typedef struct by_rows {
    gb_node gradient[NODES]; /* in bias, slope, weight and mu */
    gb_program *program;
    double evaluations;
} by_rows;

static gb_node list(gb_tape *t, const double *x)
{
    return gb_constant(t, gb_shape(K), gb_values_of(x, K));
}

static by_rows rows_by(const char *text, bool mixes)
{
    by_rows r;
    gb_estimator by;
    char error[200];
    assert_true(gb_estimator_parse(text, &by, error, sizeof error));
    gb_tape *const t = test_tape(.seed = 12, .samples = 50);
    gb_expect *const e = gb_expect_new(t);
    const gb_node row = gb_input_rows(t, "row", gb_shape());
    const gb_node p[NODES] = {gb_variable(t, "bias", gb_shape(K), gb_values_of(START, K)),
                              gb_variable(t, "slope", gb_shape(), gb_fill(START[SLOPE])),
                              gb_variable(t, "weight", gb_shape(), gb_fill(START[WEIGHT])),
                              gb_variable(t, "mu", gb_shape(), gb_fill(START[MU]))};
    const gb_node x = gb_draw(e, "x", gb_normal(p[3], gb_num(t, SIGMA)), gb_pathwise());
    const gb_node logits = gb_add(p[0], gb_mul(gb_mul(p[1], gb_add(row, x)), list(t, BY_ROW)));
    const gb_node z =
        gb_sum(gb_mul(gb_draw(e, "z", gb_one_hot_categorical_logits(logits), by), list(t, VALUE)));
    const gb_node later = gb_mul(gb_mul(p[2], z), list(t, BY_Z));
    const gb_node c =
        gb_sum(gb_mul(gb_draw(e, "c", gb_one_hot_categorical_logits(later), by), list(t, VALUE)));
    const gb_node off = gb_sub(gb_add(z, gb_scale(c, 1.5)), row);
    gb_node cost = gb_sum_over(gb_mul(gb_square(off), gb_shift(p[2], 1)), GB_ROWS);
    if (mixes)
        cost = gb_add(cost, gb_scale(gb_square(gb_sum_over(off, GB_ROWS)), 0.3));
    r.evaluations = gb_expect_evaluations(e, cost);
    assert_int_equal(gb_grads(gb_expected(e, cost), p, NODES, r.gradient), GB_OK);
    assert_fine(t);
    gb_feed(row, ROW, ROWS);
    r.program = gb_compile(t, (gb_node_list){.count = NODES, .node = r.gradient}, gb_no_update);
    return r;
}

/* All together fail by chance once in a million times. */
TEST_EACH(the_mean_is_exact, cases)
{
    enum { RUNS = 1000, CASES = sizeof cases / sizeof *cases };
    const struct rows_case *const by = row;
    static double seen[NUMBERS][RUNS];
    const by_rows r = rows_by(by->name, by->mixes);
    (void)t;
    assert_true(r.evaluations == by->evaluations);
    for (int run = 0; run < RUNS; run++) {
        double g[NUMBERS];
        assert_int_equal(gb_run(r.program), GB_OK);
        gb_read(r.gradient[0], g, K);
        g[SLOPE] = gb_value(r.gradient[1]);
        g[WEIGHT] = gb_value(r.gradient[2]);
        g[MU] = gb_value(r.gradient[3]);
        for (int i = 0; i < NUMBERS; i++)
            seen[i][run] = g[i];
    }
    for (int i = 0; i < NUMBERS; i++) {
        moments m = {.draw = seen[i], .count = RUNS};
        moments_finish(&m);
        const double exact = slope(i, by->mixes);
        if (!(fabs(m.mean - exact) <= z_bound(1e-6, CASES * NUMBERS) * m.mean_error && m.mean_error < 0.1))
            fail_msg("%d: %g ± %g, not %g", i, m.mean, m.mean_error, exact);
    }
}
