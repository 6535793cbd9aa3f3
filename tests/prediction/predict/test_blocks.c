/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows in blocks: neither batches nor memory change a prediction, nor does it change what was there. */
#include "support/close.h"

#include "core/graph/first_row_impl.h"
#include "core/program.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "prediction/predicted.h"

enum { ROWS = 300, DRAWS = 150 };

static double xs[3 * ROWS], ys[ROWS];

/* f = x · w elementwise by elementwise: no sum whose order depends on the number of rows, unless `sums`. */
typedef struct curve {
    gb_elbo *e;
    gb_node x, y, f;
} curve;

static curve curve_model(gb_tape *t, bool sums)
{
    curve m = {.e = gb_elbo_new(t, .data_size = ROWS),
               .x = gb_input_rows(t, "x", gb_shape(3)),
               .y = gb_input_rows(t, "y", gb_shape())};
    for (int i = 0; i < 3 * ROWS; i++)
        xs[i] = sin(1.7 * i);
    for (int i = 0; i < ROWS; i++)
        ys[i] = cos(0.3 * i);
    const gb_node w = gb_latent(m.e, "w", gb_mean_field(gb_shape(3), .spread = 0.5, .scale = 0.3),
                                gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const gb_node each = gb_tanh(gb_mul(m.x, w));
    m.f = sums ? gb_dot(m.x, each) : gb_add(gb_add(gb_at(each, 0), gb_at(each, 1)), gb_at(each, 2));
    gb_observe(m.e, "y", gb_student_t(gb_num(t, 5), m.f, gb_num(t, 0.4)), m.y);
    return m;
}

static gb_batches *batches(const curve *m, int64_t batch, bool in_order, const char *name)
{
    return gb_batches_new(m->x.tape, .rows = ROWS, .batch = batch, .in_order = in_order, .name = name,
                          .columns = GB_COLUMNS({m->x, gb_doubles(xs)}, {m->y, gb_doubles(ys)}));
}

static const double *const *arrays(const gb_prediction *p, size_t each[9])
{
    static const double *all[9];
    const double *const found[9] = {p->mean,        p->sd,      p->epistemic, p->noise, p->quantile,
                                    p->log_density, p->outcome, p->below,     p->crps};
    for (size_t i = 0; i < 9; i++) {
        all[i] = found[i];
        each[i] = i == 4 ? p->quantiles : 1;
    }
    return all;
}

static void assert_same(const gb_prediction *a, const gb_prediction *b, double allowed)
{
    size_t each[9];
    const double *of_a[9];
    memcpy(of_a, arrays(a, each), sizeof of_a);
    const double *const *of_b = arrays(b, each);
    for (size_t k = 0; k < 9; k++)
        for (size_t i = 0; i < a->rows * each[k]; i++)
            if (!(fabs(of_a[k][i] - of_b[k][i]) <= allowed * (1 + fabs(of_a[k][i]))))
                fail_msg("array %zu, number %zu: %.17g and %.17g", k, i, of_a[k][i], of_b[k][i]);
    for (size_t i = 0; a->draw && i < a->draws * a->rows; i++)
        assert_near(a->draw[i], b->draw[i], allowed * (1 + fabs(a->draw[i])));
}

static const struct chunk {
    const char *name;
    int64_t batch;
    bool in_order;
    double memory;
} chunks[] = {{"one_batch", 0, true, 0},       {"small_memory", 0, true, 1},
              {"some_memory", 0, true, 400e3}, {"batches_of_7", 7, true, 0},
              {"batches_of_64", 64, true, 1},  {"batches_of_100", 100, true, 300e3}};

TEST_EACH(bits_do_not_depend_on, chunks)
{
    const struct chunk *const c = row;
    const curve m = curve_model(t, false);
    gb_prediction *a = predicted(
        gb_predictive(m.e, "y", .data = batches(&m, 0, true, "a"), .draws = DRAWS, .keep_draws = true), t);
    gb_prediction *b = predicted(gb_predictive(m.e, "y", .data = batches(&m, c->batch, c->in_order, "b"),
                                               .draws = DRAWS, .keep_draws = true, .memory = c->memory),
                                 t);
    assert_same(a, b, 0);
    gb_prediction_free(a);
    gb_prediction_free(b);
}

TEST_EACH(sums_differ_in_last_digits_only_by, chunks)
{
    const struct chunk *const c = row;
    const curve m = curve_model(t, true);
    gb_prediction *a =
        predicted(gb_predictive(m.e, "y", .data = batches(&m, 0, true, "a"), .draws = DRAWS), t);
    gb_prediction *b = predicted(gb_predictive(m.e, "y", .data = batches(&m, c->batch, c->in_order, "b"),
                                               .draws = DRAWS, .memory = c->memory),
                                 t);
    assert_same(a, b, 1e-11);
    gb_prediction_free(a);
    gb_prediction_free(b);
}

/* Shuffled rows have noise of their own, but the latents the same draws. */
TEST(shuffled_batches_have_the_rows_in_their_order)
{
    const curve m = curve_model(t, false);
    gb_prediction *a =
        predicted(gb_predictive(m.e, "y", .data = batches(&m, 0, true, "a"), .draws = DRAWS), t);
    gb_prediction *b =
        predicted(gb_predictive(m.e, "y", .data = batches(&m, 32, false, "b"), .draws = DRAWS), t);
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(b->row[i], i);
        assert_near(a->mean[i], b->mean[i], 0);
        assert_near(a->log_density[i], b->log_density[i], 0);
        assert_near(b->outcome[i], ys[i], 0);
    }
    gb_prediction_free(a);
    gb_prediction_free(b);
}

