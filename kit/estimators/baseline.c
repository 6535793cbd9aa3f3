/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/estimators/baseline_impl.h"

#include <math.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_baseline on(gb_tape *tape, const gb_baseline_case *c)
{
    return c->make ? c->make(tape, c->user) : c->baseline;
}

/* ---- an estimator with given draws, which evaluates the baseline ---- */

typedef struct probe_options {
    size_t size;
    gb_baseline_case *of;
} probe_options;

static const gb_option probe_table[] = {GB_OPTION_OTHER(probe_options, of, "the case"), {0}};

static gb_baseline_case *case_of(const gb_site *site)
{
    const probe_options *const options = site->options;
    return options->of;
}

static int64_t evaluations(const gb_site *site)
{
    return 1 + gb_baseline_evaluations(case_of(site)->baseline, site);
}

static gb_node draw(gb_site *site)
{
    gb_baseline_case *const c = case_of(site);
    char is[GB_SHAPE_TEXT], should[GB_SHAPE_TEXT];
    if (site->evaluations == 1)
        return c->given;
    const gb_node values = gb_baseline_values(c->baseline, site, c->given);
    const gb_shape shape = gb_shape_join(gb_shape(site->evaluations - 1), gb_node_shape(c->given));
    if (!gb_kit_verdict(c->kit, GB_ON_EVALUATIONS, gb_shape_same(gb_node_shape(values), shape),
                        "its values have shape %s, not %s", gb_shape_text(gb_node_shape(values), is),
                        gb_shape_text(shape, should)))
        return (gb_node){0};
    return gb_concat(2, (const gb_node[]){gb_expand(c->given, 0), values}, 0);
}

static gb_node combine(const gb_site *site, gb_node cost)
{
    gb_baseline_case *const c = case_of(site);
    const gb_baseline baseline = on(cost.tape, c);
    c->value = gb_baseline_value(baseline, site, cost);
    c->expected = gb_baseline_expected(baseline, site, cost);
    if (gb_error(cost.tape) == GB_OK)
        gb_kit_verdict(c->kit, GB_ON_SHAPE,
                       gb_node_ok(c->value) && gb_node_type(c->value) == GB_TYPE_REAL &&
                           gb_node_shape(c->value).rank == 0 &&
                           !(gb_node_axes(c->value) & ~gb_node_axes(cost)),
                       "it has a shape, or hidden axes that its cost lacks, or is no real node");
    return site->evaluations == 1 ? cost : gb_evaluation(cost, 0);
}

static const gb_estimator_type probe_type = {.size = sizeof(gb_estimator_type),
                                             .name = "probe",
                                             .formula = "f",
                                             .options = probe_table,
                                             .option_bytes = sizeof(probe_options),
                                             .expansion = GB_PROBES,
                                             .evaluations = evaluations,
                                             .draw = draw,
                                             .combine = combine};

/* ---- recording ---- */

static gb_node summed(gb_node each, gb_baseline_rows how)
{
    switch (how) {
    case GB_NO_ROWS: return each;
    case GB_ROWS_APART: return gb_sum_over(each, GB_ROWS);
    default: return gb_square(gb_sum_over(each, GB_ROWS));
    }
}

static gb_node cost_of(const gb_baseline_case *c, gb_node z)
{
    const gb_node each = gb_add(gb_sin(gb_scale(z, 1.3)), gb_mul(c->model[2], gb_square(z)));
    return gb_scale(summed(each, c->how), c->unit != 0 ? c->unit : 1);
}

static void check_learned(const gb_baseline_case *c, const gb_learned *learned)
{
    for (size_t i = 0; i < learned->count; i++)
        for (size_t k = 0; k < 3; k++)
            gb_kit_verdict(c->kit, GB_ON_LEARNING, !gb_node_same(learned->variable[i], c->model[k]),
                           "it moves %s, which is a variable of the model", gb_variable_name(c->model[k]));
}

/* Assigns, or a step of gradient descent. */
static gb_updates updates_of(const gb_learned *learned)
{
    gb_node slope[GB_LEARNED_MOST];
    gb_updates updates = gb_no_update;
    if (learned->is_assigned)
        return gb_assign(learned->variable[0], learned->target);
    gb_grads(learned->target, learned->variable, learned->count, slope);
    for (size_t i = 0; i < learned->count; i++)
        updates = gb_updates_join(
            updates, gb_assign(learned->variable[i], gb_sub(learned->variable[i], gb_scale(slope[i], 0.05))));
    return updates;
}

static void compile(gb_baseline_case *c)
{
    gb_learned learned[GB_LEARNED_MOST];
    const size_t count = gb_node_learned(c->loss, learned, GB_LEARNED_MOST);
    gb_updates updates = gb_no_update;
    for (size_t i = 0; i < count && i < GB_LEARNED_MOST; i++) {
        check_learned(c, &learned[i]);
        updates = gb_updates_join(updates, updates_of(&learned[i]));
    }
    if (gb_node_ok(c->expected)) {
        const gb_node mean = gb_mean_over(c->expected, gb_node_axes(c->expected));
        gb_grads(gb_close_draws(mean), c->model, 2, c->slope);
        c->look = gb_compile(c->tape, gb_roots(c->value, c->slope[0], c->slope[1]), gb_no_update);
    } else
        c->look = gb_compile(c->tape, gb_roots(c->value), gb_no_update);
    gb_program_set_samples(c->look, (int64_t)c->samples);
    c->train = count > 0 ? gb_compile(c->tape, gb_roots(c->loss), updates) : NULL;
    if (c->train)
        gb_program_set_samples(c->train, (int64_t)c->samples);
}

