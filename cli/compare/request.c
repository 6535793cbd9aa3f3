/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare/request.h"

#include <inttypes.h>
#include <string.h>

#include "cli/kinds/list.h"
#include "cli/shell/say.h"
#include "cli/shell/values.h"
#include "estimators/list.h"

/* ---- estimators ---- */

/* Returns the comma that ends the first item of a list, or the end of the list. Commas between brackets do
 * not count. */
static char *item_end(char *text)
{
    int depth = 0;
    while (*text && (*text != ',' || depth > 0)) {
        depth += (*text == '(') - (*text == ')');
        text++;
    }
    return text;
}

static bool read_estimator(gb_cli_request *request, const char *text)
{
    char error[512];
    const size_t which = request->with.estimators;
    if (which == GB_CLI_ESTIMATORS_MOST)
        return gb_cli_reject("--estimators has more than %d estimators", GB_CLI_ESTIMATORS_MOST);
    if (!gb_estimator_parse(text, &request->estimator[which], error, sizeof error))
        return gb_cli_reject("--estimators: %s", error);
    request->name[which] = text;
    request->with.estimators++;
    return true;
}

static bool read_estimators(gb_cli_request *request, const char *list)
{
    if (!list)
        return gb_cli_reject("compare: --estimators LIST is required; `grebe list estimators` prints them");
    if (strlen(list) >= sizeof request->list)
        return gb_cli_reject("--estimators is too long");
    snprintf(request->list, sizeof request->list, "%s", list);
    for (char *at = request->list, *next; at; at = next) {
        char *const end = item_end(at);
        next = *end ? end + 1 : NULL;
        *end = '\0';
        if (!read_estimator(request, at))
            return false;
    }
    return true;
}

/* ---- the rest ---- */

static bool read_problem(gb_cli_request *request, const char *name)
{
    size_t place;
    const bool found = gb_cli_row_find(&gb_cli_problems_kind, name, &place);
    request->with.problem = found ? (const void *)gb_kind_at(&gb_problem_kind, place) : NULL;
    return found;
}

/* Without a name, the problem is the only one of the files. */
static bool find_problem(gb_cli_request *request, const gb_cli *cli)
{
    size_t count = 0;
    if (cli->words > 0)
        return read_problem(request, cli->word[0]);
    for (size_t i = 0; i < cli->bundles; i++)
        for (size_t k = 0; k < cli->bundle[i]->count; k++)
            if (cli->bundle[i]->member[k].kind == &gb_problem_kind && count++ == 0)
                request->with.problem = cli->bundle[i]->member[k].type;
    if (cli->bundles == 0)
        return gb_cli_reject("compare: a word is missing: grebe compare %s", cli->command->words);
    return count == 1 ||
           gb_cli_reject("compare: the files have %zu problems; name one: grebe compare PROBLEM %s", count,
                         cli->path[0]);
}

static bool read_bound(gb_cli_request *request, const char *text)
{
    char error[512];
    if (text && !gb_bound_parse(text, &request->with.bound, error, sizeof error))
        return gb_cli_reject("--bound: %s", error);
    if (text && !request->with.problem->is_log_weight)
        return gb_cli_reject("--bound: the cost of %s is no log weight (gauss-evidence has one)",
                             request->with.problem->name);
    return true;
}

static bool read_numbers(gb_cli_request *request, const gb_cli *cli)
{
    uint64_t samples = 0, draws = 0, threads = 0, steps = 0, batch = 0, train = 0, seeds = 0;
    if (!gb_cli_whole(cli, GB_CLI_SAMPLES, 1, 1000000, &samples) ||
        !gb_cli_whole(cli, GB_CLI_DRAWS, 2, 10000000000, &draws) ||
        !gb_cli_whole(cli, GB_CLI_SEED, 0, UINT64_MAX, &request->with.seed) ||
        !gb_cli_whole(cli, GB_CLI_THREADS, 1, 256, &threads) ||
        !gb_cli_whole(cli, GB_CLI_STEPS, 1, 100000000, &steps) ||
        !gb_cli_whole(cli, GB_CLI_TRAIN, 1, 100000000, &train) ||
        !gb_cli_whole(cli, GB_CLI_SEEDS, 1, 1000, &seeds) ||
        !gb_cli_whole(cli, GB_CLI_BATCH, 1, INT32_MAX, &batch))
        return false;
    request->with.samples = (int64_t)samples;
    request->with.draws = (int64_t)draws;
    request->with.threads = (int)threads;
    request->with.steps = (int64_t)steps;
    request->train = (int64_t)train;
    request->seeds = (int64_t)seeds;
    request->with.batch = (int64_t)batch;
    return true;
}

