/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems of the caller's: what they get back, many parameters, rows and batches of them. */
#include "support/close.h"

#include <string.h>

#include "compare/compare.h"
#include "compare/replicates.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- the pointer, and many parameters ---- */

typedef struct many {
    size_t scalars;
    double target;
    int calls;
} many;

/* E (x − target)², x ~ N(Σ scalars + Σ of the array, 1): the gradient in each of them is 2 (Σ − target). */
static gb_node centre(gb_trial *trial)
{
    many *const m = trial->user;
    char name[32];
    gb_node sum = gb_sum(gb_trial_parameter(trial, "w", gb_shape(2, 3), gb_fill(0.25)));
    for (size_t i = 0; i < m->scalars; i++) {
        snprintf(name, sizeof name, "s%zu", i);
        sum = gb_add(sum, gb_trial_parameter(trial, name, gb_shape(), gb_fill(0.01)));
    }
    m->calls++;
    return sum;
}

static gb_node cost(gb_trial *trial)
{
    const many *const m = trial->user;
    const gb_node mean = centre(trial);
    const gb_node x = gb_trial_draw(trial, "x", gb_normal(mean, gb_num(trial->tape, 1)));
    return gb_square(gb_shift(x, -m->target));
}

static gb_node expected(gb_trial *trial)
{
    const many *const m = trial->user;
    return gb_shift(gb_square(gb_shift(centre(trial), -m->target)), 1);
}

TEST(a_problem_has_any_number_of_parameters_and_gets_its_pointer)
{
    many m = {.scalars = 200, .target = 1};
    const gb_problem own = {.size = sizeof(gb_problem),
                            .name = "many",
                            .formula = "E (x - target)^2",
                            .cost = cost,
                            .expected = expected,
                            .user = &m};
    gb_comparison *const c =
        gb_compare(.problem = &own, .estimators = 2, .estimator = (gb_estimator[]){gb_pathwise(), gb_score()},
                   .draws = 400, .threads = 1);
    assert_string_equal(c->error, "");
    assert_int_equal(c->parameters, 206);
    assert_string_equal(c->parameter[4], "w[1,1]");
    assert_string_equal(c->parameter[6], "s0");
    assert_string_equal(c->parameter[205], "s199");
    for (size_t p = 0; p < c->parameters; p++) {
        const gb_measured *const a = &c->estimator[0].parameter[p], *const b = &c->estimator[1].parameter[p];
        assert_near(a->exact, 2 * (6 * 0.25 + 200 * 0.01 - m.target), 1e-12);
        assert_true(a->mean == c->estimator[0].parameter[0].mean); /* all are one number */
        assert_true(fabs(a->z) < 6.5 && fabs(b->z) < 6.5);
    }
    assert_true(m.calls > 0);
    gb_comparison_free(c);
}

/* ---- structs that are not complete ---- */

static void incomplete(gb_problem own, const char *words)
{
    const gb_estimator one = gb_pathwise();
    gb_comparison *const c = gb_compare(.problem = &own, .estimators = 1, .estimator = &one);
    assert_int_equal(c->status, GB_EARGUMENT);
    if (!strstr(c->error, words))
        fail_msg("the error is \"%s\", without \"%s\"", c->error, words);
    gb_comparison_free(c);
    gb_tape *const t = test_tape();
    gb_trial trial = {.tape = t, .expect = gb_expect_new(t), .estimator = one};
    assert_false(gb_node_ok(gb_trial_record(&trial, &own, false)));
    assert_rejected(t, GB_EARGUMENT, words);
}

TEST(an_incomplete_problem_is_rejected_in_words)
{
    const gb_problem good = {.size = sizeof(gb_problem), .name = "own", .formula = "E x", .cost = cost};
    gb_problem own = good;
    own.size = 0;
    incomplete(own, "problem own: its type struct has the size 0");
    own = good;
    own.name = NULL;
    incomplete(own, "a type of a problem has no name");
    own = good;
    own.cost = NULL;
    incomplete(own, "problem own: its type struct lacks cost");
    own = good;
    own.formula = NULL;
    incomplete(own, "problem own: its type struct lacks formula");
    gb_trial trial = {.tape = t};
    assert_false(gb_node_ok(gb_trial_record(&trial, &good, true)));
    assert_rejected(t, GB_EARGUMENT, "problem own: it has no closed form");
}

