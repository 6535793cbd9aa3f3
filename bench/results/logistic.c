/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bayesian logistic regression along its training (Mohamed, Rosca, Figurnov and Mnih 2019): breast cancer
 * data, a normal with independent elements, and several estimators of its gradient. */
#include <math.h>
#include <string.h>

#include "results.h"

enum {
    ROWS = 569,
    WEIGHTS = 31,
    BATCH = 32,
    SAMPLES = 50,
    STEPS = 5000,
    LOOK_EVERY = 500,
    GRADIENTS = 200, /* each on a batch of its own */
    LOOKS = 20,
    LOOK_SAMPLES = 500,
    POINTS = STEPS / LOOK_EVERY + 1
};
enum { ELBO, ELBO_ERROR, ACCURACY, ACCURACY_OF_DRAW, VARIANCE, VARIANCE_ERROR, COLUMNS };

typedef struct model {
    gb_tape *t;
    gb_table *table;
    gb_elbo *e;
    gb_node rate, elbo, error, right, right_by_draw;
    gb_batches *batches, *all;
    gb_program *look;
    double numbers[POINTS][COLUMNS];
} model;

/* The columns in one text, "radius_mean,…": all but `besides`. */
static void join_names(const gb_table *d, const char *besides, size_t bytes, char *text)
{
    text[0] = 0;
    for (size_t i = 0; i < gb_table_columns(d); i++) {
        const char *const name = gb_table_column_at(d, i)->name;
        const size_t used = strlen(text);
        if (strcmp(name, besides) != 0)
            snprintf(text + used, bytes - used, "%s%s", used ? "," : "", name);
    }
}

static bool record(model *m, const char *path, gb_estimator estimator)
{
    static double ones[ROWS];
    char names[1024];
    for (int i = 0; i < ROWS; i++)
        ones[i] = 1;
    gb_tape *const t = m->t = gb_tape_new(.seed = 1, .threads = 1);
    gb_table *const d = m->table = gb_table_read(t, path);
    gb_table_add(d, "one", gb_doubles(ones));
    join_names(d, "benign", sizeof names, names);
    const gb_numbers raw = gb_table_numbers(d, names);
    const gb_standard *const s =
        gb_standard_new(t, raw, .columns = WEIGHTS, .population = true, .constant = GB_CONSTANT_COLUMNS_KEPT);
    const gb_node x = gb_input_rows(t, "x", gb_shape(WEIGHTS)), y = gb_input_rows(t, "y", gb_shape());
    const gb_column_list columns =
        GB_COLUMNS({x, gb_standard_numbers(s, raw)}, {y, gb_table_numbers(d, "benign")});
    m->batches = gb_batches_new(t, .batch = BATCH, .columns = columns);
    m->all = gb_batches_new(t, .name = "all", .columns = columns);

    gb_elbo *const e = m->e = gb_elbo_new(t, .data_size = ROWS, .samples = SAMPLES);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(WEIGHTS), .scale = 1, .map = GB_SCALE_EXP),
                                gb_normal(gb_num(t, 0), gb_num(t, 1)), estimator);
    const gb_node logit = gb_dot(x, w);
    gb_observe(e, "y", gb_bernoulli_logits(logit), y);
    const gb_node says = gb_greater(gb_predict_mean(e, gb_sigmoid(logit)), gb_num(t, 0.5)),
                  draw_says = gb_greater(logit, gb_num(t, 0));
    m->rate = gb_variable(t, "rate", gb_shape(), gb_fill(1e-3));
    m->elbo = gb_elbo_term_named(e, "ELBO").value;
    m->error = gb_elbo_term_named(e, "ELBO").error;
    m->right = gb_sum_over(gb_to_real(gb_equal(gb_to_real(says), y)), GB_ROWS);
    m->right_by_draw =
        gb_sum_over(gb_predict_mean(e, gb_to_real(gb_equal(gb_to_real(draw_says), y))), GB_ROWS);
    m->look = gb_compile(t, gb_roots(m->elbo, m->error, m->right, m->right_by_draw), gb_no_update);
    gb_program_set_samples(m->look, LOOK_SAMPLES);
    return gb_error(t) == GB_OK;
}

static bool look(model *m, double numbers[COLUMNS])
{
    gb_next_batch(m->all);
    for (int k = 0; k < LOOKS; k++) { /* measure-valued, all samples at once would take 0.8 GB */
        if (gb_run(m->look) != GB_OK)
            return false;
        numbers[ELBO] += gb_value(m->elbo) / LOOKS;
        numbers[ELBO_ERROR] += gb_value(m->error) / LOOKS / sqrt(LOOKS);
        numbers[ACCURACY] += gb_value(m->right) / ROWS / LOOKS;
        numbers[ACCURACY_OF_DRAW] += gb_value(m->right_by_draw) / ROWS / LOOKS;
    }
    gb_next_batch(m->all); /* ends the epoch of one batch */
    return gb_error(m->t) == GB_OK;
}

/* After a step: the rate of the next one, and from time to time a look. */
static bool each(void *user, const gb_fit_point *point)
{
    model *const m = user;
    const double rate = 1e-3 * cos(GB_PI / 2 * (double)point->step / STEPS);
    return gb_set(m->rate, GB_VALUES(rate)) == GB_OK &&
           (point->step % LOOK_EVERY > 0 || look(m, m->numbers[point->step / LOOK_EVERY]));
}

static bool train(const results *r, const char *path, const char *name, gb_estimator estimator)
{
    model m = {0};
    const double began = results_begin();
    bool good = record(&m, path, estimator) && look(&m, m.numbers[0]);
    const gb_watching *const w =
        gb_watch(m.e, .every = LOOK_EVERY, .draws = GRADIENTS, .batches = GRADIENTS, .share = HUGE_VAL);
    if (good)
        gb_fit(m.e, .optimiser = gb_sgd(.rate = m.rate), .data = m.batches, .steps = STEPS, .window = 1,
               .each = each, .user = &m);
    good = good && w && w->points == POINTS && gb_error(m.t) == GB_OK;
    for (size_t i = 0; good && i < POINTS; i++) {
        char key[100];
        const gb_figure of_locations = w->point[i].estimator[0].parameter[0].variance; /* of "w.location" */
        m.numbers[i][VARIANCE] = of_locations.value / WEIGHTS;
        m.numbers[i][VARIANCE_ERROR] = of_locations.error / WEIGHTS;
        snprintf(key, sizeof key, "%s\t%zu\t", name, i * LOOK_EVERY);
        good = results_add(r, "logistic", key, COLUMNS, m.numbers[i], began);
    }
    gb_table_free(m.table);
    return results_end(m.t, name) && good;
}

bool results_logistic(const results *r)
{
    const struct {
        const char *name;
        gb_estimator estimator;
    } estimators[] = {{"pathwise", gb_pathwise()},
                      {"score", gb_score()},
                      {"score, leave one out", gb_score(.baseline = gb_leave_one_out())},
                      {"measure-valued", gb_measure_valued()}};
    char path[RESULTS_PATH], key[100];
    bool good = true;
    if (!results_data(r, "breast_cancer.csv", path))
        return true;
    for (size_t i = 0; good && i < sizeof estimators / sizeof *estimators; i++) {
        snprintf(key, sizeof key, "%s\t%d\t", estimators[i].name, STEPS);
        good = results_has(r, "logistic", key) || train(r, path, estimators[i].name, estimators[i].estimator);
    }
    return good;
}
