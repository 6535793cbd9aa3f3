/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare/series.h"

#include <stdlib.h>
#include <string.h>

#include "cli/shell/progress.h"
#include "cli/shell/say.h"

/* Prints the first error, those of other estimators, and the option that helps. */
static gb_cli_code say_error(const gb_comparison *c)
{
    const gb_cli_code code = gb_cli_code_of(c->status);
    gb_cli_say(code, "%s", c->error);
    for (size_t i = 0; i < c->estimators; i++)
        if (*c->estimator[i].why && !strstr(c->error, c->estimator[i].why))
            gb_cli_say(code, "%s: %s", c->estimator[i].name, c->estimator[i].why);
    for (size_t i = 0; i < c->estimators; i++)
        if (c->estimator[i].least > c->samples && !c->estimator[i].parameter)
            gb_cli_say(code, "for %s use --samples %lld", c->estimator[i].name,
                       (long long)c->estimator[i].least);
    return code;
}

/* Prints each error once, even if several points have it. */
static void say_errors(const gb_cli_series *series)
{
    for (size_t i = 0; i < series->count; i++) {
        size_t before = 0;
        while (before < i && strcmp(series->point[before]->error, series->point[i]->error) != 0)
            before++;
        if (before == i && series->point[i]->status != GB_OK)
            say_error(series->point[i]);
    }
}

/* Prints an error that no point has. */
static void say_own_error(const gb_sweep *sweep)
{
    for (size_t i = 0; i < sweep->points; i++)
        if (strcmp(sweep->point[i]->error, sweep->error) == 0)
            return;
    if (sweep->status != GB_OK)
        gb_cli_say(gb_cli_code_of(sweep->status), "%s", sweep->error);
}

static gb_status keep_swept(gb_cli_series *series)
{
    if (!series->swept)
        return GB_ENOMEM;
    series->count = series->swept->points;
    series->point = series->swept->point;
    return series->swept->status;
}

static gb_status run_path(gb_cli_series *series, const gb_compare_options *with)
{
    series->swept = gb_compare_path_with(with);
    return keep_swept(series);
}

static gb_status run_sweep(gb_cli_series *series, const gb_compare_options *with)
{
    const gb_cli_sweep *const sweep = series->sweep;
    double *const values = malloc(sweep->points * sizeof *values);
    for (size_t i = 0; values && i < sweep->points; i++)
        values[i] = gb_cli_sweep_value(sweep, i);
    series->swept = values ? gb_compare_sweep_with(sweep->setting, sweep->points, values, with) : NULL;
    free(values);
    return keep_swept(series);
}

static gb_status run_single(gb_cli_series *series, const gb_compare_options *with)
{
    series->single = gb_compare_with(with);
    if (!series->single)
        return GB_ENOMEM;
    series->count = 1;
    series->point = &series->single;
    return series->single->status;
}

gb_cli_code gb_cli_series_run(gb_cli_series *series, gb_cli_request *request, FILE *raw)
{
    gb_cli_progress progress;
    gb_compare_options with = request->with;
    with.raw = raw;
    with.progress = gb_cli_progress_show;
    with.user = &progress;
    *series = (gb_cli_series){.sweep = &request->sweep};
    gb_cli_progress_begin(&progress);
    const gb_status status = (request->is_path         ? run_path
                              : request->sweep.setting ? run_sweep
                                                       : run_single)(series, &with);
    gb_cli_progress_end(&progress);
    say_errors(series);
    if (series->swept)
        say_own_error(series->swept);
    if (series->count == 0 && !series->swept)
        return gb_cli_say(GB_CLI_IO, "out of memory");
    return gb_cli_code_of(status);
}

void gb_cli_series_end(gb_cli_series *series)
{
    gb_sweep_free(series->swept);
    gb_comparison_free(series->single);
    *series = (gb_cli_series){0};
}

/* ---- output ---- */

bool gb_cli_series_has_results(const gb_cli_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (gb_comparison_has_results(series->point[i]))
            return true;
    return false;
}

void gb_cli_series_print(const void *of, FILE *file)
{
    const gb_cli_series *const series = of;
    if (series->swept)
        gb_sweep_print(series->swept, file);
    else if (series->count > 0 && gb_comparison_has_results(series->single))
        gb_comparison_print(series->single, file);
}

void gb_cli_series_json(const void *of, FILE *file)
{
    const gb_cli_series *const series = of;
    if (series->swept)
        gb_sweep_json(series->swept, file);
    else
        gb_comparison_json(series->single, file);
}

void gb_cli_series_csv(const void *of, FILE *file)
{
    const gb_cli_series *const series = of;
    if (series->swept)
        gb_sweep_csv(series->swept, file);
    else
        gb_comparison_csv(series->single, file);
}
