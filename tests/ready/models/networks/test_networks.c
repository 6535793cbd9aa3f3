/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks of an outcome: their densities by hand, every way to learn their weights, and what is rejected. */
#include "support/close.h"

#include "ready/by_hand.h"

enum { ROWS = 7, COLUMNS = 2, UNITS = 3, CLASSES = 3, MOST = 64 };

typedef struct data {
    double x[ROWS * COLUMNS], y[ROWS], weight[ROWS];
} data;

static data some_data(bool are_classes)
{
    data d;
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        d.x[i] = 10 * (double)(i % COLUMNS) + 3 * pseudo(i);
    for (size_t i = 0; i < ROWS; i++) {
        d.y[i] = are_classes ? (double)(i % CLASSES) : 40 + 5 * pseudo(i + 50);
        d.weight[i] = 1 + 0.5 * (double)(i % 3);
    }
    d.y[4] = (double)NAN;
    return d;
}

static gb_analysis *analysis(gb_tape *t, gb_model model, const data *d)
{
    return gb_analysis_new(t, model, .x = gb_doubles(d->x), .y = gb_doubles(d->y), .columns = COLUMNS,
                           .rows = ROWS, .weight = gb_doubles(d->weight));
}

/* One layer, x·w + b; z has w (inputs, units), then b. Returns what follows. Adds the prior, N(0, 4 / inputs)
 * and N(0, 4). */
static const double *layer(const double *z, size_t inputs, size_t units, const double *x, double *f,
                           double *prior)
{
    for (size_t k = 0; k < units; k++) {
        f[k] = z[inputs * units + k];
        *prior += log_normal(f[k], 0, 2);
        for (size_t i = 0; i < inputs; i++) {
            f[k] += x[i] * z[i * units + k];
            *prior += log_normal(z[i * units + k], 0, 2 / sqrt((double)inputs));
        }
    }
    return z + (inputs + 1) * units;
}

static const double *network(const double *z, const double *x, size_t outputs, double *f, double *prior)
{
    double h[UNITS];
    *prior = 0;
    z = layer(z, COLUMNS, UNITS, x, h, prior);
    for (size_t k = 0; k < UNITS; k++)
        h[k] = tanh(h[k]);
    return layer(z, UNITS, outputs, h, f, prior);
}

typedef enum noise { LEARNED, GIVEN, HETEROSCEDASTIC, OF_CLASSES } noise;

static double by_hand(const data *d, noise how, const double *z)
{
    double mean[COLUMNS], sd[COLUMNS], of_y, sd_of_y, log_p = 0, prior = 0, f[CLASSES], last = 0;
    double weight[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        weight[i] = isnan(d->y[i]) ? 0 : d->weight[i];
    column_scales(ROWS, COLUMNS, d->x, weight, mean, sd);
    column_scales(ROWS, 1, d->y, weight, &of_y, &sd_of_y);
    for (size_t i = 0; i < ROWS; i++) {
        double x[COLUMNS];
        for (size_t c = 0; c < COLUMNS; c++)
            x[c] = (d->x[i * COLUMNS + c] - mean[c]) / sd[c];
        const double *const rest = network(z, x,
                                           how == OF_CLASSES        ? CLASSES
                                           : how == HETEROSCEDASTIC ? 2
                                                                    : 1,
                                           f, &prior);
        last = how == LEARNED ? *rest : 0;
        if (isnan(d->y[i]))
            continue;
        if (how == OF_CLASSES)
            log_p += d->weight[i] * (f[(size_t)d->y[i]] - log(exp(f[0]) + exp(f[1]) + exp(f[2])));
        else
            log_p += d->weight[i] * log_normal(d->y[i], of_y + sd_of_y * f[0],
                                               how == GIVEN             ? 2
                                               : how == HETEROSCEDASTIC ? sd_of_y * (1e-3 + log1p(exp(f[1])))
                                                                        : sd_of_y * exp(-0.5 * last));
    }
    return log_p + prior + (how == LEARNED ? log_sd_free(last, 1, 0.01) : 0);
}

static const struct {
    const char *name, *model;
    noise how;
    size_t numbers;
} cases[] = {{"learned_noise", "network:units=3", LEARNED, 14},
             {"given_noise", "network:units=3:sigma=2", GIVEN, 13},
             {"noise_that_depends_on_x", "network:units=3:heteroscedastic", HETEROSCEDASTIC, 17},
             {"classes", "network_class:units=3", OF_CLASSES, 21},
             {"local_noise", "network:units=3:sharing=local", LEARNED, 14}};

TEST(the_density_is_the_formula)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const data d = some_data(cases[i].how == OF_CLASSES);
        gb_tape *const own = test_tape();
        gb_model model;
        assert_true(gb_model_parse(cases[i].model, &model, NULL, 0));
        gb_analysis *const a = analysis(own, model, &d);
        assert_fine(own);
        for (size_t number = 0; number < 3; number++) {
            double z[MOST];
            for (size_t k = 0; k < MOST; k++)
                z[k] = pseudo(k + 31 * number);
            const double should = by_hand(&d, cases[i].how, z);
            assert_near(density_at(a, cases[i].numbers, z), should, 1e-12 * fabs(should));
        }
    }
}

