/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/check_baseline.h"

#include <math.h>
#include <string.h>

#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/expect.h"
#include "estimators/hermite.h"
#include "estimators/list.h"
#include "kit/check_estimator.h"
#include "kit/estimators/baseline_impl.h"
#include "ops/elementwise.h"

static const char *const statements[] = GB_STATEMENT_TEXTS(GB_BASELINE_STATEMENTS);

static const char *fault_of(const gb_baseline_type *type)
{
    if (GB_KIT_FAULT(type, gb_baseline_type))
        return GB_KIT_FAULT(type, gb_baseline_type);
    if (!type->value)
        return "it has no value";
    if (!type->evaluations != !type->values)
        return "it has one of evaluations and values";
    return gb_kit_table_fault(type);
}

/* A rejection with a message is no fault; the case ends. Only the run can reject a single sample or row. */
static bool is_rejected(const gb_baseline_case *c)
{
    return gb_error(c->tape) == GB_EARGUMENT && *gb_error_text(c->tape);
}

static void end(gb_baseline_case *c)
{
    if (!is_rejected(c))
        gb_kit_recorded(c->kit, GB_ON_RECORDED, c->tape);
    gb_tape_free(c->tape);
}

/* ---- a baseline must not use the draw that it corrects ---- */

/* Moves the draw of one sample and row, and no other. */
static bool check_own_at(const gb_baseline_case *c, size_t sample, size_t row)
{
    static const double moves[] = {0.7, -3};
    double draws[GB_BASELINE_DRAWS], was[GB_BASELINE_DRAWS], is[GB_BASELINE_DRAWS];
    const size_t place = gb_baseline_place(c, sample, row), moved = row * c->samples + sample;
    gb_baseline_draws(20, draws);
    if (!gb_baseline_look(c, draws, was))
        return false;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        const double before = draws[moved], after = before + moves[i];
        draws[moved] = after;
        if (!gb_baseline_look(c, draws, is))
            return false;
        gb_kit_verdict(
            c->kit, GB_ON_OWN, fabs(is[place] - was[place]) <= 1e-12 * (1 + fabs(was[place])),
            "the value for sample %zu, row %zu is %.12g, but %.12g if only that draw moves from %.4g to %.4g",
            sample, row, was[place], is[place], before, after);
        draws[moved] = before;
    }
    return true;
}

static void check_own(const gb_baseline_case *c)
{
    const bool depends = gb_node_ok(c->expected);
    if (depends)
        gb_kit_skip(c->kit, GB_ON_OWN, "it has `expected`");
    for (size_t i = 0; i < c->samples * c->rows && !depends; i++)
        if (!check_own_at(c, i % c->samples, i / c->samples))
            return;
}

/* ---- the mean of its value: Σ weight · b(z) · d log q(z), where z are nodes of a quadrature ---- */

static void check_expected(const gb_baseline_case *c)
{
    enum { NODES = 64 };
    double node[NODES], weight[NODES], should[2] = {0, 0};
    const double location = gb_value(c->model[0]), scale = gb_value(c->model[1]);
    if (!gb_node_ok(c->expected) || c->samples * c->rows > 1 || !gb_hermite_rule(NODES, node, weight))
        return;
    for (size_t i = 0; i < NODES; i++) {
        const double z = location + scale * node[i];
        double value;
        if (!gb_baseline_look(c, &z, &value))
            return;
        should[0] += weight[i] * value * node[i] / scale;
        should[1] += weight[i] * value * (node[i] * node[i] - 1) / scale;
    }
    for (size_t i = 0; i < 2; i++)
        gb_kit_verdict(c->kit, GB_ON_EXPECTED,
                       fabs(gb_value(c->slope[i]) - should[i]) <= 1e-6 * (1 + fabs(should[i])),
                       "in the %s of a normal distribution it is %.9g, not %.9g", i ? "scale" : "location",
                       gb_value(c->slope[i]), should[i]);
}

/* ---- units ---- */

/* Powers of 2 scale without rounding. A baseline that learns nothing may be a number in the unit of the
 * cost. */
static void check_unit(const gb_baseline_case *one)
{
    static const double units[] = {1048576, 1 / 1048576.0};
    for (size_t k = 0; k < 2 && one->train; k++) {
        gb_baseline_case c = *one;
        double draws[GB_BASELINE_DRAWS], is[GB_BASELINE_DRAWS], should[GB_BASELINE_DRAWS];
        c.unit = units[k];
        gb_baseline_draws(20, draws);
        if (gb_baseline_record(&c, GB_DOUBLE) && gb_baseline_train(&c) && gb_baseline_look(&c, draws, is) &&
            gb_baseline_look(one, draws, should))
            for (size_t i = 0; i < gb_value_count(c.value); i++)
                gb_kit_verdict(c.kit, GB_ON_UNIT, is[i] == units[k] * should[i],
                               "for a cost that is %g times as large it is %.17g, not %.17g", units[k], is[i],
                               units[k] * should[i]);
        end(&c);
    }
}

