/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a row is given beside its columns: an offset, a group, a standard error, trials. All latents are
 * points, so predictions are those of one member of the model, and have no error. */
#include "kit/models/given_impl.h"

#include <math.h>
#include <string.h>

#include "kit/models/predictions_impl.h"

/* A model at a point that is not its start, and its predictions of twisted rows. */
typedef struct member {
    gb_tape *tape;
    gb_analysis *a;
    const char *columns;
} member;

static member new_member(gb_model_check *c, const char *columns)
{
    member m = {.tape = gb_model_tape(c), .columns = columns};
    m.a = gb_model_case(c, m.tape, (gb_model_twist){.posterior = gb_point(gb_shape()), .columns = columns},
                        NULL);
    gb_model_move(m.tape);
    return m;
}

static gb_prediction *predict(gb_model_check *c, const member *m, gb_model_twist how)
{
    gb_table *const d = gb_model_table(c, m->tape, how);
    gb_prediction *const p = m->a ? gb_model_predict(m->a, d) : NULL;
    gb_table_free(d);
    return p;
}

static void end(gb_model_check *c, member *m)
{
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, m->tape);
    gb_tape_free(m->tape);
}

/* The largest distance of log densities of two predictions; NaN if there is none. */
static double distance(const gb_prediction *p, const gb_prediction *q)
{
    double largest = p && q && p->log_density && q->log_density ? 0 : (double)NAN;
    for (size_t i = 0; !isnan(largest) && i < p->rows; i++)
        largest = fmax(largest, fabs(p->log_density[i * p->data] - q->log_density[i * q->data]));
    return largest;
}

/* ---- the law ---- */

/* The likelihood is that of the law, or a bound below it. */
static void check_law(gb_model_check *c)
{
    member m = new_member(c, NULL);
    gb_prediction *const p = predict(c, &m, (gb_model_twist){.weight = 1});
    double sum = 0;
    if (m.a && gb_analysis_data(m.a))
        gb_next_batch(gb_analysis_data(m.a));
    const gb_elbo_term data = gb_elbo_term_named(gb_analysis_elbo(m.a), gb_analysis_outcome(m.a));
    gb_program *const program = gb_compile(m.tape, gb_roots(data.value), gb_no_update);
    double term = (double)NAN;
    if (gb_run(program) == GB_OK)
        gb_read_root(program, 0, &term);
    for (size_t i = 0; p && p->log_density && i < p->rows; i++)
        sum += (p->weight ? p->weight[i] : 1) * p->log_density[i];
    gb_kit_verdict(&c->kit, GB_ON_LAW, sum >= term - 1e-8 * (1 + fabs(term)),
                   "log p of the rows is %.9g by the law, and %.9g by the likelihood", sum, term);
    gb_prediction_free(p);
    end(c, &m);
}

/* ---- offsets ---- */

/* The coefficient that is shown as "a"; NaN if there is none. */
static double coefficient(const member *m)
{
    const gb_node_list shown = gb_analysis_nodes(m->a);
    double value = (double)NAN;
    for (size_t i = 0; i < shown.count; i++) {
        if (strcmp(gb_node_name(shown.node[i]), "a") != 0 ||
            gb_shape_count(gb_node_shape(shown.node[i])) != 1)
            continue;
        gb_prediction *const p = gb_predictive_node(gb_analysis_elbo(m->a), shown.node[i]);
        value = p ? p->mean[0] : (double)NAN;
        gb_prediction_free(p);
    }
    return value;
}

