/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kit_faults       prints the name of each fault, one to a line; "good" before plug-ins that must pass
 * kit_faults N     fails unless the kit finds fault number N (from 1), by the statement that names it */
#include <stdlib.h>
#include <string.h>

#include "tests/faults/kits/kits_impl.h"

static const kit_faults *const all[] = {
    &gb_faults_of_distributions, &gb_faults_of_ops,       &gb_faults_of_transforms,
    &gb_faults_of_estimators,    &gb_faults_of_baselines, &gb_faults_of_families,
    &gb_faults_of_optimisers,    &gb_faults_of_schedules, &gb_faults_of_bounds,
};
enum { KITS = sizeof all / sizeof *all };

/* Looks for the statement among all failures: a report keeps only the first ones. */
typedef struct listener {
    const char *statement;
    bool heard;
    char first[GB_REPORT_TEXT];
} listener;

static void listen(void *user, bool passed, const char *text)
{
    listener *const l = user;
    if (passed)
        return;
    if (!*l->first)
        snprintf(l->first, sizeof l->first, "%s", text);
    l->heard |= l->statement && strstr(text, l->statement);
}

static int judge(const kit_faults *of, const kit_fault *fault)
{
    listener l = {.statement = fault->statement};
    gb_report report = {.size = sizeof report, .each = listen, .user = &l};
    const bool passed = of->judge(fault, &report);
    if (passed == !fault->statement && (passed || l.heard))
        return EXIT_SUCCESS;
    printf("%s\n", passed ? "the kit passes it" : *l.first ? l.first : "the kit fails it without a word");
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    const unsigned long wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned long number = 0;
    for (size_t k = 0; k < KITS; k++)
        for (size_t i = 0; i < all[k]->count; i++)
            if (++number == wanted)
                return judge(all[k], &all[k]->fault[i]);
            else if (wanted == 0)
                printf("%s%s: %s\n", all[k]->fault[i].statement ? "" : "good ", all[k]->kit,
                       all[k]->fault[i].name);
    return wanted == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
