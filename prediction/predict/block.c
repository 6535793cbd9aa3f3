/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A block of rows, draw by draw. */
#include <math.h>
#include <string.h>

#include "core/graph/first_row_impl.h"
#include "prediction/predict/predicting_impl.h"
#include "prediction/predict/series_impl.h"

/* ---- one draw ---- */

static void keep(gb_predicting *a, size_t series, size_t from, size_t rows, size_t each, size_t draw)
{
    for (size_t k = 0; k < each; k++) {
        if (series + k < from || series + k >= from + a->at_once)
            continue;
        double *const at = a->kept + (series + k - from) * rows * a->draws.count;
        for (size_t row = 0; row < rows; row++)
            at[row * a->draws.count + draw] = a->value[row * each + k];
    }
}

/* Takes a root of the latest run. Only the first pass over the series adds sums. */
static void take(gb_predicting *a, gb_root root, size_t count, size_t from, size_t rows, size_t draw)
{
    gb_sums *const m = &a->sums;
    const double weight = a->draws.weight && a->of->is_random ? a->draws.weight[draw] : 1;
    const size_t each = count / rows;
    if (root == GB_ROOT_DRAW)
        keep(a, 0, from, rows, each, draw);
    else if (root == GB_ROOT_LOG_P)
        keep(a, gb_predicting_drawn(a), from, rows, each, draw);
    else if (from > 0 || !(weight > 0))
        return;
    else if (root == GB_ROOT_MEAN)
        gb_sums_mean(m, count, a->value, weight);
    else if (root == GB_ROOT_SPREAD)
        gb_sums_add(m->spread, count, a->value, weight);
    else if (root == GB_ROOT_NOISE)
        gb_sums_add(m->noise, count, a->value, weight);
    else if (root == GB_ROOT_PROBABILITY)
        gb_sums_add(m->probability, count, a->value, weight);
    else if (root == GB_ROOT_ENTROPY)
        gb_sums_add(m->entropy, count, a->value, weight);
}

static void set_outcome(gb_predicting *a, size_t first, size_t count)
{
    double *const to = a->result->array[GB_PREDICTED_OUTCOME] + first * a->result->shown.elements;
    for (size_t i = 0; i < count; i++)
        to[i] = a->options.shift + a->scale * a->value[i];
}

static void set_weight(gb_predicting *a, size_t first, size_t count)
{
    memcpy(a->result->array[GB_PREDICTED_WEIGHT] + first * a->result->shown.data, a->value,
           count * sizeof *a->value);
}

static bool run_draw(gb_predicting *a, int which, size_t first, size_t rows, size_t from, size_t draw)
{
    gb_root root[GB_ROOTS];
    const size_t roots = gb_predictor_roots(a->of, a->parts[which], root);
    gb_program *const program = a->program[which];
    gb_program_set_first_row(program, first);
    if (!gb_draws_run(&a->draws, program, draw))
        return false;
    if (which == 0)
        gb_sums_next(&a->sums, a->draws.weight && a->of->is_random ? a->draws.weight[draw] : 1);
    for (size_t i = 0; i < roots; i++) {
        const size_t count = gb_program_root_count(program, i);
        if ((root[i] == GB_ROOT_DATA || root[i] == GB_ROOT_WEIGHT) && (draw > 0 || from > 0))
            continue;
        if (gb_read_root(program, i, a->value) != GB_OK)
            return false;
        if (root[i] == GB_ROOT_DATA)
            set_outcome(a, first, count);
        else if (root[i] == GB_ROOT_WEIGHT)
            set_weight(a, first, count);
        else
            take(a, root[i], count, from, rows, draw);
    }
    return true;
}

/* ---- a block ---- */

static void set_moments(gb_predicting *a, size_t first, size_t rows)
{
    gb_own_prediction *const p = a->result;
    const gb_view *const v = &a->of->view;
    const size_t each = p->shown.elements;
    for (size_t i = 0; i < rows * each; i++) {
        const gb_sums *const m = &a->sums;
        const size_t to = first * each + i;
        const double nan = (double)NAN, mean = gb_node_ok(v->mean) ? m->mean[i] : nan,
                     epistemic =
                         gb_node_ok(v->mean) ? gb_sums_variance(m, i) + m->spread[i] / m->weight : nan,
                     noise = gb_node_ok(v->noise) ? m->noise[i] / m->weight
                             : a->of->outcome     ? nan
                                                  : 0;
        p->array[GB_PREDICTED_MEAN][to] = a->options.shift + a->scale * mean;
        p->array[GB_PREDICTED_EPISTEMIC][to] = fabs(a->scale) * sqrt(epistemic);
        p->array[GB_PREDICTED_NOISE][to] = fabs(a->scale) * sqrt(noise);
        p->array[GB_PREDICTED_SD][to] = fabs(a->scale) * sqrt(epistemic + noise);
    }
}

/* Runs have [row][class][datum], the result [row][datum][class]. */
static void set_classes(gb_predicting *a, size_t first, size_t rows)
{
    gb_own_prediction *const p = a->result;
    const gb_sums *const m = &a->sums;
    const size_t data = p->shown.data, classes = p->shown.classes;
    for (size_t row = 0; row < rows && classes > 0; row++)
        for (size_t i = 0; i < data; i++) {
            const size_t to = (first + row) * data + i;
            double entropy = 0;
            for (size_t k = 0; k < classes; k++) {
                const double probability = m->probability[(row * classes + k) * data + i] / m->weight;
                p->array[GB_PREDICTED_PROBABILITY][to * classes + k] = probability;
                entropy -= probability != 0 ? probability * log(probability) : 0;
            }
            const double expected = m->entropy[row * data + i] / m->weight;
            p->array[GB_PREDICTED_ENTROPY][to] = entropy;
            p->array[GB_PREDICTED_EXPECTED_ENTROPY][to] = expected;
            p->array[GB_PREDICTED_INFORMATION][to] = entropy > expected ? entropy - expected : 0;
            if (isnan(expected))
                p->array[GB_PREDICTED_INFORMATION][to] = expected;
        }
}

