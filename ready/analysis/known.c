/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the rows of a training. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "core/tape.h"
#include "data/standard/moments_impl.h"
#include "ready/analysis/made_impl.h"

bool gb_analysis_expect(gb_tape *t, bool is_wrong, const char *words)
{
    if (is_wrong)
        gb_fail(t, GB_EARGUMENT, "analysis: %s", words);
    return !is_wrong;
}

/* Numbers of rows that count, and how often each does. `room` is for as many. */
typedef struct counted {
    size_t count;
    double *x, *weight, *room;
} counted;

/* Returns false, and 0 and 1, for a constant. The deviation is ∞ where a difference overflows. */
static bool moments(const counted *c, double *mean, double *sd)
{
    *mean = gb_mean_of_weighted(c->x, c->weight, c->count, c->room);
    *sd = gb_deviation_of_weighted(c->x, c->weight, c->count, *mean, c->room);
    if (!isfinite(*mean))
        *sd = (double)INFINITY;
    if (!gb_is_by_rounding(c->x, c->count, *sd))
        return true;
    *mean = 0;
    *sd = 1;
    return false;
}

static void take(counted *to, const gb_row_arrays *r, int64_t row, double x)
{
    const double weight = gb_row_weight(r, row);
    if (!(weight > 0))
        return;
    to->x[to->count] = x;
    to->weight[to->count++] = weight;
}

/* The numbers of a column that are there, in rows that count. */
static void take_column(const gb_row_arrays *r, int64_t column, counted *to)
{
    to->count = 0;
    for (int64_t i = 0; i < r->rows; i++) {
        const size_t at = (size_t)(i * r->columns + column);
        if (!r->present || r->present[at] != 0)
            take(to, r, i, gb_numbers_at(r->x, at));
    }
}

/* The outcomes that are there, of rows that count. */
static void take_outcomes(const gb_row_arrays *r, counted *to)
{
    size_t lost = 0;
    to->count = 0;
    for (int64_t i = 0; r->y && i < r->rows; i++) {
        const bool is_missing = lost < r->missing && r->missing_row[lost] == i;
        lost += is_missing;
        if (!is_missing)
            take(to, r, i, r->y[i]);
    }
}

static bool find_scales(gb_analysis *a)
{
    gb_model_site *const s = &a->site;
    const gb_row_arrays *const r = &a->rows;
    const size_t rows = (size_t)r->rows;
    double *const mean = gb_tape_keep(s->tape, (size_t)(2 * r->columns + 1) * sizeof *mean),
                  *const room = mean ? gb_tape_keep(s->tape, 3 * rows * sizeof *room) : NULL;
    if (!room)
        return false;
    counted c = {.x = room, .weight = room + rows, .room = room + 2 * rows};
    bool is_finite = true;
    for (int64_t k = 0; k < r->columns; k++) {
        take_column(r, k, &c);
        moments(&c, &mean[k], &mean[r->columns + k]);
        is_finite = is_finite && isfinite(mean[r->columns + k]);
    }
    s->mean = mean;
    s->sd = mean + r->columns;
    s->outcome_sd = 1;
    take_outcomes(r, &c);
    if (r->y && !moments(&c, &s->outcome_mean, &s->outcome_sd))
        s->outcome_mean = c.count > 0 ? c.x[0] : r->y[0];
    return gb_analysis_expect(
        s->tape, !is_finite || !isfinite(s->outcome_sd),
        "numbers of a column, or outcomes, are so far apart that their deviation overflows");
}

/* How many rows there are, each as often as it counts; 1 of weights that are shares, or all 0. */
static double count_rows(const gb_row_arrays *r)
{
    double sum = 0;
    for (int64_t i = 0; i < r->rows; i++)
        sum += gb_row_weight(r, i);
    return fmax(sum, 1);
}

bool gb_analysis_name_columns(gb_analysis *a)
{
    gb_model_site *const s = &a->site;
    const int64_t columns = a->rows.columns;
    const int64_t first = a->design ? gb_design_columns(a->design) - columns : 0,
                  added = a->rows.has_intercept;
    const char **const name = gb_tape_keep(s->tape, (size_t)(columns + 1) * sizeof *name);
    for (int64_t k = 0; name && k < columns; k++) {
        char text[32] = "(Intercept)";
        if (k >= added)
            snprintf(text, sizeof text, "x[%lld]", (long long)(k - added));
        name[k] = a->design ? gb_design_column_name(a->design, first + k) : gb_tape_keep_text(s->tape, text);
    }
    s->column = name;
    s->has_intercept = added || (a->design && first == 0 && gb_design_has_intercept(a->design));
    return name && gb_error(s->tape) == GB_OK;
}

/* Classes that are numbers have them as names. A column of other numbers, such as codes, would have
 * millions. */
