/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A prediction: block by block of rows, draw by draw. */
#include <math.h>
#include <string.h>

#include "core/run/feeds_impl.h"
#include "core/run/first_row_impl.h"
#include "core/run/gathered_impl.h"
#include "fitting/judge/watched_impl.h"
#include "models/predicting/blocks_impl.h"
#include "prediction/predictive/draws_impl.h"
#include "prediction/predictive/sums_impl.h"
#include "prediction/predictive/prediction_impl.h"
#include "prediction/predictive/predictor_impl.h"
#include "prediction/predictive/series_impl.h"

static const double USUAL_MEMORY = 0x1p26;
static const double usual_levels[] = {0.05, 0.5, 0.95};

typedef struct predicting {
    gb_tape *tape;
    gb_predictor *of;
    gb_predictive_options options;
    gb_source_of_draws draws;
    gb_own_prediction *result;
    gb_watched watched;
    bool has_outcome;
    double scale;
    /* Programs: with what is known given the latents, and with draws of ŷ; the same, if both vary. */
    gb_program *program[2];
    unsigned parts[2];
    size_t runs[2]; /* draws of each */
    /* A block. Series are of draws of ŷ, element by element, then of log densities; [series][row][draw]. */
    size_t rows;   /* at most */
    size_t series; /* of a row; at most so many at once: */
    size_t at_once;
    double *value; /* of a run */
    double *kept;
    void *room;
    gb_sums moments;
} predicting;

static bool out_of_memory(const predicting *a, size_t rows)
{
    gb_fail(a->tape, GB_ENOMEM, "predictive: out of memory for %zu rows", rows);
    return false;
}

static bool wants_draws(const predicting *a)
{
    return !a->options.only_moments;
}

/* How many series of a row are draws of ŷ. */
static size_t drawn_series(const predicting *a)
{
    return wants_draws(a) ? a->result->shown.elements : 0;
}

/* ---- what is run ---- */

static bool find_programs(predicting *a)
{
    const unsigned known = GB_OF_LATENTS | (a->has_outcome ? GB_OF_OUTCOMES : 0);
    const bool joins = a->of->is_random && wants_draws(a);
    a->parts[0] = known | (joins ? GB_OF_DRAWS : 0);
    a->parts[1] = wants_draws(a) && !joins ? GB_OF_DRAWS : 0;
    a->runs[0] = a->of->is_random ? a->draws.count : 1;
    a->runs[1] = a->parts[1] ? a->draws.count : 0;
    for (int i = 0; i < 2; i++)
        if (a->parts[i] && !(a->program[i] = gb_predictor_program(a->of, a->parts[i])))
            return false;
    return true;
}

static size_t programs_of(const predicting *a)
{
    return a->program[1] ? 2 : 1;
}

/* Whether there are outcomes: with them all inputs must be there. */
static bool find_outcome(predicting *a, const gb_gathered *gathered)
{
    const char *missing;
    a->has_outcome = a->of->outcome != NULL;
    if (!find_programs(a))
        return false;
    if (a->has_outcome && gb_feeds_missing(a->program[0], gb_gathered_has, gathered)) {
        a->has_outcome = false;
        if (!find_programs(a))
            return false;
    }
    missing = gb_feeds_missing(a->program[0], gb_gathered_has, gathered);
    if (!missing && a->program[1])
        missing = gb_feeds_missing(a->program[1], gb_gathered_has, gathered);
    if (missing)
        gb_fail(a->tape, GB_EARGUMENT,
                a->options.data
                    ? "predictive: .data has no column for input %s, which %s depends on in each row"
                    : "predictive: input %s was not fed, and %s depends on it in each row: feed it, or give "
                      ".data",
                missing, a->result->name);
    return !missing;
}

/* ---- room ---- */

