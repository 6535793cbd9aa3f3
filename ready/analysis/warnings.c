/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is remarkable of data, in words. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/tape.h"
#include "data/design/warnings_impl.h"
#include "ready/analysis/made_impl.h"

enum { WORDS = 1024 };

static void say(char words[WORDS], const char *format, ...) GB_PRINTF(2, 3);

/* Adds a line, if there is room for it. */
static void say(char words[WORDS], const char *format, ...)
{
    char line[400];
    va_list given;
    va_start(given, format);
    vsnprintf(line, sizeof line, format, given);
    va_end(given);
    if (strlen(words) + strlen(line) + 2 <= WORDS)
        strcat(strcat(words, line), "\n");
}

/* Rows that count and have the outcome `y`; all of them for NULL. */
static int64_t rows_of(const gb_row_arrays *r, const double *y)
{
    int64_t count = 0;
    for (int64_t i = 0; i < r->rows; i++)
        count += gb_row_weight(r, i) > 0 && (!y || r->y[i] == *y);
    return count;
}

static void say_outcome(const gb_analysis *a, char words[WORDS])
{
    const gb_model_site *const s = &a->site;
    const gb_row_arrays *const r = &a->rows;
    for (int64_t k = 0; k < s->classes && !r->trials; k++) {
        const double class = (double)k;
        if (rows_of(r, &class) == 0)
            say(words, "no row has class %s of %s", s->class_name[k], s->outcome);
    }
    int64_t first = 0;
    while (first < r->rows && !(gb_row_weight(r, first) > 0))
        first++;
    if (s->classes == 0 && first < r->rows && rows_of(r, &r->y[first]) == rows_of(r, NULL))
        say(words, "outcome %s is %g in all rows", s->outcome, r->y[first]);
}

/* ---- columns ---- */

static gb_matrix_columns columns_of(const gb_analysis *a)
{
    static const double most = 1e9; /* operations: a second, about */
    const gb_model_site *const s = &a->site;
    const double rows = (double)s->rows, columns = (double)s->columns;
    return (gb_matrix_columns){.rows = (size_t)s->rows,
                               .columns = (size_t)s->columns,
                               .values = a->rows.x,
                               .counts = a->rows.weight,
                               .name = s->column,
                               .has_intercept = s->has_intercept,
                               .is_too_much = rows * columns * columns > most};
}

/* Of columns that have coefficients. The others are not looked at: a network takes any. */
static const char *of_columns(const gb_analysis *a, gb_arena *arena)
{
    if (a->design || a->type->no_intercept || a->site.columns == 0)
        return a->design ? gb_design_warnings(a->design) : "";
    const gb_matrix_columns of = columns_of(a);
    return gb_column_warnings(arena, &of);
}

static const char *near_columns(const gb_analysis *a, gb_arena *arena)
{
    const gb_matrix_columns of = columns_of(a);
    return a->site.parts->has_scaled_slopes ? gb_near_columns(arena, &of) : "";
}

/* ---- weights ---- */

/* A weight is as many rows. */
static void say_weights(const gb_analysis *a, char words[WORDS])
{
    enum { FAR = 20 };
    const gb_row_arrays *const r = &a->rows;
    const double rows = (double)rows_of(r, NULL);
    double sum = 0;
    for (int64_t i = 0; i < r->rows; i++)
        sum += gb_row_weight(r, i);
    if (!(sum > 0))
        say(words, "no row counts: all weights are 0, so the posterior is the prior");
    const bool is_one = sum > 0.999 && sum < 1.001 && rows > 1;
    if (sum > 0 && (is_one || sum < rows / FAR || sum > rows * FAR))
        say(words,
            "the weights of %.0f rows sum to %.6g: a weight counts as that many rows, so the posterior is "
            "that of %.6g rows; divide the weights by their mean if they are shares or importances",
            rows, sum, sum);
}

const char *gb_analysis_warnings(const gb_analysis *a)
{
    char own[WORDS] = "";
    if (!a || a->options.noted)
        return "";
    if (a->rows.y)
        say_outcome(a, own);
    say_weights(a, own);
    if (a->site.parts->is_usual_mean_field)
        say(own,
            "the latents are more than 100 numbers, so their usual posterior is a mean field, without "
            "correlations: standard deviations may be too small; .posterior = gb_full_rank(gb_shape()) has "
            "them");
    const gb_memory memory = gb_tape_memory(a->site.tape);
    gb_arena arena = {.memory = &memory};
    const char *const found = of_columns(a, &arena), *const columns = found ? found : "",
                      *const nearly = near_columns(a, &arena), *const near = nearly ? nearly : "";
    const size_t bytes = strlen(columns) + strlen(near) + strlen(own) + 1;
    char *const words = gb_tape_keep(a->site.tape, bytes);
    if (words)
        snprintf(words, bytes, "%s%s%s", columns, near, own);
    gb_arena_free(&arena);
    return words ? words : "";
}