/* As much more of the offset and of the column: both must move predictions alike. */
static void check_offset(gb_model_check *c)
{
    member m = new_member(c, "a + offset(o)");
    const double slope = coefficient(&m), more = 0.5;
    if (isfinite(slope) && slope != 0) {
        gb_prediction *const before = predict(c, &m, (gb_model_twist){.weight = 1}),
                             *const by_offset =
                                 predict(c, &m, (gb_model_twist){.weight = 1, .more_offset = more}),
                             *const by_column =
                                 predict(c, &m, (gb_model_twist){.weight = 1, .more_a = more / slope});
        gb_kit_verdict(&c->kit, GB_ON_OFFSET, distance(before, by_offset) > 1e-9, "it changes nothing");
        gb_kit_verdict(
            &c->kit, GB_ON_OFFSET, distance(by_column, by_offset) < 1e-6,
            "%g more of it changes a log density otherwise than %g more of a, whose coefficient is shown as "
            "%g: by %g",
            more, more / slope, slope, distance(by_column, by_offset));
        gb_prediction_free(before);
        gb_prediction_free(by_offset);
        gb_prediction_free(by_column);
    } else
        gb_kit_unchecked(&c->kit, GB_ON_OFFSET, "no coefficient is shown under the name of its column, a");
    end(c, &m);
}

/* ---- groups, errors, trials ---- */

static void check_groups(gb_model_check *c)
{
    member m = new_member(c, NULL);
    gb_prediction *const before = predict(c, &m, (gb_model_twist){.weight = 1}),
                         *const after = predict(c, &m, (gb_model_twist){.weight = 1, .other_groups = 1});
    gb_kit_verdict(&c->kit, GB_ON_GROUP, distance(before, after) > 1e-9, "the group changes nothing");
    gb_prediction_free(before);
    gb_prediction_free(after);
    end(c, &m);
}

static void check_errors(gb_model_check *c)
{
    member m = new_member(c, NULL);
    gb_prediction *const before = predict(c, &m, (gb_model_twist){.weight = 1}),
                         *const after = predict(c, &m, (gb_model_twist){.weight = 1, .of_error = 2});
    for (size_t i = 0; before && after && i < before->rows; i++)
        gb_kit_verdict(&c->kit, GB_ON_ERROR, !(after->noise[i] <= before->noise[i]),
                       "the noise of row %zu is %g, and %g with twice the error", i, before->noise[i],
                       after->noise[i]);
    gb_prediction_free(before);
    gb_prediction_free(after);
    end(c, &m);
}

static void check_trials(gb_model_check *c)
{
    member m = new_member(c, NULL);
    gb_prediction *const before = predict(c, &m, (gb_model_twist){.weight = 1}),
                         *const after = predict(c, &m, (gb_model_twist){.weight = 1, .of_trials = 2});
    for (size_t i = 0; before && after && i < before->rows; i++) {
        const double twice = 2 * before->mean[i];
        gb_kit_verdict(&c->kit, GB_ON_TRIALS, !(fabs(after->mean[i] - twice) > 1e-9 * fabs(twice)),
                       "the mean of row %zu is %g, and %g with twice the trials", i, before->mean[i],
                       after->mean[i]);
    }
    gb_prediction_free(before);
    gb_prediction_free(after);
    end(c, &m);
}

/* ---- all of it ---- */

typedef struct given {
    bool is_given;
    size_t statement;
    void (*check)(gb_model_check *c);
    const char *why_not;
} given;

void gb_model_check_given(gb_model_check *c)
{
    const gb_model_type *const type = c->model.type;
    const bool is_of_rows = type->outcome && !type->is_whole && c->has_density;
    const given all[] = {
        {is_of_rows, GB_ON_LAW, check_law,
         "it has no outcome, is one of a whole, or has latents of each row"},
        {is_of_rows && type->takes_offset && !c->with_trials && !type->no_columns, GB_ON_OFFSET, check_offset,
         "it takes none, or has trials"},
        {is_of_rows && (c->with_group || type->needs_group), GB_ON_GROUP, check_groups, "there is no group"},
        {is_of_rows && c->with_error, GB_ON_ERROR, check_errors, "there is no error"},
        {is_of_rows && c->with_trials, GB_ON_TRIALS, check_trials, "there are no trials"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_given)
            all[i].check(c);
        else
            gb_kit_skip(&c->kit, all[i].statement, all[i].why_not);
}