/* ---- floats ---- */

/* Whether it draws: the noise of a float tape is not that of a double one. */
static bool is_random(const gb_baseline_case *c, const double *draws, const double *value)
{
    double other[GB_BASELINE_DRAWS];
    return gb_baseline_look_at(c, 1, draws, other) &&
           memcmp(value, other, gb_value_count(c->value) * sizeof *other) != 0;
}

static void check_float(const gb_baseline_case *exact)
{
    gb_baseline_case c = *exact;
    double draws[GB_BASELINE_DRAWS], is[GB_BASELINE_DRAWS], should[GB_BASELINE_DRAWS];
    gb_baseline_draws(20, draws);
    if (gb_baseline_look(exact, draws, should) && is_random(exact, draws, should)) {
        gb_kit_skip(exact->kit, GB_ON_FLOAT, "it draws");
        return;
    }
    if (gb_baseline_record(&c, GB_FLOAT) && gb_baseline_train(&c) && gb_baseline_look(&c, draws, is) &&
        gb_baseline_look(exact, draws, should))
        for (size_t i = 0; i < gb_value_count(c.value); i++)
            gb_kit_verdict(c.kit, GB_ON_FLOAT, fabs(is[i] - should[i]) <= 1e-4 * (1 + fabs(should[i])),
                           "it is %.9g, not %.9g", is[i], should[i]);
    end(&c);
}

/* ---- cases ---- */

/* A single sample or row has no others. */
static bool is_a_number(const gb_baseline_case *c, const double *value)
{
    bool is_good = true;
    for (size_t i = 0; i < gb_value_count(c->value); i++)
        is_good = is_good && !isnan(value[i]);
    return gb_kit_verdict(
        c->kit, GB_ON_NUMBER, is_good, "it is NaN%s",
        c->samples > 1 && c->rows > 1
            ? ""
            : ": if it is a mean over other samples or rows, reject runs that have no others by "
              "gb_if_others(value, GB_SAMPLES, name), as leave_one_out does");
}

/* Returns whether it fits. */
static bool check_case(gb_baseline_case c)
{
    static const char *const how[] = {"", ", one for each row",
                                      ", one for each row, in a cost that mixes rows"};
    gb_kit_label(c.kit, "%zu × %zu draws%s", c.samples, c.rows, how[c.how]);
    double draws[GB_BASELINE_DRAWS], value[GB_BASELINE_DRAWS];
    gb_baseline_draws(20, draws);
    const bool fits =
        gb_baseline_record(&c, GB_DOUBLE) && gb_baseline_look(&c, draws, value) && is_a_number(&c, value);
    if (fits) {
        check_own(&c);
        check_expected(&c);
    }
    if (fits && gb_baseline_train(&c)) {
        check_own(&c);
        check_float(&c);
        check_unit(&c);
    }
    end(&c);
    return fits;
}

static void check_cases(gb_baseline_case c)
{
    static const struct {
        gb_baseline_rows how;
        size_t samples, rows;
    } cases[] = {{GB_NO_ROWS, 1, 1},
                 {GB_NO_ROWS, 2, 1},
                 {GB_NO_ROWS, 5, 1},
                 {GB_ROWS_APART, 1, 1},
                 {GB_ROWS_APART, 1, 4},
                 {GB_ROWS_APART, 3, 4},
                 {GB_ROWS_MIXED, 1, 4},
                 {GB_ROWS_MIXED, 3, 4},
                 {GB_NO_ROWS, GB_BASELINE_DRAWS, 1},
                 {GB_ROWS_APART, 1, GB_BASELINE_DRAWS}};
    size_t fitting = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        c.how = cases[i].how;
        c.samples = cases[i].samples;
        c.rows = cases[i].rows;
        fitting += check_case(c);
    }
    gb_kit_label(c.kit, "%s", "");
    gb_kit_verdict(c.kit, GB_ON_FITS, fitting > 0, "it rejects all of them");
}

/* ---- rejections ---- */

/* The draw must reject a number outside its domain. */
static bool number_is_rejected(void *context, const gb_packed *options, const char *name, double value)
{
    gb_baseline_case c = *(const gb_baseline_case *)context;
    c.baseline.options = *options;
    c.tape = gb_tape_new(.threads = 1, .memory = c.kit->memory);
    gb_draw(gb_expect_new(c.tape), "z", gb_normal(gb_num(c.tape, 0), gb_num(c.tape, 1)),
            gb_score(.baseline = c.baseline));
    const bool rejected = is_rejected(&c) && strstr(gb_error_text(c.tape), name);
    gb_kit_verdict(c.kit, GB_ON_REJECTED, rejected, "%s = %g: the error is \"%s\"", name, value,
                   gb_error_text(c.tape));
    gb_tape_free(c.tape);
    return rejected;
}

