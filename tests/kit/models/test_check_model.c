/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kit of ready models catches models that break a promise, each by the right statement. */
#include "support/close.h"

#include <math.h>

#include "distributions/list.h"
#include "estimators/list.h"
#include "kit/check_model.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ready/models.h"
#include "support/verdict.h"

/* A regression of numbers, told what to do wrong. */
typedef enum fault {
    NONE,
    WEIGHTS_IGNORED,
    MISSING_COUNTED,
    PRIOR_HAS_UNITS,
    NAMES_TWICE,
    INFINITE,
    ROWS_COUNTED,
    UNKNOWN_TO_PREDICTIONS,
    LAW_OF_ANOTHER,
    PRIOR_BY_ROWS,
    OFFSET_SUBTRACTED,
    OFFSET_IGNORED,
    STANDARDISED_SHOWN,
    GROUP_IGNORED,
    ERROR_IGNORED,
} fault;

static gb_node predictor(gb_model_site *s, gb_coefficients *beta, fault f)
{
    const gb_node group = s->group;
    if (f == GROUP_IGNORED)
        s->group = gb_to_int(gb_scale(gb_to_real(group), 0));
    const gb_node eta = gb_coefficients_predictor(beta, s->x);
    s->group = group;
    if (!gb_node_ok(s->offset))
        return eta;
    return f == OFFSET_SUBTRACTED ? gb_sub(eta, gb_scale(s->offset, 2))
           : f == OFFSET_IGNORED  ? gb_sub(eta, s->offset)
                                  : eta;
}

static bool build_with(gb_model_site *s, fault f)
{
    const bool has_units = f == PRIOR_HAS_UNITS;
    gb_coefficients *const beta =
        gb_coefficients_new(s, .raw = has_units, .centre = s->outcome_mean, .scale = s->outcome_sd);
    if (!gb_model_draw(s))
        return false;
    gb_node eta = predictor(s, beta, f);
    const gb_node one =
        gb_node_ok(s->error) && f != ERROR_IGNORED ? s->error : gb_num(s->tape, s->outcome_sd);
    if (f == STANDARDISED_SHOWN)
        gb_model_show(s, "a", gb_mul(gb_at(gb_model_value(s, 0), 0), gb_num(s->tape, s->outcome_sd)));
    else
        gb_coefficients_show(beta, NULL);
    if (f == NAMES_TWICE)
        gb_model_show(s, "a", eta);
    if (f == ROWS_COUNTED)
        gb_factor(s->elbo, "rows", gb_mul(gb_num(s->tape, 0.1), gb_mul(eta, s->y)));
    if (f == INFINITE)
        gb_factor(s->elbo, "wall", gb_log(gb_sub(gb_coefficients_level(beta), gb_num(s->tape, 1e9))));
    if (f == WEIGHTS_IGNORED || f == MISSING_COUNTED) {
        gb_node weight = f == WEIGHTS_IGNORED ? (gb_node){0} : gb_max(s->weight, gb_num(s->tape, 0.01));
        gb_observe(s->elbo, s->outcome, gb_normal(eta, one), s->y, .weight = weight);
        return gb_error(s->tape) == GB_OK;
    }
    if (f == PRIOR_BY_ROWS)
        gb_factor(s->elbo, "prior",
                  gb_scale(gb_square(gb_coefficients_level(beta)),
                           -(double)s->rows / (s->outcome_sd * s->outcome_sd)));
    if (f == LAW_OF_ANOTHER)
        return gb_model_likelihood(s, gb_model_weighted(s, gb_log_prob(gb_normal(eta, one), s->y)),
                                   gb_normal(gb_neg(eta), one));
    if (f == UNKNOWN_TO_PREDICTIONS) {
        gb_log_likelihood(s->elbo, s->outcome, gb_mul(s->weight, gb_log_prob(gb_normal(eta, one), s->y)));
        return gb_error(s->tape) == GB_OK;
    }
    return gb_model_observe(s, gb_normal(eta, one));
}

#define BUILD(name, fault_)                                                                                  \
    static bool name(gb_model_site *s, const void *options)                                                  \
    {                                                                                                        \
        (void)options;                                                                                       \
        return build_with(s, fault_);                                                                        \
    }
BUILD(right, NONE)
BUILD(ignores_weights, WEIGHTS_IGNORED)
BUILD(counts_missing, MISSING_COUNTED)
BUILD(has_units, PRIOR_HAS_UNITS)
BUILD(names_twice, NAMES_TWICE)
BUILD(is_infinite, INFINITE)
BUILD(counts_rows, ROWS_COUNTED)
BUILD(has_no_law, UNKNOWN_TO_PREDICTIONS)
BUILD(has_another_law, LAW_OF_ANOTHER)
BUILD(has_a_prior_by_rows, PRIOR_BY_ROWS)
BUILD(subtracts_offsets, OFFSET_SUBTRACTED)
BUILD(ignores_offsets, OFFSET_IGNORED)
BUILD(shows_standardised, STANDARDISED_SHOWN)
BUILD(ignores_groups, GROUP_IGNORED)
BUILD(ignores_errors, ERROR_IGNORED)