/* ---- every way to learn ---- */

typedef struct way {
    const char *name, *options, *posterior;
    int64_t samples;
    double most_error; /* RMSE on the curve, whose y has a standard deviation of 0.28 */
} way;

static const way ways[] = {{"weight_uncertainty", "", "", 0, 0.16},
                           {"local_noise", ":sharing=local", "", 0, 0.16},
                           {"flipout", ":sharing=flipout", "", 0, 0.16},
                           {"a_draw_for_each_row", ":sharing=weights", "", 0, 0.16},
                           {"full_covariance", ":units=10", "full_rank", 0, 0.16},
                           {"heteroscedastic", ":heteroscedastic", "point", 0, 0.1},
                           {"fixed_noise", ":sigma=0.05", "", 0, 0.12},
                           {"maximum_a_posteriori", "", "point", 0, 0.1},
                           {"mc_dropout", ":dropout=0.05:activation=relu", "", 0, 0.1},
                           {"concrete_dropout", ":dropout=0.05:learned_dropout:activation=relu", "", 0, 0.1},
                           {"dropout_beside_points", ":dropout=0.05:activation=relu", "point", 0, 0.1},
                           {"ensemble", "", "ensemble:members=5", 5, 0.1}};

TEST_EACH(a_curve_is_learned, ways, .seed = 1)
{
    const way *const w = row;
    char text[120];
    gb_model model;
    gb_family family = {0};
    snprintf(text, sizeof text, "network%s", w->options);
    assert_true(gb_model_parse(text, &model, NULL, 0));
    assert_true(!*w->posterior || gb_family_parse(w->posterior, &family, NULL, 0));
    gb_table *const d = gb_table_of_set(t, "curve");
    gb_analysis *const a =
        gb_analysis_new(t, model, .formula = "y ~ x", .table = d, .posterior = family, .samples = w->samples);
    gb_elbo *const e = gb_analysis_elbo(a);
    const gb_fit_result r =
        gb_fit(e, .optimiser = gb_adam(.lr = 0.02), .data = gb_analysis_data(a), .epochs = 3000);
    assert_fine(t);
    assert_int_equal(r.status, GB_OK);
    gb_prediction *const p = gb_predictive(e, "y", .data = gb_analysis_rows(a, d), .draws = 500);
    assert_fine(t);
    if (!(gb_prediction_score(p, "rmse").value < w->most_error))
        fail_msg("rmse %g", gb_prediction_score(p, "rmse").value);
    assert_true(gb_prediction_score(p, "coverage 95 %").value > 0.85);
    gb_prediction_free(p);
    gb_table_free(d);
}

static const way class_ways[] = {{"weight_uncertainty", ":sharing=local", "", 0, 0},
                                 {"maximum_a_posteriori", "", "point", 0, 0},
                                 {"mc_dropout", ":dropout=0.05", "", 0, 0},
                                 {"concrete_dropout", ":dropout=0.05:learned_dropout", "", 0, 0},
                                 {"ensemble", "", "ensemble:members=5", 5, 0}};

TEST_EACH(classes_are_learned, class_ways, .seed = 1)
{
    const way *const w = row;
    char text[120];
    gb_model model;
    gb_family family = {0};
    snprintf(text, sizeof text, "network_class%s", w->options);
    assert_true(gb_model_parse(text, &model, NULL, 0));
    assert_true(!*w->posterior || gb_family_parse(w->posterior, &family, NULL, 0));
    gb_table *const d = gb_table_of_set(t, "moons");
    gb_analysis *const a = gb_analysis_new(t, model, .formula = "class ~ a + b", .table = d,
                                           .posterior = family, .samples = w->samples, .batch = 50);
    gb_elbo *const e = gb_analysis_elbo(a);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.02), .data = gb_analysis_data(a), .epochs = 400);
    gb_prediction *const p = gb_predictive(e, "class", .data = gb_analysis_rows(a, d), .draws = 500);
    assert_fine(t);
    if (!(gb_prediction_score(p, "accuracy").value > 0.9))
        fail_msg("accuracy %g", gb_prediction_score(p, "accuracy").value);
    gb_prediction_free(p);
    gb_table_free(d);
}

