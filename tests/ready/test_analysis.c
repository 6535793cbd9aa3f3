/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an analysis makes of its data, and what it rejects in words. */
#include "support/close.h"
#include <stdlib.h>

#include "fitting/analysis.h"
#include "fitting/fit.h"
#include "fitting/predictive.h"
#include "prediction/predict.h"
#include "ready/table.h"

static const char *const kids =
    "score,hs,iq,school,se\n65,yes,121,A,3\n98,yes,89,A,4\n85,yes,115,B,3\n83,no,99,B,2\n"
    "115,yes,93,C,3\n98,no,108,C,4\n,no,101,A,5\n";

static gb_table *table(gb_tape *t)
{
    return gb_table_of_text(t, "kids.csv", kids);
}

/* As a checkpoint does: notes, and, once the model is recorded, variables. */
static void take_variables(gb_tape *from, gb_tape *to)
{
    gb_node variable[32];
    const size_t count = gb_tape_variables(to, variable, 32);
    for (size_t i = 0; i < count; i++)
        gb_set_data(variable[i], gb_variable_data(gb_variable_named(from, gb_variable_name(variable[i]))));
}

static void take_notes(gb_tape *from, gb_tape *to)
{
    const char *name[8];
    const size_t count = gb_tape_notes(from, name, 8);
    for (size_t i = 0; i < count; i++) {
        size_t bytes;
        const void *const note = gb_tape_noted(from, name[i], &bytes);
        gb_tape_note(to, name[i], note, bytes);
    }
}

TEST(coefficients_are_shown_under_the_names_of_their_columns)
{
    gb_table *const d = table(t);
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .formula = "score ~ hs * iq", .table = d);
    static const char *const names[] = {"(Intercept)", "hsyes", "iq", "hsyes:iq", "sigma"};
    const gb_node_list nodes = gb_analysis_nodes(a);
    assert_int_equal(nodes.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(gb_node_name(nodes.node[i]), names[i]);
    assert_string_equal(gb_analysis_outcome(a), "score");
    assert_true(gb_node_same(gb_analysis_node_named(a, "hsyes:iq"), nodes.node[3]));
    gb_analysis_node_named(a, "hsyes:iqq");
    assert_rejected(t, GB_ENAME, "analysis: nothing is shown as hsyes:iqq (did you mean hsyes:iq?)");
    gb_table_free(d);
}

TEST(a_fit_of_a_regression_has_the_coefficients_of_least_squares, .seed = 1)
{
    gb_table *const d = table(t);
    gb_analysis *const a =
        gb_analysis_new(t, gb_linear_model(.prior = gb_no_shrinkage(), .intercept_scale = 1e3),
                        .formula = "score ~ iq", .table = d);
    const gb_fit_result r = gb_fit(gb_analysis_elbo(a), .data = gb_analysis_data(a));
    assert_int_equal(r.end, GB_FIT_CONVERGED);
    gb_summary_table *const s = gb_analysis_summary(a, &r);
    assert_non_null(s);
    assert_int_equal(s->rows, 3);
    assert_int_equal(s->parameters, 0);
    /* Slope and intercept of the six rows that have a score. */
    assert_near(gb_summary_find(s, "iq")->mean, -1.01485, 0.05);
    assert_near(gb_summary_find(s, "(Intercept)")->mean, 196.380, 5);
    gb_summary_free(s);
    gb_table_free(d);
}

TEST(predictions_of_a_table_with_holes_have_the_numbers_of_its_rows)
{
    static const char *const models[] = {"linear", "gaussian_process"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        gb_tape *const own = test_tape();
        gb_model model;
        assert_true(gb_model_parse(models[k], &model, NULL, 0));
        gb_table *const d = table(own),
                        *const holes = gb_table_of_text(own, "holes", "score,iq\n70,121\n80,\n90,89\n,99\n"),
                        *const whole = gb_table_of_text(own, "whole", "score,iq\n70,121\n90,89\n,99\n");
        gb_analysis *const a =
            gb_analysis_new(own, model, .formula = "score ~ iq", .table = d, .drop_missing = true);
        gb_prediction *const p = gb_predictive(gb_analysis_elbo(a), "score",
                                               .data = gb_analysis_rows(a, holes)),
                             *const q = gb_predictive(gb_analysis_elbo(a), "score",
                                                      .data = gb_analysis_rows(a, whole));
        assert_fine(own);
        assert_int_equal(p->rows, 3);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(p->row[i], i + (i > 0));
            assert_near(p->mean[i], q->mean[i], 1e-12 * fabs(q->mean[i]));
            assert_true(i == 2 ? isnan(p->outcome[i]) : p->outcome[i] == q->outcome[i]);
        }
        gb_prediction_free(p);
        gb_prediction_free(q);
        gb_table_free(d);
        gb_table_free(holes);
        gb_table_free(whole);
    }
}

/* Of the training, and of new rows; in a process that only predicts, too. */
TEST(rows_that_were_dropped_leave_the_numbers_of_the_others)
{
    static const char *const text = "score,iq,school\n70,121,A\n80,,A\n90,89,B\n85,99,B\n60,,A\n95,110,A\n";
    static const size_t number[] = {0, 2, 3, 5};
    static const double score[] = {70, 90, 85, 95};
    for (int i = 0; i < 3; i++) {
        gb_tape *const own = test_tape(), *const later = test_tape();
        gb_table *const d = gb_table_of_text(own, "d", text);
        gb_design *const design =
            i == 1 ? gb_design_new(own, "score ~ iq", d, .drop_missing = true, .name = "analysis.design")
                   : NULL;
        gb_analysis *const a =
            gb_analysis_new(own, gb_linear_model(), .design = design, .formula = design ? NULL : "score ~ iq",
                            .table = design ? NULL : d, .drop_missing = true,
                            .group = i == 2 ? "school" : NULL, .batch = i == 0 ? 3 : 0);
        assert_fine(own);
        assert_int_equal(gb_batches_rows(gb_analysis_data(a)), 4);
        take_notes(own, later);
        gb_analysis *const b = gb_analysis_new(later, gb_linear_model(), .noted = true);
        take_variables(own, later);
        gb_prediction *const p[] = {
            gb_predictive(gb_analysis_elbo(a), "score", .data = gb_analysis_data(a)),
            gb_predictive(gb_analysis_elbo(a), "score", .data = gb_analysis_rows(a, d)),
            gb_predictive(gb_analysis_elbo(b), "score", .data = gb_analysis_rows(b, d))};
        assert_fine(own);
        assert_fine(later);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(p[k]->rows, 4);
            for (size_t j = 0; j < 4; j++) {
                assert_int_equal(p[k]->row[j], number[j]);
                assert_near(p[k]->outcome[j], score[j], 0);
                assert_near(p[k]->mean[j], p[0]->mean[j], 1e-12 * fabs(p[0]->mean[j]));
            }
        }
        for (int k = 0; k < 3; k++)
            gb_prediction_free(p[k]);
        gb_table_free(d);
    }
}

