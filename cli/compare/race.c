/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare/race.h"

#include "cli/shell/progress.h"
#include "cli/shell/say.h"

static gb_race_options options_of(const gb_cli_request *request)
{
    const gb_compare_options *const with = &request->with;
    return (gb_race_options){.size = sizeof(gb_race_options),
                             .estimators = gb_estimators_of(with->estimators, with->estimator),
                             .names = with->names,
                             .seeds = request->seeds,
                             .seed = with->seed,
                             .steps = request->train,
                             .draws = with->draws,
                             .threads = with->threads,
                             .problem = with->problem,
                             .settings = with->settings,
                             .setting = with->setting,
                             .data = with->data,
                             .samples = with->samples,
                             .real = with->real,
                             .bound = with->bound,
                             .points = (int64_t)request->points,
                             .rate = request->rate,
                             .batch = with->batch};
}

gb_cli_code gb_cli_race_run(const gb_cli_request *request, gb_racing **race)
{
    gb_cli_progress progress;
    gb_race_options options = options_of(request);
    options.progress = gb_cli_progress_show;
    options.user = &progress;
    gb_cli_progress_begin(&progress);
    gb_racing *const made = gb_race_with(&options);
    gb_cli_progress_end(&progress);
    *race = made;
    if (!made)
        return gb_cli_say(GB_CLI_IO, "out of memory");
    for (size_t i = 0; i < made->estimators; i++)
        if (*made->estimator[i].why)
            gb_cli_say(gb_cli_code_of(made->status), "%s: %s", made->estimator[i].name,
                       made->estimator[i].why);
    if (made->status != GB_OK && !gb_cli_race_has_results(made) && made->points == 0)
        gb_cli_say(gb_cli_code_of(made->status), "%s", made->error);
    return gb_cli_code_of(made->status);
}

bool gb_cli_race_has_results(const gb_racing *race)
{
    for (size_t i = 0; race && i < race->estimators; i++)
        if (race->estimator[i].point)
            return true;
    return false;
}
