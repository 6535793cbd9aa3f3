/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A prediction for people, and for programs. */
#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "prediction/tables/columns_impl.h"

static const char *source_text(const gb_prediction *p)
{
    static const char *const text[] = {"q", "psis", "nuts", "point", "wide"};
    return text[p->source];
}

/* ---- for people ---- */

enum { SHOWN = 10 };

static void print_row(const gb_prediction *p, size_t row, size_t element, FILE *file)
{
    const size_t at = row * p->elements + element;
    char name[GB_COLUMN_TEXT];
    snprintf(name, sizeof name, p->elements > 1 ? "%zu, %zu" : "%zu", p->row[row], element);
    fprintf(file, "%12s %10.4g %9.3g %9.3g %9.3g", name, p->mean[at], p->sd[at], p->epistemic[at],
            p->noise[at]);
    for (size_t q = 0; q < p->quantiles; q++)
        fprintf(file, " %10.4g", p->quantile[at * p->quantiles + q]);
    if (p->outcome)
        fprintf(file, " %10.4g", p->outcome[at]);
    fputc('\n', file);
}

static void print_rows(const gb_prediction *p, FILE *file)
{
    size_t shown = 0;
    fprintf(file, "%12s %10s %9s %9s %9s", "row", "mean", "sd", "epistemic", "noise");
    for (size_t q = 0; q < p->quantiles; q++)
        fprintf(file, " %8.4g %%", 100 * p->level[q]);
    fprintf(file, "%s\n", p->outcome ? "    outcome" : "");
    for (size_t row = 0; row < p->rows; row++)
        for (size_t element = 0; element < p->elements; element++)
            if (shown++ < SHOWN)
                print_row(p, row, element, file);
    if (shown > SHOWN)
        fprintf(file, "%12s and %zu more\n", "", shown - SHOWN);
}

gb_status gb_prediction_print(const gb_prediction *p, FILE *file)
{
    if (!p || !file)
        return GB_EARGUMENT;
    const gb_scores scores = gb_prediction_scores(p);
    fprintf(file, "%s: %zu rows, %zu draws (%s)\n", p->name, p->rows, p->draws, source_text(p));
    if (p->words[0])
        fprintf(file, "%s\n", p->words);
    print_rows(p, file);
    for (size_t i = 0; i < scores.count; i++)
        fprintf(file, "%20s %10.4g ± %.2g\n", scores.score[i].name, scores.score[i].value,
                scores.score[i].error);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}

/* ---- for programs ---- */

static void json_scores(const gb_prediction *p, FILE *file)
{
    const gb_scores scores = gb_prediction_scores(p);
    for (size_t i = 0; i < scores.count; i++) {
        fprintf(file, "%s{\"name\": ", i ? ", " : "");
        gb_json_text(file, scores.score[i].name);
        fputs(", \"value\": ", file);
        gb_json_number(file, scores.score[i].value);
        fputs(", \"error\": ", file);
        gb_json_number(file, scores.score[i].error);
        fputs("}", file);
    }
}

static void json_line(const gb_prediction *p, size_t row, size_t element, FILE *file)
{
    char name[GB_COLUMN_TEXT];
    fprintf(file, "{\"row\": %zu, \"element\": %zu", p->row[row], element);
    for (size_t k = 0; k < gb_prediction_columns(p); k++) {
        gb_prediction_column(p, k, name);
        fprintf(file, ", \"%s\": ", name);
        gb_json_number(file, gb_prediction_number(p, row, element, k));
    }
    fputs("}", file);
}

gb_status gb_prediction_json(const gb_prediction *p, FILE *file)
{
    if (!p || !file)
        return GB_EARGUMENT;
    gb_json_begin(file, "grebe-prediction-1");
    fputs(", \"name\": ", file);
    gb_json_text(file, p->name);
    fprintf(file, ", \"rows\": %zu, \"draws\": %zu, \"source\": ", p->rows, p->draws);
    gb_json_text(file, source_text(p));
    fputs(", \"words\": ", file);
    gb_json_text(file, p->words);
    fputs(", \"scores\": [", file);
    json_scores(p, file);
    fputs("], \"predictions\": [", file);
    for (size_t row = 0; row < p->rows; row++)
        for (size_t element = 0; element < p->elements; element++) {
            fputs(row + element ? ",\n" : "\n", file);
            json_line(p, row, element, file);
        }
    fputs("\n]}\n", file);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}

gb_status gb_prediction_csv(const gb_prediction *p, FILE *file)
{
    char name[GB_COLUMN_TEXT];
    if (!p || !file)
        return GB_EARGUMENT;
    fputs("row,element", file);
    for (size_t k = 0; k < gb_prediction_columns(p); k++) {
        gb_prediction_column(p, k, name);
        fprintf(file, ",%s", name);
    }
    fputc('\n', file);
    for (size_t row = 0; row < p->rows; row++)
        for (size_t element = 0; element < p->elements; element++) {
            fprintf(file, "%zu,%zu", p->row[row], element);
            for (size_t k = 0; k < gb_prediction_columns(p); k++) {
                const double x = gb_prediction_number(p, row, element, k);
                fputc(',', file);
                if (isfinite(x))
                    gb_put_number(file, x);
            }
            fputc('\n', file);
        }
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
