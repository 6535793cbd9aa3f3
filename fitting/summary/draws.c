/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws to files, as CSV and NPY. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/ground/memory_impl.h"
#include "core/ground/text_impl.h"
#include "fitting/summary/npy_impl.h"
#include "fitting/summary/summary_impl.h"
#include "models/checkpoint/file_impl.h"

typedef struct saving {
    const gb_own_summary *s;
    const size_t *place; /* of resampled draws; NULL: all draws */
    size_t draws, columns;
    GB_LIST(char) text;
    bool lacks_memory;
} saving;

static void put(saving *w, const void *bytes, size_t length)
{
    const gb_memory *const memory = &w->s->memory;
    if (length == 0)
        return;
    if (w->lacks_memory || !GB_LIST_GROW(memory, &w->text, length)) {
        w->lacks_memory = true;
        return;
    }
    memcpy(w->text.at + w->text.count, bytes, length);
    w->text.count += length;
}

static void put_text(saving *w, const char *text)
{
    put(w, text, strlen(text));
}

/* ---- columns ---- */

static bool has_weights(const saving *w)
{
    return !w->s->nuts && !w->place;
}

/* Chain and draw come first, or the log weight last. */
static size_t leading(const saving *w)
{
    return w->s->nuts ? 2 : 0;
}

static double number_at(const saving *w, size_t draw, size_t column)
{
    const gb_own_summary *const s = w->s;
    const size_t from = w->place ? w->place[draw] : draw, lead = leading(w);
    size_t stride;
    if (column < lead)
        return (double)(column == 0 ? from / s->nuts->draws : from % s->nuts->draws);
    if (column - lead == s->shown.rows)
        return s->corrects->weights.log_weights[from];
    const double *const x = gb_summary_column(s, s->corrects, column - lead, &stride);
    return x[from * stride];
}

static const char *name_at(const saving *w, size_t column)
{
    static const char *const first[] = {"chain", "draw"};
    if (column < leading(w))
        return first[column];
    return column - leading(w) == w->s->shown.rows ? "log_weight" : w->s->shown.row[column - leading(w)].name;
}

/* ---- forms ---- */

static void put_csv_name(saving *w, const char *name)
{
    const bool is_quoted = strpbrk(name, ",\"\n");
    if (is_quoted)
        put_text(w, "\"");
    for (; *name; name++)
        put(w, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    if (is_quoted)
        put_text(w, "\"");
}

static void write_csv(saving *w)
{
    char text[GB_NUMBER_TEXT];
    for (size_t k = 0; k < w->columns; k++) {
        put_text(w, k ? "," : "");
        put_csv_name(w, name_at(w, k));
    }
    put_text(w, "\n");
    for (size_t i = 0; i < w->draws && !w->lacks_memory; i++)
        for (size_t k = 0; k < w->columns; k++) {
            const double x = number_at(w, i, k);
            if (k < leading(w))
                snprintf(text, sizeof text, "%zu", (size_t)x);
            else if (isfinite(x))
                gb_number_text(x, text);
            else
                strcpy(text, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
            put_text(w, text);
            put_text(w, k + 1 < w->columns ? "," : "\n");
        }
}

static void write_npy(saving *w)
{
    char head[GB_NPY_HEAD];
    put(w, head, gb_npy_head(2, (const size_t[]){w->draws, w->columns}, head));
    for (size_t i = 0; i < w->draws && !w->lacks_memory; i++)
        for (size_t k = 0; k < w->columns; k++) {
            const double x = number_at(w, i, k);
            put(w, &x, sizeof x);
        }
}

/* ---- the whole ---- */

static bool ends_with(const char *path, const char *end)
{
    const size_t length = strlen(path), of_end = strlen(end);
    return length >= of_end && strcmp(path + length - of_end, end) == 0;
}

static bool resample(saving *w, const gb_draws_save_options *o, size_t **places)
{
    const gb_own_summary *const s = w->s;
    const gb_psis_resample_options options = {.size = sizeof options, .seed = o->seed};
    *places = gb_memory_resize(&s->memory, NULL, o->resample * sizeof **places);
    const gb_status status =
        !*places ? GB_ENOMEM : gb_psis_resample_with(&s->corrects->weights, o->resample, *places, &options);
    if (status == GB_ENOMEM)
        gb_fail(s->tape, status, "draws_save: out of memory for %zu draws", o->resample);
    else if (status != GB_OK)
        gb_fail(s->tape, status, "draws_save: draws cannot be resampled: %s", s->corrects->weights.words);
    w->place = *places;
    w->draws = o->resample;
    return status == GB_OK;
}

static bool can_save(const gb_own_summary *s, const char *path, const gb_draws_save_options *o)
{
    if (!path || !(ends_with(path, ".csv") || ends_with(path, ".npy")))
        gb_fail(s->tape, GB_EARGUMENT, "draws_save: the path is %s, and must end with .csv or .npy",
                path ? path : "NULL");
    else if (s->shown.draws == 0)
        gb_fail(s->tape, GB_EARGUMENT, "draws_save: there are no draws: %s", s->shown.words);
    else if (o->resample > 0 && s->nuts)
        gb_fail(s->tape, GB_EARGUMENT,
                "draws_save: .resample is for draws of q; those of NUTS have no weights");
    else if (!s->nuts && s->corrects->weights.status != GB_OK)
        gb_fail(s->tape, GB_EARGUMENT, "draws_save: the draws have no weights: %s",
                s->corrects->weights.words);
    return gb_error(s->tape) == GB_OK;
}

gb_status gb_draws_save_with(const gb_summary_table *summary, const char *path,
                             const gb_draws_save_options *given)
{
    const gb_own_summary *const s = (const void *)summary;
    gb_draws_save_options options;
    char why[GB_SAVED_WHY];
    size_t *places = NULL;
    if (!s)
        return GB_EARGUMENT;
    if (gb_error(s->tape) != GB_OK ||
        !gb_options_take(s->tape, "draws_save", &options, sizeof options, given) ||
        !can_save(s, path, &options))
        return gb_error(s->tape);
    saving w = {.s = s, .draws = s->shown.draws};
    if (options.resample == 0 || resample(&w, &options, &places)) {
        w.columns = leading(&w) + s->shown.rows + has_weights(&w);
        (ends_with(path, ".csv") ? write_csv : write_npy)(&w);
        if (w.lacks_memory)
            gb_fail(s->tape, GB_ENOMEM, "draws_save: out of memory for %zu draws", w.draws);
        else {
            const gb_status status = gb_file_write(&s->memory, path, w.text.at, w.text.count, why);
            if (status != GB_OK)
                gb_fail(s->tape, status, "draws_save: %s: %s", path, why);
        }
    }
    gb_memory_release(&s->memory, w.text.at);
    gb_memory_release(&s->memory, places);
    return gb_error(s->tape);
}
