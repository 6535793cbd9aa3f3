/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the checks, and the checks of log p. */
#include "kit/check_model.h"

#include <math.h>
#include <string.h>

#include "fitting/density.h"
#include "kit/models/given_impl.h"
#include "kit/models/predictions_impl.h"
#include "models/optimiser.h"

static const char *const statements[] = GB_STATEMENT_TEXTS(GB_MODEL_STATEMENTS);

static const char *fault_of(const gb_model_type *type)
{
    if (GB_KIT_FAULT(type, gb_model_type))
        return GB_KIT_FAULT(type, gb_model_type);
    return !type->build                              ? "it has no build"
           : type->is_of_classes && !type->outcome   ? "classes are those of an outcome, and it has none"
           : type->draws_missing && !type->is_whole  ? "missing outcomes are latents of a whole only"
           : type->needs_group && !type->takes_group ? "it needs a group and takes none"
                                                     : gb_kit_table_fault(type);
}

/* ---- log p at a point ---- */

static void set_point(size_t count, int number, double *z)
{
    for (size_t k = 0; k < count; k++)
        z[k] = 0.6 * sin(1.7 * (double)k + number);
}

static double density_at(gb_model_check *c, gb_density *d, int number)
{
    const size_t count = gb_density_count(d);
    double z[GB_MODEL_NUMBERS], slope[GB_MODEL_NUMBERS], value = (double)NAN;
    if (count == 0 || count > GB_MODEL_NUMBERS)
        return value;
    set_point(count, number, z);
    gb_density_evaluate(d, 1, z, &value, slope, NULL);
    bool is_finite = isfinite(value) != 0;
    for (size_t k = 0; k < count; k++)
        is_finite = is_finite && isfinite(slope[k]);
    gb_kit_verdict(&c->kit, GB_ON_FINITE, is_finite, "at point %d it is %g", number, value);
    return value;
}

/* Feeds the columns with other numbers in the place of those that are missing. */
static void feed_filled(const gb_model_site *s)
{
    double x[GB_MODEL_NUMBERS], present[GB_MODEL_NUMBERS];
    const size_t count = (size_t)(s->rows * s->columns);
    if (!gb_node_ok(s->present) || count > GB_MODEL_NUMBERS || gb_read(s->present, present, count) != GB_OK)
        return;
    for (size_t i = 0; i < count; i++)
        x[i] = present[i] > 0 ? gb_numbers_at(s->values, i) : 1;
    gb_feed(s->x, x, s->rows);
}

/* Feeds all rows, and then other weights or columns, if there are some. */
static void feed(const gb_analysis *a, gb_model_twist how)
{
    double weight[GB_MODEL_ROWS];
    for (int i = 0; i < GB_MODEL_ROWS; i++)
        weight[i] = i == GB_MODEL_CHANGED ? how.fed : 1 - 0.5 * (i % 3 == 0);
    if (gb_analysis_data(a))
        gb_next_batch(gb_analysis_data(a));
    if (how.fed > 0)
        gb_feed(gb_analysis_site(a)->weight, weight, GB_MODEL_ROWS);
    if (how.filled)
        feed_filled(gb_analysis_site(a));
}

/* Of a model with discrete latents, or with latents of each row: the ELBO at its start. */
static double elbo_of(gb_model_check *c, const gb_analysis *a, gb_model_twist how)
{
    double sum = 0;
    gb_program *const program =
        gb_compile(c->tape, gb_roots(gb_elbo_term_named(gb_analysis_elbo(a), "ELBO").value), gb_no_update);
    feed(a, how);
    if (gb_run(program) == GB_OK)
        gb_read_root(program, 0, &sum);
    gb_kit_verdict(&c->kit, GB_ON_FINITE, gb_error(c->tape) == GB_OK && isfinite(sum), "the ELBO is %g", sum);
    return sum;
}

/* Returns log p of a twisted table at point `number`; NaN on error, which is a failure. */
static double log_p(gb_model_check *c, gb_model_twist how, int number)
{
    gb_tape *const t = c->tape = gb_model_tape(c);
    gb_analysis *const a = gb_model_case(c, t, how, NULL);
    double value = (double)NAN;
    if (a) {
        feed(a, how);
        gb_density *const d = gb_density_new(gb_analysis_elbo(a),
                                             .data = how.fed > 0 || how.filled ? NULL : gb_analysis_data(a));
        if (!d)
            gb_forgive(t);
        c->has_density = d;
        value = d ? density_at(c, d, number) : elbo_of(c, a, how);
    }
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, t);
    gb_tape_free(t);
    return value;
}

static bool are_near(double a, double b, double of)
{
    return fabs(a - b) <= 1e-8 * (1 + fabs(of));
}