bool gb_baseline_record(gb_baseline_case *c, gb_real real)
{
    static const char *const names[3] = {"location", "scale", "weight"};
    static const double start[3] = {0.3, 0.8, 1.2};
    const probe_options options = {.size = sizeof options, .of = c};
    const gb_shape samples = gb_shape((int64_t)c->samples);
    gb_tape *const t = c->tape = gb_tape_new(.threads = 1, .real = real, .memory = c->kit->memory);
    c->value = c->expected = (gb_node){0};
    for (size_t i = 0; i < 3; i++)
        c->model[i] = gb_variable(t, names[i], gb_shape(), gb_fill(start[i]));
    c->given = c->how == GB_NO_ROWS ? gb_input(t, "draws", samples) : gb_input_rows(t, "draws", samples);
    c->given = gb_hide(c->fed = c->given, GB_SAMPLES);
    gb_expect *const e = gb_expect_new(t);
    const gb_node z =
        gb_draw_over(e, "z", gb_normal(c->model[0], c->model[1]), c->how == GB_NO_ROWS ? 0 : GB_ROWS,
                     gb_estimator_of(&probe_type, &options));
    c->loss = gb_expected(e, cost_of(c, z));
    if (gb_error(t) == GB_OK)
        compile(c);
    return gb_error(t) == GB_OK;
}

/* ---- values ---- */

void gb_baseline_draws(size_t which, double draws[GB_BASELINE_DRAWS])
{
    for (size_t i = 0; i < GB_BASELINE_DRAWS; i++)
        draws[i] = 0.3 + 0.9 * cos(1 + 2.1 * (double)i + 0.7 * (double)which);
}

bool gb_baseline_look_at(const gb_baseline_case *c, uint64_t step, const double *draws, double *value)
{
    return gb_program_set_step(c->look, step) == GB_OK && gb_feed(c->fed, draws, (int64_t)c->rows) == GB_OK &&
           gb_run(c->look) == GB_OK && gb_read(c->value, value, gb_value_count(c->value)) == GB_OK;
}

bool gb_baseline_look(const gb_baseline_case *c, const double *draws, double *value)
{
    return gb_baseline_look_at(c, 0, draws, value);
}

bool gb_baseline_train(const gb_baseline_case *c)
{
    enum { RUNS = 12 };
    double draws[GB_BASELINE_DRAWS];
    bool good = true;
    for (size_t run = 0; run < RUNS && good && c->train; run++) {
        gb_baseline_draws(run, draws);
        good = gb_feed(c->fed, draws, (int64_t)c->rows) == GB_OK && gb_run(c->train) == GB_OK;
    }
    return good;
}

size_t gb_baseline_place(const gb_baseline_case *c, size_t sample, size_t row)
{
    const gb_axes axes = gb_node_axes(c->value);
    return (axes & GB_SAMPLES ? sample : 0) * (axes & GB_ROWS ? c->rows : 1) + (axes & GB_ROWS ? row : 0);
}

/* ---- the score estimator ---- */

typedef struct made_options {
    size_t size;
    const gb_baseline_case *of;
} made_options;

static const gb_option made_table[] = {GB_OPTION_OTHER(made_options, of, "the case"), {0}};

static const gb_baseline_case *made_of(const void *options)
{
    return ((const made_options *)options)->of;
}

static gb_node made_value(const gb_site *site, const void *options, gb_node cost)
{
    return gb_baseline_value(on(cost.tape, made_of(options)), site, cost);
}

static gb_node made_expected(const gb_site *site, const void *options, gb_node cost)
{
    return gb_baseline_expected(on(cost.tape, made_of(options)), site, cost);
}

/* These do not depend on the nodes of a baseline. */
static int64_t made_evaluations(const gb_site *site, const void *options)
{
    return gb_baseline_evaluations(made_of(options)->baseline, site);
}

static gb_node made_values(const gb_site *site, const void *options, gb_node draw)
{
    return gb_baseline_values(made_of(options)->baseline, site, draw);
}

static const char *made_lacks(const gb_dist *q, const void *options)
{
    return gb_baseline_lacks(made_of(options)->baseline, *q);
}

gb_estimator gb_baseline_score(const gb_baseline_case *c, gb_baseline_type *made)
{
    const made_options options = {.size = sizeof options, .of = c};
    if (!c->make)
        return gb_score(.baseline = c->baseline);
    *made = *c->baseline.type;
    made->options = made_table;
    made->option_bytes = sizeof options;
    made->value = made_value;
    made->expected = made->expected ? made_expected : NULL;
    made->evaluations = made->evaluations ? made_evaluations : NULL;
    made->values = made->values ? made_values : NULL;
    made->lacks = made->lacks ? made_lacks : NULL;
    return gb_score(.baseline = gb_baseline_of(made, &options));
}