TEST(calls_repeat_without_new_nodes)
{
    const curve m = curve_model(t, true);
    gb_batches *data = batches(&m, 50, true, "a");
    gb_prediction *a = predicted(gb_predictive(m.e, "y", .data = data, .draws = DRAWS), t);
    gb_prediction *other = predicted(gb_predictive(m.e, "y", .data = data, .draws = DRAWS, .seed = 2), t);
    const size_t nodes = gb_tape_length(t);
    gb_prediction *b = predicted(gb_predictive(m.e, "y", .data = data, .draws = DRAWS), t);
    assert_int_equal(gb_tape_length(t), nodes);
    assert_same(a, b, 0);
    assert_true(other->mean[0] != a->mean[0]);
    gb_prediction_free(a);
    gb_prediction_free(b);
    gb_prediction_free(other);
}

TEST(inputs_keep_their_rows_and_batches_their_place)
{
    const curve m = curve_model(t, false);
    gb_batches *train = batches(&m, 40, false, "train"), *test = batches(&m, 70, true, "test");
    gb_program *look = gb_compile(t, gb_roots(m.x, m.y), gb_no_update);
    double before[4 * 40], after[4 * 40];
    assert_true(gb_next_batch(train) && gb_next_batch(train) && gb_next_batch(test));
    assert_true(gb_next_batch(train));
    assert_int_equal(gb_run(look), GB_OK);
    assert_int_equal(gb_read(m.x, before, 3 * 40), GB_OK);
    assert_int_equal(gb_read(m.y, before + 120, 40), GB_OK);
    gb_prediction_free(predicted(gb_predictive(m.e, "y", .data = test, .draws = 10), t));
    assert_int_equal(gb_batches_at(test).row, 70);
    assert_int_equal(gb_batches_at(train).row, 120);
    assert_int_equal(gb_run(look), GB_OK);
    assert_int_equal(gb_read(m.x, after, 3 * 40), GB_OK);
    assert_int_equal(gb_read(m.y, after + 120, 40), GB_OK);
    assert_memory_equal(before, after, sizeof before);
}

/* Draws are of whole functions: at equal rows they are equal, and with noise they are not. */
TEST(draws_are_of_whole_functions)
{
    const curve m = curve_model(t, false);
    memcpy(xs + 3 * 200, xs, 3 * sizeof *xs);
    gb_batches *data = gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({m.x, gb_doubles(xs)}));
    gb_prediction *f = predicted(
        gb_predictive_node(m.e, m.f, .data = data, .draws = 50, .keep_draws = true, .memory = 1), t);
    gb_prediction *y =
        predicted(gb_predictive(m.e, "y", .data = data, .draws = 50, .keep_draws = true, .memory = 1), t);
    for (int d = 0; d < 50; d++) {
        assert_near(f->draw[d * ROWS], f->draw[d * ROWS + 200], 0);
        assert_true(y->draw[d * ROWS] != y->draw[d * ROWS + 200]);
    }
    assert_null(y->outcome);
    assert_null(y->log_density);
    assert_null(y->crps);
    assert_int_equal(gb_prediction_scores(y).count, 0);
    gb_prediction_free(f);
    gb_prediction_free(y);
}