/* Weights are fed, so scales do not change with them. */
static void check_weights(gb_model_check *c)
{
    const bool is_whole = c->model.type->is_whole;
    const double half =
                     log_p(c, is_whole ? (gb_model_twist){.weight = 0.5} : (gb_model_twist){.fed = 0.5}, 1),
                 once = log_p(c, is_whole ? (gb_model_twist){.weight = 1} : (gb_model_twist){.fed = 1}, 1);
    gb_kit_verdict(&c->kit, GB_ON_WEIGHTS, fabs(once - half) > 1e-9, "the weight changes nothing");
    if (is_whole)
        return;
    const double more = log_p(c, (gb_model_twist){.fed = 2.5}, 1);
    gb_kit_verdict(&c->kit, GB_ON_WEIGHTS, are_near(more - once, 3 * (once - half), once),
                   "from 0.5 to 1 it adds %g, from 1 to 2.5 %g", once - half, more - once);
}

/* Weights as data: scales and all else that a model takes from the rows count, too. */
static void check_repeated(gb_model_check *c)
{
    if (c->model.type->is_whole || !c->has_density) {
        gb_kit_skip(&c->kit, GB_ON_REPEATED, "it is one of a whole, or has latents of each row");
        return;
    }
    const double heavy = log_p(c, (gb_model_twist){.weight = 2}, 1),
                 twice = log_p(c, (gb_model_twist){.weight = 1, .is_twice = true}, 1),
                 weightless = log_p(c, (gb_model_twist){.weight = -1}, 1),
                 absent = log_p(c, (gb_model_twist){.is_absent = true}, 1);
    gb_kit_verdict(&c->kit, GB_ON_REPEATED, are_near(heavy, twice, twice),
                   "log p is %.12g with weight 2, and %.12g with the row twice", heavy, twice);
    gb_kit_verdict(&c->kit, GB_ON_REPEATED, are_near(weightless, absent, absent),
                   "log p is %.12g with weight 0, and %.12g without the row", weightless, absent);
}

static void check_missing(gb_model_check *c)
{
    if (!c->model.type->outcome || c->model.type->draws_missing) {
        gb_kit_skip(&c->kit, GB_ON_MISSING, "it has no outcome, or missing ones are latents");
        if (c->model.type->outcome)
            log_p(c, (gb_model_twist){.is_missing = true}, 1);
        return;
    }
    for (int number = 1; number <= 2; number++) {
        const double is = log_p(c, (gb_model_twist){.is_missing = true}, number),
                     should = log_p(c, (gb_model_twist){.weight = -1}, number);
        gb_kit_verdict(&c->kit, GB_ON_MISSING, are_near(is, should, should),
                       "log p is %.12g without the outcome, and %.12g with weight 0", is, should);
    }
}

static bool takes_gaps(const gb_model_check *c)
{
    gb_tape *const t = gb_model_tape(c);
    gb_model_case(c, t, (gb_model_twist){.gaps = 1}, NULL);
    const bool takes = gb_error(t) != GB_EARGUMENT;
    gb_tape_free(t);
    return takes;
}

static void check_gaps(gb_model_check *c)
{
    if (c->model.type->outcome || !takes_gaps(c)) {
        gb_kit_skip(&c->kit, GB_ON_GAPS, "it has an outcome, or rejects missing numbers");
        return;
    }
    const double zero = log_p(c, (gb_model_twist){.gaps = 1}, 1),
                 one = log_p(c, (gb_model_twist){.gaps = 1, .filled = true}, 1);
    gb_kit_verdict(&c->kit, GB_ON_GAPS, are_near(zero, one, zero),
                   "log p is %.12g, and %.12g with another number fed in its place", zero, one);
    if (!c->has_density)
        return;
    const double lost = log_p(c, (gb_model_twist){.gaps = 2}, 1),
                 weightless = log_p(c, (gb_model_twist){.weight = -1}, 1);
    gb_kit_verdict(&c->kit, GB_ON_GAPS, are_near(lost, weightless, weightless),
                   "log p is %.12g without the numbers of a row, and %.12g with weight 0", lost, weightless);
}

static void check_units(gb_model_check *c)
{
    const gb_domain *const outcome = c->outcome;
    const bool are_numbers =
        outcome && !outcome->whole && isinf(outcome->high) && !c->model.type->is_of_classes;
    const gb_model_twist usual = {.weight = 0}, other = {.of_x = 1e4, .of_y = are_numbers ? 1e-3 : 1};
    if (c->has_units || !c->has_density) {
        gb_kit_skip(&c->kit, GB_ON_UNITS, "its priors have units, or it has latents of each row");
        return;
    }
    const double before = log_p(c, usual, 1) - log_p(c, usual, 2),
                 after = log_p(c, other, 1) - log_p(c, other, 2);
    gb_kit_verdict(&c->kit, GB_ON_UNITS, fabs(after - before) <= 1e-6 * (1 + fabs(before)),
                   "between two points log p changes by %.9g, and in other units by %.9g", before, after);
}