/* ---- rows ---- */

enum { ROWS = 6 };

/* Row i has the bit 2^i, so a sum over rows says which there were. The draw is beside the point. */
typedef struct bits {
    double bit[ROWS], pair[2 * ROWS];
    size_t rows, other_rows;
    const double *values;
} bits;

static bits rows_of_bits(void)
{
    bits b = {.rows = ROWS, .other_rows = ROWS};
    for (size_t i = 0; i < ROWS; i++) {
        b.bit[i] = (double)(1 << i);
        b.pair[2 * i] = b.bit[i];
        b.pair[2 * i + 1] = -b.bit[i];
    }
    return b;
}

static gb_node bits_cost(gb_trial *trial)
{
    const bits *const b = trial->user;
    const gb_node scale = gb_trial_parameter(trial, "scale", gb_shape(), gb_fill(1));
    const gb_node one = gb_trial_rows(trial, "one", gb_shape(), b->rows, b->bit),
                  pair = gb_trial_rows(trial, "pair", gb_shape(2), b->other_rows, b->pair);
    const gb_node x = gb_trial_draw(trial, "x", gb_normal(gb_num(trial->tape, 0), gb_num(trial->tape, 1)));
    /* the pairs cancel if they are of the same rows */
    const gb_node each = gb_add(one, gb_sum(pair));
    return gb_mul(scale, gb_add(gb_trial_row_sum(trial, each), gb_scale(x, 0)));
}

static gb_problem bits_problem(const bits *b)
{
    return (gb_problem){.size = sizeof(gb_problem),
                        .name = "bits",
                        .formula = "a sum over rows",
                        .cost = bits_cost,
                        .user = (void *)(uintptr_t)b};
}

static int ones(unsigned x)
{
    int count = 0;
    for (; x; x >>= 1)
        count += (int)(x & 1);
    return count;
}

/* The gradient is the sum of the bits of a batch, times 6 / batch. */
TEST(a_batch_has_rows_of_its_own_each_once_and_all_alike_in_the_long_run)
{
    enum { RUNS = 6000 };
    const bits b = rows_of_bits();
    const gb_problem own = bits_problem(&b);
    for (int64_t batch = 1; batch <= ROWS; batch++) {
        const gb_replicate_plan plan = {
            .problem = &own, .estimator = gb_pathwise(), .batch = batch, .threads = 1, .seed = 5};
        gb_replicates r, again;
        size_t count[ROWS] = {0}, both = 0;
        assert_true(gb_replicates_begin(&r, &plan) && gb_replicates_begin(&again, &plan));
        for (int i = 0; i < RUNS; i++) {
            assert_true(gb_replicates_run(&r, NULL));
            const double sum = r.values[0] * (double)batch / ROWS;
            const unsigned seen = (unsigned)lround(sum);
            assert_near(sum, (double)seen, 1e-12);
            assert_int_equal(ones(seen), batch);
            for (size_t k = 0; k < ROWS; k++)
                count[k] += seen >> k & 1;
            both += (seen & 3) == 3;
            if (i < 20) { /* a function of seed and run */
                assert_true(gb_replicates_run(&again, NULL));
                assert_true(again.values[0] == r.values[0]);
            }
        }
        const double p = (double)batch / ROWS, pairs = p * (double)(batch - 1) / (ROWS - 1);
        for (size_t k = 0; k < ROWS; k++)
            assert_true(fabs((double)count[k] - RUNS * p) <= 5.5 * sqrt(RUNS * p * (1 - p)));
        assert_true(fabs((double)both - RUNS * pairs) <= 5.5 * sqrt(RUNS * pairs * (1 - pairs)));
        gb_replicates_end(&r);
        gb_replicates_end(&again);
    }
}

TEST(without_a_batch_all_rows_are_seen)
{
    const bits b = rows_of_bits();
    const gb_problem own = bits_problem(&b);
    const gb_replicate_plan plan = {.problem = &own, .estimator = gb_pathwise(), .threads = 1};
    gb_replicates r;
    assert_true(gb_replicates_begin(&r, &plan) && gb_replicates_run(&r, NULL));
    assert_int_equal(r.trial.rows, ROWS);
    assert_true(r.values[0] == (1 << ROWS) - 1);
    gb_replicates_end(&r);
}