TEST(notes_of_a_model_and_of_another_design_are_rejected)
{
    static const char *const formulas[] = {"score ~ iq + hs", "hs ~ iq"}; /* a column more; a factor */
    size_t bytes;
    gb_tape *const own = test_tape();
    gb_table *const d = table(own);
    gb_analysis_new(own, gb_linear_model(), .formula = "score ~ iq", .table = d);
    const void *const facts = gb_tape_noted(own, "analysis.facts", &bytes);
    for (size_t i = 0; i < 2; i++) {
        gb_tape *const later = test_tape();
        gb_design_new(later, formulas[i], d, .name = "analysis.design", .keep_missing_outcome = true);
        gb_tape_note(later, "analysis.facts", facts, bytes);
        assert_fine(later);
        assert_null(gb_analysis_new(later, gb_linear_model(), .noted = true));
        assert_rejected(later, GB_EFILE,
                        "analysis: the note of its rows is not of this model and its design");
    }
    gb_table_free(d);
}

TEST(a_model_of_many_trials_is_recalled)
{
    gb_tape *const later = test_tape();
    gb_table *const d = gb_table_of_text(t, "d", "k,n,x\n20000,30000,1\n5,7,2\n12,40000,4\n");
    gb_analysis_new(t, gb_logistic_model(), .formula = "k | trials(n) ~ x", .table = d);
    assert_fine(t);
    take_notes(t, later);
    assert_non_null(gb_analysis_new(later, gb_logistic_model(), .noted = true));
    assert_fine(later);
    gb_table_free(d);
}

/* Rows on both sides of a dropped one would be neighbours. */
TEST(a_series_has_no_row_to_leave_out_between_others)
{
    static const char *const models[] = {"autoregressive", "local_level", "garch"};
    gb_table *const gap = gb_table_of_text(t, "d.csv", "y,x\n1,1\n2,3\n3,\n5,2\n4,4\n"),
                    *const filled = gb_table_of_text(t, "d.csv", "y,x\n1,1\n2,3\n,3\n5,2\n4,4\n");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        gb_model model;
        assert_true(gb_model_parse(models[i], &model, NULL, 0));
        assert_null(
            gb_analysis_new(t, model, .name = "gap", .formula = "y ~ x", .table = gap, .drop_missing = true));
        assert_rejected(
            t, GB_EARGUMENT,
            "analysis: .drop_missing leaves out d.csv, line 4, between others, so a series would close "
            "the gap in time; fill what is missing in columns (a missing outcome may stay");
        gb_forgive(t);
        assert_non_null(gb_analysis_new(t, model, .name = models[i], .formula = "y ~ x", .table = filled,
                                        .drop_missing = true));
    }
    gb_design *const design = gb_design_new(t, "y ~ x", gap, .drop_missing = true);
    assert_null(gb_analysis_new(t, gb_garch_model(), .name = "design", .design = design));
    assert_rejected(t, GB_EARGUMENT, "analysis: .drop_missing leaves out row 2");
    gb_table_free(gap);
    gb_table_free(filled);
}

/* As the first ones, which lack what was before them. */
TEST(a_series_leaves_out_its_first_and_last_rows)
{
    gb_table *const d = gb_table_of_text(t, "d.csv", "y,x\n1,\n2,\n3,3\n,2\n4,4\n6,5\n7,\n");
    assert_null(gb_analysis_new(t, gb_autoregressive_model(), .name = "a", .formula = "y ~ x", .table = d));
    assert_rejected(t, GB_EARGUMENT,
                    "x is missing in d.csv, line 2; .drop_missing = true leaves out such rows");
    gb_forgive(t);
    gb_analysis *const a = gb_analysis_new(t, gb_autoregressive_model(), .name = "b", .formula = "y ~ x",
                                           .table = d, .drop_missing = true);
    assert_fine(t);
    assert_int_equal(gb_analysis_site(a)->rows, 4);
    assert_int_equal(gb_design_rows_kept(gb_analysis_design(a)).row[0], 2);
    gb_table_free(d);
}

TEST(groups_that_are_missing_are_rejected_in_words)
{
    gb_table *const d = table(t);
    gb_analysis *const a =
        gb_analysis_new(t, gb_linear_model(), .formula = "score ~ iq", .table = d, .group = "school");
    assert_fine(t);
    static const char
        *const more[] = {"iq\n100\n", "iq,school\n100,A\n90,\n"},
               *const words[] = {
                   "analysis: new.csv has no column school, the .group of the model",
                   "analysis: group school is missing in new.csv, line 3; gb_table_complete leaves out "
                   "such rows"};
    for (int i = 0; i < 2; i++) {
        gb_table *const others = gb_table_of_text(t, "new.csv", more[i]);
        gb_analysis_rows(a, others);
        assert_rejected(t, i ? GB_EARGUMENT : GB_ENAME, words[i]);
        gb_forgive(t);
        gb_table_free(others);
    }
    gb_table_free(d);
}

TEST(arrays_take_the_place_of_a_table, .seed = 1)
{
    static const double x[] = {1, 2, 2, 1, 3, 5, 4, 4, 0, 1}, y[] = {0, 1, 1, 1, (double)NAN};
    static const double more[] = {2, 2};
    gb_analysis *const a =
        gb_analysis_new(t, gb_logistic_model(), .x = gb_numbers_of(GB_NUMBER_DOUBLE, x, 10),
                        .y = gb_numbers_of(GB_NUMBER_DOUBLE, y, 5), .columns = 2);
    assert_fine(t);
    assert_int_equal(gb_analysis_site(a)->rows, 5);
    assert_int_equal(gb_analysis_site(a)->missing, 1);
    assert_string_equal(gb_node_name(gb_analysis_nodes(a).node[0]), "(Intercept)");
    assert_string_equal(gb_node_name(gb_analysis_nodes(a).node[2]), "x[1]");
    assert_non_null(gb_analysis_new_rows(a, .rows = 1, .x = gb_doubles(more)));
    gb_analysis_rows(a, NULL);
    assert_fine(t);
}

TEST(a_group_that_the_training_did_not_see_is_an_error)
{
    gb_table *const d = table(t);
    gb_table *const other = gb_table_of_text(t, "new.csv", "score,hs,iq,school,se\n1,no,100,D,1\n");
    gb_analysis *const a =
        gb_analysis_new(t, gb_linear_model(), .formula = "score ~ iq", .table = d, .group = "school");
    assert_fine(t);
    gb_analysis_rows(a, other);
    assert_rejected(
        t, GB_ENAME,
        "analysis: group school is \"D\" in new.csv, line 2, which is none of the 3 groups of the "
        "training, so nothing is known of it");
    gb_forgive(t);
    gb_analysis *const numbers = gb_analysis_new(t, gb_linear_model(), .formula = "score ~ iq", .table = d,
                                                 .group = "se", .name = "numbers");
    gb_analysis_rows(numbers, other);
    assert_rejected(t, GB_ENAME, "analysis: group se is \"1\" in new.csv, line 2");
    gb_table_free(d);
    gb_table_free(other);
}

TEST(scales_are_those_of_the_rows_that_count)
{
    /* The outcomes −1, 0, 1 have mean 0 and deviation 1, as a constant has by agreement. */
    static const double x[] = {1e9, 1e9 + 1e-3, 1e9 + 2e-3, 7}, y[] = {-1, 0, 1, 50}, weight[] = {1, 1, 1, 0};
    const gb_model_site *const s =
        gb_analysis_site(gb_analysis_new(t, gb_linear_model(), .x = gb_doubles(x), .y = gb_doubles(y),
                                         .weight = gb_doubles(weight), .rows = 4));
    assert_fine(t);
    assert_close(s->outcome_mean, 0, 0);
    assert_close(s->outcome_sd, 1, 4);
    gb_tape *const other = test_tape();
    const gb_model_site *const far = gb_analysis_site(
        gb_analysis_new(other, gb_linear_model(), .x = gb_doubles(x), .y = gb_doubles(y), .rows = 3));
    assert_fine(other);
    assert_near(far->sd[1], 1e-3, 1e-7); /* such numbers are 1.2e-7 apart */
}

