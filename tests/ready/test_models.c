/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every ready model promises: weights count data, a missing outcome says nothing, units change nothing,
 * new rows are predicted, and nothing is lost when memory runs out. */
#include "support/close.h"

#include "models/checkpoint.h"
#include "prediction/predict.h"
#include "ready/table.h"
#include "support/counted_memory.h"

static const model_case cases[] = {
    {"linear", "y | weights(w) ~ a * b + offset(a)", a_number, NULL, NULL},
    {"linear:raw:prior=student_t", "y | weights(w) ~ a + f", a_number, NULL, NULL},
    {"linear:prior=ridge", "y | weights(w) ~ 0 + a + b", a_number, "g", NULL},
    {"linear:prior=horseshoe", "y | weights(w) ~ a + b", a_number, "g", "e"},
    {"robust:prior=laplace", "y | weights(w) ~ a + b", a_number, NULL, NULL},
    {"robust:freedom=4", "y | weights(w) ~ a", a_number, "g", NULL},
    {"logistic:prior=none", "y | weights(w) ~ a + b", a_bit, "g", NULL},
    {"logistic", "y | trials(n) + weights(w) ~ a + f", a_count, NULL, NULL},
    {"multinomial", "y | weights(w) ~ a + f", a_class, NULL, NULL},
    {"ordinal", "y | weights(w) ~ a + f", a_class, "g", NULL},
    {"ordinal:raw", "y | weights(w) ~ a", a_class, NULL, NULL},
    {"poisson", "y | weights(w) ~ a + f + offset(b)", a_count, NULL, NULL},
    {"negative_binomial", "y | weights(w) ~ a", a_count, "g", NULL},
    {"sparse_gaussian_process:inducing=6", "y | weights(w) ~ a + b", a_number, NULL, NULL},
    {"sparse_gaussian_process:inducing=4:outcome=poisson", "y | weights(w) ~ a", a_count, NULL, NULL},
    {"sparse_gaussian_process:inducing=30:outcome=bernoulli", "y | weights(w) ~ a + b", a_bit, NULL, NULL},
};

/* Models of a whole. A weight of theirs is a number of copies, which need not be independent. */
static const model_case wholes[] = {
    {"local_level", "y | weights(w) ~ a", a_number, NULL, NULL},
    {"hidden_markov", "y | weights(w) ~ 1", a_number, NULL, NULL},
    {"hidden_markov:states=3:same_sigma", "y ~ 1", a_number, NULL, NULL},
    {"gaussian_process", "y | weights(w) ~ a + b", a_number, NULL, NULL},
    {"gaussian_process:kernel=sum:period=0.3:period_spread=0.1", "y ~ a + b", a_number, NULL, NULL},
    {"autoregressive:order=2", "y | weights(w) ~ a", a_number, NULL, NULL},
    {"garch", "y | weights(w) ~ a", a_number, NULL, NULL},
};

static bool has_new_rows(const model_case *c)
{
    return strstr(c->name, "gaussian_process");
}

static bool has_latents_for_missing_outcomes(const model_case *c)
{
    return strstr(c->name, "autoregressive") || strstr(c->name, "garch");
}

/* ---- promises ---- */

TEST_EACH(a_weight_counts_the_density_of_its_row, cases)
{
    const model_case *const c = row;
    const double half = log_p(c, (twist){.weight = 0.5}, 1), once = log_p(c, (twist){.weight = 1}, 1),
                 more = log_p(c, (twist){.weight = 2.5}, 1);
    assert_true(fabs(once - half) > 1e-6);
    assert_near(more - once, 3 * (once - half), 1e-9 * fabs(half));
}

TEST_EACH(a_missing_outcome_says_nothing, cases)
{
    const model_case *const c = row;
    for (int number = 1; number <= 2; number++) {
        const double left_out = log_p(c, (twist){.weight = 0}, number),
                     is_missing = log_p(c, (twist){.weight = 1, .is_missing = true}, number);
        /* Scales of the outcome are those of the outcomes that are there, in both. */
        assert_near(is_missing, left_out, 1e-9 * fabs(left_out));
    }
}

