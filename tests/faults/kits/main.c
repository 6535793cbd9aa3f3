/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kit_faults       prints the name of each row, one to a line; "good" before plug-ins that must pass
 * kit_faults N     fails unless the kit finds fault number N (from 1), by the statement that names it */
#include <stdlib.h>
#include <string.h>

#include "tests/faults/kits/kits_impl.h"

static const kit_faults *const all[] = {
    &gb_faults_of_distributions, &gb_faults_of_ops,      &gb_faults_of_transforms, &gb_faults_of_estimators,
    &gb_faults_of_baselines,     &gb_faults_of_families, &gb_faults_of_optimisers, &gb_faults_of_schedules,
    &gb_faults_of_bounds,        &gb_faults_of_problems,
};
enum { KITS = sizeof all / sizeof *all };

void nothing(void *copy)
{
    (void)copy;
}

/* Looks for the statement among all failures: a report keeps only the first ones. */
typedef struct listener {
    const char *statement;
    bool is_heard, is_first;
    char first[GB_REPORT_TEXT];
} listener;

static void listen(void *user, bool passed, const char *text)
{
    listener *const l = user;
    if (passed)
        return;
    const bool is_it = l->statement && strstr(text, l->statement);
    l->is_first |= is_it && !*l->first;
    l->is_heard |= is_it;
    if (!*l->first)
        snprintf(l->first, sizeof l->first, "%s", text);
}

static int judge(const kit_faults *of, const kit_fault *fault)
{
    const size_t mark = sizeof LATER - 1;
    const bool may_be_later = fault->statement && strncmp(fault->statement, LATER, mark) == 0;
    listener l = {.statement = may_be_later ? fault->statement + mark : fault->statement};
    gb_report report = {.size = sizeof report, .each = listen, .user = &l};
    const bool passed = of->judge(fault, &report);
    if (fault->statement ? !passed && (l.is_first || (may_be_later && l.is_heard)) : passed)
        return EXIT_SUCCESS;
    printf("%s%s\n", l.is_heard ? "another statement fails first: " : "",
           passed     ? "the kit passes it"
           : *l.first ? l.first
                      : "the kit fails it without a word");
    return EXIT_FAILURE;
}

/* All types of plug-ins begin like this. */
typedef struct head {
    size_t size;
    const char *name;
} head;

/* Returns whether the row is the first of its plug-in, and no row has the plug-in as it is. */
static bool needs_control(const kit_faults *of, size_t row)
{
    for (size_t i = 0; i < of->count; i++)
        if (of->fault[i].good == of->fault[row].good && (i < row || of->fault[i].spoil == nothing))
            return false;
    return true;
}

/* Calls `take` for each row, after a row of its plug-in as it is. Returns false once `take` does. */
static bool each_row(bool (*take)(void *to, const kit_faults *of, const kit_fault *row), void *to)
{
    for (size_t k = 0; k < KITS; k++)
        for (size_t i = 0; i < all[k]->count; i++) {
            char name[128];
            const kit_fault *const fault = &all[k]->fault[i];
            const kit_fault control = {.name = name, .good = fault->good, .spoil = nothing};
            snprintf(name, sizeof name, "%s as it is", ((const head *)fault->good)->name);
            if ((needs_control(all[k], i) && !take(to, all[k], &control)) || !take(to, all[k], fault))
                return false;
        }
    return true;
}

static bool print(void *to, const kit_faults *of, const kit_fault *row)
{
    (void)to;
    printf("%s%s: %s\n", row->statement ? "" : "good ", of->kit, row->name);
    return true;
}

typedef struct search {
    unsigned long left;
    int result;
} search;

static bool judge_one(void *to, const kit_faults *of, const kit_fault *row)
{
    search *const s = to;
    if (--s->left > 0)
        return true;
    s->result = judge(of, row);
    return false;
}

int main(int argc, char **argv)
{
    search s = {.left = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, .result = EXIT_FAILURE};
    if (argc < 2)
        return each_row(print, NULL) ? EXIT_SUCCESS : EXIT_FAILURE;
    if (s.left > 0)
        each_row(judge_one, &s);
    return s.result;
}
