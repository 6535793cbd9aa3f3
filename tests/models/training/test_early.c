/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Validation on held-out rows, and trainings that end early with the best variables. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "models/scratch.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "prediction/predict.h"
#include "support/counted_memory.h"

enum { TRAIN = 14, HELD_OUT = 25, DEGREE = 9 };

/* A polynomial of degree 9 through 14 points: it fits them better and better, and soon the others worse. */
typedef struct poly {
    gb_tape *t;
    gb_elbo *e;
    gb_node x, y;
    gb_batches *data, *held_out;
    double xs[TRAIN + HELD_OUT], ys[TRAIN + HELD_OUT];
} poly;

static void record_by(poly *m, gb_tape *t, gb_family family, int64_t batch)
{
    m->t = t;
    for (int i = 0; i < TRAIN + HELD_OUT; i++) {
        m->xs[i] = i < TRAIN ? 2.0 * i / (TRAIN - 1) - 1 : 1.9 * (i - TRAIN) / (HELD_OUT - 1) - 0.95;
        m->ys[i] = sin(2 * m->xs[i]) + 0.4 * sin(91.0 * i);
    }
    m->x = gb_input_rows(t, "x", gb_shape());
    m->y = gb_input_rows(t, "y", gb_shape());
    m->e = gb_elbo_new(t, .data_size = TRAIN);
    gb_node power[DEGREE + 1] = {gb_shift(gb_scale(m->x, 0), 1)}, each[DEGREE + 1];
    for (int i = 1; i <= DEGREE; i++)
        power[i] = gb_mul(power[i - 1], m->x);
    for (int i = 0; i <= DEGREE; i++)
        each[i] = gb_expand(power[i], 0);
    const gb_node w = gb_latent(m->e, "w", family, gb_normal(gb_num(t, 0), gb_num(t, 30)), gb_pathwise());
    gb_observe(m->e, "y", gb_normal(gb_dot(gb_concat(DEGREE + 1, each, 0), w), gb_num(t, 0.2)), m->y);
    m->data = gb_batches_new(t, .rows = TRAIN, .batch = batch,
                             .columns = GB_COLUMNS({m->x, gb_doubles(m->xs)}, {m->y, gb_doubles(m->ys)}));
    m->held_out = gb_batches_new(
        t, .rows = HELD_OUT, .batch = 10, .name = "held out",
        .columns = GB_COLUMNS({m->x, gb_doubles(m->xs + TRAIN)}, {m->y, gb_doubles(m->ys + TRAIN)}));
}

static void record(poly *m, gb_tape *t)
{
    record_by(m, t, gb_point(gb_shape(DEGREE + 1)), 0);
}

/* Draws, and batches in a shuffled order. */
static void record_random(poly *m, gb_tape *t)
{
    record_by(m, t, gb_mean_field(gb_shape(DEGREE + 1), .scale = 0.05), 6);
}

static gb_fit_result fit_by(const poly *m, gb_fit_options options)
{
    return gb_fit_with(m->e, &options);
}

static gb_fit_options early(poly *m)
{
    return (gb_fit_options){.size = sizeof(gb_fit_options),
                            .optimiser = gb_adam(.lr = 0.05),
                            .data = m->data,
                            .steps = 6000,
                            .window = 20,
                            .validate = m->held_out,
                            .validate_draws = 20,
                            .patience = 10};
}

static const char *const kept_names[] = {"w", "w.location", "w.raw_scale", "w.adam.first",
                                         "w.location.adam.second"};

static void assert_same_state(const poly *a, const poly *b)
{
    for (size_t i = 0; i < sizeof kept_names / sizeof *kept_names; i++) {
        double x[DEGREE + 1], y[DEGREE + 1];
        if (!gb_tape_has_variable(a->t, kept_names[i]))
            continue;
        assert_int_equal(gb_read(gb_variable_named(a->t, kept_names[i]), x, DEGREE + 1), GB_OK);
        assert_int_equal(gb_read(gb_variable_named(b->t, kept_names[i]), y, DEGREE + 1), GB_OK);
        assert_memory_equal(x, y, sizeof x);
    }
}

/* The mean log density of the held-out rows as the variables are now. */
static double density_now(const poly *m)
{
    gb_prediction *p = gb_predictive(m->e, "y", .data = m->held_out, .draws = 20, .only_moments = true);
    if (!p)
        fail_msg("%s", gb_error_text(m->t));
    const double mean = gb_prediction_score(p, "log density").value;
    gb_prediction_free(p);
    return mean;
}

