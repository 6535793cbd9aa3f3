/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an analysis is given: arrays and tables, options that would be ignored, and a file of another
 * process. */
#include "support/close.h"

#include <stdio.h>

#include "fitting/analysis.h"
#include "fitting/fit.h"
#include "fitting/predictive.h"
#include "models/checkpoint.h"
#include "models/scratch.h"
#include "prediction/predict.h"
#include "ready/by_hand.h"

enum { N = 6 };
static const double xs[N] = {1, 2.5, 3, 4.2, 5, 6.1}, ys[N] = {101, 104.5, 106, 108.9, 109.5, 112};
static const char *const text = "y,x,g,e\n101,1,a,1\n104.5,2.5,b,1\n106,3,a,1\n108.9,4.2,b,1\n109.5,5,a,1\n"
                                "112,6.1,b,1\n";

static gb_numbers array(const double *numbers)
{
    return gb_numbers_of(GB_NUMBER_DOUBLE, numbers, N);
}

/* ---- the intercept ---- */

static const char *const regressions[] = {"linear",     "robust",  "logistic",          "multinomial",
                                          "ordinal",    "poisson", "negative_binomial", "linear:raw",
                                          "ordinal:raw"};

/* Columns, names, scales and densities are those of the formula "y ~ x". */
TEST(arrays_have_the_intercept_of_a_formula)
{
    static const double counts[N] = {0, 1, 1, 0, 1, 2}, bits[N] = {0, 1, 1, 0, 1, 0};
    for (size_t i = 0; i < sizeof regressions / sizeof *regressions; i++) {
        gb_tape *const own = test_tape(), *const other = test_tape();
        gb_model model;
        assert_true(gb_model_parse(regressions[i], &model, NULL, 0));
        const double *const y = model.type->most_classes == 2 ? bits : counts;
        gb_table *const d = gb_table_new(own, "d", N);
        gb_table_add(d, "y", gb_doubles(y));
        gb_table_add(d, "x[0]", gb_doubles(xs));
        gb_analysis *const of_formula = gb_analysis_new(own, model, .formula = "y ~ `x[0]`", .table = d),
                           *const of_arrays = gb_analysis_new(other, model, .x = array(xs), .y = array(y));
        assert_fine(own);
        assert_fine(other);
        const gb_node_list should = gb_analysis_nodes(of_formula), is = gb_analysis_nodes(of_arrays);
        assert_int_equal(is.count, should.count);
        for (size_t k = 0; k < is.count; k++) {
            const char *const name = gb_node_name(should.node[k]);
            if (!strchr(name, '`'))
                assert_string_equal(gb_node_name(is.node[k]), name);
        }
        double z[32];
        gb_density *const p =
            gb_density_new(gb_analysis_elbo(of_arrays), .data = gb_analysis_data(of_arrays));
        const size_t numbers = gb_density_count(p);
        for (size_t k = 0; k < numbers; k++)
            z[k] = 0.6 * sin(1.7 * (double)k + 1);
        assert_near(density_at(of_arrays, numbers, z), density_at(of_formula, numbers, z), 1e-12);
        gb_table_free(d);
    }
}

TEST(a_line_far_from_0_has_its_slope, .seed = 1)
{
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .x = array(xs), .y = array(ys));
    const gb_fit_result r = gb_fit(gb_analysis_elbo(a), .data = gb_analysis_data(a));
    gb_summary_table *const s = gb_analysis_summary(a, &r);
    assert_fine(t);
    assert_near(gb_summary_find(s, "x[0]")->mean, 2.1, 0.15);
    assert_near(gb_summary_find(s, "(Intercept)")->mean, 99.4, 0.8);
    gb_summary_free(s);
}

TEST(arrays_do_without_an_intercept_on_request)
{
    gb_analysis *const a =
        gb_analysis_new(t, gb_linear_model(), .x = array(xs), .y = array(ys), .no_intercept = true);
    assert_fine(t);
    assert_int_equal(gb_analysis_site(a)->columns, 1);
    assert_false(gb_analysis_site(a)->has_intercept);
    assert_string_equal(gb_node_name(gb_analysis_nodes(a).node[0]), "x[0]");
}