/* Rows of weight 2, 0 and 1.5 are as many rows; those without outcome are none. */
TEST(scales_count_rows_as_often_as_their_weights_say)
{
    static const double x[] = {1, 4, 2, 9, 70}, y[] = {3, 5, 50, 1, (double)NAN},
                        weight[] = {2, 1, 0, 1.5, 1};
    const gb_model_site *const s =
        gb_analysis_site(gb_analysis_new(t, gb_linear_model(), .x = gb_doubles(x), .y = gb_doubles(y),
                                         .weight = gb_doubles(weight), .rows = 5));
    assert_fine(t);
    const double mean = (2 * 1 + 4 + 1.5 * 9) / 4.5, mean_of_y = (2 * 3 + 5 + 1.5 * 1) / 4.5;
    assert_near(s->mean[1], mean, 1e-14);
    assert_near(s->outcome_mean, mean_of_y, 1e-14);
    assert_near(s->sd[1], sqrt((2 * pow(1 - mean, 2) + pow(4 - mean, 2) + 1.5 * pow(9 - mean, 2)) / 3.5),
                1e-14);
    assert_near(s->outcome_sd,
                sqrt((2 * pow(3 - mean_of_y, 2) + pow(5 - mean_of_y, 2) + 1.5 * pow(1 - mean_of_y, 2)) / 3.5),
                1e-14);
    assert_near(s->counted_rows, 4.5, 0);
}

TEST(codes_are_no_numbers_of_classes)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,x\n0,1\n90210,2\n1e15,3\n");
    gb_analysis_new(t, gb_multinomial_model(), .formula = "y ~ x", .table = d);
    assert_rejected(
        t, GB_EARGUMENT,
        "analysis: y has 1000000000000001 classes, numbered from 0, and may have up to 10000; a column of "
        "texts (gb_table_read with .texts) has only the classes that occur");
    gb_table_free(d);
}

TEST(numbers_whose_deviation_overflows_are_rejected)
{
    static const double x[] = {1e308, -1e308, 1e308}, y[] = {1, 2, 3};
    gb_analysis_new(t, gb_linear_model(), .x = gb_doubles(x), .y = gb_doubles(y), .rows = 3);
    assert_rejected(
        t, GB_EARGUMENT,
        "analysis: numbers of a column, or outcomes, are so far apart that their deviation overflows");
}

/* Weights whose sum is 1 are shares of rows, which have a mean and a deviation, too. */
TEST(weights_may_be_shares)
{
    static const double x[] = {1, 4}, y[] = {3, 5}, weight[] = {0.25, 0.75};
    const gb_model_site *const s =
        gb_analysis_site(gb_analysis_new(t, gb_linear_model(.prior = gb_horseshoe()), .x = gb_doubles(x),
                                         .y = gb_doubles(y), .weight = gb_doubles(weight), .rows = 2));
    assert_fine(t);
    assert_near(s->mean[1], 3.25, 1e-15);
    assert_near(s->sd[1], 3 * sqrt(2 * 0.25 * 0.75), 1e-15);
    assert_near(s->counted_rows, 1, 0);
}

static size_t lines_of(const char *words)
{
    size_t count = 0;
    for (; *words; words++)
        count += *words == '\n';
    return count;
}

TEST(warnings_say_what_the_data_cannot_tell)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,k,a,b,c\n1,0,1,2,3\n1,2,2,4,3\n1,2,4,8,3\n1,0,5,10,3\n");
    const char *const words = gb_analysis_warnings(
        gb_analysis_new(t, gb_poisson_model(), .name = "one", .formula = "y ~ a + b + c", .table = d));
    assert_non_null(strstr(words, "column b is 2 × a"));
    assert_non_null(strstr(words, "column c is 3 in all rows"));
    assert_non_null(strstr(words, "outcome y is 1 in all rows\n"));
    assert_int_equal(lines_of(words), 3);
    assert_string_equal(gb_analysis_warnings(gb_analysis_new(t, gb_multinomial_model(), .name = "two",
                                                             .formula = "k ~ a", .table = d)),
                        "no row has class 1 of k\n");
    assert_string_equal(gb_analysis_warnings(gb_analysis_new(t, gb_poisson_model(), .name = "three",
                                                             .formula = "k ~ a", .table = d)),
                        "");
    assert_fine(t);
    gb_table_free(d);
}

TEST(new_rows_whose_outcomes_are_all_empty_have_outcomes_that_are_missing)
{
    static const char *const models[] = {"linear", "poisson", "logistic", "gaussian_process"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        gb_tape *const own = test_tape();
        gb_model model;
        assert_true(gb_model_parse(models[k], &model, NULL, 0));
        gb_table *const d = gb_table_of_text(own, "d", "y,x\n1,1\n0,2\n1,4\n0,3\n1,7\n"),
                        *const none = gb_table_of_text(own, "none", "y,x\n,1\n,5\n"),
                        *const without = gb_table_of_text(own, "without", "x\n1\n5\n");
        gb_analysis *const a = gb_analysis_new(own, model, .formula = "y ~ x", .table = d);
        gb_prediction *const p = gb_predictive(gb_analysis_elbo(a), "y", .data = gb_analysis_rows(a, none)),
                             *const q = gb_predictive(gb_analysis_elbo(a), "y",
                                                      .data = gb_analysis_rows(a, without));
        assert_fine(own);
        assert_null(q->outcome);
        for (size_t i = 0; i < 2; i++) {
            assert_true(isnan(p->outcome[i]) && isnan(p->log_density[i]));
            assert_near(p->mean[i], q->mean[i], 1e-12);
        }
        assert_int_equal(gb_prediction_scores(p).count, 0);
        gb_prediction_free(p);
        gb_prediction_free(q);
        gb_table_free(d);
        gb_table_free(none);
        gb_table_free(without);
    }
}