TEST(a_training_ends_early_with_the_best_variables)
{
    poly m;
    record(&m, t);
    const gb_fit_result r = fit_by(&m, early(&m));
    assert_int_equal(r.status, GB_OK);
    assert_int_equal(r.end, GB_FIT_PATIENCE);
    assert_true(r.steps < 6000 && r.best.step < r.last.step);
    assert_int_equal(r.last.step - r.best.step, 10 * 20);
    for (size_t i = 0; i < r.points; i++) {
        assert_true(r.point[i].validation <= r.best.validation);
        assert_true(r.point[i].validation_error > 0);
    }
    assert_near(density_now(&m), r.best.validation, 1e-12 * fabs(r.best.validation));
    assert_true(r.last.validation < r.best.validation);
    assert_non_null(strstr(r.words, "ended early: 10 validations were no better; the variables are those "
                                    "of step"));
}

TEST(validation_changes_no_training)
{
    poly with, without;
    record_random(&with, t);
    record_random(&without, test_tape());
    gb_fit_options options = early(&with);
    options.steps = 300;
    options.patience = 0;
    const gb_fit_result a = fit_by(&with, options);
    options.validate = NULL;
    options.validate_draws = 0;
    options.data = without.data;
    const gb_fit_result b = fit_by(&without, options);
    assert_int_equal(a.status, GB_OK);
    assert_int_equal(b.status, GB_OK);
    assert_same_state(&with, &without);
    assert_string_equal(a.words, "");
    assert_true(isnan(a.best.validation) && isnan(b.point[0].validation));
    assert_near(a.last.validation, density_now(&with), 1e-12 * fabs(a.last.validation));
    assert_int_equal(gb_batches_at(with.data).row, gb_batches_at(without.data).row);
}

TEST(windows_are_validated_in_their_turn)
{
    poly m;
    record(&m, t);
    gb_fit_options options = early(&m);
    options.steps = 200;
    options.validate_every = 3;
    const gb_fit_result r = fit_by(&m, options);
    for (size_t i = 0; i < r.points; i++)
        assert_int_equal(isnan(r.point[i].validation), (i + 1) % 3 != 0);
}

/* A point of the ELBO: minus the loss, with the held-out rows as data. */
TEST(the_elbo_of_held_out_rows_is_a_score)
{
    poly m;
    record(&m, t);
    gb_fit_options options = early(&m);
    options.validate_by = GB_VALIDATE_ELBO;
    options.steps = 20;
    const gb_fit_result r = fit_by(&m, options);
    assert_int_equal(r.status, GB_OK);
    gb_program *look = gb_compile(t, gb_roots(gb_elbo_loss(m.e)), gb_no_update);
    gb_feed(m.x, m.xs + TRAIN, HELD_OUT);
    gb_feed(m.y, m.ys + TRAIN, HELD_OUT);
    assert_int_equal(gb_run(look), GB_OK);
    assert_near(r.best.validation, -gb_value(gb_elbo_loss(m.e)) / TRAIN, 1e-9 * fabs(r.best.validation));
    assert_true(isnan(r.best.validation_error));
    assert_non_null(strstr(r.words, "the highest ELBO, "));
    assert_non_null(strstr(r.words, " a row"));
}

/* ---- optimisers that try points ---- */

TEST(lbfgs_is_validated_at_accepted_points)
{
    poly m;
    record(&m, t);
    gb_fit_options options = early(&m);
    options.optimiser = gb_lbfgs();
    options.steps = 400;
    options.window = 4;
    const gb_fit_result r = fit_by(&m, options);
    assert_int_equal(r.status, GB_OK);
    assert_true(r.best.step <= r.last.step);
    assert_near(density_now(&m), r.best.validation, 1e-12 * fabs(r.best.validation));
}

/* ---- continuing ---- */

static const struct continued {
    const char *name;
    void (*record)(poly *m, gb_tape *t);
    bool by_lbfgs;
} continued[] = {{"points", record, false}, {"draws", record_random, false}, {"lbfgs", record, true}};

static gb_fit_options of_case(poly *m, const struct continued *c, const char *path)
{
    gb_fit_options options = early(m);
    if (c->by_lbfgs)
        options.optimiser = gb_lbfgs();
    options.window = c->by_lbfgs ? 4 : 20;
    options.steps = c->by_lbfgs ? 240 : 2000;
    options.checkpoint = path;
    options.resume = path != NULL;
    return options;
}

