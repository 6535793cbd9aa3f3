/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table for people, and for programs. */
#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "fitting/summary/summary_impl.h"

/* The numbers of a row, in the order of columns. */
enum { NUMBERS = 9 };
static const char *const columns[NUMBERS] = {"mean", "error", "sd", "q05", "q50", "q95", "ess", "k", "rhat"};
static void numbers_of(const gb_summary_row *r, double number[NUMBERS])
{
    const double all[NUMBERS] = {r->mean, r->error, r->sd, r->q05, r->q50, r->q95, r->ess, r->k, r->rhat};
    memcpy(number, all, sizeof all);
}

static bool is_of_nuts(const gb_summary_table *s)
{
    return s->rows > 0 && s->row[0].source == GB_SUMMARY_NUTS;
}

gb_status gb_summary_print(const gb_summary_table *s, FILE *file)
{
    if (!s || !file)
        return GB_EARGUMENT;
    int width = 9;
    for (size_t i = 0; i < s->rows; i++)
        width = (int)strlen(s->row[i].name) > width ? (int)strlen(s->row[i].name) : width;
    if (s->words[0]) {
        gb_put_lines(file, s->words);
        fputs("\n\n", file);
    }
    fprintf(file, "%-*s %10s %9s %9s %10s %10s %10s %8s %6s  %s\n", width, "", "mean", "error", "sd", "5%",
            "50%", "95%", "ess", is_of_nuts(s) ? "R-hat" : "k", "from");
    for (size_t i = 0; i < s->rows; i++) {
        const gb_summary_row *const r = &s->row[i];
        fprintf(file, "%-*s %10.4g %9.2g %9.3g %10.4g %10.4g %10.4g %8.0f %6.3g  %s%s%s\n", width, r->name,
                r->mean, r->error, r->sd, r->q05, r->q50, r->q95, r->ess, is_of_nuts(s) ? r->rhat : r->k,
                gb_summary_source_text(r->source), r->words[0] ? ": " : "", r->words);
    }
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}

gb_status gb_summary_json(const gb_summary_table *s, FILE *file)
{
    if (!s || !file)
        return GB_EARGUMENT;
    gb_json_begin(file, "grebe-summary-1");
    fputs(", \"verdict\": ", file);
    gb_json_text(file, gb_verdict_text(s->verdict));
    fputs(", \"words\": ", file);
    gb_json_text(file, s->words);
    fprintf(file, ", \"draws\": %zu, \"rows\": [", s->draws);
    for (size_t i = 0; i < s->rows; i++) {
        double number[NUMBERS];
        numbers_of(&s->row[i], number);
        fprintf(file, "%s\n{\"name\": ", i ? "," : "");
        gb_json_text(file, s->row[i].name);
        for (size_t k = 0; k < NUMBERS; k++) {
            fprintf(file, ", \"%s\": ", columns[k]);
            gb_json_number(file, number[k]);
        }
        fputs(", \"source\": ", file);
        gb_json_text(file, gb_summary_source_text(s->row[i].source));
        fputs(", \"words\": ", file);
        gb_json_text(file, s->row[i].words);
        fputs("}", file);
    }
    fputs("\n]}\n", file);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}

static void put_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

gb_status gb_summary_csv(const gb_summary_table *s, FILE *file)
{
    if (!s || !file)
        return GB_EARGUMENT;
    fputs("name", file);
    for (size_t k = 0; k < NUMBERS; k++)
        fprintf(file, ",%s", columns[k]);
    fputs(",source,words\n", file);
    for (size_t i = 0; i < s->rows; i++) {
        double number[NUMBERS];
        numbers_of(&s->row[i], number);
        put_quoted(file, s->row[i].name);
        for (size_t k = 0; k < NUMBERS; k++) {
            fputc(',', file);
            if (isfinite(number[k]))
                gb_put_number(file, number[k]);
        }
        fprintf(file, ",%s,", gb_summary_source_text(s->row[i].source));
        put_quoted(file, s->row[i].words);
        fputc('\n', file);
    }
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
