/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A race for people and for programs: a table, CSV and JSON. */
#include <math.h>

#include "compare/race.h"
#include "compare/tables/cells_impl.h"
#include "compare/tables/json_impl.h"
#include "core/ground/text_impl.h"

enum { DIGITS = 6, STEP = 8, LEAST_WIDTH = 22 };

/* ---- the table ---- */

static int width_of(const gb_raced *one)
{
    const int width = gb_cell_width(one->name) + 2;
    return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

static void print_names(const gb_racing *r, FILE *file)
{
    fprintf(file, "%*s", STEP, "step");
    for (size_t i = 0; i < r->estimators; i++)
        if (r->estimator[i].point)
            gb_cell_put(file, r->estimator[i].name, width_of(&r->estimator[i]));
    fputc('\n', file);
}

static void print_points(const gb_racing *r, FILE *file)
{
    print_names(r, file);
    for (size_t p = 0; p < r->points; p++) {
        fprintf(file, "%*lld", STEP, (long long)r->step[p]);
        for (size_t i = 0; i < r->estimators; i++) {
            char text[GB_CELL];
            if (!r->estimator[i].point)
                continue;
            gb_cell_figure(&r->estimator[i].point[p].value, 1, DIGITS, text);
            gb_cell_put(file, text, width_of(&r->estimator[i]));
        }
        fputc('\n', file);
    }
}

static void print_seconds(const gb_racing *r, FILE *file)
{
    fprintf(file, "\nmilliseconds of %lld steps\n%*s", (long long)r->step[r->points - 1], STEP, "");
    for (size_t i = 0; i < r->estimators; i++) {
        char text[GB_CELL];
        if (!r->estimator[i].point)
            continue;
        gb_cell_figure(&r->estimator[i].point[r->points - 1].seconds, 1e3, DIGITS, text);
        gb_cell_put(file, text, width_of(&r->estimator[i]));
    }
    fputc('\n', file);
}

static void print_words(const gb_racing *r, FILE *file)
{
    for (size_t i = 0; i < r->estimators; i++) {
        const gb_raced *const one = &r->estimator[i];
        if (!*one->why)
            continue;
        if (!one->point)
            fprintf(file, "\n%s is left out: %s\n", one->name, one->why);
        else if (one->failed > 0)
            fprintf(file, "\n%s: %lld of %lld trainings failed: %s\n", one->name, (long long)one->failed,
                    (long long)r->seeds, one->why);
        else
            fprintf(file, "\n%s: %s\n", one->name, one->why);
    }
    if (r->status != GB_OK && (r->points == 0 || r->status == GB_ESTOPPED || r->status == GB_ENOMEM))
        fprintf(file, "\n%s: %s\n", gb_status_text(r->status), r->error);
}

static bool has_results(const gb_racing *r)
{
    for (size_t i = 0; i < r->estimators; i++)
        if (r->estimator[i].point)
            return true;
    return false;
}

gb_status gb_racing_print(const gb_racing *r, FILE *file)
{
    if (!r || !file)
        return GB_EARGUMENT;
    if (has_results(r)) {
        fprintf(file, "%s, which each estimator %s by itself\n", r->what, r->rises ? "raises" : "lowers");
        if (r->is_exact)
            fprintf(file, "mean over %lld trainings ± standard error, evaluated exactly\n\n",
                    (long long)r->seeds);
        else
            fprintf(file, "mean over %lld trainings ± standard error, each evaluated by %lld draws\n\n",
                    (long long)r->seeds, (long long)r->draws);
        print_points(r, file);
        print_seconds(r, file);
    }
    print_words(r, file);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}

/* ---- CSV ---- */

static void cell(FILE *file, double value)
{
    fputc(',', file);
    if (isfinite(value))
        gb_put_number(file, value);
}

gb_status gb_racing_csv(const gb_racing *r, FILE *file)
{
    if (!r || !file)
        return GB_EARGUMENT;
    fputs("estimator,training,step,seconds,value\n", file);
    for (size_t i = 0; i < r->estimators; i++)
        for (size_t k = 0; r->estimator[i].value && k < (size_t)r->seeds * r->points; k++) {
            gb_csv_text(file, r->estimator[i].name);
            fprintf(file, ",%zu,%lld", k / r->points, (long long)r->step[k % r->points]);
            cell(file, r->estimator[i].seconds[k]);
            cell(file, r->estimator[i].value[k]);
            fputc('\n', file);
        }
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}

/* ---- JSON ---- */

static void put_figure(FILE *file, const char *name, const gb_figure *f)
{
    const double number[] = {f->value, f->error, f->low, f->high};
    fprintf(file, "\"%s\": [", name);
    for (size_t i = 0; i < 4; i++) {
        fputs(i ? ", " : "", file);
        gb_json_number(file, number[i]);
    }
    fputc(']', file);
}

static void put_estimator(const gb_racing *r, FILE *file, size_t which)
{
    const gb_raced *const one = &r->estimator[which];
    fputs("\n  {\"name\": ", file);
    gb_json_text(file, one->name);
    if (r->asked) {
        fputs(", \"text\": ", file);
        gb_json_text(file, r->asked->estimator[which].text);
    }
    fprintf(file, ", \"failed\": %lld, \"why\": ", (long long)one->failed);
    gb_json_text(file, one->why);
    fputs(", \"points\": [", file);
    for (size_t p = 0; one->point && p < r->points; p++) {
        fprintf(file, "%s\n   {\"step\": %lld, ", p ? "," : "", (long long)r->step[p]);
        put_figure(file, "value", &one->point[p].value);
        fputs(", ", file);
        put_figure(file, "seconds", &one->point[p].seconds);
        fputc('}', file);
    }
    fputs("]}", file);
}

gb_status gb_racing_json(const gb_racing *r, FILE *file)
{
    if (!r || !file)
        return GB_EARGUMENT;
    if (r->asked)
        gb_json_put_question(file, "grebe-race-1", r->asked);
    else
        gb_json_begin(file, "grebe-race-1");
    fputs(",\n \"figures\": [\"value\", \"standard error\", \"95 % from\", \"to\"],\n \"what\": ", file);
    gb_json_text(file, r->what);
    fprintf(file, ", \"rises\": %s, \"exact\": %s, \"trainings\": %lld, \"places\": %zu",
            r->rises ? "true" : "false", r->is_exact ? "true" : "false", (long long)r->seeds, r->points);
    if (r->asked) {
        fputs(", \"rate\": ", file);
        gb_json_number(file, r->rate);
    }
    if (r->status != GB_OK) {
        fputs(", \"error\": ", file);
        gb_json_text(file, r->error);
    }
    fputs(",\n \"estimators\": [", file);
    for (size_t i = 0; i < r->estimators; i++) {
        fputs(i ? "," : "", file);
        put_estimator(r, file, i);
    }
    fputs("]}\n", file);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
