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
} fault;

static bool build_with(gb_model_site *s, fault f)
{
    const bool has_units = f == PRIOR_HAS_UNITS;
    gb_coefficients *const beta =
        gb_coefficients_new(s, .raw = has_units, .centre = s->outcome_mean, .scale = s->outcome_sd);
    if (!gb_model_draw(s))
        return false;
    gb_node eta = gb_coefficients_predictor(beta, s->x);
    const gb_node one = gb_num(s->tape, s->outcome_sd);
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
    {"form", NULL, "its struct is complete"},
};

static gb_model_type type_of(bool (*build)(gb_model_site *s, const void *options))
{
    return (gb_model_type){.size = sizeof(gb_model_type),
                           .name = "mine",
                           .formula = "y ~ N(x beta, 1)",
                           .outcome = GB_REAL,
                           .build = build};
}

TEST(a_right_model_holds)
{
    const gb_model_type type = type_of(right);
    gb_report report = {.size = sizeof report};
    assert_passed(gb_check_model(gb_model_of(&type, NULL), .report = &report), &report, "mine", 9);
}

TEST_EACH(a_fault_is_caught, faults)
{
    const planted *const p = row;
    const gb_model_type type = type_of(p->build);
    gb_report report = {.size = sizeof report};
    const bool passed = gb_check_model(gb_model_of(&type, NULL), .report = &report);
    assert_caught(passed, &report, p->statement);
}

TEST(no_model_is_a_fault)
{
    gb_report report = {.size = sizeof report};
    assert_false(gb_check_model((gb_model){0}, .report = &report));
    assert_int_equal(report.failures, 1);
}
