/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is remarkable of data, in words. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/tape.h"
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

const char *gb_analysis_warnings(const gb_analysis *a)
{
    char own[WORDS] = "";
    if (!a || a->options.noted)
        return "";
    if (a->rows.y)
        say_outcome(a, own);
    if (a->site.parts->is_usual_mean_field)
        say(own,
            "the latents are more than 100 numbers, so their usual posterior is a mean field, without "
            "correlations: standard deviations may be too small; .posterior = gb_full_rank(gb_shape()) has "
            "them");
    const char *const found = a->design ? gb_design_warnings(a->design) : "", *const of_design =
                                                                                  found ? found : "";
    const size_t bytes = strlen(of_design) + strlen(own) + 1;
    char *const words = gb_tape_keep(a->site.tape, bytes);
    if (!words)
        return "";
    snprintf(words, bytes, "%s%s", of_design, own);
    return words;
}