TEST(warnings_are_of_the_rows_that_count)
{
    static const struct {
        const char *text, *formula, *says;
    } cases[] = {
        {"y,x\n1,5\n2,5\n3,5\n5,5\n,7\n", "y ~ x", "column x is 5 in all rows that count\n"},
        {"y,x,z\n1,5,10\n2,6,12\n4,7,14\n5,8,16\n,7,1\n", "y ~ x + z", "column z is 2 × x"},
        {"y,x,z,w\n1,5,10,1\n2,6,12,2\n5,7,14,1\n5,8,1,0\n", "y | weights(w) ~ x + z", "column z is 2 × x"},
        {"y,k\n1,a\n2,a\n1.5,b\n2.5,b\n,c\n", "y ~ k", "column kc is 0 in all rows that count\n"},
        {"y,x,z\n1,1,2\n3,1,2\n2,1,2\n", "y ~ 0 + x + z", "column z is 2 × x"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[8];
        snprintf(name, sizeof name, "m%zu", i);
        gb_table *const d = gb_table_of_text(t, "d", cases[i].text);
        gb_analysis *const a =
            gb_analysis_new(t, gb_linear_model(), .formula = cases[i].formula, .table = d, .name = name);
        assert_fine(t);
        assert_non_null(strstr(gb_analysis_warnings(a), cases[i].says));
        gb_table_free(d);
    }
}

TEST(warnings_know_columns_of_arrays)
{
    static const double x[] = {1, 3, 6, 1, 4, 8, 1, 7, 14, 1, 5, 10, 1, 9, 2}, y[] = {3, 1, 2, 5, 4},
                        w[] = {1, 1, 1, 1, 0};
    gb_analysis *const all =
                           gb_analysis_new(t, gb_linear_model(), .x = gb_doubles(x), .columns = 3, .rows = 5,
                                           .y = gb_doubles(y), .no_intercept = true, .name = "all"),
                       *const four = gb_analysis_new(t, gb_linear_model(), .x = gb_doubles(x), .columns = 3,
                                                     .rows = 5, .y = gb_doubles(y), .weight = gb_doubles(w),
                                                     .no_intercept = true, .name = "four"),
                       *const twice = gb_analysis_new(t, gb_linear_model(), .x = gb_doubles(x), .columns = 3,
                                                      .rows = 5, .y = gb_doubles(y), .name = "twice");
    assert_fine(t);
    assert_string_equal(gb_analysis_warnings(all), "");
    assert_string_equal(gb_analysis_warnings(twice), "column x[0] is 1 in all rows\n");
    assert_string_equal(gb_analysis_warnings(four),
                        "column x[2] is 2 × x[1]: the data cannot tell their coefficients apart\n");
}

TEST(weights_that_are_no_numbers_of_rows_are_in_the_warnings)
{
    static const struct {
        double sum;
        bool is_said;
    } cases[] = {{1, true}, {0.04, true}, {4, false}, {8, false}, {0.5, false}, {100, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double share = cases[i].sum / 4, x[] = {1, 2, 3, 4}, y[] = {3, 1, 4, 2},
                     w[] = {share, share, share, share};
        gb_tape *const own = test_tape();
        gb_analysis *const a = gb_analysis_new(own, gb_linear_model(), .x = gb_doubles(x), .rows = 4,
                                               .y = gb_doubles(y), .weight = gb_doubles(w));
        assert_fine(own);
        assert_true(cases[i].is_said == !!strstr(gb_analysis_warnings(a), "the weights of 4 rows sum to "));
    }
}

TEST(a_mean_field_that_is_chosen_for_many_numbers_is_in_the_warnings)
{
    double x[120], y[120];
    for (int i = 0; i < 120; i++) {
        x[i] = i;
        y[i] = i % 7;
    }
    gb_analysis *const few =
                           gb_analysis_new(t, gb_sparse_gaussian_process_model(.inducing = 95), .name = "few",
                                           .x = gb_doubles(x), .y = gb_doubles(y), .rows = 120),
                       *const many = gb_analysis_new(t, gb_sparse_gaussian_process_model(.inducing = 110),
                                                     .name = "many", .x = gb_doubles(x), .y = gb_doubles(y),
                                                     .rows = 120),
                       *const told = gb_analysis_new(t, gb_sparse_gaussian_process_model(.inducing = 110),
                                                     .name = "told", .x = gb_doubles(x), .y = gb_doubles(y),
                                                     .rows = 120, .posterior = gb_mean_field(gb_shape()));
    assert_fine(t);
    assert_string_equal(gb_analysis_warnings(few), "");
    assert_non_null(strstr(gb_analysis_warnings(many), "mean field"));
    assert_string_equal(gb_analysis_warnings(told), "");
    assert_string_equal(gb_analysis_warnings(NULL), "");
}

/* ---- leaving rows out ---- */

/* With known errors, a normal prior and one coefficient everything is a formula: of row i, without it, the
 * precision is that of the prior and of the other rows. */
TEST(rows_are_left_out_as_the_formula_says, .seed = 1)
{
    enum { N = 12 };
    char text[N * 40 + 10] = "y,e\n";
    double y[N], e[N], mean = 0, sd = 0, elpd = 0;
    for (int i = 0; i < N; i++) {
        y[i] = 5 + sin(3.0 * i) + 0.1 * i;
        e[i] = 1 + 0.5 * cos(5.0 * i);
        mean += y[i] / N;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,%.17g\n", y[i], e[i]);
    }
    for (int i = 0; i < N; i++)
        sd += pow(y[i] - mean, 2) / (N - 1);
    sd = sqrt(sd);
    for (int i = 0; i < N; i++) {
        double precision = 1 / pow(2.5 * sd, 2), sum = mean * precision;
        for (int k = 0; k < N; k++) {
            precision += k == i ? 0 : 1 / (e[k] * e[k]);
            sum += k == i ? 0 : y[k] / (e[k] * e[k]);
        }
        const double variance = 1 / precision + e[i] * e[i], off = y[i] - sum / precision;
        elpd -= 0.5 * (off * off / variance + log(6.283185307179586476925 * variance));
    }
    gb_table *const d = gb_table_of_text(t, "d", text);
    gb_analysis *const a =
        gb_analysis_new(t, gb_linear_model(), .formula = "y ~ 1", .table = d, .error = "e");
    const gb_fit_result r = gb_fit(gb_analysis_elbo(a), .data = gb_analysis_data(a));
    const gb_loo l = gb_analysis_loo(a, &r);
    assert_fine(t);
    assert_near(l.elpd, elpd, 0.05);
    gb_table_free(d);
}

TEST(models_of_rows_have_a_log_likelihood_of_each)
{
    static const char *const models[] = {"linear",
                                         "robust",
                                         "ordinal",
                                         "multinomial",
                                         "poisson",
                                         "negative_binomial",
                                         "network:units=2",
                                         "network_class:units=2",
                                         "sparse_gaussian_process:inducing=3",
                                         "mixture",
                                         "factor"};
    gb_table *const d = gb_table_of_text(t, "d", "y,a,b\n0,1,4\n1,2,3\n2,3,5\n1,5,1\n0,4,1\n2,2,2\n");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        gb_model model;
        assert_true(gb_model_parse(models[i], &model, NULL, 0));
        gb_analysis *const a = gb_analysis_new(t, model, .name = models[i], .table = d,
                                               .formula = model.type->outcome ? "y ~ a" : "~ a + b");
        const gb_node log_p = gb_analysis_log_likelihood(a);
        gb_next_batch(gb_analysis_data(a));
        gb_density *const p = gb_density_new(gb_analysis_elbo(a));
        gb_program *const program = gb_density_program(p, gb_roots(log_p));
        double z[MOST_NUMBERS], of_row[6];
        point(gb_density_count(p), 1, z);
        assert_int_equal(gb_density_run(p, program, 1, z), GB_OK);
        assert_int_equal(gb_program_root_count(program, 0), 6);
        gb_read_root(program, 0, of_row);
        assert_fine(t);
        for (int k = 0; k < 6; k++)
            assert_true(isfinite(of_row[k]));
    }
    gb_table_free(d);
}

/* A row of weight w is w rows, of which one is left out; without outcome, or of weight 0, it is none. */
TEST(leaving_rows_out_counts_weights_and_missing_outcomes)
{
    static const struct {
        const char *model, *of_weights, *of_rows;
    } cases[] = {{"linear", "y | weights(w) ~ a", "y ~ a"},
                 {"poisson", "y | weights(w) ~ a", "y ~ a"},
                 {"sparse_gaussian_process:inducing=9:outcome=poisson", "y | weights(w) ~ a", "y ~ a"},
                 {"mixture", "~ a + b", "~ a + b"},
                 {"factor", "~ a + b", "~ a + b"}};
    static const double weights[] = {1, 2, 1, 2, 0, 1, 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gb_model model;
        assert_true(gb_model_parse(cases[i].model, &model, NULL, 0));
        const bool has_outcome = model.type->outcome;
        gb_tape *const tape[] = {test_tape(), test_tape()};
        gb_loo_datum of[7];
        gb_loo l[2];
        for (int k = 0; k < 2; k++) {
            gb_table *const d = gb_table_of_text(
                tape[k], "d",
                k == 0 ? "y,w,a,b\n0,1,1,\n1,2,2,3\n2,1,3,5\n1,2,5,1\n7,0,9,7\n2,1,4,2\n,1,3.5,9\n"
                       : "y,w,a,b\n0,1,1,\n1,1,2,3\n1,1,2,3\n2,1,3,5\n1,1,5,1\n1,1,5,1\n2,1,4,2\n");
            gb_analysis *const a = gb_analysis_new(
                tape[k], model, .formula = k == 0 ? cases[i].of_weights : cases[i].of_rows, .table = d,
                .weight =
                    k == 0 && !has_outcome ? gb_numbers_of(GB_NUMBER_DOUBLE, weights, 7) : (gb_numbers){0});
            const gb_node log_p = gb_analysis_log_likelihood(a);
            gb_next_batch(gb_analysis_data(a));
            l[k] = gb_elbo_loo(gb_analysis_elbo(a), gb_roots(log_p), .pointwise = k == 0 ? of : NULL,
                               .room = k == 0 ? 7 : 0);
            assert_fine(tape[k]);
            gb_table_free(d);
        }
        assert_near(l[0].elpd, l[1].elpd, 1e-7 * fabs(l[1].elpd));
        assert_near(l[0].p, l[1].p, 1e-7 * fabs(l[1].elpd));
        assert_near(l[0].elpd_error, l[1].elpd_error, 1e-7 * fabs(l[1].elpd_error));
        assert_non_null(strstr(l[0].words, "2 of weight 0 are left out"));
        for (int k = 0; k < 7; k++)
            assert_int_equal(isnan(of[k].elpd) != 0, k == 4 || k == 6);
    }
}

typedef struct without_row {
    const char *name, *model, *formula, *words;
} without_row;

static const without_row without_rows[] = {
    {"series", "local_level", "y ~ 1", "analysis: rows of a series or of a whole depend on each other"},
    {"process", "gaussian_process", "y ~ a", "analysis: rows of a series or of a whole depend on each other"},
};

TEST_EACH(rows_that_cannot_be_left_out_are_rejected_in_words, without_rows)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,a,b,m\n0,1,4,1\n1,2,3,\n2,3,5,2\n1,5,1,3\n");
    const without_row *const c = row;
    gb_model model;
    assert_true(gb_model_parse(c->model, &model, NULL, 0));
    assert_false(
        gb_node_ok(gb_analysis_log_likelihood(gb_analysis_new(t, model, .formula = c->formula, .table = d))));
    assert_int_equal(gb_error(t), GB_EARGUMENT);
    assert_non_null(strstr(gb_error_text(t), c->words));
    gb_table_free(d);
}