/* Of .y alone. */
TEST(an_outcome_without_columns_has_an_intercept)
{
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .y = array(ys));
    assert_fine(t);
    assert_string_equal(gb_node_name(gb_analysis_nodes(a).node[0]), "(Intercept)");
    gb_prediction *const p =
        gb_predictive(gb_analysis_elbo(a), "y", .data = gb_analysis_new_rows(a, .rows = 3), .draws = 5);
    assert_fine(t);
    assert_int_equal(p->rows, 3);
    gb_prediction_free(p);
}

TEST(models_without_an_intercept_have_none_of_arrays)
{
    static const char *const models[] = {"network:units=2", "sparse_gaussian_process:inducing=3",
                                         "autoregressive"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        gb_tape *const own = test_tape();
        gb_model model;
        assert_true(gb_model_parse(models[i], &model, NULL, 0));
        gb_analysis *const a = gb_analysis_new(own, model, .x = array(xs), .y = array(ys));
        assert_fine(own);
        assert_int_equal(gb_analysis_site(a)->columns, 1);
        gb_analysis_new(own, model, .name = "b", .x = array(xs), .y = array(ys), .no_intercept = true);
        assert_rejected(own, GB_EARGUMENT, "analysis: the model takes no intercept in any case");
    }
}

/* Columns of the user's own that are 1, too. */
TEST(columns_of_arrays_are_in_the_warnings)
{
    double two[2 * N];
    for (int i = 0; i < N; i++) {
        two[2 * i] = 1;
        two[2 * i + 1] = xs[i];
    }
    assert_string_equal(
        gb_analysis_warnings(gb_analysis_new(t, gb_linear_model(), .name = "a", .y = array(ys), .columns = 2,
                                             .x = gb_numbers_of(GB_NUMBER_DOUBLE, two, 2 * N))),
        "column x[0] is 1 in all rows\n");
    assert_string_equal(gb_analysis_warnings(gb_analysis_new(
                            t, gb_linear_model(), .name = "b", .y = array(ys), .columns = 2,
                            .x = gb_numbers_of(GB_NUMBER_DOUBLE, two, 2 * N), .no_intercept = true)),
                        "");
    assert_string_equal(gb_analysis_warnings(gb_analysis_new(t, gb_linear_model(), .name = "c",
                                                             .y = array(ys), .x = array(xs))),
                        "");
    for (int i = 0; i < N; i++)
        two[2 * i] = 3 * xs[i] + 2;
    assert_non_null(strstr(
        gb_analysis_warnings(gb_analysis_new(t, gb_linear_model(), .name = "d", .y = array(ys), .columns = 2,
                                             .x = gb_numbers_of(GB_NUMBER_DOUBLE, two, 2 * N))),
        "column x[1] is "));
    assert_fine(t);
}

/* ---- options that would be ignored ---- */

typedef struct ignored {
    const char *name, *source, *words;
    gb_analysis_options options; /* but for the source */
} ignored;

static const ignored ignores[] = {
    {"rows_of_a_table", "formula", ".rows is for arrays .x, .y, and the data are .formula", {.rows = 3}},
    {"columns_of_a_table",
     "formula",
     ".columns is for arrays .x, .y, and the data are .formula",
     {.columns = 2}},
    {"no_intercept_of_a_formula",
     "formula",
     ".no_intercept is for arrays .x, .y (a formula has - 1)",
     {.no_intercept = true}},
    {"rows_of_a_design", "design", ".rows is for arrays .x, .y, and the data are .design", {.rows = 3}},
    {"contrasts_of_a_design",
     "design",
     ".contrasts is for .formula, and the data are .design",
     {.contrasts = GB_CONTRASTS_SUM}},
    {"contrasts_of_arrays",
     "arrays",
     ".contrasts is for .formula, and the data are arrays .x, .y",
     {.contrasts = GB_CONTRASTS_SUM}},
    {"missing_of_arrays", "arrays", ".drop_missing is for tables", {.drop_missing = true}},
    {"group_of_arrays", "arrays", ".group is for .formula, and .design with its .table", {.group = "g"}},
    {"error_of_arrays", "arrays", ".error is for .formula, and .design with its .table", {.error = "e"}},
    {"batch_of_notes",
     "noted",
     ".batch is for the data of a training, and the data are .noted",
     {.batch = 2}},
    {"rows_of_notes", "noted", ".rows is for arrays .x, .y, and the data are .noted", {.rows = 2}},
    {"group_of_notes", "noted", ".group is for .formula", {.group = "g"}},
    {"negative_rows", "arrays", ".rows or .columns is negative", {.rows = -1}},
    {"negative_columns", "arrays", ".rows or .columns is negative", {.columns = -2}},
    {"group_without_table", "formula", ".formula needs a .table", {.group = "g"}},
};