static gb_dist dist_of(gb_tape *t, size_t which)
{
    const gb_node a = gb_variable(t, "a", gb_shape(), gb_fill(0.4)), two = gb_num(t, 2);
    const gb_node vector = gb_variable(t, "v", gb_shape(2), GB_VALUES(0.3, -0.2));
    switch (which) {
    case 0: return gb_normal(a, two);
    case 1: return gb_normal(vector, two);
    case 2: return gb_bernoulli(a);
    case 3: return gb_categorical_logits(vector);
    case 4: return gb_one_hot_categorical_logits(vector);
    case 5: return gb_poisson(a);
    case 6: return gb_gamma(a, two);
    case 7: return gb_dirichlet(gb_exp(vector));
    case 8: return gb_cauchy(a, two);
    default: return gb_transformed(gb_normal(a, two), gb_exponential_transform(t));
    }
}

enum { DISTS = 10 };

/* Each distribution is rejected with a message, or works. */
static void check_lacks(const gb_baseline_case *c, size_t which)
{
    gb_baseline_type made;
    gb_tape *const t = gb_tape_new(.threads = 1, .memory = c->kit->memory);
    const gb_dist q = dist_of(t, which);
    const gb_baseline_type *const type = c->baseline.type;
    gb_option_block block;
    const void *const options = gb_options_unpack(type, &c->baseline.options, &block);
    const char *const lacks = gb_dist_ok(q) && GB_HAS(type, lacks) ? type->lacks(&q, options) : NULL;
    gb_expect *const e = gb_expect_new(t);
    const gb_node z = gb_draw(e, "z", q, gb_baseline_score(c, &made));
    gb_expected(e, gb_per_sample(gb_square(z)));
    const gb_status code = gb_error(t);
    const bool is_good = lacks ? *lacks && code == GB_EARGUMENT && strstr(gb_error_text(t), lacks)
                               : code == GB_OK || code == GB_EARGUMENT;
    gb_kit_verdict(c->kit, GB_ON_REJECTED, is_good, "%s: it lacks \"%s\", and the error is \"%s\"",
                   q.type ? q.type->name : "", lacks ? lacks : "", gb_error_text(t));
    gb_tape_free(t);
}

static void check_rejections(gb_baseline_case c)
{
    c.how = GB_NO_ROWS;
    c.samples = 2;
    c.rows = 1;
    if (!c.make)
        gb_kit_wrong_numbers(c.baseline.type, &c.baseline.options, number_is_rejected, &c);
    for (size_t i = 0; i < DISTS; i++)
        check_lacks(&c, i);
}

/* ---- the score estimator with it ---- */

static void check_unbiased(const gb_baseline_case *c, bool thorough)
{
    gb_baseline_type made;
    gb_report report = {.size = sizeof report};
    const bool good = gb_check_estimator(gb_baseline_score(c, &made), .report = &report, .seed = c->kit->seed,
                                         .thorough = thorough);
    gb_kit_verdict(c->kit, GB_ON_UNBIASED, good, "%zu of %zu statements fail, first: %s", report.failures,
                   report.checks, report.failure[0]);
}

static size_t failures(const gb_kit *kit)
{
    size_t count = 0;
    for (size_t i = 0; i < GB_STATEMENT_COUNT; i++)
        count += kit->tally[i].failed;
    return count;
}

/* ---- all of it ---- */

bool gb_check_baseline_with(gb_baseline baseline, const gb_check_baseline_options *options)
{
    gb_check_baseline_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return false;
    const gb_baseline_type *const type = baseline.type;
    const char *const fault = fault_of(type);
    gb_kit kit = {.subject = type && type->name && *type->name ? type->name : "(no name)",
                  .report = own.report,
                  .seed = own.seed,
                  .memory = own.memory,
                  .statements = statements};
    const gb_baseline_case c = {.kit = &kit, .baseline = baseline, .make = own.make, .user = own.user};
    if (gb_kit_verdict(&kit, GB_ON_FORM, !fault, "%s", fault ? fault : "")) {
        check_cases(c);
        check_rejections(c);
        if (failures(&kit) == 0)
            check_unbiased(&c, own.thorough);
        else
            gb_kit_skip(&kit, GB_ON_UNBIASED, "something else is wrong");
    }
    return gb_kit_conclude(&kit);
}