/* Variables of a full covariance have the names that those of a mean field have, and mean other things. */
TEST(another_posterior_than_the_noted_one_is_rejected)
{
    gb_table *const d = table(t);
    gb_analysis_new(t, gb_linear_model(), .formula = "score ~ iq", .table = d);
    assert_fine(t);
    for (int is_same = 0; is_same < 2; is_same++) {
        gb_tape *const own = test_tape();
        take_notes(t, own);
        gb_analysis_new(own, gb_linear_model(), .noted = true,
                        .posterior = is_same ? gb_full_rank(gb_shape()) : gb_mean_field(gb_shape()));
        if (is_same)
            assert_fine(own);
        else
            assert_rejected(own, GB_EARGUMENT,
                            "analysis: the noted posterior is full_rank, and this one is mean_field");
    }
    gb_table_free(d);
}

TEST(two_analyses_stand_on_one_tape_under_two_names)
{
    gb_table *const d = table(t);
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .formula = "score ~ iq", .table = d),
                       *const b = gb_analysis_new(t, gb_linear_model(), .formula = "score ~ hs", .table = d,
                                                  .name = "b");
    assert_fine(t);
    assert_non_null(gb_fit(gb_analysis_elbo(a), .data = gb_analysis_data(a), .unjudged = true).words);
    assert_non_null(gb_fit(gb_analysis_elbo(b), .data = gb_analysis_data(b), .unjudged = true).words);
    assert_fine(t);
    assert_true(gb_tape_has_variable(t, "b.latents.location"));
    gb_table_free(d);
}

TEST(new_rows_may_lack_the_outcome)
{
    gb_table *const d = table(t), *const other = gb_table_of_text(t, "new.csv", "iq\n100\n110\n");
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .formula = "score ~ iq", .table = d);
    gb_batches *const rows = gb_analysis_rows(a, other);
    assert_fine(t);
    assert_int_equal(gb_batches_rows(rows), 2);
    gb_table_free(d);
    gb_table_free(other);
}

/* Also if no row of the training lacked it: a row without outcome is not scored by another row's. */
TEST(new_rows_that_lack_some_outcomes_are_not_scored_there)
{
    static const char *const models[] = {"linear", "logistic", "poisson",
                                         "sparse_gaussian_process:inducing=2", "gaussian_process"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        gb_tape *const own = test_tape();
        gb_model model;
        char error[200];
        assert_true(gb_model_parse(models[i], &model, error, sizeof error));
        gb_table *const d = gb_table_of_text(own, "d", "y,x\n0,1\n1,2\n0,3\n1,5\n"),
                        *const more = gb_table_of_text(own, "more", "y,x\n1,2\n,2\n"),
                        *const none = gb_table_of_text(own, "none", "y,x\n,2\n");
        gb_analysis *const a = gb_analysis_new(own, model, .formula = "y ~ x", .table = d);
        gb_prediction *const p = gb_predictive(gb_analysis_elbo(a), "y", .data = gb_analysis_rows(a, more));
        assert_fine(own);
        assert_true(isfinite(p->log_density[0]));
        assert_true(isnan(p->log_density[1]));
        assert_true(isnan(p->outcome[1]));
        assert_true(isfinite(p->mean[1]));
        gb_prediction *const q = gb_predictive(gb_analysis_elbo(a), "y", .data = gb_analysis_rows(a, none));
        assert_fine(own);
        assert_near(q->mean[0], p->mean[1], 1e-12 * fabs(p->mean[1]));
        assert_true(isnan(q->log_density[0]));
        gb_prediction_free(p);
        gb_prediction_free(q);
        gb_table_free(d);
        gb_table_free(none);
        gb_table_free(more);
    }
}

/* A prediction needs no weight; a score does. */
TEST(new_rows_without_a_weight_are_predicted_and_not_scored)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,x,w\n0,1,1\n1,2,2\n0,3,1\n1,5,2\n"),
                    *const some = gb_table_of_text(t, "some", "y,x,w\n1,2,1\n1,2,\n,4,\n"),
                    *const none = gb_table_of_text(t, "none", "y,x,w\n1,2,\n");
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .formula = "y | weights(w) ~ x", .table = d);
    gb_elbo *const e = gb_analysis_elbo(a);
    gb_prediction *const p = gb_predictive(e, "y", .data = gb_analysis_rows(a, some)),
                         *const q = gb_predictive(e, "y", .data = gb_analysis_rows(a, none));
    assert_fine(t);
    assert_int_equal(p->rows, 3);
    assert_near(p->mean[0], p->mean[1], 1e-12);
    assert_true(isfinite(p->log_density[0]));
    assert_true(isnan(p->log_density[1]) && isnan(p->log_density[2]));
    assert_near(q->mean[0], p->mean[0], 1e-12);
    gb_prediction_free(p);
    gb_prediction_free(q);
    assert_null(
        gb_analysis_new(t, gb_linear_model(), .name = "b", .formula = "y | weights(w) ~ x", .table = some));
    assert_rejected(t, GB_EARGUMENT, "w is missing in some, line 3");
    gb_table_free(d);
    gb_table_free(some);
    gb_table_free(none);
}