static void check_batches(gb_model_check *c)
{
    if (c->model.type->is_whole || !c->has_density) {
        gb_kit_skip(&c->kit, GB_ON_BATCHES, "it is one of a whole, or has latents of each row");
        return;
    }
    const double all = log_p(c, (gb_model_twist){.weight = 2}, 1),
                 parts = log_p(c, (gb_model_twist){.weight = 2, .batch = 7}, 1);
    gb_kit_verdict(&c->kit, GB_ON_BATCHES, are_near(all, parts, all), "it is %.12g, and %.12g by batches",
                   all, parts);
}

/* ---- other statements ---- */

static void check_names(gb_model_check *c)
{
    gb_tape *const t = gb_model_tape(c);
    const gb_node_list shown = gb_analysis_nodes(gb_model_case(c, t, (gb_model_twist){.weight = 1}, NULL));
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, t);
    if (shown.count == 0)
        gb_kit_skip(&c->kit, GB_ON_NAMES, "it shows nothing");
    for (size_t i = 0; i < shown.count; i++) {
        const char *const name = gb_node_name(shown.node[i]);
        bool is_new = *name;
        for (size_t k = 0; k < i; k++)
            is_new = is_new && strcmp(gb_node_name(shown.node[k]), name) != 0;
        gb_kit_verdict(&c->kit, GB_ON_NAMES, is_new, "number %zu is called \"%s\"", i, name);
    }
    gb_tape_free(t);
}

static void check_swaps(gb_model_check *c)
{
    const gb_family families[] = {gb_point(gb_shape()), gb_mean_field(gb_shape()), gb_full_rank(gb_shape())};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        gb_tape *const t = gb_model_tape(c);
        gb_analysis *const a = gb_model_case(
            c, t, (gb_model_twist){.posterior = families[i], .batch = c->model.type->is_whole ? 0 : 10},
            NULL);
        const gb_node loss = gb_elbo_loss(gb_analysis_elbo(a));
        gb_program *const program = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 1e-3)));
        if (gb_analysis_data(a))
            gb_next_batch(gb_analysis_data(a));
        gb_run(program);
        gb_kit_verdict(&c->kit, GB_ON_SWAPS, gb_error(t) == GB_OK && isfinite(gb_value(loss)), "%s: %s",
                       families[i].type->name, gb_error_text(t));
        gb_tape_free(t);
    }
}

/* ---- all of it ---- */

/* Where outcomes lie, or columns: by the options, or by the type. */
static const gb_domain *domain_of(gb_model model, gb_memory memory)
{
    const gb_domain *domain = NULL;
    gb_option_block options;
    gb_tape *const t = GB_HAS(model.type, domain) ? gb_tape_new(.threads = 1, .memory = memory) : NULL;
    if (gb_options_use(t, "kit", NULL, &gb_model_kind, model.type, &model.options, &options) && t)
        domain = model.type->domain(&options);
    gb_tape_free(t);
    return domain ? domain : model.type->outcome ? model.type->outcome : model.type->columns;
}

bool gb_check_model_with(gb_model model, const gb_check_model_options *options)
{
    gb_check_model_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return false;
    const gb_model_type *const type = model.type;
    gb_model_check c = {.kit = {.subject = type && type->name && *type->name ? type->name : "(no name)",
                                .report = own.report,
                                .memory = own.memory,
                                .statements = statements},
                        .model = model,
                        .columns = own.columns,
                        .with_group = own.with_group,
                        .with_error = own.with_error,
                        .with_trials = own.with_trials,
                        .has_units = own.has_units};
    if (!gb_kit_admit(&c.kit, GB_ON_FORM, fault_of(type)))
        return false;
    const gb_domain *const domain = domain_of(model, own.memory);
    c.outcome = type->outcome ? domain : NULL;
    c.has_bits = !type->outcome && domain == GB_BINARY;
    log_p(&c, (gb_model_twist){.weight = 1}, 1);
    check_names(&c);
    check_weights(&c);
    check_repeated(&c);
    check_missing(&c);
    check_gaps(&c);
    check_units(&c);
    check_batches(&c);
    check_swaps(&c);
    gb_model_check_predictions(&c);
    gb_model_check_given(&c);
    return gb_kit_conclude(&c.kit);
}