/* A draw takes one of the members, so the spread of an ensemble is that of its members. */
TEST(predictions_of_an_ensemble_are_over_its_members, .seed = 1)
{
    enum { MEMBERS = 3, CURVE = 100 };
    gb_table *const d = gb_table_of_set(t, "curve");
    gb_analysis *const a =
        gb_analysis_new(t, gb_network_model(.units = 5, .sigma = 0.1), .formula = "y ~ x", .table = d,
                        .samples = MEMBERS, .posterior = gb_ensemble(gb_shape(), .members = MEMBERS));
    gb_elbo *const e = gb_analysis_elbo(a);
    double each[MEMBERS * CURVE], sum = 0, squares = 0;
    gb_next_batch(gb_analysis_data(a));
    assert_int_equal(gb_read(gb_analysis_node_named(a, "mean"), each, MEMBERS * CURVE), GB_OK);
    gb_prediction *const p = gb_predictive(e, "y", .data = gb_analysis_rows(a, d), .draws = 4000);
    assert_fine(t);
    for (size_t m = 0; m < MEMBERS; m++)
        sum += each[m * CURVE];
    for (size_t m = 0; m < MEMBERS; m++)
        squares += pow(each[m * CURVE] - sum / MEMBERS, 2);
    assert_true(squares > 0);
    assert_near(p->mean[0], sum / MEMBERS, 5 * sqrt(squares / MEMBERS / 4000));
    assert_near(p->epistemic[0] * p->epistemic[0] / squares, 1.0 / MEMBERS, 0.05);
    gb_prediction_free(p);
    gb_table_free(d);
}

/* ---- words ---- */

typedef struct misuse {
    const char *name, *model, *words;
} misuse;

static const misuse misuses[] = {
    {"no_units", "network:units=-1", "network: units is -1, and must be a whole number, not negative"},
    {"too_many_layers", "network:layers=2000", "network: .layers is 2000, and at most 1000 are allowed"},
    {"two_noises", "network:sigma=1:heteroscedastic", ".sigma is given, and .heteroscedastic"},
    {"a_rate_of_1", "network:dropout=1", ".dropout is 1, and must be from 0 to below 1"},
    {"units_of_no_layer", "network:layers=2:units_3=4", ".units_3 or .dropout_3 is given, and .layers is 2"},
    {"a_rate_of_no_layer", "network:dropout_2=0.1", ".units_2 or .dropout_2 is given, and .layers is 1"},
    {"a_learned_rate_of_0", "network:learned_dropout", ".learned_dropout needs a rate to start from"}};

TEST_EACH(what_does_not_fit_is_rejected_in_words, misuses)
{
    const misuse *const m = row;
    const data d = some_data(false);
    gb_model model;
    char error[200];
    if (!gb_model_parse(m->model, &model, error, sizeof error)) {
        assert_string_equal(error, m->words);
        return;
    }
    assert_null(analysis(t, model, &d));
    assert_rejected(t, GB_EARGUMENT, m->words);
}

/* The rate p of what enters a layer is that of its weights: sd / |mean| = √(p / (1 − p)). */
TEST(layers_differ_in_units_and_rates)
{
    static const int64_t units[] = {COLUMNS, 4, 2, 2, 1};
    static const double rates[] = {0, 0.1, 0.1, 0.3};
    const data d = some_data(false);
    gb_elbo *const e = gb_analysis_elbo(analysis(
        t, gb_network_model(.units = 4, .layers = 3, .units_2 = 2, .dropout = 0.1, .dropout_3 = 0.3), &d));
    assert_fine(t);
    for (size_t i = 0; i < 4; i++) {
        double mean[MOST], sd[MOST];
        char name[32];
        const size_t count = (size_t)(units[i] * units[i + 1]);
        snprintf(name, sizeof name, "network.%zu.weight", i + 1);
        assert_true(
            gb_shape_same(gb_node_shape(gb_elbo_posterior_mean(e, name)), gb_shape(units[i], units[i + 1])));
        assert_int_equal(gb_elbo_posterior_read(e, name, mean, sd, count), GB_OK);
        for (size_t k = 0; k < count; k++)
            assert_near(sd[k], fabs(mean[k]) * sqrt(rates[i] / (1 - rates[i])), 1e-12);
    }
}

TEST(a_network_needs_columns)
{
    static const double y[] = {1, 2, 3};
    gb_analysis_new(t, gb_network_model(), .y = gb_numbers_of(GB_NUMBER_DOUBLE, y, 3));
    assert_rejected(t, GB_EARGUMENT, "network: there are no columns");
}