/* ---- missing numbers of models without an outcome ---- */

typedef struct of_columns {
    const char *name, *kept; /* the model; what is predicted of a row */
} of_columns;

static const of_columns gaps[] = {{"mixture", "imputed"},
                                  {"mixture:classes=score", "component"},
                                  {"factor", "imputed"},
                                  {"factor:scores=pathwise", "scores"},
                                  {"variational_autoencoder:units=2", "reconstruction"},
                                  {"variational_autoencoder:units=2:binary", "reconstruction"},
                                  {"belief_network:units=2", "reconstruction"}};

static double elbo_at_start(gb_analysis *a)
{
    double value = 0;
    gb_tape *const own = gb_analysis_site(a)->tape;
    gb_program *const program =
        gb_compile(own, gb_roots(gb_elbo_term_named(gb_analysis_elbo(a), "ELBO").value), gb_no_update);
    gb_next_batch(gb_analysis_data(a));
    assert_int_equal(gb_run(program), GB_OK);
    gb_read_root(program, 0, &value);
    return value;
}

/* A missing cell of a table is a NaN of an array: in the training, and in new rows. */
TEST_EACH(a_missing_cell_is_a_missing_number, gaps)
{
    const of_columns *const c = row;
    const double n = (double)NAN, x[] = {0, 1, n, 1, 0, n, 1, 1, n, n, 1, 0}, more[] = {n, 1, 0, n};
    gb_tape *const other = test_tape();
    gb_model model;
    assert_true(gb_model_parse(c->name, &model, NULL, 0));
    gb_table *const d = gb_table_of_text(t, "d", "a,b\n0,1\n,1\n0,\n1,1\n,\n1,0\n"), *const new =
                                                                                         gb_table_of_text(
                                                                                             t, "new",
                                                                                             "a,b\n,1\n0,\n");
    gb_analysis *const of_table = gb_analysis_new(t, model, .formula = "~ a + b - 1", .table = d),
                       *const of_array =
                           gb_analysis_new(other, model, .x = gb_doubles(x), .rows = 6, .columns = 2);
    assert_fine(t);
    assert_fine(other);
    const double is = elbo_at_start(of_table), should = elbo_at_start(of_array);
    assert_true(isfinite(should));
    assert_close(is, should, 0);
    gb_prediction *const p = gb_predictive_node(gb_analysis_elbo(of_table),
                                                gb_analysis_node_named(of_table, c->kept),
                                                .data = gb_analysis_rows(of_table, new), .draws = 4),
                         *const q = gb_predictive_node(
                             gb_analysis_elbo(of_array), gb_analysis_node_named(of_array, c->kept),
                             .data = gb_analysis_new_rows(of_array, .rows = 2, .x = gb_doubles(more)),
                             .draws = 4);
    assert_fine(t);
    assert_fine(other);
    assert_int_equal(p->rows, 2);
    for (size_t i = 0; i < p->rows * p->elements; i++)
        assert_close(p->mean[i], q->mean[i], 0);
    gb_prediction_free(p);
    gb_prediction_free(q);
    gb_table_free(d);
    gb_table_free(new);
}

/* .drop_missing leaves such rows out, as it does in regressions. */
TEST(rows_that_lack_numbers_may_be_left_out)
{
    gb_table *const d = gb_table_of_text(t, "d", "a,b\n0,1\n,1\n0,3\n1,1\n2,\n1,0\n");
    gb_analysis *const a =
        gb_analysis_new(t, gb_mixture_model(), .formula = "~ a + b", .table = d, .drop_missing = true);
    assert_fine(t);
    assert_int_equal(gb_analysis_site(a)->rows, 4);
    assert_false(gb_node_ok(gb_analysis_site(a)->present));
    gb_table_free(d);
}

/* ---- what leaves no posterior ---- */

typedef struct exact {
    const char *name, *text, *formula, *group;
    int64_t coefficients; /* that give all outcomes; 0: the noise shows */
} exact;

static const exact exacts[] = {
    {"one_row_per_group", "y,x,w,g\n1,1,1.5,A\n3,2,1,B\n2,3,1.5,C\n5,4,1,D\n", "y | weights(w) ~ x", "g", 4},
    {"weights_by_their_mean", "y,x,w,g\n1,1,1.2,A\n3,2,0.8,B\n2,3,1.2,C\n5,4,0.8,D\n", "y | weights(w) ~ x",
     "g", 0},
    {"two_rows_of_a_group", "y,x,w,g\n1,1,2,A\n3,1,2,A\n2,3,2,C\n5,4,2,D\n", "y | weights(w) ~ x", "g", 0},
    {"a_slope_within_a_group", "y,x,w,g\n1,1,2,A\n3,2,2,A\n2,3,2,C\n5,4,2,D\n", "y | weights(w) ~ x", "g", 4},
    {"a_row_without_weight", "y,x,w,g\n1,1,2,A\n3,2,0,B\n2,3,0,C\n5,4,0,D\n", "y | weights(w) ~ x", "g", 1},
    {"constant", "y,x\n2,1\n2,3\n2,4\n", "y ~ x", NULL, 2},
    {"line", "y,x\n0.3,0.1\n0.5,0.2\n0.9,0.4\n1.1,0.5\n", "y ~ x", NULL, 2},
    {"line_of_two_rows", "y,x\n0.3,0.1\n0.5,0.2\n", "y ~ x", NULL, 0},
    {"line_by_offset", "y,x,o\n1,1,0\n7,2,5\n6,3,3\n", "y ~ x + offset(o)", NULL, 2},
    {"offset_that_is_all", "y,x,o\n1,1,0\n7,2,6\n6,3,5\n", "y ~ x + offset(o)", NULL, 2},
    {"nearly_a_line", "y,x\n0.3,0.1\n0.5,0.2\n0.9,0.4\n1.1000001,0.5\n", "y ~ x", NULL, 0},
    {"rows_twice", "y,a,b,c\n1,2,3,4\n1,2,3,4\n2,1,5,0\n", "y ~ a + b + c", NULL, 2},
    {"more_columns_than_rows", "y,a,b,c\n1,2,3,4\n2,1,5,0\n", "y ~ a + b + c", NULL, 0},
};

/* The density of sigma grows as 1 / sigma^(sum of weights − coefficients) at 0. */
TEST_EACH(a_regression_that_gives_its_outcomes_exactly_is_rejected, exacts)
{
    const exact *const c = row;
    char words[80];
    gb_table *const d = gb_table_of_text(t, "d", c->text);
    gb_analysis *const a =
        gb_analysis_new(t, gb_linear_model(), .formula = c->formula, .table = d, .group = c->group);
    snprintf(words, sizeof words, "model: %d coefficients%s give each y exactly", (int)c->coefficients,
             c->group ? " and effects of groups" : "");
    if (c->coefficients > 0)
        assert_rejected(t, GB_EARGUMENT, words);
    else
        assert_non_null(a);
    gb_table_free(d);
}