TEST_EACH(an_option_that_would_be_ignored_is_rejected, ignores)
{
    const ignored *const c = row;
    gb_analysis_options o = c->options;
    gb_table *const d = gb_table_of_text(t, "d", text);
    o.size = sizeof o;
    if (strcmp(c->source, "formula") == 0) {
        o.formula = "y ~ x";
        o.table = o.group ? NULL : d;
    } else if (strcmp(c->source, "design") == 0)
        o.design = gb_design_new(t, "y ~ x", d);
    else if (strcmp(c->source, "arrays") == 0) {
        o.x = array(xs);
        o.y = array(ys);
    } else
        o.noted = true;
    assert_null(gb_analysis_new_with(t, gb_linear_model(), &o));
    assert_rejected(t, GB_EARGUMENT, c->words);
    gb_table_free(d);
}

TEST(factors_and_tables_that_would_be_ignored_are_rejected)
{
    gb_table *const d = gb_table_of_text(t, "d", text);
    gb_design *const design = gb_design_new(t, "y ~ x", d);
    assert_null(gb_analysis_new(t, gb_linear_model(), .design = design, .table = d));
    assert_rejected(t, GB_EARGUMENT, "beside .design a .table is for .group and .error");
    gb_forgive(t);
    assert_null(gb_analysis_new(t, gb_linear_model(), .design = design,
                                .factors = GB_FACTORS({.column = "g", .base = "a"})));
    assert_rejected(t, GB_EARGUMENT, ".factors is for .formula, and the data are .design");
    gb_forgive(t);
    assert_null(gb_analysis_new(t, gb_linear_model(), .x = array(xs), .y = array(ys), .table = d));
    assert_rejected(t, GB_EARGUMENT, ".table is for .formula");
    gb_forgive(t);
    assert_non_null(gb_analysis_new(t, gb_linear_model(), .design = design, .table = d, .group = "g"));
    assert_fine(t);
    gb_table_free(d);
}

/* ---- new rows ---- */

TEST(new_rows_of_arrays_know_how_many_they_are)
{
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .x = array(xs), .y = array(ys));
    assert_int_equal(gb_batches_rows(gb_analysis_new_rows(a, .x = gb_numbers_of(GB_NUMBER_DOUBLE, xs, 4))),
                     4);
    assert_int_equal(gb_batches_rows(gb_analysis_new_rows(a, .x = gb_doubles(xs), .rows = 2)), 2);
    gb_prediction *const p =
        gb_predictive(gb_analysis_elbo(a), "y",
                      .data = gb_analysis_new_rows(a, .x = array(xs), .y = array(ys)), .draws = 20);
    assert_fine(t);
    assert_true(isfinite(p->log_density[N - 1]));
    const gb_scores all = gb_prediction_scores(p);
    assert_near(gb_prediction_score(p, "rmse").value, gb_scores_find(&all, "rmse")->value, 0);
    assert_int_equal(gb_prediction_score(p, "accuracy").status, GB_ENAME);
    assert_true(isnan(gb_prediction_score(p, "accuracy").value));
    assert_int_equal(gb_prediction_score(NULL, "rmse").status, GB_EARGUMENT);
    gb_prediction_free(p);
    assert_null(gb_analysis_new_rows(a, .rows = 2));
    assert_rejected(t, GB_EARGUMENT, "analysis: new rows need .x, as the training has it");
    gb_forgive(t);
    gb_analysis *const b = gb_analysis_new(t, gb_linear_model(), .name = "b", .y = array(ys));
    assert_null(gb_analysis_new_rows(b, .x = array(xs)));
    assert_rejected(t, GB_EARGUMENT, "analysis: the training has no .x, so new rows have none");
    gb_forgive(t);
    assert_null(gb_analysis_new_rows(a, .x = gb_doubles(xs), .rows = -3));
    assert_rejected(t, GB_EARGUMENT, "analysis: the number of new rows is negative");
}

