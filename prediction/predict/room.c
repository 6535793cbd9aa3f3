/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a prediction runs, and the room that it needs. */
#include "core/graph/feeds_impl.h"
#include "core/graph/first_row_impl.h"
#include "models/predicting/blocks_impl.h"
#include "prediction/predict/predicting_impl.h"
#include "prediction/predict/series_impl.h"

static const double USUAL_MEMORY = 0x1p26;

bool gb_predicting_lacks_memory(const gb_predicting *a, size_t rows)
{
    gb_fail(a->tape, GB_ENOMEM, "predictive: out of memory for %zu rows", rows);
    return false;
}

/* ---- what is run ---- */

static bool find_programs(gb_predicting *a)
{
    const unsigned known = GB_OF_LATENTS | (a->has_outcome ? GB_OF_OUTCOMES : 0);
    const bool joins = a->of->is_random && gb_predicting_draws(a);
    a->parts[0] = known | (joins ? GB_OF_DRAWS : 0);
    a->parts[1] = gb_predicting_draws(a) && !joins ? GB_OF_DRAWS : 0;
    a->runs[0] = a->of->is_random ? a->draws.count : 1;
    a->runs[1] = a->parts[1] ? a->draws.count : 0;
    for (int i = 0; i < 2; i++)
        if (a->parts[i] && !(a->program[i] = gb_predictor_program(a->of, a->parts[i])))
            return false;
    return true;
}

static size_t programs_of(const gb_predicting *a)
{
    return a->program[1] ? 2 : 1;
}

bool gb_predicting_programs(gb_predicting *a, const gb_gathered *gathered)
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
static bool find_sizes(gb_predicting *a, gb_gathered *gathered, int64_t rows)
{
    const double memory = a->options.memory > 0 ? a->options.memory : USUAL_MEMORY,
                 each = sizeof(double) * (double)a->draws.count;
    a->series = gb_predicting_drawn(a) + (a->has_outcome ? a->result->shown.data : 0);
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

static bool make_room(gb_predicting *a)
{
    const gb_memory *const memory = &a->draws.drawn.memory;
    const gb_prediction *const s = &a->result->shown;
    const size_t rows = a->rows, classes = (size_t)a->of->view.classes * s->data;
    const size_t most = rows * larger(larger(s->elements, s->data), classes);
    a->value = gb_memory_resize(memory, NULL, most * sizeof *a->value + 1);
    a->kept = gb_memory_resize(memory, NULL, rows * a->at_once * a->draws.count * sizeof *a->kept + 1);
    a->room = gb_memory_resize(memory, NULL, gb_series_room(a->draws.count));
    const bool good = gb_sums_new(&a->sums, memory, rows * s->elements, rows * classes, rows * s->data);
    return (good && a->value && a->kept && a->room) || gb_predicting_lacks_memory(a, rows);
}

bool gb_predicting_room(gb_predicting *a, gb_gathered *gathered, int64_t rows)
{
    return find_sizes(a, gathered, rows) && make_room(a);
}

void gb_predicting_end(gb_predicting *a)
{
    const gb_memory memory = a->draws.drawn.memory;
    gb_memory_release(&memory, a->value);
    gb_memory_release(&memory, a->kept);
    gb_memory_release(&memory, a->room);
    gb_sums_free(&a->sums, &memory);
    gb_draws_end(&a->draws);
}

bool gb_predicting_arrays(gb_predicting *a)
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
                 {GB_PREDICTED_QUANTILE, gb_predicting_draws(a), s->elements * s->quantiles},
                 {GB_PREDICTED_OUTCOME, a->has_outcome, s->elements},
                 {GB_PREDICTED_LOG_DENSITY, a->has_outcome, s->data},
                 {GB_PREDICTED_ERROR, a->has_outcome, s->data},
                 {GB_PREDICTED_BELOW, a->has_outcome && gb_predicting_draws(a), s->elements},
                 {GB_PREDICTED_UP_TO, a->has_outcome && gb_predicting_draws(a), s->elements},
                 {GB_PREDICTED_CRPS, a->has_outcome && gb_predicting_draws(a), s->elements},
                 {GB_PREDICTED_PROBABILITY, has_classes, s->data * s->classes},
                 {GB_PREDICTED_ENTROPY, has_classes, s->data},
                 {GB_PREDICTED_EXPECTED_ENTROPY, has_classes, s->data},
                 {GB_PREDICTED_INFORMATION, has_classes, s->data},
                 {GB_PREDICTED_WEIGHT, a->has_outcome && gb_node_ok(a->of->view.weight), s->data}};
    bool good = true;
    for (size_t i = 0; i < sizeof array / sizeof *array && good; i++)
        good = !array[i].exists || gb_prediction_room(p, array[i].which, array[i].each);
    p->row = good ? gb_memory_resize(&p->memory, NULL, s->rows * sizeof *p->row + 1) : NULL;
    p->draw = p->row && a->options.keep_draws
                  ? gb_memory_resize(&p->memory, NULL, s->draws * s->rows * s->elements * sizeof *p->draw + 1)
                  : NULL;
    return (p->row && (p->draw || !a->options.keep_draws)) || gb_predicting_lacks_memory(a, s->rows);
}
