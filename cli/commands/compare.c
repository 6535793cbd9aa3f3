/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe compare`: compares estimators on one problem. */
#include <stdlib.h>

#include "cli/compare/race.h"
#include "cli/compare/repeat.h"
#include "cli/compare/series.h"
#include "cli/kinds/list.h"
#include "cli/results/outputs.h"

static const size_t inputs[] = {GB_CLI_DATA_FILE, GB_CLI_REPEAT};
static const gb_cli_outputs_options results = {
    .first = GB_CLI_PLOT, .last = GB_CLI_DRAWS_OUT, .plot = GB_CLI_PLOT, .inputs = 2, .input = inputs};

/* Files are replaced only if there are results; standard output also gets errors as JSON. */
static gb_cli_code write_all(const gb_cli *cli, const gb_cli_series *series, const gb_cli_outputs *out)
{
    const bool has_results = gb_cli_series_has_results(series);
    gb_cli_page page;
    if (!gb_cli_outputs_quiet(out) && gb_cli_page_begin(&page, stdout)) {
        gb_cli_series_print(series, page.file);
        gb_cli_page_end(&page);
    }
    if (out->file[GB_CLI_JSON] && (has_results || out->file[GB_CLI_JSON] == stdout))
        gb_cli_series_json(series, out->file[GB_CLI_JSON]);
    if (out->file[GB_CLI_CSV] && (has_results || out->file[GB_CLI_CSV] == stdout))
        gb_cli_series_csv(series, out->file[GB_CLI_CSV]);
    const bool is_whole = has_results && gb_cli_outputs_draw(out, gb_cli_series_plot, series);
    if (!is_whole)
        gb_cli_files_discard(cli->files);
    return (is_whole ? gb_cli_files_keep(cli->files) : !has_results) ? GB_CLI_OK : GB_CLI_IO;
}

/* Words about results: where standard output holds results only, on standard error. */
static FILE *for_words(const gb_cli_outputs *out)
{
    if (gb_cli_outputs_quiet(out))
        return stderr;
    fputc('\n', stdout);
    return stdout;
}

/* Each estimator trains by itself. The library draws the picture. */
static gb_cli_code race(const gb_cli *cli, const gb_cli_request *request, gb_cli_outputs *out)
{
    gb_racing *race;
    gb_cli_page page;
    if (!gb_cli_outputs_open(out, cli, &results, false))
        return GB_CLI_IO;
    gb_cli_code made = gb_cli_race_run(request, &race);
    const bool has_results = gb_cli_race_has_results(race);
    if (has_results && !gb_cli_outputs_quiet(out) && gb_cli_page_begin(&page, stdout)) {
        gb_racing_print(race, page.file);
        gb_cli_page_end(&page);
    }
    if (out->file[GB_CLI_JSON] && (has_results || out->file[GB_CLI_JSON] == stdout))
        gb_racing_json(race, out->file[GB_CLI_JSON]);
    if (has_results && out->file[GB_CLI_CSV])
        gb_racing_csv(race, out->file[GB_CLI_CSV]);
    if (has_results && out->file[GB_CLI_PLOT])
        gb_racing_svg(race, out->file[GB_CLI_PLOT]);
    if (request->stored && race && made != GB_CLI_IO)
        made = gb_cli_repeat_judge_race(request, race, cli->value[GB_CLI_REPEAT], for_words(out));
    gb_racing_free(race);
    if (!has_results)
        gb_cli_files_discard(cli->files);
    const bool kept = !has_results || gb_cli_files_keep(cli->files);
    return kept ? made : GB_CLI_IO;
}

/* The first member writes what all have. */
static void leave_files_to_the_first(gb_cli *cli)
{
    const int files[] = {GB_CLI_JSON, GB_CLI_CSV, GB_CLI_PLOT};
    for (size_t i = 0; cli->team && cli->team->rank > 0 && i < sizeof files / sizeof *files; i++)
        cli->value[files[i]] = NULL;
}

static bool team_fits(const gb_cli *cli, const gb_cli_request *request)
{
    return !cli->team || !request->train ||
           gb_cli_reject("--team shares the estimates of a comparison out; a race (--train) is made by one "
                         "process");
}

static gb_cli_code compare(const gb_cli *cli, gb_cli_request *request)
{
    gb_cli_outputs out;
    const gb_cli_code read =
        (cli->value[GB_CLI_REPEAT] ? gb_cli_repeat_read : gb_cli_request_read)(request, cli);
    if (read != GB_CLI_OK)
        return read;
    request->with.team = cli->team;
    if (!gb_cli_outputs_fit(cli, &results) || !team_fits(cli, request))
        return GB_CLI_USAGE;
    if (request->train)
        return race(cli, request, &out);
    if (!gb_cli_outputs_open(&out, cli, &results, true))
        return GB_CLI_IO;
    gb_cli_series *const series = malloc(sizeof *series);
    if (!series)
        return gb_cli_say(GB_CLI_IO, "out of memory");
    const gb_cli_code made = gb_cli_series_run(series, request, out.file[GB_CLI_DRAWS_OUT]);
    const gb_cli_code written = write_all(cli, series, &out);
    const gb_cli_code judged =
        request->stored && made != GB_CLI_IO
            ? gb_cli_repeat_judge(request, series, cli->value[GB_CLI_REPEAT], for_words(&out))
            : made;
    gb_cli_series_end(series);
    free(series);
    return written != GB_CLI_OK ? written : judged;
}

static gb_cli_code run(const gb_cli *cli)
{
    gb_cli_request *const request = calloc(1, sizeof *request);
    if (!request)
        return gb_cli_say(GB_CLI_IO, "out of memory");
    gb_cli own = *cli;
    leave_files_to_the_first(&own);
    const gb_cli_code code = compare(&own, request);
    gb_cli_request_end(request);
    free(request);
    return code;
}

const gb_cli_command gb_cli_compare_command = {
    .name = "compare",
    .shares = true,
    .words = "PROBLEM|./FILE.so... --estimators LIST [OPTIONS]",
    .summary = "compare gradient estimators: bias, variance, cost",
    .help =
        "`grebe list problems` and `grebe list estimators` print problems, settings and estimators.\n"
        "An estimator is NAME or NAME:OPTION=VALUE:OPTION=VALUE; commas separate those of a LIST:\n"
        "pathwise,score,score:baseline=loo,measure,rebar:temperature=0.3\n"
        "\n"
        "  grebe compare gauss-square --estimators pathwise,score,measure --samples 10\n"
        "  grebe compare bernoulli-toy --set phi=0,t=0.45 --estimators score,arm,disarm,rebar "
        "--json out.json\n"
        "  grebe compare gauss-cos --estimators score,pathwise,measure --sweep k=0.1:10:25:log "
        "--plot cos.svg\n"
        "  grebe compare gauss-exp --estimators pathwise,measure --at path --steps 200\n"
        "  grebe compare bernoulli-3 --estimators score,disarm --train 1000 --plot race.svg\n"
        "  grebe compare gauss-evidence --bound iwae:draws=5 --estimators pathwise,dreg,vimco\n"
        "  grebe compare logistic --data FILE.csv --target y --standardise "
        "--estimators pathwise,score:baseline=loo\n"
        "  grebe compare ./mine.so --estimators score,mine:share=0.3 --json out.json\n"
        "  grebe compare --repeat out.json ./mine.so\n"
        "\n" GB_CLI_FILE_WORDS "A problem that is the only one of the files need not be named.\n"
        "A FILE may be -, for standard output, which then holds nothing else: no table is printed.\n"
        "Files are replaced when the work is done, all or none, and only if an estimator was measured.\n"
        "CSV data have a line of names, then lines of numbers; all columns but the target are x.\n"
        "--repeat reads what --json wrote, and runs it again. With the same grebe and instruction set all\n"
        "numbers have the same bits; else means and variances are within 5 standard errors. If not, the\n"
        "exit status is 1; it is 3 for a damaged file.\n"
        "An estimator that does not fit the problem is reported, with exit status 2; the others are\n"
        "still measured.\n",
    .most = 1,
    .loads = true,
    .options =
        {
            [GB_CLI_ESTIMATORS] = {"estimators", "LIST", "the estimators to compare; required"},
            [GB_CLI_SET] = {"set", "name=value,..", "settings of the problem"},
            [GB_CLI_SAMPLES] = {"samples", "S", "samples that an estimate averages over (1, or as needed)"},
            [GB_CLI_DRAWS] = {"draws", "R", "independent estimates by each estimator (10000)"},
            [GB_CLI_SEED] = {"seed", "N", "seed of the noise, which all estimators share (0)"},
            [GB_CLI_THREADS] = {"threads", "T",
                                "threads (one for each processor); the numbers do not depend on it"},
            [GB_CLI_DTYPE] = {"dtype", "f64|f32", "double or float (f64)"},
            [GB_CLI_EQUAL_COST] = {"equal-cost", NULL, "fewer samples for those with more evaluations"},
            [GB_CLI_BOUND] = {"bound", "T", "of several draws, as iwae:draws=5, for problems of log weights"},
            [GB_CLI_BATCH] = {"batch", "B",
                              "random rows that an estimate or a step sees, of data by rows (all)"},
            [GB_CLI_AT] = {"at", "given|fitted|path",
                           "at the settings, after a training, or along it (given)"},
            [GB_CLI_STEPS] = {"steps", "N", "steps of that training (1000)"},
            [GB_CLI_TRAIN] = {"train", "STEPS", "a race instead: each estimator trains by itself"},
            [GB_CLI_SEEDS] = {"seeds", "N", "trainings of each estimator in that race (5)"},
            [GB_CLI_SWEEP] = {"sweep", "k=-3:3:25",
                              "repeat for values of a setting: FROM:TO:POINTS, or ..:log"},
            [GB_CLI_DATA_FILE] = {"data", "FILE.csv", "data, for problems that need them"},
            [GB_CLI_TARGET] = {"target", "NAME", "the column that is y"},
            [GB_CLI_STANDARDISE] = {"standardise", NULL, "scale columns of x to mean 0 and deviation 1"},
            [GB_CLI_REPEAT] = {"repeat", "FILE.json",
                               "make the comparison of a file again, and say if it is the same"},
            [GB_CLI_PLOT] = {"plot", "FILE.svg|png", "a picture of the variances, by gnuplot"},
            [GB_CLI_JSON] = {"json", "FILE", "all numbers"},
            [GB_CLI_CSV] = {"csv", "FILE", "a line for each parameter and estimator"},
            [GB_CLI_DRAWS_OUT] = {"draws-out", "FILE", "every single estimate, as CSV"},
        },
    .run = run,
};