/* ---- what is rejected ---- */

TEST(new_rows_without_trials_are_rejected_in_words)
{
    gb_table *const d = gb_table_of_text(t, "d", "s,f,x\n1,2,1\n2,1,2\n3,1,0\n"), *const without =
                                                                                      gb_table_of_text(
                                                                                          t, "new", "x\n1\n");
    gb_analysis *const a = gb_analysis_new(t, gb_logistic_model(), .formula = "cbind(s, f) ~ x", .table = d);
    assert_fine(t);
    assert_null(gb_analysis_rows(a, without));
    assert_rejected(t, GB_EARGUMENT,
                    "analysis: new rows need trials: the column of trials(n), or both of cbind");
    gb_table_free(d);
    gb_table_free(without);
}

typedef struct misuse {
    const char *name;
    const char *model, *text, *formula, *group, *error, *words;
} misuse;

static const misuse misuses[] = {
    {"no_outcome", "linear", "y,x\n1,2\n2,3\n", "~ x", NULL, NULL, "outcome"},
    {"text_for_numbers", "linear", "y,x\na,2\nb,3\n", "y ~ x", NULL, NULL,
     "outcome y is a factor, and the model is one of numbers: \"a\" in kids.csv, line 2 is no number"},
    {"stray_text_for_a_number", "linear", "y,x\n1,2\n,1\nn.k.,3\n", "y ~ x", NULL, NULL,
     "\"n.k.\" in kids.csv, line 4 is no number; mend the cell, or name the word in .missing of "
     "gb_table_read"},
    {"half_a_count", "poisson", "y,x\n1,2\n2.5,3\n", "y ~ x", NULL, NULL,
     "y is 2.5 in kids.csv, line 3, and must be"},
    {"three_classes", "logistic", "y,x\n1,2\n2,3\n0,1\n", "y ~ x", NULL, NULL,
     "y is 0, 1 and 2, and must be 0 and 1, or a factor of two levels; or have trials"},
    {"classes_from_1", "logistic", "y,x\n1,2\n2,3\n1,1\n", "y ~ x", NULL, NULL,
     "y is 1 and 2, and must be 0 and 1, or a factor of two levels; or have trials"},
    {"three_levels", "logistic", "y,x\nc,2\na,3\nb,1\n", "y ~ x", NULL, NULL,
     "y is a, b and c, and must be 0 and 1, or a factor of two levels; or have trials"},
    {"many_values", "logistic", "y,x\n9,2\n8,3\n1,1\n2,1\n7,1\n3,1\n6,1\n", "y ~ x", NULL, NULL,
     "y is 1, 2, 3, 6, 7, …, and must be 0 and 1"},
    {"one_level", "multinomial", "y,x\na,2\na,3\n", "y ~ x", NULL, NULL,
     "y is a in all rows, and must be of at least two classes"},
    {"only_zeros", "multinomial", "y,x\n0,2\n0,3\n", "y ~ x", NULL, NULL,
     "y is 0 in all rows, and must be of at least two classes"},
    {"no_order", "ordinal", "y,x\nlow,2\nmedium,3\nhigh,1\n", "y ~ x", NULL, NULL,
     "the model needs the order of the levels of y, which are texts: give it from the lowest to the highest, "
     "by .factors = GB_FACTORS({.column = \"y\", .levels = \"high, low, medium\"}) with these in their "
     "order"},
    {"no_thresholds_without_intercept", "ordinal", "y,x\n0,2\n1,3\n2,1\n", "y ~ x - 1", NULL, NULL,
     "model: its thresholds take the place of the intercept: leave out \"- 1\""},
    {"terms_of_groups", "linear", "y,x,g\n0,2,a\n1,3,b\n2,1,a\n", "y ~ x + (1 | g)", NULL, NULL,
     "an analysis has .group = \"g\" in the place of (1 | g)"},
    {"more_successes_than_trials", "logistic", "y,n,x\n1,2,2\n4,3,3\n", "y | trials(n) ~ x", NULL, NULL,
     "y is 4 in kids.csv, line 3, and there are fewer trials"},
    {"all_missing", "linear", "y,x\n,2\n,3\n", "y ~ x", NULL, NULL,
     "no row of kids.csv has all cells that y ~ x needs"},
    {"negative_weight", "linear", "y,x,w\n1,2,1\n2,3,-1\n", "y | weights(w) ~ x", NULL, NULL,
     "w is -1 in kids.csv, line 3, and weights are not negative"},
    {"trials_of_a_normal", "linear", "y,x,n\n1,2,1\n2,3,4\n", "y | trials(n) ~ x", NULL, NULL,
     "the model takes no trials"},
    {"offset_of_classes", "multinomial", "y,x\n1,2\n0,3\n", "y ~ x + offset(x)", NULL, NULL,
     "the model takes no offset"},
    {"group_of_classes", "multinomial", "y,x\n1,2\n0,3\n", "y ~ x", "x", NULL, "the model takes no .group"},
    {"no_such_group", "linear", "y,x\n1,2\n0,3\n", "y ~ x", "z", NULL, "z"},
    {"error_of_0", "linear", "y,x,e\n1,2,1\n0,3,0\n", "y ~ x", NULL, "e",
     "the standard error e is 0 in kids.csv, line 3"},
    {"no_error_of_a_missing_outcome", "linear", "y,x,e\n1,2,1\n,3,\n", "y ~ x", NULL, "e",
     "the standard error e is missing in kids.csv, line 3; a row without outcome needs it, too"},
    {"no_trials", "logistic", "s,f,x\n1,2,1\n,,2\n3,1,0\n", "cbind(s, f) ~ x", NULL, NULL,
     "the number of trials is missing in kids.csv, line 3"},
    {"error_of_a_count", "poisson", "y,x,e\n1,2,1\n0,3,0\n", "y ~ x", NULL, "e", "the model takes no .error"},
};

TEST_EACH(what_does_not_fit_the_model_is_rejected_in_words, misuses)
{
    const misuse *const m = row;
    gb_model model;
    gb_table *const d = gb_table_of_text(t, "kids.csv", m->text);
    assert_true(gb_model_parse(m->model, &model, NULL, 0));
    assert_null(
        gb_analysis_new(t, model, .formula = m->formula, .table = d, .group = m->group, .error = m->error));
    if (gb_error(t) == GB_OK || !strstr(gb_error_text(t), m->words))
        fail_msg("%s", gb_error_text(t));
    gb_table_free(d);
}

TEST(a_dot_does_not_stand_for_columns_beside_the_formula)
{
    static const char *const text = "y,x,g,se\n1,2,a,1\n2,3,b,2\n4,1,a,1\n3,5,b,1\n", *const more =
                                                                                          "x,g,se\n1,b,1\n";
    gb_table *const d = gb_table_of_text(t, "d", text), *const others = gb_table_of_text(t, "more", more);
    gb_tape *const later = test_tape();
    gb_analysis *const a =
        gb_analysis_new(t, gb_linear_model(), .formula = "y ~ .", .table = d, .group = "g", .error = "se");
    assert_fine(t);
    assert_int_equal(gb_analysis_site(a)->columns, 2);
    assert_string_equal(gb_analysis_site(a)->column[1], "x");
    assert_int_equal(gb_analysis_site(gb_analysis_new(t, gb_linear_model(), .name = "both", .table = d,
                                                      .formula = "y ~ . + g", .group = "g", .error = "se"))
                         ->columns,
                     3);
    assert_non_null(gb_analysis_rows(a, others));
    take_notes(t, later);
    gb_analysis *const b = gb_analysis_new(later, gb_linear_model(), .noted = true);
    assert_fine(later);
    take_variables(t, later);
    assert_int_equal(gb_batches_rows(gb_analysis_rows(b, others)), 1);
    assert_fine(later);
    gb_table_free(d);
    gb_table_free(others);
}

