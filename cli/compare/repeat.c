/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare/repeat.h"

#include <stdlib.h>
#include <string.h>

#include "cli/shell/input.h"
#include "cli/shell/say.h"
#include "cli/shell/values.h"

enum { MOST_BYTES = 64 << 20 };

/* What the numbers do not depend on, or a file does not contain. */
static bool is_open(size_t option)
{
    static const size_t all[] = {GB_CLI_REPEAT, GB_CLI_THREADS,     GB_CLI_DATA_FILE,
                                 GB_CLI_TARGET, GB_CLI_STANDARDISE, GB_CLI_PLOT,
                                 GB_CLI_JSON,   GB_CLI_CSV,         GB_CLI_DRAWS_OUT};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] == option)
            return true;
    return false;
}

static bool options_fit(const gb_cli *cli)
{
    for (size_t i = 0; i < GB_CLI_OPTIONS && cli->command->options[i].name; i++)
        if (cli->value[i] && !is_open(i))
            return gb_cli_reject("--repeat takes %s from its file; leave --%s out",
                                 cli->command->options[i].name, cli->command->options[i].name);
    return cli->words == 0 ||
           gb_cli_reject("--repeat takes the problem from its file; leave %s out", cli->word[0]);
}

static bool take_sweep(gb_cli_request *request)
{
    const gb_stored *const s = request->stored;
    request->is_path = s->is_path;
    if (!s->setting || s->is_path)
        return true;
    if (s->points < 2 || s->points > GB_CLI_POINTS)
        return gb_cli_reject("--repeat: a sweep of %zu points; it has from 2 to %d", s->points,
                             GB_CLI_POINTS);
    request->sweep = (gb_cli_sweep){.setting = s->setting,
                                    .from = s->value[0],
                                    .to = s->value[s->points - 1],
                                    .points = s->points,
                                    .value = s->value};
    return true;
}

static gb_cli_code read_file(gb_cli_request *request, const gb_cli *cli)
{
    const char *const path = cli->value[GB_CLI_REPEAT];
    size_t length;
    if (!options_fit(cli))
        return GB_CLI_USAGE;
    char *const text = gb_cli_input_read(path, MOST_BYTES, &length);
    if (!text)
        return GB_CLI_IO;
    gb_stored *const s = request->stored = gb_stored_read(text, length);
    free(text);
    if (!s || s->status == GB_ENOMEM)
        return gb_cli_say(GB_CLI_IO, "%s: out of memory", path);
    if (s->status != GB_OK)
        return gb_cli_say(GB_CLI_DATA, "%s: %s", path, s->error);
    if (s->with.estimators > GB_CLI_ESTIMATORS_MOST)
        return gb_cli_say(GB_CLI_DATA, "%s: %zu estimators; at most %d can be repeated", path,
                          s->with.estimators, GB_CLI_ESTIMATORS_MOST);
    request->with = s->with;
    if (s->race) {
        request->train = s->race->steps;
        request->seeds = s->race->seeds;
        request->points = (size_t)s->race->points;
        request->rate = s->race->rate;
    }
    return take_sweep(request) ? GB_CLI_OK : GB_CLI_DATA;
}

static gb_cli_code data_fit(const gb_cli_request *request, const gb_cli *cli)
{
    const gb_compare_data was = request->stored->comparison->data,
                          is = gb_compare_data_of(request->with.data);
    if (was.rows == is.rows && was.columns == is.columns && was.hash == is.hash)
        return GB_CLI_OK;
    return gb_cli_say(GB_CLI_DATA,
                      "the data are not those of %s, which were made with %s (%zu rows, %zu columns)",
                      cli->value[GB_CLI_REPEAT], was.from ? was.from : "others", was.rows, was.columns);
}

/* A file has everything but the data, which nothing reads that was not named. */
gb_cli_code gb_cli_repeat_read(gb_cli_request *request, const gb_cli *cli)
{
    uint64_t threads = 0;
    gb_cli_code code = read_file(request, cli);
    if (code != GB_CLI_OK)
        return code;
    if (!gb_cli_whole(cli, GB_CLI_THREADS, 1, 256, &threads) || !gb_cli_race_fits(request, cli))
        return GB_CLI_USAGE;
    request->with.threads = (int)threads;
    code = gb_cli_request_data(request, cli);
    return code == GB_CLI_OK ? data_fit(request, cli) : code;
}

/* Returns what `write` writes of the results; NULL without memory. */
static char *text_of(gb_cli_writer *write, const void *of, size_t *bytes)
{
    char *text = NULL;
    FILE *const now = open_memstream(&text, bytes);
    if (now)
        write(of, now);
    const bool is_whole = now && !ferror(now);
    if (now && fclose(now) == 0 && is_whole)
        return text;
    free(text);
    return NULL;
}

gb_cli_code gb_cli_repeat_judge(const gb_cli_request *request, gb_cli_writer *json, const void *of,
                                const char *path, FILE *file)
{
    size_t bytes = 0;
    char *const now = text_of(json, of, &bytes);
    if (!now)
        return gb_cli_say(GB_CLI_IO, "out of memory");
    const gb_agreement a = gb_stored_agreement(request->stored, now, bytes);
    free(now);
    if (a.status != GB_OK)
        return gb_cli_say(GB_CLI_DATA, "%s: %s", path, a.words);
    gb_cli_print(file, "%s: %s\n", path, a.words);
    return a.is_same ? GB_CLI_OK : GB_CLI_FAILED;
}