/* Options of another call are not proposed. */
TEST(a_missing_cell_of_new_rows_says_what_can_be_done_there)
{
    gb_table *const d = gb_table_of_text(t, "d", text), *const new =
                                                            gb_table_of_text(t, "new", "x\n1\n\n2\n");
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .formula = "y ~ x", .table = d);
    assert_null(gb_analysis_rows(a, new));
    assert_rejected(t, GB_EARGUMENT, "x is missing in new, line 3; gb_table_complete leaves out such rows");
    gb_table_free(d);
    gb_table_free(new);
}

/* ---- classes with an order ---- */

static const char *const sizes =
    "size,x,k\nlow,1,1\nmedium,2,2\nhigh,3,3\nlow,1.5,1\nmedium,2.2,2\nhigh,2.9,3\n";

TEST(levels_that_are_texts_are_given_in_their_order)
{
    gb_table *const d = gb_table_of_text(t, "d", sizes);
    assert_null(gb_analysis_new(t, gb_ordinal_model(), .name = "a", .formula = "size ~ x", .table = d));
    assert_rejected(t, GB_EARGUMENT,
                    ".factors = GB_FACTORS({.column = \"size\", .levels = \"high, low, medium\"})");
    gb_forgive(t);
    gb_analysis *const a =
        gb_analysis_new(t, gb_ordinal_model(), .name = "b", .formula = "size ~ x", .table = d,
                        .factors = GB_FACTORS({.column = "size", .levels = "low, medium, high"}));
    assert_fine(t);
    assert_string_equal(gb_analysis_site(a)->class_name[2], "high");
    assert_non_null(gb_analysis_new(t, gb_ordinal_model(), .name = "c", .formula = "k ~ x", .table = d));
    assert_non_null(
        gb_analysis_new(t, gb_ordinal_model(), .name = "d", .formula = "factor(k) ~ x", .table = d));
    assert_non_null(
        gb_analysis_new(t, gb_multinomial_model(), .name = "e", .formula = "size ~ x", .table = d));
    assert_fine(t);
    gb_table_free(d);
}

/* A first level alone is no order; nor are texts that look like numbers. */
TEST(a_base_is_no_order)
{
    gb_table *const d = gb_table_of_text(t, "d", sizes), *const codes = gb_table_read(
                                                             t, "codes", .text = "k,x\n2,1\n10,2\n1,1\n",
                                                             .texts = "k");
    assert_null(gb_analysis_new(t, gb_ordinal_model(), .formula = "size ~ x", .table = d,
                                .factors = GB_FACTORS({.column = "size", .base = "low"})));
    assert_rejected(t, GB_EARGUMENT, "the model needs the order of the levels of size");
    gb_forgive(t);
    assert_null(gb_analysis_new(t, gb_ordinal_model(), .name = "b", .formula = "k ~ x", .table = codes));
    assert_rejected(t, GB_EARGUMENT, "the model needs the order of the levels of k");
    gb_table_free(d);
    gb_table_free(codes);
}

/* ---- columns of 0 and 1 ---- */

TEST(columns_that_options_make_binary_are_looked_at)
{
    static const double bits[8] = {0, 1, 1, 0, 1, 1, 0, 0}, grey[8] = {0, 1, 0.5, 0, 1, 1, 0, 0};
    const gb_model model = gb_variational_autoencoder_model(.binary = true, .units = 2);
    assert_null(
        gb_analysis_new(t, model, .name = "a", .x = gb_numbers_of(GB_NUMBER_DOUBLE, grey, 8), .columns = 2));
    assert_rejected(t, GB_EARGUMENT, "analysis: column 0 is 0.5 in row 1, and columns must be");
    gb_forgive(t);
    gb_analysis *const a =
        gb_analysis_new(t, model, .name = "b", .x = gb_numbers_of(GB_NUMBER_DOUBLE, bits, 8), .columns = 2);
    assert_fine(t);
    assert_null(gb_analysis_new_rows(a, .x = gb_numbers_of(GB_NUMBER_DOUBLE, grey, 8)));
    assert_rejected(t, GB_EARGUMENT, "analysis: column 0 is 0.5 in row 1, and columns must be");
    gb_forgive(t);
    assert_non_null(gb_analysis_new(t, gb_variational_autoencoder_model(.units = 2), .name = "c",
                                    .x = gb_numbers_of(GB_NUMBER_DOUBLE, grey, 8), .columns = 2));
}