TEST_EACH(a_missing_outcome_of_a_whole_says_nothing, wholes)
{
    const model_case *const c = row;
    if (has_latents_for_missing_outcomes(c) || !strstr(c->formula, "weights"))
        return;
    const double left_out = log_p(c, (twist){.weight = 0}, 1),
                 is_missing = log_p(c, (twist){.weight = 1, .is_missing = true}, 1);
    assert_near(is_missing, left_out, 1e-9 * fabs(left_out));
    assert_true(fabs(log_p(c, (twist){.weight = 1}, 1) - left_out) > 1e-6);
}

static void units_change_nothing_in(const model_case *c)
{
    const twist units = {.weight = 1, .of_x = 1e4, .of_y = c->outcome == a_number ? 1e-3 : 1};
    const double before = log_p(c, (twist){.weight = 1}, 1) - log_p(c, (twist){.weight = 1}, 2),
                 after = log_p(c, units, 1) - log_p(c, units, 2);
    assert_near(after, before, 1e-6 * (1 + fabs(before)));
}

TEST_EACH(units_change_nothing, cases)
{
    const model_case *const c = row;
    if (!strstr(c->name, "raw") && !strstr(c->formula, "offset") && !strstr(c->formula, "0 +"))
        units_change_nothing_in(c);
}

TEST_EACH(units_change_nothing_in_a_whole, wholes)
{
    const model_case *const c = row;
    if (!strstr(c->name, "period")) /* the period has the unit of a column */
        units_change_nothing_in(c);
}

static void new_rows_are_predicted_by(gb_tape *t, const model_case *c)
{
    gb_table *const d = table_of(t, c, (twist){.weight = 1}), *const others = table_of(
                                                                  t, c,
                                                                  (twist){.weight = 1, .is_missing = true});
    gb_analysis *const a = analysis_of(t, c, d);
    gb_prediction *const p = gb_predictive(gb_analysis_elbo(a), gb_analysis_outcome(a),
                                           .data = gb_analysis_rows(a, others), .draws = 20);
    assert_fine(t);
    assert_int_equal(p->rows, ROWS);
    for (size_t i = 0; i < p->rows; i++) {
        const bool has_outcome = i != CHANGED;
        assert_int_equal(isfinite(p->log_density[i]) != 0, has_outcome);
        assert_true(isfinite(p->quantile[3 * i]));
    }
    gb_prediction_free(p);
    gb_table_free(d);
    gb_table_free(others);
}

TEST_EACH(new_rows_are_predicted, cases)
{
    new_rows_are_predicted_by(t, row);
}

TEST_EACH(new_rows_of_a_whole_are_predicted, wholes)
{
    if (has_new_rows(row))
        new_rows_are_predicted_by(t, row);
}