/* With the slow part of the memory for series: several passes over the draws. */
TEST(an_outcome_of_many_elements_takes_passes)
{
    enum { ELEMENTS = 40, FEW = 3 };
    const gb_node x = gb_input_rows(t, "x", gb_shape(ELEMENTS)),
                  y = gb_input_rows(t, "y", gb_shape(ELEMENTS));
    gb_elbo *e = gb_elbo_new(t, .data_size = FEW);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(ELEMENTS), .scale = 0.5),
                                gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_add(x, w), gb_num(t, 1)), y);
    double at[FEW * ELEMENTS];
    for (int i = 0; i < FEW * ELEMENTS; i++)
        at[i] = i;
    gb_feed(x, at, FEW);
    gb_feed(y, at, FEW);
    gb_prediction *a = predicted(gb_predictive(e, "y", .draws = DRAWS), t);
    gb_prediction *b = predicted(gb_predictive(e, "y", .draws = DRAWS, .memory = 1e6), t);
    assert_int_equal(a->elements, ELEMENTS);
    assert_int_equal(a->data, ELEMENTS);
    for (size_t i = 0; i < FEW * ELEMENTS; i++) {
        assert_near(a->quantile[3 * i + 1], b->quantile[3 * i + 1], 0);
        assert_near(a->log_density[i], b->log_density[i], 0);
        assert_near(a->sd[i], b->sd[i], 0);
    }
    gb_prediction_free(a);
    gb_prediction_free(b);
}

/* A node that mixes rows has all of them at once. */
TEST(a_node_that_mixes_rows_sees_all)
{
    const curve m = curve_model(t, false);
    gb_batches *data = batches(&m, 64, true, "a");
    const gb_node off = gb_sub(m.f, gb_mean_over(m.f, GB_ROWS));
    gb_prediction *p = predicted(gb_predictive_node(m.e, off, .data = data, .draws = 20, .memory = 1), t);
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++)
        sum += p->mean[i];
    assert_near(sum, 0, 1e-10);
    gb_prediction_free(p);
}

/* ---- noise ---- */

/* Noise of rows, in a run of rows 128 … 191, is that of a run of all. */
static void assert_noise(gb_tape *t, gb_node noise, gb_node rows, size_t each)
{
    enum { ALL = 256, FIRST = 128, SOME = 64 };
    static const double zeros[ALL];
    gb_program *p = gb_compile(t, gb_roots(gb_add(noise, gb_scale(gb_expand(rows, 0), 0))), gb_no_update);
    double all[ALL * 3], some[SOME * 3];
    gb_program_set_samples(p, 1);
    gb_feed(rows, zeros, ALL);
    assert_int_equal(gb_run(p), GB_OK);
    gb_read_root(p, 0, all);
    gb_program_set_first_row(p, FIRST);
    gb_program_set_step(p, 0);
    gb_feed(rows, zeros, SOME);
    assert_int_equal(gb_run(p), GB_OK);
    gb_read_root(p, 0, some);
    assert_memory_equal(some, all + FIRST * each, SOME * each * sizeof *some);
    assert_memory_not_equal(some, all, SOME * each * sizeof *some);
}

static gb_node draw_of(gb_dist d, gb_noise n)
{
    return gb_sample(d, n, GB_ROWS | GB_SAMPLES);
}
static gb_node three(gb_tape *t, double x)
{
    return gb_broadcast(gb_num(t, x), gb_shape(3));
}
static gb_node normal(gb_tape *t, gb_noise n)
{
    return draw_of(gb_normal(three(t, 0), gb_num(t, 1)), n);
}
static gb_node uniform(gb_tape *t, gb_noise n)
{
    return draw_of(gb_uniform(three(t, 0), gb_num(t, 1)), n);
}
static gb_node gamma_small(gb_tape *t, gb_noise n)
{
    return draw_of(gb_gamma(three(t, 0.3), gb_num(t, 1)), n);
}
static gb_node poisson(gb_tape *t, gb_noise n)
{
    return draw_of(gb_poisson(three(t, 30)), n);
}
static gb_node von_mises(gb_tape *t, gb_noise n)
{
    return draw_of(gb_von_mises(three(t, 0), gb_num(t, 2)), n);
}
static gb_node student(gb_tape *t, gb_noise n)
{
    return draw_of(gb_student_t(gb_num(t, 3), three(t, 0), gb_num(t, 1)), n);
}

static const struct kind_of_noise {
    const char *name;
    gb_node (*draw)(gb_tape *t, gb_noise n);
} kinds_of_noise[] = {{"of_a_normal", normal}, {"of_a_uniform", uniform}, {"of_a_gamma", gamma_small},
                      {"of_counts", poisson},  {"of_angles", von_mises},  {"of_student_t", student}};

TEST_EACH(noise_of_rows, kinds_of_noise)
{
    const struct kind_of_noise *const kind = row;
    const gb_node rows = gb_input_rows(t, "rows", gb_shape());
    assert_noise(t, kind->draw(t, gb_stream(t, "noise")), rows, 3);
}
