/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the rows of a training. */
#include <math.h>
#include <stdio.h>

#include "core/tape.h"
#include "ready/analysis/made_impl.h"

bool gb_analysis_expect(gb_tape *t, bool is_wrong, const char *words)
{
    if (is_wrong)
        gb_fail(t, GB_EARGUMENT, "analysis: %s", words);
    return !is_wrong;
}

/* Of numbers whose weight is not 0, and which are there, by Welford's recurrence; 0 and 1 for a constant. */
static void moments(size_t count, gb_numbers x, size_t first, size_t stride, const double *weight,
                    const double *present, double *mean, double *sd)
{
    double squares = 0, largest = 0;
    size_t n = 0;
    *mean = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = gb_numbers_at(x, first + i * stride);
        if (isnan(value) || (weight && weight[i] == 0) || (present && present[first + i * stride] == 0))
            continue;
        const double off = value - *mean;
        n++;
        *mean += off / (double)n;
        squares += off * (value - *mean);
        largest = fabs(value) > largest ? fabs(value) : largest;
    }
    *sd = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    if (!(*sd > 1e-12 * largest)) {
        *mean = 0;
        *sd = 1;
    }
}

/* The outcomes that are there and count; NaN for others. NULL on error. */
static const double *outcomes_that_count(gb_analysis *a)
{
    const gb_row_arrays *const r = &a->rows;
    double *const y = gb_tape_keep(a->site.tape, (size_t)r->rows * sizeof *y);
    for (int64_t i = 0; y && i < r->rows; i++)
        y[i] = r->weight && r->weight[i] == 0 ? (double)NAN : r->y[i];
    for (size_t i = 0; y && i < r->missing; i++)
        y[r->missing_row[i]] = (double)NAN;
    return y;
}

static bool find_scales(gb_analysis *a)
{
    gb_model_site *const s = &a->site;
    const gb_row_arrays *const r = &a->rows;
    double *const mean = gb_tape_keep(s->tape, (size_t)(2 * r->columns + 1) * sizeof *mean);
    if (!mean)
        return false;
    for (int64_t k = 0; k < r->columns; k++)
        moments((size_t)r->rows, r->x, (size_t)k, (size_t)r->columns, r->y ? NULL : r->weight, r->present,
                &mean[k], &mean[r->columns + k]);
    s->mean = mean;
    s->sd = mean + r->columns;
    s->outcome_sd = 1;
    if (r->y) {
        const double centre = r->y[0], *const y = outcomes_that_count(a);
        if (!y)
            return false;
        moments((size_t)r->rows, gb_doubles(y), 0, 1, NULL, NULL, &s->outcome_mean, &s->outcome_sd);
        if (s->outcome_sd == 1 && s->outcome_mean == 0)
            s->outcome_mean = centre;
    }
    return true;
}

bool gb_analysis_name_columns(gb_analysis *a)
{
    gb_model_site *const s = &a->site;
    const int64_t columns = a->rows.columns;
    const int64_t first = a->design ? gb_design_columns(a->design) - columns : 0;
    const char **const name = gb_tape_keep(s->tape, (size_t)(columns + 1) * sizeof *name);
    for (int64_t k = 0; name && k < columns; k++) {
        char text[32];
        snprintf(text, sizeof text, "x[%lld]", (long long)k);
        name[k] = a->design ? gb_design_column_name(a->design, first + k) : gb_tape_keep_text(s->tape, text);
    }
    s->column = name;
    s->has_intercept = a->design && first == 0 && gb_design_has_intercept(a->design);
    return name && gb_error(s->tape) == GB_OK;
}

/* Classes that are numbers have them as names. */
bool gb_analysis_number_classes(gb_model_site *s)
{
    const char **const name = gb_tape_keep(s->tape, (size_t)(s->classes + 1) * sizeof *name);
    char text[32];
    for (int64_t k = 0; name && k < s->classes; k++) {
        snprintf(text, sizeof text, "%lld", (long long)k);
        name[k] = gb_tape_keep_text(s->tape, text);
    }
    s->class_name = name;
    return name && gb_error(s->tape) == GB_OK;
}

static bool find_classes(gb_analysis *a)
{
    gb_model_site *const s = &a->site;
    const gb_row_arrays *const r = &a->rows;
    size_t levels = 0;
    const char *const *const level = a->design ? gb_design_outcome_levels(a->design, &levels) : NULL;
    if (!a->type->is_of_classes)
        return gb_analysis_expect(s->tape, level != NULL,
                                  "the outcome is a factor, and the model is one of numbers");
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
        return gb_fail(s->tape, GB_EARGUMENT, "analysis: %s has %lld classes, and must have %s", s->outcome,
                       (long long)s->classes,
                       a->type->most_classes == 2 ? "two: a factor of two levels, or 0 and 1; or trials"
                                                  : "at least two") == GB_OK;
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
    return find_scales(a) && find_classes(a) && takes_what_there_is(a);
}