TEST_EACH(a_resumed_training_has_the_same_bits, continued)
{
    const scratch at = scratch_new();
    poly whole, first, second;
    const struct continued *const c = row;
    c->record(&whole, t);
    c->record(&first, test_tape());
    c->record(&second, test_tape());
    const gb_fit_result once = fit_by(&whole, of_case(&whole, c, NULL));
    gb_fit_options half = of_case(&first, c, at.path);
    half.steps = (int64_t)once.steps / 2 + 3; /* inside a window; the best variables are there */
    const gb_fit_result begun = fit_by(&first, half);
    assert_int_equal(begun.status, GB_OK);
    assert_int_equal(begun.end, GB_FIT_STEPS);
    const gb_fit_result rest = fit_by(&second, of_case(&second, c, at.path));
    assert_int_equal(rest.status, GB_OK);
    assert_int_equal(rest.before, begun.steps);
    assert_int_equal(rest.before + rest.steps, once.steps);
    assert_int_equal(rest.end, once.end);
    assert_int_equal(rest.best.step, once.best.step);
    assert_memory_equal(&rest.best.validation, &once.best.validation, sizeof(double));
    assert_string_equal(rest.words, once.words);
    assert_same_state(&whole, &second);
    scratch_end(&at);
}

/* Patience that ran out stays so; with more of it the training goes on from its last step, not from the
 * best. */
TEST(more_patience_continues_from_the_last_step)
{
    const scratch at = scratch_new();
    const struct continued *const c = &continued[1];
    poly whole, first, again;
    c->record(&whole, t);
    c->record(&first, test_tape());
    c->record(&again, test_tape());
    gb_fit_options patient = of_case(&whole, c, NULL);
    patient.patience = 30;
    const gb_fit_result once = fit_by(&whole, patient);
    const gb_fit_result begun = fit_by(&first, of_case(&first, c, at.path));
    assert_int_equal(begun.end, GB_FIT_PATIENCE);
    assert_true(begun.steps < once.steps);
    poly same;
    record_random(&same, test_tape());
    const gb_fit_result at_once = fit_by(&same, of_case(&same, c, at.path));
    assert_int_equal(at_once.end, GB_FIT_PATIENCE);
    assert_int_equal(at_once.steps, 0);
    assert_same_state(&same, &first);
    assert_string_equal(at_once.words, begun.words);
    patient = of_case(&again, c, at.path);
    patient.patience = 30;
    const gb_fit_result rest = fit_by(&again, patient);
    assert_int_equal(rest.before + rest.steps, once.steps);
    assert_int_equal(rest.end, once.end);
    assert_same_state(&whole, &again);
    scratch_end(&at);
}

/* ---- misuse ---- */

static void assert_refused(poly *m, gb_fit_options options, const char *words, int at)
{
    const gb_fit_result r = fit_by(m, options);
    if (r.status != GB_EARGUMENT || !strstr(gb_error_text(m->t), words))
        fail_msg("line %d: %s, and not: %s", at, gb_error_text(m->t), words);
    gb_forgive(m->t);
}
#define assert_refused(m, words, ...)                                                                        \
    do {                                                                                                     \
        gb_fit_options options = early(m);                                                                   \
        __VA_ARGS__;                                                                                         \
        assert_refused(m, options, words, __LINE__);                                                         \
    } while (0)

TEST(nonsense_is_rejected)
{
    poly m, other;
    record(&m, t);
    record(&other, test_tape());
    const char *const need = ".patience and .validate_… need .validate";
    assert_refused(&m, need, options.validate = NULL);
    assert_refused(&m, need, options.validate = NULL, options.patience = 0);
    assert_refused(&m, need, options.validate = NULL, options.patience = options.validate_draws = 0,
                   options.validate_every = 2);
    assert_refused(&m, need, options.validate = NULL, options.patience = options.validate_draws = 0,
                   options.validate_by = GB_VALIDATE_ELBO);
    assert_refused(&m, ".patience -1: none may be negative", options.patience = -1);
    assert_refused(&m, "no .validate_by number 7", options.validate_by = (gb_validate_by)7);
    assert_refused(&m, ".validate and .data are the same batches", options.validate = m.data);
    assert_refused(&m, ".validate is of another tape than .elbo", options.validate = other.held_out);
    assert_refused(&m, ".patience keeps the best variables, and .average makes others",
                   options.average = true);
    gb_batches *without =
        gb_batches_new(t, .rows = 3, .name = "without", .columns = GB_COLUMNS({m.x, gb_doubles(m.xs)}));
    assert_refused(&m, "fit: .validate has no column for input y, which its score needs",
                   options.validate = without);
    gb_fit_options options = {.size = sizeof options, .validate = m.held_out};
    fit_by(&m, options);
    assert_non_null(strstr(gb_error_text(t), "fit: .validate is for a training, which needs .optimiser"));
}

static gb_status use(gb_tape *t, const void *what)
{
    (void)what;
    poly m;
    if (!t)
        return GB_ENOMEM;
    record_random(&m, t);
    gb_fit_options options = early(&m);
    options.steps = 60;
    options.patience = 1;
    fit_by(&m, options);
    return gb_error(t);
}

TEST(validation_outlives_lack_of_memory)
{
    assert_outlives_lack_of_memory(use, NULL, "validation", 60, (gb_tape_options){.seed = 1});
}
