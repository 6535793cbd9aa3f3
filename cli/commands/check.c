/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe check`: runs the conformance kits, for all plug-ins of a kind or for one. */
#include <string.h>

#include "cli/fitting/calibrate.h"
#include "cli/fitting/model.h"
#include "cli/kinds/list.h"
#include "cli/shell/values.h"

/* Those of `check model` come first. */
enum { SEED = GB_CLI_M_SEED, SIMULATIONS = GB_CLI_M_END, THOROUGH, VERBOSE };

static bool is_known(const gb_cli_kind *kind, const char *name)
{
    size_t place;
    for (size_t i = 0, count = gb_cli_kind_count(kind); i < count; i++)
        if (strcmp(gb_cli_kind_row(kind, i), name) == 0)
            return true;
    return kind->knows ? kind->knows(name) : gb_cli_row_find(kind, name, &place);
}

static bool check_one(const gb_cli_kind *k, const char *name, const gb_cli_checking *how)
{
    const char *const why = k->beyond ? k->beyond(name) : NULL, *const text =
                                                                    k->example ? k->example(name) : name;
    gb_cli_page page = {0};
    if (why) {
        gb_cli_print(stdout, "%-32s skipped: %s\n", name, why);
        return true;
    }
    if (how->verbose && !gb_cli_page_begin(&page, stdout))
        return false;
    gb_report report = {.size = sizeof report, .file = page.file, .verbose = how->verbose};
    const bool good = k->check(name, how, &report);
    if (how->verbose)
        gb_cli_page_end(&page);
    gb_cli_print(stdout, "%-32s ", text);
    printf("%s%s%s, %zu statements%s\n", gb_cli_styled(stdout, good ? GB_CLI_GOOD : GB_CLI_BAD),
           good ? "holds" : "FAILS", gb_cli_styled(stdout, GB_CLI_PLAIN), report.checks,
           report.unchecked ? ", its formula not checked" : "");
    for (size_t i = 0; !how->verbose && i < report.failures && i < GB_REPORT_KEPT; i++)
        gb_cli_print(stdout, "    %s\n", report.failure[i]);
    fflush(stdout);
    return good;
}

static gb_cli_code check_all(const gb_cli_kind *k, const gb_cli_checking *how)
{
    const size_t count = gb_cli_kind_count(k);
    size_t failed = 0;
    for (size_t i = 0; i < count && !ferror(stdout); i++)
        failed += !check_one(k, gb_cli_kind_row(k, i), how);
    printf("%zu of %zu %s fail\n", failed, count, k->name);
    return failed ? GB_CLI_FAILED : GB_CLI_OK;
}

/* ---- those of files ---- */

/* Returns the first argument that a text of the plug-in must give; NULL if its name alone will do. */
static const char *argument_of(const gb_kind *kind, const gb_plugin *type)
{
    for (const gb_option *o = kind->has_text ? type->options : NULL; o && o->name; o++)
        if (o->is_argument && !o->is_optional)
            return o->name;
    return NULL;
}

static bool check_member(const gb_bundle_member *m, const gb_cli_checking *how)
{
    const gb_cli_kind *const k = gb_cli_kind_of(m->kind);
    const gb_plugin *const type = m->type;
    const char *const argument = argument_of(m->kind, type);
    printf("%s ", k->one);
    if (!k->check)
        gb_cli_print(stdout, "%s: there is no kit of %s\n", type->name, k->name);
    else if (argument)
        gb_cli_print(stdout, "%s skipped: it needs %s; give its text: grebe check %s %s:%s=…\n", type->name,
                     argument, k->name, type->name, argument);
    else
        return check_one(k, type->name, how);
    return true;
}

static gb_cli_code check_files(const gb_cli *cli, const gb_cli_checking *how)
{
    size_t failed = 0, count = 0;
    for (size_t i = 0; i < cli->bundles; i++)
        for (size_t k = 0; k < cli->bundle[i]->count && !ferror(stdout); k++, count++)
            failed += !check_member(&cli->bundle[i]->member[k], how);
    printf("%zu of %zu plug-ins fail\n", failed, count);
    return failed ? GB_CLI_FAILED : GB_CLI_OK;
}

/* ---- a model ---- */

static gb_cli_code check_model(const gb_cli *cli)
{
    uint64_t simulations = 200;
    if (cli->words == 1)
        return gb_cli_say(GB_CLI_USAGE,
                          "check model: a word is missing: grebe check model MODEL --data FILE");
    return gb_cli_whole(cli, SIMULATIONS, 40, 100000, &simulations)
               ? gb_cli_calibrate(cli, cli->word[1], simulations)
               : GB_CLI_USAGE;
}

/* Options of the other form of the command mean nothing. */
static bool options_fit(const gb_cli *cli, bool of_model)
{
    for (size_t i = 0; i < GB_CLI_OPTIONS; i++)
        if (cli->value[i] && i != SEED && of_model != (i < THOROUGH))
            return gb_cli_reject("--%s is %s `grebe check model`", cli->command->options[i].name,
                                 of_model ? "not for" : "for");
    return true;
}

static gb_cli_code run(const gb_cli *cli)
{
    const bool of_model = cli->words > 0 && strcmp(cli->word[0], "model") == 0;
    if (!options_fit(cli, of_model))
        return GB_CLI_USAGE;
    if (of_model)
        return check_model(cli);
    gb_cli_checking how = {.thorough = cli->value[THOROUGH] != NULL, .verbose = cli->value[VERBOSE] != NULL};
    if (!gb_cli_whole(cli, SEED, 0, UINT64_MAX, &how.seed))
        return GB_CLI_USAGE;
    if (cli->words == 0 && cli->bundles == 0)
        return gb_cli_say(GB_CLI_USAGE, "check: a word is missing: grebe check %s", cli->command->words);
    if (cli->words == 0)
        return check_files(cli, &how);
    const gb_cli_kind *const k = gb_cli_kind_find(cli->word[0], true);
    if (!k)
        return GB_CLI_USAGE;
    if (cli->words == 1)
        return check_all(k, &how);
    if (!is_known(k, cli->word[1]))
        return GB_CLI_USAGE;
    return check_one(k, cli->word[1], &how) ? GB_CLI_OK : GB_CLI_FAILED;
}

const gb_cli_command gb_cli_check_command = {
    .name = "check",
    .words = "KIND [NAME]|./FILE.so...|model MODEL --data FILE ...",
    .summary = "check plug-ins by the conformance kits; or a model, by simulation",
    .help = "KIND is one of" GB_CLI_CHECKED_KINDS(
        GB_CLI_KIND_WORD) ".\n"
                          "\n"
                          "  grebe check ops softplus --verbose\n"
                          "  grebe check estimators score:baseline=loo\n"
                          "  grebe check distributions gamma:concentration=2.5:rate=4\n"
                          "  grebe check families\n"
                          "  grebe check ./mine.so\n"
                          "  grebe check estimators mine:share=0.3 ./mine.so\n"
                          "\n" GB_CLI_FILE_WORDS
                          "`check model` draws latents from the prior and outcomes from the model, for the "
                          "rows of --data, fits\neach simulated table, and looks where the true latents "
                          "are among "
                          "the draws of q: are their ranks\nuniform? (Talts et al. 2018)\n"
                          "\n"
                          "  grebe check model linear --data kidiq.csv --target kid_score\n"
                          "  grebe check model poisson --data counts --formula 'count ~ x' --posterior "
                          "mean_field\n"
                          "\n"
                          "The exit status is 1 if a check fails. All of a kind take some minutes.\n",
    .most = 2,
    .loads = true,
    .options = {GB_CLI_MODEL_OPTIONS,
                [SIMULATIONS] = {"simulations", "N", "simulated tables of `check model` (200)"},
                [THOROUGH] = {"thorough", NULL, "more cases, where a kit has more"},
                [VERBOSE] = {"verbose", NULL, "print every statement, not only failures"}},
    .run = run,
};
