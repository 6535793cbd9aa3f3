/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table for a person: the library's, or, of a sweep, variances over the setting for each parameter. */
#include <math.h>
#include <string.h>

#include "cli/compare/series.h"

enum { MOST_PARAMETERS = 12, LEAST_WIDTH = 13 };

static int width_of(const char *name)
{
    const int length = (int)strlen(name);
    return (length < LEAST_WIDTH ? LEAST_WIDTH : length) + 2;
}

static void print_cell(FILE *file, const gb_compared *e, size_t parameter)
{
    const double variance = e->parameter ? e->parameter[parameter].variance : (double)NAN;
    if (isnan(variance))
        fprintf(file, "%*s", width_of(e->name), "-");
    else
        fprintf(file, "%*.5g", width_of(e->name), variance);
}

static void print_parameter(const gb_cli_series *series, FILE *file, size_t parameter)
{
    const gb_comparison *const first = series->point[0];
    fprintf(file, "\nvariance of the gradient in %s\n%10s", first->parameter[parameter],
            series->sweep->setting);
    for (size_t e = 0; e < first->estimators; e++)
        fprintf(file, "%*s", width_of(first->estimator[e].name), first->estimator[e].name);
    for (size_t i = 0; i < series->count; i++) {
        fprintf(file, "\n%10.4g", gb_cli_sweep_value(series->sweep, i));
        for (size_t e = 0; e < series->point[i]->estimators; e++)
            print_cell(file, &series->point[i]->estimator[e], parameter);
    }
    fputc('\n', file);
}

static void print_head(const gb_cli_series *series, FILE *file)
{
    const gb_comparison *const c = series->point[0];
    fprintf(file, "%s: %s\n", c->problem->name, c->problem->formula);
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && c->problem->settings[i].name; i++)
        if (strcmp(c->problem->settings[i].name, series->sweep->setting) != 0)
            fprintf(file, "%s %.6g, ", c->problem->settings[i].name, c->setting[i]);
    fprintf(file, "seed %llu; %lld gradients by each estimator, each a mean over %lld %s\n",
            (unsigned long long)c->seed, (long long)c->draws, (long long)c->samples,
            c->samples == 1 ? "sample" : "samples");
}

/* An estimator that fits, at least one. */
static bool has_numbers(const gb_comparison *c)
{
    for (size_t i = 0; i < c->estimators; i++)
        if (c->estimator[i].parameter)
            return true;
    return false;
}

void gb_cli_series_print(const gb_cli_series *series, FILE *file)
{
    if (series->count == 0 || !has_numbers(series->point[0]))
        return;
    if (!series->sweep->setting) {
        gb_comparison_print(series->point[0], file);
        return;
    }
    const size_t parameters = series->point[0]->parameters;
    print_head(series, file);
    for (size_t p = 0; p < parameters && p < MOST_PARAMETERS; p++)
        print_parameter(series, file, p);
    if (parameters > MOST_PARAMETERS)
        fprintf(file, "… and %zu more\n", parameters - MOST_PARAMETERS);
}