static bool ignores_trials(gb_model_site *s, const void *options)
{
    (void)options;
    gb_coefficients *const beta = gb_coefficients_new(s, .prior = gb_normal_shrinkage());
    return gb_model_draw(s) &&
           gb_model_observe(s, gb_binomial_logits(gb_num(s->tape, 9), gb_coefficients_predictor(beta, s->x)));
}

/* ---- a model of the columns ---- */

/* A normal of each column, whose mean is learned. `counts_gaps`: as if missing numbers were 0. */
static bool build_columns(gb_model_site *s, bool counts_gaps)
{
    const size_t mean = gb_model_part_of(s, "", "means", gb_shape(s->columns),
                                         gb_normal(gb_num(s->tape, 0), gb_num(s->tape, 1)));
    if (!gb_model_draw(s))
        return false;
    const gb_dist law = gb_normal(gb_add(gb_model_means(s), gb_mul(gb_model_sds(s), gb_model_value(s, mean))),
                                  gb_model_sds(s));
    if (!counts_gaps)
        return gb_model_observe_columns(s, law);
    gb_observe(s->elbo, s->outcome, law, s->x, .weight = s->weight);
    return gb_error(s->tape) == GB_OK;
}

static bool right_of_columns(gb_model_site *s, const void *options)
{
    (void)options;
    return build_columns(s, false);
}

static bool counts_gaps(gb_model_site *s, const void *options)
{
    (void)options;
    return build_columns(s, true);
}

TEST(missing_numbers_that_count_are_caught)
{
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        const gb_model_type type = {.size = sizeof(gb_model_type),
                                    .name = "mine",
                                    .formula = "x ~ N(m, 1)",
                                    .build = is_wrong ? counts_gaps : right_of_columns};
        gb_report report = {.size = sizeof report};
        const bool passed = gb_check_model(gb_model_of(&type, NULL), .report = &report);
        if (is_wrong)
            assert_caught(passed, &report, "a missing number of the columns says nothing");
        else
            assert_passed(passed, &report, "mine", 10);
    }
}

static bool fails(gb_model_site *s, const void *options)
{
    (void)options;
    return gb_fail(s->tape, GB_EARGUMENT, "model: it does not like these data") == GB_OK;
}

typedef struct planted {
    const char *name;
    bool (*build)(gb_model_site *s, const void *options);
    const char *statement;
} planted;

static const planted faults[] = {
    {"weights", ignores_weights, "a row of weight 2 counts twice"},
    {"missing", counts_missing, "a missing outcome says nothing"},
    {"units", has_units, "other units move log p by a constant"},
    {"names", names_twice, "what it shows has names of its own"},
    {"infinite", is_infinite, "log p is finite, and so is its gradient"},
    {"rows", counts_rows, "a missing outcome says nothing"},
    {"law", has_no_law, "it is recorded and run without an error"},
    {"failure", fails, "it is recorded and run without an error"},
    {"another law", has_another_law, "rows are predicted by the law of their likelihood"},
    {"prior by rows", has_a_prior_by_rows, "a row of weight 2 is two rows, and one of weight 0 is none"},
    {"offset subtracted", subtracts_offsets, "an offset is a column whose coefficient is 1"},
    {"offset ignored", ignores_offsets, "an offset is a column whose coefficient is 1"},
    {"standardised", shows_standardised, "an offset is a column whose coefficient is 1"},
    {"group", ignores_groups, "rows of other groups are predicted otherwise"},
    {"error", ignores_errors, "a larger standard error is more noise"},
    {"form", NULL, "its struct is complete"},
};

static gb_model_type type_of(bool (*build)(gb_model_site *s, const void *options))
{
    return (gb_model_type){.size = sizeof(gb_model_type),
                           .name = "mine",
                           .formula = "y ~ N(x beta, 1)",
                           .outcome = GB_REAL,
                           .takes_offset = true,
                           .takes_group = true,
                           .takes_error = true,
                           .build = build};
}

TEST(a_right_model_holds)
{
    const gb_model_type type = type_of(right);
    gb_report report = {.size = sizeof report};
    assert_passed(
        gb_check_model(gb_model_of(&type, NULL), .with_group = true, .with_error = true, .report = &report),
        &report, "mine", 15);
}

TEST_EACH(a_fault_is_caught, faults)
{
    const planted *const p = row;
    const gb_model_type type = type_of(p->build);
    gb_report report = {.size = sizeof report};
    const bool passed = gb_check_model(gb_model_of(&type, NULL), .with_group = p->build == ignores_groups,
                                       .with_error = p->build == ignores_errors, .report = &report);
    assert_caught(passed, &report, p->statement);
}

TEST(trials_that_are_ignored_are_caught)
{
    const gb_model_type type = {.size = sizeof(gb_model_type),
                                .name = "mine",
                                .formula = "y ~ binomial(9, x beta)",
                                .outcome = GB_COUNT,
                                .takes_trials = true,
                                .build = ignores_trials};
    gb_report report = {.size = sizeof report};
    const bool passed = gb_check_model(gb_model_of(&type, NULL), .with_trials = true, .report = &report);
    assert_caught(passed, &report, "of twice the trials twice as many succeed");
}

TEST(no_model_is_a_fault)
{
    gb_report report = {.size = sizeof report};
    assert_false(gb_check_model((gb_model){0}, .report = &report));
    assert_int_equal(report.failures, 1);
}