TEST(outcomes_that_options_narrow_are_looked_at)
{
    static const double half[N] = {0, 1, 0.5, 1, 0, 1}, bits[N] = {0, 1, 1, 1, 0, 1};
    const gb_model model = gb_sparse_gaussian_process_model(.outcome = GB_PROCESS_BERNOULLI, .inducing = 3);
    assert_null(gb_analysis_new(t, model, .name = "a", .x = array(xs), .y = array(half)));
    assert_rejected(t, GB_EARGUMENT, "analysis: y is 0.5 in row 2, and must be");
    gb_forgive(t);
    gb_analysis *const a = gb_analysis_new(t, model, .name = "b", .x = array(xs), .y = array(bits));
    assert_fine(t);
    assert_null(gb_analysis_new_rows(a, .x = array(xs), .y = array(half)));
    assert_rejected(t, GB_EARGUMENT, "analysis: y is 0.5 in row 2, and must be");
}

/* ---- rows that cannot be left out ---- */

TEST(drawn_latents_of_rows_have_no_log_likelihood_of_rows)
{
    static const char *const models[] = {"mixture:classes=score", "mixture:classes=enumerated",
                                         "factor:scores=pathwise", "variational_autoencoder:units=2",
                                         "belief_network:units=2"};
    gb_table *const d = gb_table_of_text(t, "d", "a,b\n0,1\n1,1\n0,0\n1,0\n1,1\n");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        gb_model model;
        assert_true(gb_model_parse(models[i], &model, NULL, 0));
        gb_analysis *const a =
            gb_analysis_new(t, model, .name = models[i], .formula = "~ a + b - 1", .table = d);
        assert_fine(t);
        assert_false(gb_node_ok(gb_analysis_log_likelihood(a)));
        assert_rejected(t, GB_EARGUMENT, "is there for each row, and is drawn");
        gb_forgive(t);
    }
    gb_table_free(d);
}

/* ---- another process ---- */

typedef struct saved {
    const char *name, *model, *formula, *group;
    bool of_arrays;
} saved;

static const saved saves[] = {{"linear", "linear", "y ~ x", "g", false},
                              {"arrays", "robust", NULL, NULL, true},
                              {"poisson", "poisson", "y ~ poly(x, 2)", NULL, false},
                              {"network", "network:units=3:sharing=local", "y ~ x", NULL, false},
                              {"sparse", "sparse_gaussian_process:inducing=3", "y ~ x", NULL, false}};

static gb_prediction *predict(gb_analysis *a, const gb_table *d)
{
    return gb_predictive(gb_analysis_elbo(a), "y",
                         .data = d ? gb_analysis_rows(a, d) : gb_analysis_new_rows(a, .x = array(xs)),
                         .draws = 8);
}

TEST_EACH(an_analysis_is_loaded_in_one_call, saves)
{
    const saved *const c = row;
    const scratch folder = scratch_new();
    const char *const path = folder.path;
    static const double counts[N] = {1, 2, 0, 3, 4, 6};
    gb_model model;
    assert_true(gb_model_parse(c->model, &model, NULL, 0));
    gb_table *const d = gb_table_new(t, "d", N);
    gb_table_add(d, "y", gb_doubles(counts));
    gb_table_add(d, "x", gb_doubles(xs));
    gb_table_add_texts(d, "g", (const char *const[N]){"a", "b", "a", "b", "a", "b"});
    gb_analysis *const a =
        c->of_arrays ? gb_analysis_new(t, model, .x = array(xs), .y = array(counts))
                     : gb_analysis_new(t, model, .formula = c->formula, .table = d, .group = c->group);
    gb_fit(gb_analysis_elbo(a), .optimiser = gb_adam(.lr = 0.1), .data = gb_analysis_data(a), .steps = 20);
    gb_prediction *const should = predict(a, c->of_arrays ? NULL : d);
    assert_int_equal(gb_analysis_save(a, path), GB_OK);
    gb_tape *const later = test_tape();
    gb_analysis *const b = gb_analysis_load(later, model, path);
    assert_fine(later);
    gb_prediction *const is = predict(b, c->of_arrays ? NULL : d);
    assert_fine(t);
    assert_fine(later);
    for (size_t i = 0; i < N; i++)
        assert_near(is->mean[i], should->mean[i], 1e-12 * fabs(should->mean[i]));
    gb_prediction_free(should);
    gb_prediction_free(is);
    gb_table_free(d);
    scratch_end(&folder);
}

