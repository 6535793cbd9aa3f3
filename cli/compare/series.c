/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare/series.h"

#include <errno.h>
#include <string.h>

#include "cli/shell/progress.h"
#include "cli/shell/say.h"
#include "core/ground/text_impl.h"

/* Lines of one comparison, after the value of the swept setting; the head once. */
static void copy_raw(FILE *from, FILE *to, const gb_cli_sweep *sweep, size_t point)
{
    char line[512];
    rewind(from);
    for (bool head = true; fgets(line, sizeof line, from); head = false)
        if (!head) {
            gb_put_number(to, gb_cli_sweep_value(sweep, point));
            fprintf(to, ",%s", line);
        } else if (point == 0)
            fprintf(to, "%s,%s", sweep->setting, line);
}

/* And the option that helps. */
static gb_cli_code say_error(const gb_comparison *c)
{
    const gb_cli_code code = gb_cli_code_of(c->status);
    gb_cli_say(code, "%s", c->error);
    for (size_t i = 0; i < c->estimators; i++)
        if (c->estimator[i].least > c->samples && !c->estimator[i].parameter)
            gb_cli_say(code, "for %s say --samples %lld", c->estimator[i].name,
                       (long long)c->estimator[i].least);
    return code;
}

/* One of the points before has said it. */
static gb_cli_code say_once(const gb_cli_series *series, const gb_comparison *c)
{
    for (size_t i = 0; i < series->count; i++)
        if (strcmp(series->point[i]->error, c->error) == 0)
            return gb_cli_code_of(c->status);
    return c->status == GB_OK ? GB_CLI_OK : say_error(c);
}

static gb_cli_code run_point(gb_cli_series *series, const gb_compare_options *with)
{
    gb_comparison *const c = gb_compare_with(*with);
    if (!c)
        return gb_cli_say(GB_CLI_IO, "there is no memory");
    const gb_cli_code code = say_once(series, c);
    series->point[series->count++] = c;
    return code;
}

/* One estimator was refused, and there are others. */
static bool can_go_on(const gb_cli_series *series, gb_cli_code code)
{
    const gb_comparison *const last = series->count > 0 ? series->point[series->count - 1] : NULL;
    for (size_t i = 0; last && i < last->estimators && code == GB_CLI_USAGE; i++)
        if (last->estimator[i].parameter)
            return true;
    return code == GB_CLI_OK;
}

/* A sweep's estimates go through a file of their own, to be told apart. */
static gb_cli_code run_swept(gb_cli_series *series, gb_compare_options with, size_t point)
{
    FILE *const raw = with.raw;
    if (!raw)
        return run_point(series, &with);
    with.raw = tmpfile();
    if (!with.raw)
        return gb_cli_say(GB_CLI_IO, "cannot make a temporary file: %s", strerror(errno));
    const gb_cli_code code = run_point(series, &with);
    copy_raw(with.raw, raw, series->sweep, point);
    fclose(with.raw);
    return code;
}

gb_cli_code gb_cli_series_run(gb_cli_series *series, gb_cli_request *request, FILE *raw)
{
    gb_cli_progress progress;
    gb_cli_code code = GB_CLI_OK, first = GB_CLI_OK;
    gb_compare_options with = request->with;
    const gb_cli_sweep *const sweep = &request->sweep;
    gb_compare_setting *const swept = &request->setting[with.settings];
    with.settings += sweep->setting != NULL;
    with.raw = raw;
    with.progress = gb_cli_progress_tell;
    with.context = &progress;
    *series = (gb_cli_series){.sweep = sweep};
    gb_cli_progress_begin(&progress);
    for (size_t i = 0; i < sweep->points && can_go_on(series, code); i++) {
        progress.before = (double)i / (double)sweep->points;
        progress.part = 1 / (double)sweep->points;
        if (sweep->setting)
            *swept = (gb_compare_setting){.name = sweep->setting, .value = gb_cli_sweep_value(sweep, i)};
        code = sweep->setting ? run_swept(series, with, i) : run_point(series, &with);
        first = first == GB_CLI_OK ? code : first;
    }
    gb_cli_progress_end(&progress);
    return can_go_on(series, code) ? first : code;
}

void gb_cli_series_end(gb_cli_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        gb_comparison_free(series->point[i]);
    series->count = 0;
}
