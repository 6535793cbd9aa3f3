/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons as JSON and as CSV. */
#include <math.h>

#include "cli/compare/series.h"
#include "core/ground/text_impl.h"

/* ---- JSON: the library's, or, of a sweep, a list of those ---- */

void gb_cli_series_json(const gb_cli_series *series, FILE *file)
{
    if (!series->sweep->setting) {
        if (series->count > 0)
            gb_comparison_json(series->point[0], file);
        return;
    }
    fputs("{\"sweep\": {\"setting\": ", file);
    gb_json_text(file, series->sweep->setting);
    fputs(", \"values\": [", file);
    for (size_t i = 0; i < series->count; i++) {
        fputs(i ? ", " : "", file);
        gb_json_number(file, gb_cli_sweep_value(series->sweep, i));
    }
    fputs("]},\n\"comparisons\": [\n", file);
    for (size_t i = 0; i < series->count; i++) {
        fputs(i ? ",\n" : "", file);
        gb_comparison_json(series->point[i], file);
    }
    fputs("]}\n", file);
}

/* ---- CSV: a line for each parameter of each estimator at each point; what is not known is empty ---- */

static void cell(FILE *file, double value)
{
    fputc(',', file);
    if (isfinite(value))
        gb_put_number(file, value);
}

static void write_line(FILE *file, const gb_comparison *c, const gb_compared *e, size_t parameter)
{
    const gb_measured *const m = &e->parameter[parameter];
    fputs(c->problem->name, file);
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && c->problem->settings[i].name; i++)
        cell(file, c->setting[i]);
    fprintf(file, ",%s,%lld", e->name, (long long)e->samples);
    cell(file, e->evaluations);
    cell(file, e->seconds);
    fprintf(file, ",%s", c->parameter[parameter]);
    const double numbers[] = {m->mean,     m->stderr_, m->variance, m->variance_stderr,
                              m->kurtosis, m->exact,   m->z,        m->snr};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        cell(file, numbers[i]);
    fputc('\n', file);
}

static void write_head(FILE *file, const gb_problem *problem)
{
    fputs("problem", file);
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && problem->settings[i].name; i++)
        fprintf(file, ",%s", problem->settings[i].name);
    fputs(",estimator,samples,evaluations_per_estimate,seconds_per_estimate,parameter,mean,stderr,variance,"
          "variance_stderr,kurtosis,exact,z,snr\n",
          file);
}

void gb_cli_series_csv(const gb_cli_series *series, FILE *file)
{
    if (series->count > 0)
        write_head(file, series->point[0]->problem);
    for (size_t i = 0; i < series->count; i++) {
        const gb_comparison *const c = series->point[i];
        for (size_t e = 0; e < c->estimators; e++)
            for (size_t p = 0; c->estimator[e].parameter && p < c->parameters; p++)
                write_line(file, c, &c->estimator[e], p);
    }
}