/* How many of the series can be kept for 64 rows at once, and how many rows. */
static bool find_sizes(predicting *a, gb_gathered *gathered, int64_t rows)
{
    const double memory = a->options.memory > 0 ? a->options.memory : USUAL_MEMORY,
                 each = sizeof(double) * (double)a->draws.count;
    a->series = drawn_series(a) + (a->has_outcome ? a->result->shown.data : 0);
    const double fit = memory / 2 / (each * GB_ROWS_OF_NOISE);
    a->at_once = fit >= (double)a->series ? a->series : fit > 1 ? (size_t)fit : 1;
    const double of_row = each * (double)a->at_once +
                          sizeof(double) * 8 * (double)(a->result->shown.elements + a->result->shown.data);
    if (rows < 0)
        a->rows = 1;
    else if (a->of->view.mixes_rows || !a->of->view.has_rows)
        a->rows = a->result->shown.rows;
    else
        a->rows = (size_t)gb_rows_within(memory, of_row, programs_of(a), a->program, gathered, rows);
    if (a->at_once < a->series)
        a->rows = a->rows < GB_ROWS_OF_NOISE ? a->rows : GB_ROWS_OF_NOISE;
    return a->rows > 0;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool make_room(predicting *a)
{
    const gb_memory *const memory = &a->draws.drawn.memory;
    const gb_prediction *const s = &a->result->shown;
    const size_t rows = a->rows, classes = (size_t)a->of->view.classes * s->data;
    const size_t most = rows * larger(larger(s->elements, s->data), classes);
    a->value = gb_memory_resize(memory, NULL, most * sizeof *a->value + 1);
    a->kept = gb_memory_resize(memory, NULL, rows * a->at_once * a->draws.count * sizeof *a->kept + 1);
    a->room = gb_memory_resize(memory, NULL, gb_series_room(a->draws.count));
    const bool good =
        gb_sums_new(&a->moments, memory, rows * s->elements, rows * classes, rows * s->data);
    return (good && a->value && a->kept && a->room) || out_of_memory(a, rows);
}

static void release(predicting *a)
{
    const gb_memory memory = a->draws.drawn.memory;
    gb_memory_release(&memory, a->value);
    gb_memory_release(&memory, a->kept);
    gb_memory_release(&memory, a->room);
    gb_sums_free(&a->moments, &memory);
    gb_draws_end(&a->draws);
}

/* The arrays of the whole result. */
static bool make_arrays(predicting *a)
{
    gb_own_prediction *const p = a->result;
    gb_prediction *const s = &p->shown;
    const bool has_classes = a->of->view.classes > 0;
    const struct {
        gb_predicted which;
        bool exists;
        size_t each;
    } array[] = {{GB_PREDICTED_MEAN, true, s->elements},
                 {GB_PREDICTED_SD, true, s->elements},
                 {GB_PREDICTED_EPISTEMIC, true, s->elements},
                 {GB_PREDICTED_NOISE, true, s->elements},
                 {GB_PREDICTED_QUANTILE, wants_draws(a), s->elements * s->quantiles},
                 {GB_PREDICTED_OUTCOME, a->has_outcome, s->elements},
                 {GB_PREDICTED_LOG_DENSITY, a->has_outcome, s->data},
                 {GB_PREDICTED_ERROR, a->has_outcome, s->data},
                 {GB_PREDICTED_BELOW, a->has_outcome && wants_draws(a), s->elements},
                 {GB_PREDICTED_UP_TO, a->has_outcome && wants_draws(a), s->elements},
                 {GB_PREDICTED_CRPS, a->has_outcome && wants_draws(a), s->elements},
                 {GB_PREDICTED_PROBABILITY, has_classes, s->data * s->classes},
                 {GB_PREDICTED_ENTROPY, has_classes, s->data},
                 {GB_PREDICTED_EXPECTED_ENTROPY, has_classes, s->data},
                 {GB_PREDICTED_INFORMATION, has_classes, s->data}};
    bool good = true;
    for (size_t i = 0; i < sizeof array / sizeof *array && good; i++)
        good = !array[i].exists || gb_prediction_room(p, array[i].which, array[i].each);
    p->row = good ? gb_memory_resize(&p->memory, NULL, s->rows * sizeof *p->row + 1) : NULL;
    p->draw = p->row && a->options.keep_draws
                  ? gb_memory_resize(&p->memory, NULL,
                                     s->draws * s->rows * s->elements * sizeof *p->draw + 1)
                  : NULL;
    return (p->row && (p->draw || !a->options.keep_draws)) || out_of_memory(a, s->rows);
}

/* ---- one draw ---- */

static void keep(predicting *a, size_t series, size_t from, size_t rows, size_t each, size_t draw)
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
static void take(predicting *a, gb_root root, size_t count, size_t from, size_t rows, size_t draw)
{
    gb_sums *const m = &a->moments;
    const double weight = a->draws.weight && a->of->is_random ? a->draws.weight[draw] : 1;
    const size_t each = count / rows;
    if (root == GB_ROOT_DRAW)
        keep(a, 0, from, rows, each, draw);
    else if (root == GB_ROOT_LOG_P)
        keep(a, drawn_series(a), from, rows, each, draw);
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

static void set_outcome(predicting *a, size_t first, size_t count)
{
    double *const to = a->result->array[GB_PREDICTED_OUTCOME] + first * a->result->shown.elements;
    for (size_t i = 0; i < count; i++)
        to[i] = a->options.shift + a->scale * a->value[i];
}

static bool run_draw(predicting *a, int which, size_t first, size_t rows, size_t from, size_t draw)
{
    gb_root root[GB_ROOTS];
    const size_t roots = gb_predictor_roots(a->of, a->parts[which], root);
    gb_program *const program = a->program[which];
    gb_program_set_first_row(program, first);
    if (!gb_draws_run(&a->draws, program, draw))
        return false;
    if (which == 0)
        gb_sums_next(&a->moments,
                        a->draws.weight && a->of->is_random ? a->draws.weight[draw] : 1);
    for (size_t i = 0; i < roots; i++) {
        const size_t count = gb_program_root_count(program, i);
        if (root[i] == GB_ROOT_DATA && (draw > 0 || from > 0))
            continue;
        if (gb_read_root(program, i, a->value) != GB_OK)
            return false;
        if (root[i] == GB_ROOT_DATA)
            set_outcome(a, first, count);
        else
            take(a, root[i], count, from, rows, draw);
    }
    return true;
}

/* ---- a block ---- */

static void set_moments(predicting *a, size_t first, size_t rows)
{
    gb_own_prediction *const p = a->result;
    const gb_view *const v = &a->of->view;
    const size_t each = p->shown.elements;
    for (size_t i = 0; i < rows * each; i++) {
        const gb_sums *const m = &a->moments;
        const size_t to = first * each + i;
        const double nan = (double)NAN, mean = gb_node_ok(v->mean) ? m->mean[i] : nan,
                     epistemic = gb_node_ok(v->mean) ? gb_sums_variance(m, i) + m->spread[i] / m->weight
                                                     : nan,
                     noise = gb_node_ok(v->noise) ? m->noise[i] / m->weight : a->of->outcome ? nan : 0;
        p->array[GB_PREDICTED_MEAN][to] = a->options.shift + a->scale * mean;
        p->array[GB_PREDICTED_EPISTEMIC][to] = fabs(a->scale) * sqrt(epistemic);
        p->array[GB_PREDICTED_NOISE][to] = fabs(a->scale) * sqrt(noise);
        p->array[GB_PREDICTED_SD][to] = fabs(a->scale) * sqrt(epistemic + noise);
    }
}

/* Runs have [row][class][datum], the result [row][datum][class]. */
static void set_classes(predicting *a, size_t first, size_t rows)
{
    gb_own_prediction *const p = a->result;
    const gb_sums *const m = &a->moments;
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

static gb_series series_at(predicting *a, double *x, size_t count)
{
    return (gb_series){.count = count,
                       .x = x,
                       .weight = count > 1 ? a->draws.weight : NULL,
                       .chains = count > 1 && a->draws.drawn.nuts && !a->draws.place
                                     ? a->draws.drawn.nuts->chains
                                     : 0,
                       .memory = gb_watched_memory(&a->watched),
                       .room = a->room};
}

static void set_draws(predicting *a, gb_series *s, size_t row, size_t element)
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
static void set_density(predicting *a, const gb_series *s, size_t row, size_t datum)
{
    gb_own_prediction *const p = a->result;
    const size_t to = row * p->shown.data + datum;
    p->array[GB_PREDICTED_LOG_DENSITY][to] =
        gb_series_log_mean(s, &p->array[GB_PREDICTED_ERROR][to]) - (double)p->event * log(fabs(a->scale));
}

static void set_series(predicting *a, size_t first, size_t rows, size_t from)
{
    const size_t drawn = drawn_series(a), draws = a->draws.count;
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

/* All draws, once for each part of the series that memory has room for. */
static bool look(void *user, gb_gathered *gathered, int64_t begin, int64_t given)
{
    predicting *const a = user;
    const bool has_rows = a->of->view.has_rows;
    const size_t first = has_rows ? (size_t)begin : 0, rows = has_rows ? (size_t)given : 1;
    size_t from = 0;
    if (has_rows)
        for (size_t i = 0; i < rows; i++)
            a->result->row[first + i] =
                a->options.data ? (size_t)gb_gathered_row(gathered, (int64_t)i) : first + i;
    else
        a->result->row[0] = 0;
    gb_sums_clear(&a->moments);
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
    return !a->watched.ran_out || out_of_memory(a, rows);
}

/* ---- the whole ---- */

static bool begin_result(predicting *a, gb_gathered *gathered, int64_t rows)
{
    const gb_view *const v = &a->of->view;
    gb_prediction *const s = &a->result->shown;
    if (v->has_rows && rows <= 0) {
        gb_fail(a->tape, GB_EARGUMENT, "predictive: no rows were fed; give .data, or feed the inputs");
        return false;
    }
    s->rows = !v->has_rows       ? 1
              : a->options.data ? (size_t)gb_batches_rows(a->options.data)
                                : (size_t)(rows + gb_gathered_left(gathered));
    s->elements = gb_shape_count(v->shape);
    s->data = gb_shape_count(v->batch);
    a->result->event = s->data > 0 ? s->elements / s->data : 1;
    s->classes = (size_t)v->classes;
    s->is_discrete = v->is_discrete;
    s->source = a->draws.source;
    s->k = a->draws.k;
    if (!a->of->is_random && !wants_draws(a))
        a->draws.count = 1;
    s->draws = a->draws.count;
    return true;
}

static int64_t begin(void *user, gb_gathered *gathered, int64_t rows)
{
    predicting *const a = user;
    if (!begin_result(a, gathered, rows) || !find_outcome(a, gathered) ||
        !find_sizes(a, gathered, rows) || !make_arrays(a) || !make_room(a))
        return 0;
    return !a->of->view.has_rows || a->of->view.mixes_rows ? INT64_MAX : (int64_t)a->rows;
}

/* Whether some of the numbers are NaN. */
static size_t undefined(const gb_own_prediction *p, gb_predicted which)
{
    size_t count = 0;
    for (size_t i = 0; p->array[which] && i < p->shown.rows * p->each[which]; i++)
        count += isnan(p->array[which][i]) ? 1 : 0;
    return count;
}

static void say_what_lacks(predicting *a)
{
    gb_own_prediction *const p = a->result;
    const gb_view *const v = &a->of->view;
    const char *const law = a->of->outcome ? a->of->outcome->law.type->name : "node";
    if (*a->draws.words)
        gb_prediction_say(p, "%s", a->draws.words);
    if (a->of->outcome && !gb_node_ok(v->mean))
        gb_prediction_say(p, "mean, epistemic, sd: %s has no mean in closed form; read the quantiles", law);
    else if (undefined(p, GB_PREDICTED_MEAN) > 0)
        gb_prediction_say(p,
                          "mean, epistemic, sd: not defined for %zu numbers (%s has no mean there, or a draw "
                          "is not finite); read the quantiles",
                          undefined(p, GB_PREDICTED_MEAN), law);
    if (a->of->outcome && !gb_node_ok(v->noise))
        gb_prediction_say(p, "noise, sd: %s has no variance in closed form; read the quantiles", law);
    else if (gb_node_ok(v->mean) && undefined(p, GB_PREDICTED_NOISE) > undefined(p, GB_PREDICTED_MEAN))
        gb_prediction_say(p, "noise, sd: not defined for %zu numbers (%s); read the quantiles",
                          undefined(p, GB_PREDICTED_NOISE), law);
    if (undefined(p, GB_PREDICTED_LOG_DENSITY) > 0)
        gb_prediction_say(p, "log density: not defined for %zu data: a draw gives no number",
                          undefined(p, GB_PREDICTED_LOG_DENSITY));
    if (undefined(p, GB_PREDICTED_QUANTILE) > 0)
        gb_prediction_say(p, "quantiles: not defined for %zu numbers: a draw gives no number",
                          undefined(p, GB_PREDICTED_QUANTILE) / (p->shown.quantiles + !p->shown.quantiles));
}

static bool take_levels(predicting *a)
{
    const gb_values given = a->options.quantiles;
    const double *const level = given.count ? given.data : usual_levels;
    const size_t count = given.count ? given.count : sizeof usual_levels / sizeof *usual_levels;
    gb_own_prediction *const p = a->result;
    p->shown.quantiles = wants_draws(a) ? count : 0;
    p->level = gb_memory_resize(&p->memory, NULL, count * sizeof *p->level);
    if (!p->level)
        return out_of_memory(a, 0);
    memcpy(p->level, level, count * sizeof *level);
    return true;
}

static gb_prediction *predict(predicting *a, const char *name)
{
    const gb_blocks blocks = {.tape = a->tape, .data = a->options.data, .begin = begin, .look = look, .user = a};
    a->result = gb_prediction_new(a->tape, name);
    a->watched.memory = a->draws.drawn.memory;
    const bool good = (a->result || out_of_memory(a, 0)) && take_levels(a) && gb_each_block(&blocks) &&
                      (gb_prediction_order(a->result) || out_of_memory(a, a->result->shown.rows));
    if (!good) {
        gb_prediction_free(a->result ? &a->result->shown : NULL);
        return NULL;
    }
    gb_prediction_show(a->result);
    say_what_lacks(a);
    return &a->result->shown;
}

/* ---- what is asked ---- */

static bool levels_fit(gb_tape *tape, gb_values levels)
{
    if (levels.count > 0 && !levels.data)
        return gb_fail(tape, GB_EARGUMENT, "predictive: %zu quantiles are given, but the list is NULL",
                       levels.count) == GB_OK;
    for (size_t i = 0; i < levels.count; i++)
        if (!(levels.data[i] >= 0 && levels.data[i] <= 1))
            return gb_fail(tape, GB_EARGUMENT,
                           "predictive: quantile %zu is of probability %g, which is not in [0, 1]", i,
                           levels.data[i]) == GB_OK;
    return true;
}

static bool numbers_fit(gb_tape *tape, const gb_predictive_options *o)
{
    if (o->draws < 0 || o->draws == 1 || o->draws > INT32_MAX)
        gb_fail(tape, GB_EARGUMENT, "predictive: .draws is %lld, and must be from 2 to %d, or 0 for %s",
                (long long)o->draws, INT32_MAX, o->nuts || o->judgement ? "all" : "1000");
    else if (!isfinite(o->scale) || !isfinite(o->shift))
        gb_fail(tape, GB_EARGUMENT, "predictive: .scale is %g and .shift %g: they must be finite", o->scale,
                o->shift);
    else if (!(o->memory >= 0))
        gb_fail(tape, GB_EARGUMENT, "predictive: .memory is %g bytes, and must not be negative", o->memory);
    else if (o->only_moments && (o->keep_draws || o->quantiles.count > 0))
        gb_fail(tape, GB_EARGUMENT,
                "predictive: .only_moments makes no draws, and %s needs them: leave one of them out",
                o->keep_draws ? ".keep_draws" : ".quantiles");
    else if (o->data && gb_batches_tape(o->data) != tape)
        gb_fail(tape, GB_EARGUMENT, "predictive: .data is of another tape than the ELBO");
    else
        return levels_fit(tape, o->quantiles);
    return false;
}

static bool ask(predicting *a, gb_elbo *e, const char *who, const gb_predictive_options *given)
{
    *a = (predicting){.tape = e ? e->tape : NULL};
    if (!e || !gb_options_take(a->tape, who, &a->options, sizeof a->options, given) ||
        gb_error(a->tape) != GB_OK || !numbers_fit(a->tape, &a->options))
        return false;
    a->scale = a->options.scale != 0 ? a->options.scale : 1;
    return true;
}

gb_prediction *gb_predictive_with(gb_elbo *e, const char *name, const gb_predictive_options *given)
{
    predicting a;
    gb_prediction *made = NULL;
    if (!ask(&a, e, "predictive", given))
        return NULL;
    if (gb_draws_begin(&a.draws, e, &a.options) &&
        (a.of = gb_predictor_of_outcome(e, name, a.draws.density))) {
        const bool is_scaled = a.scale != 1 || a.options.shift != 0;
        if (is_scaled && a.of->view.is_discrete)
            gb_fail(a.tape, GB_EARGUMENT,
                    "predictive: outcome %s is discrete (%s), so it has no .scale and .shift", name,
                    a.of->outcome->law.type->name);
        else
            made = predict(&a, name);
    }
    release(&a);
    return made;
}

gb_prediction *gb_predictive_node_with(gb_elbo *e, gb_node node, const gb_predictive_options *given)
{
    predicting a;
    gb_prediction *made = NULL;
    if (!ask(&a, e, "predictive_node", given))
        return NULL;
    if (gb_draws_begin(&a.draws, e, &a.options) &&
        (a.of = gb_predictor_of_node(e, node, a.draws.density)))
        made = predict(&a, *gb_node_name(node) ? gb_node_name(node) : "node");
    release(&a);
    return made;
}