static bool read_choices(gb_cli_request *request, const gb_cli *cli)
{
    enum { GIVEN, FITTED, PATH };
    static const char *const reals[] = {"f64", "f32"}, *const places[] = {"given", "fitted", "path"};
    size_t real = GB_DOUBLE, at = GIVEN;
    if (!gb_cli_choice(cli, GB_CLI_DTYPE, 2, reals, &real) || !gb_cli_choice(cli, GB_CLI_AT, 3, places, &at))
        return false;
    request->with.real = real == 0 ? GB_DOUBLE : GB_FLOAT;
    request->with.at = at == FITTED ? GB_AT_FITTED : GB_AT_GIVEN;
    request->with.equal_cost = cli->value[GB_CLI_EQUAL_COST] != NULL;
    request->is_path = at == PATH;
    if (request->is_path && cli->value[GB_CLI_SWEEP])
        return gb_cli_reject("--sweep goes along a setting, and --at path along a training; choose one");
    if (cli->value[GB_CLI_STEPS] && at == GIVEN)
        return gb_cli_reject("--steps sets the length of a training: it needs --at fitted or --at path");
    return true;
}

bool gb_cli_race_fits(const gb_cli_request *request, const gb_cli *cli)
{
    static const enum gb_cli_compare_option others[] = {GB_CLI_AT, GB_CLI_SWEEP, GB_CLI_EQUAL_COST,
                                                        GB_CLI_DRAWS_OUT};
    const char *const plot = cli->value[GB_CLI_PLOT];
    if (!request->train)
        return !request->seeds || gb_cli_reject("--seeds is the number of trainings: it needs --train STEPS");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli->value[others[i]])
            return gb_cli_reject("--train lets each estimator train by itself; --%s is for gradients at "
                                 "given parameters",
                                 cli->command->options[others[i]].name);
    return !plot || !strstr(plot, ".png") || gb_cli_reject("--plot of --train ends in .svg, not .png");
}

gb_cli_code gb_cli_request_data(gb_cli_request *request, const gb_cli *cli)
{
    const char *const path = cli->value[GB_CLI_DATA_FILE], *const target = cli->value[GB_CLI_TARGET];
    const bool standardise = cli->value[GB_CLI_STANDARDISE] != NULL,
               needs = request->with.problem->needs_data;
    const char *const name = request->with.problem->name;
    const char *const hint = request->stored ? request->stored->comparison->data.from : NULL;
    if (!needs && (path || target || standardise))
        return gb_cli_say(GB_CLI_USAGE, "%s needs no data", name);
    if (needs && (!path || !target))
        return gb_cli_say(GB_CLI_USAGE, "%s needs data: --data FILE.csv --target NAME%s%s", name,
                          hint ? "; the results were made with " : "", hint ? hint : "");
    if (!needs)
        return GB_CLI_OK;
    request->with.data = &request->data.is;
    return gb_cli_data_read(&request->data, path, target, standardise);
}

gb_cli_code gb_cli_request_read(gb_cli_request *request, const gb_cli *cli)
{
    const char *const set = cli->value[GB_CLI_SET], *const sweep = cli->value[GB_CLI_SWEEP];
    request->with.size = sizeof request->with;
    request->with.estimator = request->estimator;
    request->with.names = request->name;
    request->with.setting = request->setting;
    request->sweep.points = 1;
    if (!find_problem(request, cli) || !read_estimators(request, cli->value[GB_CLI_ESTIMATORS]) ||
        !read_bound(request, cli->value[GB_CLI_BOUND]) || !read_numbers(request, cli) ||
        !read_choices(request, cli) || !gb_cli_race_fits(request, cli) ||
        (set && !gb_cli_read_settings(&request->with, request->setting, set)) ||
        (sweep && !gb_cli_read_sweep(&request->with, &request->sweep, sweep)))
        return GB_CLI_USAGE;
    return gb_cli_request_data(request, cli);
}

void gb_cli_request_end(gb_cli_request *request)
{
    gb_cli_data_free(&request->data);
    gb_stored_free(request->stored);
}
