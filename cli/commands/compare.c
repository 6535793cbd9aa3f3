/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe compare`: compares estimators on one problem. */
#include <stdlib.h>

#include "cli/compare/race.h"
#include "cli/compare/repeat.h"
#include "cli/compare/series.h"
#include "cli/kinds/list.h"
#include "cli/results/outputs.h"

/* A race, whose picture the library draws. */
static void print_race(const void *of, FILE *file)
{
    gb_racing_print(of, file);
}

static void race_json(const void *of, FILE *file)
{
    gb_racing_json(of, file);
}

static void race_csv(const void *of, FILE *file)
{
    gb_racing_csv(of, file);
}

static void race_picture(const void *of, FILE *file)
{
    gb_racing_svg(of, file);
}

static const gb_cli_results
    of_series = {.print = gb_cli_series_print,
                 .file = {[GB_CLI_JSON] = gb_cli_series_json, [GB_CLI_CSV] = gb_cli_series_csv},
                 .script = gb_cli_series_plot},
    of_race = {.print = print_race,
               .file = {[GB_CLI_JSON] = race_json, [GB_CLI_CSV] = race_csv, [GB_CLI_PLOT] = race_picture}};

/* Words about results: where standard output holds results only, on standard error. */
static FILE *for_words(const gb_cli_outputs *out)
{
    if (gb_cli_outputs_quiet(out))
        return stderr;
    fputc('\n', stdout);
    return stdout;
}

/* Files are replaced only if there are results; standard output also gets errors as JSON. With --repeat it is
 * said whether they are the same. */
static gb_cli_code finish(const gb_cli_request *request, const gb_cli_outputs *out, const void *of,
                          bool has_results, gb_cli_code made)
{
    gb_cli_writer *const json = out->results->file[GB_CLI_JSON];
    gb_cli_code written = GB_CLI_OK;
    if (has_results)
        written = gb_cli_outputs_write(out, of);
    else if (out->file[GB_CLI_JSON] == stdout)
        json(of, stdout);
    const gb_cli_code judged =
        request->stored && made != GB_CLI_IO
            ? gb_cli_repeat_judge(request, json, of, out->cli->value[GB_CLI_REPEAT], for_words(out))
            : made;
    return written != GB_CLI_OK ? written : judged;
}

/* Each estimator trains by itself. */
static gb_cli_code race(const gb_cli_request *request, const gb_cli_outputs *out)
{
    gb_racing *race;
    gb_cli_code code = gb_cli_race_run(request, &race);
    if (race)
        code = finish(request, out, race, gb_cli_race_has_results(race), code);
    gb_racing_free(race);
    return code;
}

static gb_cli_code series(gb_cli_request *request, const gb_cli_outputs *out)
{
    gb_cli_series *const all = malloc(sizeof *all);
    if (!all)
        return gb_cli_say(GB_CLI_IO, "out of memory");
    gb_cli_code code = gb_cli_series_run(all, request, out->file[GB_CLI_DRAWS_OUT]);
    code = finish(request, out, all, gb_cli_series_has_results(all), code);
    gb_cli_series_end(all);
    free(all);
    return code;
}

static gb_cli_code compare(const gb_cli *cli, gb_cli_request *request)
{
    gb_cli_outputs out;
    const gb_cli_code read =
        (cli->value[GB_CLI_REPEAT] ? gb_cli_repeat_read : gb_cli_request_read)(request, cli);
    if (read != GB_CLI_OK)
        return read;
    request->with.team = cli->team;
    if (cli->team && request->train)
        return gb_cli_say(GB_CLI_USAGE,
                          "--team shares the estimates of a comparison out; a race (--train) is "
                          "made by one process");
    if (!gb_cli_outputs_open(&out, cli, request->train ? &of_race : &of_series))
        return GB_CLI_IO;
    return request->train ? race(request, &out) : series(request, &out);
}

static gb_cli_code run(const gb_cli *cli)
{
    gb_cli_request *const request = calloc(1, sizeof *request);
    if (!request)
        return gb_cli_say(GB_CLI_IO, "out of memory");
    const gb_cli_code code = compare(cli, request);
    gb_cli_request_end(request);
    free(request);
    return code;
}

const gb_cli_command gb_cli_compare_command = {
    .name = "compare",
    .shares = true,
    .measures = true,
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
        "Data have a line of names, then lines of numbers (CSV, or with spaces); all columns but the target\n"
        "are x.\n"
        "--repeat reads what --json wrote, and runs it again. With the same grebe and instruction set all\n"
        "numbers have the same bits; else means and variances are within 5 standard errors. If not, the\n"
        "exit status is 1; it is 3 for a damaged file.\n"
        "Times are those of programs that are not compiled; with GREBE_NATIVE=now all are (docs/native.md).\n"
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
            [GB_CLI_DATA_FILE] = {"data", "FILE.csv", "data, for problems that need them", GB_CLI_READS},
            [GB_CLI_TARGET] = {"target", "NAME", "the column that is y"},
            [GB_CLI_STANDARDISE] = {"standardise", NULL, "scale columns of x to mean 0 and deviation 1"},
            [GB_CLI_REPEAT] = {"repeat", "FILE.json",
                               "make the comparison of a file again, and say if it is the same",
                               GB_CLI_READS},
            [GB_CLI_PLOT] = {"plot", "FILE.svg|png", "a picture of the variances, by gnuplot",
                             GB_CLI_PICTURE},
            [GB_CLI_JSON] = {"json", "FILE", "all numbers", GB_CLI_WRITES},
            [GB_CLI_CSV] = {"csv", "FILE", "a line for each parameter and estimator", GB_CLI_WRITES},
            [GB_CLI_DRAWS_OUT] = {"draws-out", "FILE", "every single estimate, as CSV", GB_CLI_WRITES},
        },
    .run = run,
};