static gb_series series_at(gb_predicting *a, double *x, size_t count)
{
    return (gb_series){
        .count = count,
        .x = x,
        .weight = count > 1 ? a->draws.weight : NULL,
        .chains = count > 1 && a->draws.drawn.nuts && !a->draws.place ? a->draws.drawn.nuts->chains : 0,
        .memory = gb_watched_memory(&a->watched),
        .room = a->room};
}

static void set_draws(gb_predicting *a, gb_series *s, size_t row, size_t element)
{
    gb_own_prediction *const p = a->result;
    const gb_prediction *const shown = &p->shown;
    const size_t to = row * shown->elements + element;
    for (size_t d = 0; d < s->count; d++)
        s->x[d] = a->options.shift + a->scale * s->x[d];
    for (size_t d = 0; d < s->count && p->draw; d++)
        p->draw[d * shown->rows * shown->elements + to] = s->x[d];
    if (!gb_series_sort(s))
        return;
    for (size_t q = 0; q < shown->quantiles; q++)
        p->array[GB_PREDICTED_QUANTILE][to * shown->quantiles + q] =
            gb_series_quantile(s, p->level[q], shown->is_discrete);
    if (!a->has_outcome)
        return;
    const double outcome = p->array[GB_PREDICTED_OUTCOME][to];
    gb_series_rank(s, outcome, &p->array[GB_PREDICTED_BELOW][to], &p->array[GB_PREDICTED_UP_TO][to]);
    p->array[GB_PREDICTED_CRPS][to] = gb_series_crps(s, outcome);
}

/* The density of y is that of (y − shift) / scale, over the scale of each element of the event. */
static void set_density(gb_predicting *a, const gb_series *s, size_t row, size_t datum)
{
    gb_own_prediction *const p = a->result;
    const size_t to = row * p->shown.data + datum;
    p->array[GB_PREDICTED_LOG_DENSITY][to] =
        gb_series_log_mean(s, &p->array[GB_PREDICTED_ERROR][to]) - (double)p->event * log(fabs(a->scale));
}

static void set_series(gb_predicting *a, size_t first, size_t rows, size_t from)
{
    const size_t drawn = gb_predicting_drawn(a), draws = a->draws.count;
    for (size_t k = from; k < a->series && k < from + a->at_once; k++)
        for (size_t row = 0; row < rows; row++) {
            double *const x = a->kept + ((k - from) * rows + row) * draws;
            gb_series s = series_at(a, x, k < drawn ? draws : a->runs[0]);
            if (k < drawn)
                set_draws(a, &s, first + row, k);
            else
                set_density(a, &s, first + row, k - drawn);
        }
}

/* What is computed of the outcomes of missing data is of whatever value stands in their place. */
static void hide_missing(gb_predicting *a, size_t first, size_t rows)
{
    static const gb_predicted of_outcomes[] = {GB_PREDICTED_OUTCOME, GB_PREDICTED_LOG_DENSITY,
                                               GB_PREDICTED_ERROR,   GB_PREDICTED_BELOW,
                                               GB_PREDICTED_UP_TO,   GB_PREDICTED_CRPS};
    const gb_own_prediction *const p = a->result;
    const double *const weight = p->array[GB_PREDICTED_WEIGHT];
    const size_t data = p->shown.data;
    for (size_t i = first * data; weight && i < (first + rows) * data; i++)
        for (size_t k = 0; k < sizeof of_outcomes / sizeof *of_outcomes && weight[i] == 0; k++) {
            double *const array = p->array[of_outcomes[k]];
            const size_t each = p->each[of_outcomes[k]] / data;
            for (size_t j = 0; array && j < each; j++)
                array[i * each + j] = (double)NAN;
        }
}

/* All draws, once for each part of the series that memory has room for. */
bool gb_predicting_block(void *user, gb_gathered *gathered, int64_t begin, int64_t given)
{
    gb_predicting *const a = user;
    const bool has_rows = a->of->view.has_rows;
    const size_t first = has_rows ? (size_t)begin : 0, rows = has_rows ? (size_t)given : 1;
    size_t from = 0;
    if (has_rows)
        for (size_t i = 0; i < rows; i++)
            a->result->row[first + i] =
                a->options.data ? (size_t)gb_gathered_row(gathered, (int64_t)i) : first + i;
    else
        a->result->row[0] = 0;
    gb_sums_clear(&a->sums);
    do {
        for (int which = 0; which < 2; which++)
            for (size_t draw = 0; draw < a->runs[which]; draw++)
                if (!run_draw(a, which, first, rows, from, draw))
                    return false;
        if (from == 0) {
            set_moments(a, first, rows);
            set_classes(a, first, rows);
        }
        set_series(a, first, rows, from);
        from += a->at_once;
    } while (from < a->series);
    hide_missing(a, first, rows);
    return !a->watched.ran_out || gb_predicting_lacks_memory(a, rows);
}