/* Both estimators, one of which learns nothing and makes other draws, see the same rows. */
TEST(estimators_see_the_same_batches)
{
    const bits b = rows_of_bits();
    const gb_problem own = bits_problem(&b);
    gb_comparison *const c =
        gb_compare(.problem = &own, .estimators = 2, .estimator = (gb_estimator[]){gb_pathwise(), gb_score()},
                   .draws = 500, .batch = 2, .threads = 1);
    assert_string_equal(c->error, "");
    assert_true(c->estimator[0].parameter[0].variance > 0);
    assert_true(c->estimator[0].parameter[0].mean == c->estimator[1].parameter[0].mean);
    assert_true(c->estimator[0].parameter[0].variance == c->estimator[1].parameter[0].variance);
    assert_int_equal(c->batch, 2);
    gb_comparison_free(c);
}

/* The exact gradient is that of all rows; the variance is larger by that of the choice of rows. */
TEST(batches_are_unbiased_and_vary_more)
{
    double variance[2];
    for (int i = 0; i < 2; i++) {
        gb_comparison *const c =
            gb_compare(.problem = gb_problem_find("rows"), .estimators = 3,
                       .estimator = (gb_estimator[]){gb_pathwise(), gb_score(.baseline = gb_moving_average()),
                                                     gb_measure_valued()},
                       .draws = 4000, .batch = i == 0 ? 0 : 2, .threads = 1, .seed = 3);
        assert_string_equal(c->error, "");
        for (size_t e = 0; e < 3; e++)
            for (size_t p = 0; p < 2; p++) {
                const gb_measured *const m = &c->estimator[e].parameter[p];
                assert_true(isfinite(m->exact) && fabs(m->z) < 6);
            }
        variance[i] = c->estimator[0].total_variance;
        gb_comparison_free(c);
    }
    assert_true(variance[1] > 1.5 * variance[0]);
}

static void no_rows(const gb_problem *own, int64_t batch, gb_status status, const char *words)
{
    const gb_replicate_plan plan = {
        .problem = own, .estimator = gb_pathwise(), .batch = batch, .threads = 1, .at_a_time = 1};
    gb_replicates r;
    assert_false(gb_replicates_begin(&r, &plan));
    assert_int_equal(gb_replicates_status(&r), status);
    if (!strstr(gb_error_text(r.trial.tape), words))
        fail_msg("\"%s\" should contain \"%s\"", gb_error_text(r.trial.tape), words);
    gb_replicates_end(&r);
}

TEST(rows_that_do_not_fit_are_rejected)
{
    bits b = rows_of_bits();
    const gb_problem own = bits_problem(&b);
    no_rows(&own, 7, GB_ESHAPE, "rows one: a batch of 7 rows, and there are 6");
    no_rows(&own, -1, GB_EARGUMENT, "a batch of -1 rows");
    b.other_rows = 5;
    no_rows(&own, 0, GB_ESHAPE, "rows pair: 5 rows, but an earlier input has 6");
    b.rows = 0;
    no_rows(&own, 0, GB_EARGUMENT, "rows one: 0 rows");
    no_rows(gb_problem_find("gauss-square"), 2, GB_EARGUMENT,
            "problem gauss-square: it has no rows to take batches of");
    gb_trial trial = {.tape = t};
    assert_false(gb_node_ok(gb_trial_rows(&trial, "x", gb_shape(), 3, NULL)));
    assert_rejected(t, GB_EARGUMENT, "rows x: 3 rows, and no values");
    gb_trial_rows(&trial, NULL, gb_shape(), 1, (double[]){1});
    assert_int_not_equal(gb_error(t), GB_OK);
    gb_forgive(t);
    const gb_estimator one = gb_pathwise();
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("rows"), .estimators = 1, .estimator = &one, .batch = -2);
    assert_int_equal(c->status, GB_EARGUMENT);
    gb_comparison_free(c);
}

TEST(a_batch_and_replicates_side_by_side_exclude_each_other)
{
    const gb_replicate_plan plan = {.problem = gb_problem_find("rows"),
                                    .estimator = gb_pathwise(),
                                    .batch = 2,
                                    .at_a_time = 5,
                                    .threads = 1};
    gb_replicates r;
    assert_false(gb_replicates_begin(&r, &plan));
    assert_non_null(strstr(gb_error_text(r.trial.tape), "needs one replicate at a time"));
    gb_replicates_end(&r);
}