TEST(without_its_variables_a_noted_analysis_does_not_predict)
{
    const scratch folder = scratch_new();
    const char *const path = folder.path;
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .x = array(xs), .y = array(ys));
    assert_int_equal(gb_analysis_save(a, path), GB_OK);
    gb_tape *const later = test_tape();
    const gb_checkpoint c = {.size = sizeof c, .tape = later, .path = path, .subset = true};
    gb_checkpoint_load(&c);
    gb_analysis *const b = gb_analysis_new(later, gb_linear_model(), .noted = true);
    gb_elbo *const e = gb_analysis_elbo(b);
    gb_batches *const rows = gb_analysis_new_rows(b, .x = array(xs));
    assert_fine(later);
    static const char *const words = "has no value yet: gb_checkpoint_load, after the recording, loads it";
    assert_null(gb_predictive(e, "y", .data = rows, .draws = 3));
    assert_rejected(later, GB_EREAD, words);
    gb_forgive(later);
    double mean;
    assert_int_equal(gb_elbo_posterior_read(e, "latents.sigma", &mean, NULL, 1), GB_EREAD);
    gb_forgive(later);
    assert_int_equal(gb_analysis_save(b, path), GB_EREAD);
    gb_forgive(later);
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    gb_prediction *const p = gb_predictive(e, "y", .data = rows, .draws = 3);
    assert_fine(later);
    gb_prediction_free(p);
    scratch_end(&folder);
}

TEST(a_file_of_another_model_is_rejected)
{
    const scratch folder = scratch_new();
    const char *const path = folder.path;
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .x = array(xs), .y = array(ys));
    gb_analysis_save(a, path);
    gb_tape *const later = test_tape();
    assert_null(gb_analysis_load(later, gb_robust_model(), path));
    assert_rejected(later, GB_EARGUMENT, "analysis: the noted model is linear, and this one is robust");
    gb_forgive(later);
    assert_null(gb_analysis_load(later, gb_linear_model(), path, .batch = 3));
    assert_rejected(later, GB_EARGUMENT, ".batch is for the data of a training");
    gb_forgive(later);
    assert_null(gb_analysis_load(later, gb_linear_model(), "/nowhere/else.grebe"));
    assert_rejected(later, GB_ESYSTEM, "checkpoint /nowhere/else.grebe");
    assert_null(gb_analysis_load(NULL, gb_linear_model(), path));
    assert_int_equal(gb_analysis_save(NULL, path), GB_EARGUMENT);
    scratch_end(&folder);
}

/* ---- in one call ---- */

TEST(summaries_and_leaving_out_take_the_fit, .seed = 1)
{
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .x = array(xs), .y = array(ys));
    gb_elbo *const e = gb_analysis_elbo(a);
    const gb_fit_result r = gb_fit(e, .data = gb_analysis_data(a));
    gb_summary_table *const is = gb_analysis_summary(a, &r),
                            *const should = gb_summary(e, .judgement = r.judgement,
                                                       .nodes = gb_analysis_nodes(a), .only_nodes = true),
                            *const judged = gb_analysis_summary(a, NULL);
    assert_fine(t);
    assert_int_equal(is->rows, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_near(is->row[i].mean, should->row[i].mean, 0);
        assert_near(judged->row[i].mean, should->row[i].mean, 0.2 * should->row[i].sd);
    }
    const gb_loo l = gb_analysis_loo(a, &r),
                 by_hand = gb_elbo_loo(e, gb_roots(gb_analysis_log_likelihood(a)), .judgement = r.judgement);
    assert_near(l.elpd, by_hand.elpd, 0);
    assert_int_equal(gb_analysis_loo(a, NULL).status, GB_OK);
    gb_summary_free(is);
    gb_summary_free(should);
    gb_summary_free(judged);
    assert_null(gb_analysis_summary(NULL, NULL));
    assert_int_equal(gb_analysis_loo(NULL, NULL).status, GB_EARGUMENT);
}