TEST(rows_without_a_group_are_left_out_like_others)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,x,g,se\n1,2,a,1\n2,3,,2\n4,1,a,\n3,5,b,1\n,4,b,1\n"),
                    *const others = gb_table_of_text(t, "more", "x,g,se\n1,,1\n2,b,1\n");
    gb_analysis *const a = gb_analysis_new(t, gb_linear_model(), .formula = "y ~ x", .table = d, .group = "g",
                                           .error = "se", .drop_missing = true);
    assert_fine(t);
    assert_int_equal(gb_analysis_site(a)->rows, 3);
    assert_int_equal(gb_design_rows_kept(gb_analysis_design(a)).row[1], 3);
    assert_int_equal(gb_batches_rows(gb_analysis_rows(a, others)), 1);
    assert_fine(t);
    gb_table_free(d);
    gb_table_free(others);
}

TEST(columns_that_are_nearly_sums_are_in_the_warnings)
{
    static const struct {
        const char *formula, *says;
        bool raw;
    } cases[] = {{"y ~ year + I(year^2)",
                  "column I(year^2) is nearly a sum of the columns before it (1 - R² is ", false},
                 {"y ~ year + I((year - 2005)^2)", NULL, false},
                 {"y ~ poly(year, 2)", NULL, false},
                 {"y ~ 0 + year + I(year^2)", NULL, false},
                 {"y ~ year + I(year^2)", NULL, .raw = true}};
    enum { N = 31 };
    double year[N], y[N];
    for (int i = 0; i < N; i++) {
        year[i] = 1990 + i;
        y[i] = (i * 7) % 11;
    }
    gb_table *const d = gb_table_new(t, "d", N);
    gb_table_add(d, "year", gb_doubles(year));
    gb_table_add(d, "y", gb_doubles(y));
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
        gb_tape *const own = test_tape();
        const bool is_flat = i == sizeof cases / sizeof *cases;
        const size_t k = is_flat ? 0 : i;
        gb_analysis *const a = gb_analysis_new(
            own,
            gb_linear_model(.raw = cases[k].raw, .prior = is_flat ? gb_no_shrinkage() : (gb_shrinkage){0}),
            .formula = cases[k].formula, .table = d);
        assert_fine(own);
        const char *const words = gb_analysis_warnings(a), *const near = strstr(words, "nearly");
        if (!cases[k].says || is_flat) {
            assert_null(near);
            continue;
        }
        assert_ptr_equal(strstr(words, cases[k].says), words);
        /* Σ (x² − 80)² / (Σ (x² − 80)² + 4010² Σ x²), as x and x² are orthogonal */
        const double curved = 158224, straight = 4010.0 * 4010.0 * 2480;
        assert_near(atof(words + strlen(cases[k].says)), curved / (curved + straight), 1e-9);
    }
    gb_table_free(d);
}

TEST(weights_that_are_all_0_are_in_the_warnings)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,x,w\n1,2,0\n2,3,0\n4,1,0\n");
    assert_string_equal(gb_analysis_warnings(gb_analysis_new(t, gb_linear_model(), .table = d,
                                                             .formula = "y | weights(w) ~ x")),
                        "no row counts: all weights are 0, so the posterior is the prior\n");
    gb_table_free(d);
}

TEST(the_data_are_given_once)
{
    gb_table *const d = table(t);
    static const double y[] = {1, 2};
    gb_analysis_new(t, gb_linear_model(), .table = d);
    assert_rejected(t, GB_EARGUMENT, "the data are one of .formula with .table, .design, arrays");
    gb_analysis_new(t, gb_linear_model(), .formula = "score ~ iq");
    assert_rejected(t, GB_EARGUMENT, ".formula needs a .table");
    gb_analysis_new(t, gb_linear_model(), .formula = "score ~ iq", .table = d, .y = gb_doubles(y));
    assert_rejected(t, GB_EARGUMENT, "the data are one of");
    gb_analysis_new(t, (gb_model){0}, .formula = "score ~ iq", .table = d);
    assert_int_not_equal(gb_error(t), GB_OK);
    gb_forgive(t);
    gb_analysis_new(t, gb_linear_model(), .y = gb_doubles(y));
    assert_rejected(t, GB_EARGUMENT, "the number of rows is not known");
    gb_table_free(d);
}

TEST(a_design_is_of_the_tape_of_its_analysis)
{
    gb_tape *const other = test_tape();
    gb_table *const d = table(t);
    gb_design *const design = gb_design_new(other, "score ~ iq", d, .keep_missing_outcome = true);
    assert_null(gb_analysis_new(t, gb_linear_model(), .design = design));
    assert_rejected(t, GB_EARGUMENT, "analysis: .design is of another tape; make it on that of the analysis");
    assert_fine(other);
    assert_non_null(gb_analysis_new(other, gb_linear_model(), .design = design));
    gb_table_free(d);
}

TEST(null_means_that_an_earlier_call_failed)
{
    assert_null(gb_analysis_new(NULL, gb_linear_model()));
    assert_null(gb_analysis_elbo(NULL));
    assert_null(gb_analysis_data(NULL));
    assert_null(gb_analysis_rows(NULL, NULL));
    assert_null(gb_analysis_new_rows(NULL, .rows = 1));
    assert_int_equal(gb_analysis_nodes(NULL).count, 0);
    assert_false(gb_node_ok(gb_analysis_node_named(NULL, "a")));
    assert_null(gb_analysis_outcome(NULL));
    assert_null(gb_analysis_design(NULL));
    assert_null(gb_analysis_site(NULL));
}

/* ---- names ---- */

static const struct two {
    const char *name, *formula;
} twice[] = {{"linear", "y ~ a"},
             {"network:units=2", "y ~ a + b"},
             {"network_class:units=2", "y ~ a + b"},
             {"mixture:classes=score", "~ a + b"},
             {"factor:scores=pathwise", "~ a + b"},
             {"variational_autoencoder:units=2", "~ a + b"},
             {"belief_network:units=2:layers=2", "~ a + b"},
             {"hidden_markov", "y ~ 1"},
             {"gaussian_process", "y ~ a"},
             {"sparse_gaussian_process:inducing=3", "y ~ a"}};

TEST_EACH(a_model_stands_twice_on_a_tape_under_two_names, twice)
{
    const struct two *const is = row;
    gb_model model;
    gb_table *const d = gb_table_of_text(t, "d.csv", "y,a,b\n1,0,1\n0,1,1\n1,1,0\n0,0,1\n1,0,0\n0,1,0\n");
    assert_true(gb_model_parse(is->name, &model, NULL, 0));
    for (int i = 0; i < 2; i++) {
        gb_analysis *const a =
            gb_analysis_new(t, model, .formula = is->formula, .table = d, .name = i == 0 ? NULL : "other");
        gb_elbo_loss(gb_analysis_elbo(a));
        assert_fine(t);
    }
    gb_table_free(d);
}
