/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe check`: the conformance kits, for all of a kind or for one. */
#include <stdint.h>
#include <string.h>

#include "cli/command.h"
#include "cli/say.h"
#include "cli/values.h"
#include "distributions/check.h"
#include "distributions/list.h"
#include "estimators/check.h"
#include "estimators/list.h"
#include "estimators/parse.h"
#include "ops/check_op.h"
#include "ops/list.h"

enum { SEED, THOROUGH, VERBOSE };

typedef struct checking {
    uint64_t seed;
    bool thorough, verbose;
} checking;

/* ---- operations ---- */

static size_t count_ops(void)
{
    size_t count;
    gb_ops(&count);
    return count;
}

static const char *op_name(size_t i)
{
    return gb_ops(NULL)[i]->name;
}

/* The kit compares derivatives with differences of the value. */
static const char *op_is_beyond(const char *name)
{
    static const char *const other_gradient[] = {"stop",          "inject", "inject_score",
                                                 "gradient_only", "draw",   "expected"};
    static const char *const random[] = {"draw_category", "draw_permutation", "sobol"};
    const size_t length = strlen(name), end = strlen("_noise");
    const gb_op *const op = gb_op_find(name);
    for (size_t i = 0; i < sizeof other_gradient / sizeof *other_gradient; i++)
        if (strcmp(name, other_gradient[i]) == 0)
            return "its gradient is not that of its value";
    for (size_t i = 0; i < sizeof random / sizeof *random; i++)
        if (strcmp(name, random[i]) == 0)
            return "its value is random";
    if (length > end && strcmp(name + length - end, "_noise") == 0)
        return "its value is random";
    return op->example || op->domain[0].low < op->domain[0].high ? NULL
                                                                 : "it has no example to be tried with";
}

static bool check_op(const char *name, const checking *how, gb_report *report)
{
    return gb_check_op(gb_op_find(name), .report = report, .seed = how->seed,
                       .cases = how->thorough ? 4096 : 0);
}

/* ---- distributions ---- */

static size_t count_distributions(void)
{
    size_t count;
    gb_distributions(&count);
    return count;
}

static const char *distribution_name(size_t i)
{
    return gb_distributions(NULL)[i]->name;
}

/* The kit makes instances from a type's parameters alone. */
static const char *distribution_is_beyond(const char *name)
{
    const gb_dist_type *const type = gb_distribution_find(name);
    const bool needs_more = type->wraps || type == &gb_lkj_cholesky_type ||
                            type == &gb_bernoulli_dropout_type || type == &gb_unit_dropout_type;
    return needs_more ? "its instances are made by hand, in the tests" : NULL;
}

static bool check_distribution(const char *name, const checking *how, gb_report *report)
{
    return gb_check_distribution(gb_distribution_find(name), .report = report, .seed = how->seed,
                                 .draws = how->thorough ? 1000000 : 0);
}

/* ---- estimators: a name may have options ---- */

static size_t count_estimators(void)
{
    size_t count;
    gb_estimators(&count);
    return count;
}

static const char *estimator_name(size_t i)
{
    return gb_estimators(NULL)[i]->name;
}

static const char *nothing_is_beyond(const char *name)
{
    (void)name;
    return NULL;
}

static bool check_estimator(const char *name, const checking *how, gb_report *report)
{
    char error[256];
    gb_estimator estimator;
    if (!gb_estimator_parse(name, &estimator, error, sizeof error))
        return gb_report_add(report, false, name, "it can be made", "%s", error);
    return gb_check_estimator(estimator, .report = report, .seed = how->seed, .thorough = how->thorough);
}

/* ---- the command ---- */

typedef struct kind {
    const char *name, *one;
    size_t (*count)(void);
    const char *(*row)(size_t i);
    const char *(*beyond)(const char *name); /* why the kit cannot judge it; NULL: it can */
    bool (*check)(const char *name, const checking *how, gb_report *report);
} kind;

static const kind kinds[] = {
    {"ops", "operation", count_ops, op_name, op_is_beyond, check_op},
    {"distributions", "distribution", count_distributions, distribution_name, distribution_is_beyond,
     check_distribution},
    {"estimators", "estimator", count_estimators, estimator_name, nothing_is_beyond, check_estimator}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const kind *find_kind(const char *name)
{
    const char *names[KINDS];
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
        names[i] = kinds[i].name;
    }
    gb_cli_say_unknown("kind of check called", name, KINDS, names);
    return NULL;
}

static bool is_known(const kind *k, const char *name)
{
    enum { MOST = 1024 };
    const char *names[MOST];
    gb_estimator estimator;
    char error[256];
    const size_t count = k->count() < MOST ? k->count() : MOST;
    if (k->check == check_estimator)
        return gb_estimator_parse(name, &estimator, error, sizeof error) || gb_cli_refuse("%s", error);
    for (size_t i = 0; i < count; i++) {
        names[i] = k->row(i);
        if (strcmp(names[i], name) == 0)
            return true;
    }
    gb_cli_say_unknown(k->one, name, count, names);
    return false;
}

static bool check_one(const kind *k, const char *name, const checking *how)
{
    const char *const why = k->beyond(name);
    gb_report report = {.size = sizeof report, .file = how->verbose ? stdout : NULL, .verbose = how->verbose};
    if (why) {
        printf("%-32s skipped: %s\n", name, why);
        return true;
    }
    const bool good = k->check(name, how, &report);
    printf("%-32s %s%s%s, %zu statements\n", name, gb_cli_styled(stdout, good ? GB_CLI_GOOD : GB_CLI_BAD),
           good ? "holds" : "FAILS", gb_cli_styled(stdout, GB_CLI_PLAIN), report.checks);
    for (size_t i = 0; !how->verbose && i < report.failures && i < GB_REPORT_KEPT; i++)
        printf("    %s\n", report.failure[i]);
    fflush(stdout);
    return good;
}

static gb_cli_code check_all(const kind *k, const checking *how)
{
    const size_t count = k->count();
    size_t failed = 0;
    for (size_t i = 0; i < count && !ferror(stdout); i++)
        failed += !check_one(k, k->row(i), how);
    printf("%zu of %zu %s fail\n", failed, count, k->name);
    return failed ? GB_CLI_FAILED : GB_CLI_OK;
}

static gb_cli_code run(const gb_cli *cli)
{
    checking how = {.thorough = cli->value[THOROUGH] != NULL, .verbose = cli->value[VERBOSE] != NULL};
    const kind *const k = find_kind(cli->word[0]);
    if (!k || !gb_cli_whole(cli, SEED, 0, UINT64_MAX, &how.seed))
        return GB_CLI_USAGE;
    if (cli->words == 1)
        return check_all(k, &how);
    if (!is_known(k, cli->word[1]))
        return GB_CLI_USAGE;
    return check_one(k, cli->word[1], &how) ? GB_CLI_OK : GB_CLI_FAILED;
}

const gb_cli_command gb_cli_check_command = {
    .name = "check",
    .words = "ops|distributions|estimators [NAME]",
    .summary = "hold what the library has to what must be true of it",
    .help = "  grebe check ops softplus --verbose\n"
            "  grebe check estimators score:baseline=loo\n"
            "\n"
            "It ends with 1 if anything fails. All of a kind take some minutes.\n",
    .least = 1,
    .most = 2,
    .options = {[SEED] = {"seed", "N", "other random cases (0)"},
                [THOROUGH] = {"thorough", NULL, "more of them"},
                [VERBOSE] = {"verbose", NULL, "every statement, not only what fails"}},
    .run = run,
};
