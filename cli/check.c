/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe check`: the conformance kits, over all that grebe has or one of them. */
#include <string.h>

#include "cli/say.h"
#include "distributions/check.h"
#include "distributions/list.h"
#include "estimators/check.h"
#include "estimators/list.h"
#include "ops/check_op.h"
#include "ops/list.h"

enum { VERBOSE };

typedef struct checker {
    const gb_cli *cli;
    size_t tried, failed, left_out;
} checker;

static bool is_asked_for(const checker *c, const char *name)
{
    return c->cli->words < 2 || strcmp(c->cli->word[1], name) == 0;
}

static gb_report report_of(const checker *c)
{
    return (gb_report){.size = sizeof(gb_report), .file = stdout, .verbose = c->cli->value[VERBOSE] != NULL};
}

static void tell(checker *c, const char *name, const gb_report *report)
{
    const bool good = report->failures == 0;
    printf("%s%-26s %s%s, %zu checks\n", gb_cli_styled(stdout, good ? GB_CLI_GOOD : GB_CLI_BAD), name,
           good ? "good" : "FAILED", gb_cli_styled(stdout, GB_CLI_PLAIN), report->checks);
    fflush(stdout);
    c->tried++;
    c->failed += !good;
}

static void leave_out(checker *c, const char *name, const char *why)
{
    printf("%-26s left out: %s\n", name, why);
    c->left_out++;
}

static void check_ops(checker *c)
{
    size_t count;
    const gb_op *const *const all = gb_ops(&count);
    for (size_t i = 0; i < count; i++) {
        gb_report report = report_of(c);
        if (!is_asked_for(c, all[i]->name))
            continue;
        if (!all[i]->example && all[i]->domain[0].low >= all[i]->domain[0].high) {
            leave_out(c, all[i]->name, "its value is random, or its gradient not that of its value");
            continue;
        }
        gb_check_op(all[i], .report = &report);
        tell(c, all[i]->name, &report);
    }
}

/* The kit makes instances from the domains of parameters alone. */
static bool is_made_otherwise(const gb_dist_type *type)
{
    return type->wraps || type == &gb_lkj_cholesky_type || type == &gb_bernoulli_dropout_type ||
           type == &gb_unit_dropout_type;
}

static void check_distributions(checker *c)
{
    size_t count;
    const gb_dist_type *const *const all = gb_distributions(&count);
    for (size_t i = 0; i < count; i++) {
        gb_report report = report_of(c);
        if (!is_asked_for(c, all[i]->name))
            continue;
        if (is_made_otherwise(all[i])) {
            leave_out(c, all[i]->name, "it is not made of numbers alone (the tests have instances)");
            continue;
        }
        gb_check_distribution(all[i], .report = &report);
        tell(c, all[i]->name, &report);
    }
}

static void check_estimators(checker *c)
{
    size_t count;
    const gb_estimator_type *const *const all = gb_estimators(&count);
    for (size_t i = 0; i < count; i++) {
        gb_report report = report_of(c);
        if (!is_asked_for(c, all[i]->name))
            continue;
        gb_check_estimator(gb_estimator_of(all[i], NULL, 0), .report = &report);
        tell(c, all[i]->name, &report);
    }
}

static gb_cli_code find_kit(const gb_cli *cli, void (**kit)(checker *c))
{
    static const char *const names[] = {"ops", "distributions", "estimators"};
    static void (*const kits[])(checker * c) = {check_ops, check_distributions, check_estimators};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(names[i], cli->word[0]) == 0) {
            *kit = kits[i];
            return GB_CLI_OK;
        }
    return gb_cli_say_unknown("kit for", cli->word[0], 3, names);
}

static gb_cli_code run(const gb_cli *cli)
{
    checker c = {.cli = cli};
    void (*kit)(checker * c) = NULL;
    const gb_cli_code code = find_kit(cli, &kit);
    if (!kit)
        return code;
    kit(&c);
    if (c.tried + c.left_out == 0)
        return gb_cli_say(GB_CLI_USAGE, "there is none called %s (grebe list %s)", cli->word[1],
                          cli->word[0]);
    printf("%zu good, %zu failed, %zu left out\n", c.tried - c.failed, c.failed, c.left_out);
    return c.failed ? GB_CLI_FAILED : GB_CLI_OK;
}

const gb_cli_command gb_cli_check_command = {
    .name = "check",
    .words = "ops|distributions|estimators [NAME]",
    .summary = "the conformance kits, over all or one",
    .help = "The same kits judge your own: gb_check_op, gb_check_distribution, gb_check_estimator.\n",
    .least = 1,
    .most = 2,
    .options = {[VERBOSE] = {"verbose", NULL, "tell what passed, too"}},
    .run = run,
};