bool gb_analysis_number_classes(gb_model_site *s)
{
    enum { MOST_CLASSES = 10000 };
    if (s->classes > MOST_CLASSES)
        return gb_fail(
                   s->tape, GB_EARGUMENT,
                   "analysis: %s has %lld classes, numbered from 0, and may have up to %d; a column of texts "
                   "(gb_table_read with .texts) has only the classes that occur",
                   s->outcome, (long long)s->classes, (int)MOST_CLASSES) == GB_OK;
    const char **const name = gb_tape_keep(s->tape, (size_t)(s->classes + 1) * sizeof *name);
    char text[32];
    for (int64_t k = 0; name && k < s->classes; k++) {
        snprintf(text, sizeof text, "%lld", (long long)k);
        name[k] = gb_tape_keep_text(s->tape, text);
    }
    s->class_name = name;
    return name && gb_error(s->tape) == GB_OK;
}

enum { SHOWN = 6 };

/* Stores the least values of the outcome, each once, and returns how many. */
static size_t least_values(const gb_row_arrays *r, double value[SHOWN])
{
    size_t count = 0;
    for (double next = 0; count < SHOWN && isfinite(next); count += isfinite(next) ? 1 : 0) {
        next = (double)INFINITY;
        for (int64_t i = 0; i < r->rows; i++)
            if (r->y[i] < next && (count == 0 || r->y[i] > value[count - 1]))
                next = r->y[i];
        value[count] = next;
    }
    return count;
}

/* Says what the outcome has in the place of the classes that it must have. */
static bool reject_classes(const gb_analysis *a, const char *const *level, size_t levels)
{
    char text[240] = "";
    double value[SHOWN];
    const size_t count = level ? (levels < SHOWN ? levels : SHOWN) : least_values(&a->rows, value);
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof text; i++) {
        const char *const before = i == 0 ? "" : i + 1 < count ? ", " : " and ";
        used += (size_t)(i + 1 == SHOWN ? snprintf(text + used, sizeof text - used, ", …")
                         : level ? snprintf(text + used, sizeof text - used, "%s%.32s", before, level[i])
                                 : snprintf(text + used, sizeof text - used, "%s%g", before, value[i]));
    }
    return gb_fail(a->site.tape, GB_EARGUMENT, "analysis: %s is %s%s, and must be %s", a->site.outcome, text,
                   count == 1 ? " in all rows" : "",
                   a->type->most_classes == 2 ? "0 and 1, or a factor of two levels; or have trials"
                                              : "of at least two classes") == GB_OK;
}

/* A stray text makes an outcome of numbers a factor, as it does a column. */
static bool reject_factor(const gb_analysis *a)
{
    const gb_table *const table = a->options.table;
    const gb_table_column *const c = table ? gb_table_find(table, a->site.outcome) : NULL;
    char place[GB_TABLE_PLACE], shown[40];
    double number;
    for (int64_t i = 0; c && c->level && i < gb_table_rows(table); i++) {
        const char *const text = c->level[i] < 0 ? NULL : c->levels[c->level[i]];
        if (!text || gb_text_number(text, strlen(text), &number))
            continue;
        gb_text_show(text, strlen(text), sizeof shown, shown);
        return gb_fail(
                   a->site.tape, GB_EARGUMENT,
                   "analysis: outcome %s is a factor, and the model is one of numbers: \"%s\" in %s is no "
                   "number; mend the cell, or name the word in .missing of gb_table_read",
                   a->site.outcome, shown, gb_table_place(table, i, place)) == GB_OK;
    }
    return gb_fail(a->site.tape, GB_EARGUMENT,
                   "analysis: outcome %s is a factor, and the model is one of numbers",
                   a->site.outcome) == GB_OK;
}

static bool find_classes(gb_analysis *a)
{
    gb_model_site *const s = &a->site;
    const gb_row_arrays *const r = &a->rows;
    size_t levels = 0;
    const char *const *const level = a->design ? gb_design_outcome_levels(a->design, &levels) : NULL;
    if (!a->type->is_of_classes)
        return !level || reject_factor(a);
    s->class_name = level;
    s->classes = (int64_t)levels;
    for (int64_t i = 0; !level && i < r->rows; i++)
        s->classes = r->y[i] >= (double)s->classes ? (int64_t)r->y[i] + 1 : s->classes;
    if (a->type->most_classes > 0 && !level && s->classes < 2)
        s->classes = 2; /* all outcomes are 0 */
    if (r->trials)
        return true;
    if (!level && !gb_analysis_number_classes(s))
        return false;
    if (s->classes < 2 || (a->type->most_classes > 0 && s->classes > a->type->most_classes))
        return reject_classes(a, level, levels);
    return true;
}

static bool takes_what_there_is(const gb_analysis *a)
{
    gb_tape *const t = a->site.tape;
    return gb_analysis_expect(t, !a->type->outcome && a->rows.columns == 0, "there are no columns") &&
           gb_analysis_expect(t, a->rows.trials && !a->type->takes_trials, "the model takes no trials") &&
           gb_analysis_expect(t, a->rows.offset && !a->type->takes_offset, "the model takes no offset") &&
           gb_analysis_expect(t, a->design && !a->type->outcome && *gb_design_outcome_name(a->design),
                              "the model has no outcome: its data are the columns, \"~ a + b - 1\"");
}

bool gb_analysis_know(gb_analysis *a)
{
    a->site.counted_rows = count_rows(&a->rows);
    return find_scales(a) && find_classes(a) && takes_what_there_is(a);
}