TEST_EACH(a_process_that_only_predicts_has_the_same_predictions, cases)
{
    const model_case *const c = row;
    gb_tape *const other = test_tape();
    const char *const path = GB_TEST_FOLDER "/ready-noted.grebe";
    gb_table *const d = table_of(t, c, (twist){.weight = 1, .is_missing = true});
    gb_model model;
    assert_true(gb_model_parse(c->name, &model, NULL, 0));
    gb_analysis *const a = analysis_of(t, c, d);
    const gb_node loss = gb_elbo_loss(gb_analysis_elbo(a));
    gb_program *const program = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.1)));
    gb_next_batch(gb_analysis_data(a));
    gb_run(program);
    assert_int_equal(
        gb_checkpoint_save(&(gb_checkpoint){.size = sizeof(gb_checkpoint), .tape = t, .path = path}), GB_OK);
    const gb_checkpoint load = {.size = sizeof load, .tape = other, .path = path, .subset = true};
    gb_checkpoint_load(&load);
    gb_analysis *const again = gb_analysis_new(other, model, .noted = true);
    gb_checkpoint_load(&load);
    gb_table *const new_rows = table_of(other, c, (twist){.weight = 1, .is_missing = true});
    gb_prediction *const p = gb_predictive(gb_analysis_elbo(a), gb_analysis_outcome(a),
                                           .data = gb_analysis_rows(a, d), .draws = 5),
                         *const q = gb_predictive(gb_analysis_elbo(again), gb_analysis_outcome(again),
                                                  .data = gb_analysis_rows(again, new_rows), .draws = 5);
    assert_fine(t);
    assert_fine(other);
    for (size_t i = 0; i < p->rows; i++)
        assert_close(q->quantile[3 * i + 1], p->quantile[3 * i + 1], 0);
    gb_prediction_free(p);
    gb_prediction_free(q);
    gb_table_free(d);
    gb_table_free(new_rows);
    remove(path);
}

static void other_posteriors_fit(const model_case *c, int64_t batch)
{
    const gb_family families[] = {gb_point(gb_shape()), gb_mean_field(gb_shape()), gb_full_rank(gb_shape())};
    gb_model model;
    assert_true(gb_model_parse(c->name, &model, NULL, 0));
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        gb_tape *const own = test_tape(.seed = 2);
        gb_table *const d = table_of(own, c, (twist){.weight = 1});
        gb_analysis *const a =
            gb_analysis_new(own, model, .formula = c->formula, .table = d, .group = c->group,
                            .error = c->error, .posterior = families[i], .batch = batch);
        gb_table_free(d);
        const gb_node loss = gb_elbo_loss(gb_analysis_elbo(a));
        gb_program *const program = gb_compile(own, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.01)));
        for (int step = 0; step < 3 && (batch == 0 || gb_next_batch(gb_analysis_data(a))); step++)
            gb_run(program);
        assert_fine(own);
        assert_true(isfinite(gb_value(loss)));
    }
}

TEST_EACH(a_point_and_a_mean_field_take_the_place_of_a_full_covariance, cases)
{
    other_posteriors_fit(row, 10);
}

TEST_EACH(a_point_and_a_mean_field_fit_a_whole, wholes)
{
    other_posteriors_fit(row, 0);
}

/* ---- memory ---- */

static gb_status use(gb_tape *t, const void *what)
{
    const model_case *const c = what;
    gb_table *const d = table_of(t, c, (twist){.weight = 1, .is_missing = true});
    gb_analysis *const a = analysis_of(t, c, d);
    if (gb_analysis_data(a) || has_new_rows(c))
        gb_analysis_rows(a, d);
    gb_table_free(d);
    return t ? gb_error(t) : GB_ENOMEM;
}

TEST_EACH(without_memory_it_fails_in_words, cases)
{
    assert_outlives_lack_of_memory(use, row, ((const model_case *)row)->name, 60, (gb_tape_options){0});
}

TEST_EACH(a_whole_without_memory_fails_in_words, wholes)
{
    assert_outlives_lack_of_memory(use, row, ((const model_case *)row)->name, 60, (gb_tape_options){0});
}

static bool is_of(const model_case *c, size_t count, const char *name)
{
    const size_t length = strlen(name);
    for (size_t k = 0; k < count; k++)
        if (strncmp(c[k].name, name, length) == 0 && (c[k].name[length] == 0 || c[k].name[length] == ':'))
            return true;
    return false;
}

TEST(each_model_has_a_case)
{
    size_t count;
    const gb_model_type *const *const all = gb_models(&count);
    for (size_t i = 0; i < count; i++) {
        if (!is_of(cases, sizeof cases / sizeof *cases, all[i]->name) &&
            !is_of(wholes, sizeof wholes / sizeof *wholes, all[i]->name))
            fail_msg("%s", all[i]->name);
    }
}
