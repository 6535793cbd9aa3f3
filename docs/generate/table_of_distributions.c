/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes docs/distributions.md to standard output: table_of_distributions PICTURES. The text comes from the
 * structs of the library, the pictures from the folder PICTURES. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"

static const char introduction[] =
    "<!-- Made by docs/generate/table_of_distributions.c: "
    "`cmake --build --preset release --target tables` -->\n"
    "# Distributions, transforms, supports\n"
    "\n"
    "Every distribution with its parameters, its support, its abilities and its exact divergences. A\n"
    "program writes this page from the structs that the library uses.\n"
    "[distribution.h](../distributions/distribution.h) has the functions that take a distribution.\n"
    "\n"
    "The tables come first. ● means that the distribution has an ability, ○ that a wrapper has it if\n"
    "the distribution that it wraps has it. To use a missing ability is an error, with a message. Each\n"
    "distribution has a section. The arguments of its constructor are nodes, unless a type is named.\n"
    "Parameters broadcast, and must lie in the *domains* behind their names (see the last table).\n"
    "\n"
    "In pictures of continuous numbers the line is the density, and the filled area a histogram of\n"
    "100,000 draws. For discrete numbers, points are probabilities and bars are frequencies. For pairs\n"
    "there are some draws, and lines of equal density that enclose 50 %, 90 % and 99 % of the\n"
    "probability.\n";

/* ---- constructors ---- */

typedef struct constructor {
    const char *name, *parameters;
    const gb_dist_type *type; /* NULL: of a transform */
} constructor;

#define DISTRIBUTION(name, nodes, parameters) {#name, #parameters, &gb_##name##_type},
#define ALTERNATIVE(name, type, nodes, parameters) {#name, #parameters, &gb_##type##_type},
#define TRANSFORM(name, parameters) {#name, #parameters, NULL},
static const constructor distributions[] = {GB_DIST_LIST(DISTRIBUTION)};
static const constructor alternatives[] = {GB_ALTERNATIVE_LIST(ALTERNATIVE)};
static const constructor transforms[] = {GB_TRANSFORM_LIST(TRANSFORM)};
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* "(gb_node loc, int axes)" as "(loc, int axes)" */
static void print_constructor(const constructor *c, const char *ending)
{
    printf("`gb_%s%s", c->name, ending);
    for (const char *at = c->parameters; *at; at++) {
        if (strncmp(at, "gb_node ", 8) == 0)
            at += 8;
        putchar(*at);
    }
    putchar('`');
}

/* ---- groups ---- */

typedef enum group { CONTINUOUS, DISCRETE, VECTORS, WRAPPERS, GROUPS } group;
static const char *const group_name[GROUPS] = {"Continuous numbers", "Discrete numbers",
                                               "Vectors and matrices", "Wrappers"};

static group group_of(const gb_dist_type *type)
{
    if (type->wraps)
        return WRAPPERS;
    if (type->support->event_rank > 0)
        return VECTORS;
    return type->discrete ? DISCRETE : CONTINUOUS;
}

/* ---- domains: those that anything is held to ---- */

enum { MOST_DOMAINS = 64 };

typedef struct domains {
    const gb_domain *domain[MOST_DOMAINS];
    size_t count;
} domains;

static void note(domains *d, const gb_domain *domain)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->domain[i] == domain)
            return;
    if (domain && d->count < MOST_DOMAINS)
        d->domain[d->count++] = domain;
}

static void note_parameters(domains *d, const gb_option *param)
{
    for (size_t i = 0; i < GB_MAX_PARAMS && param[i].name; i++)
        note(d, param[i].domain);
}

static domains all_domains(void)
{
    domains d = {.count = 0};
    size_t count;
    const gb_dist_type *const *const types = gb_dists(&count);
    for (size_t i = 0; i < count; i++) {
        note(&d, types[i]->support);
        note_parameters(&d, types[i]->param);
        note_parameters(&d, types[i]->alternative);
    }
    const gb_transform_type *const *const maps = gb_transforms(&count);
    for (size_t i = 0; i < count; i++) {
        note(&d, maps[i]->from);
        note(&d, maps[i]->to);
    }
    return d;
}

static const char *event_name(int rank)
{
    return rank == 0 ? "number" : rank == 1 ? "vector" : "matrix";
}

static void print_interval(const gb_domain *domain)
{
    const bool circle = domain->low == -GB_PI;
    printf("%s%s%.*g, ", domain->whole ? "whole, " : "", domain->above ? "(" : "[", circle ? 5 : 17,
           domain->low);
    printf("%.*g%s", circle ? 5 : 17, domain->high, domain->below ? ")" : "]");
}

static void print_domains(gb_tape *tape)
{
    const domains all = all_domains();
    puts("\n## Supports and domains\n\nDraws lie in domains, and so do parameters. *Reached by* names the\n"
         "transform that maps real numbers or vectors onto the domain, for posteriors over it.\n");
    puts("| domain | a member is | elements | in words | reached by |\n|---|---|---|---|---|");
    for (size_t i = 0; i < all.count; i++) {
        const gb_domain *const domain = all.domain[i];
        printf("| %s | a %s | ", domain->name, event_name(domain->event_rank));
        print_interval(domain);
        printf(" | %s | %s |\n", domain->must_be, domain->reach ? domain->reach(tape).type->name : "");
    }
}

/* ---- transforms ---- */

/* In a cell of a table a bar is escaped. */
static void print_code(const char *text)
{
    putchar('`');
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
    putchar('`');
}

static void print_transforms(void)
{
    size_t count;
    const gb_transform_type *const *const types = gb_transforms(&count);
    puts(
        "\n## Transforms\n\nSmooth maps with an inverse and a log |det dy/dx|, for `gb_transformed` and for\n"
        "posteriors ([transform.h](../distributions/transform.h)).\n");
    puts("| transform | y | from | to | constructor |\n|---|---|---|---|---|");
    for (size_t i = 0; i < count; i++) {
        printf("| %s | ", types[i]->name);
        print_code(types[i]->formula);
        const bool made_of_others = GB_HAS(types[i], from_of);
        printf(" | %s | %s | ", made_of_others ? "as its parts" : types[i]->from->name,
               made_of_others ? "as its parts" : types[i]->to->name);
        print_constructor(&transforms[i], "_transform");
        puts(" |");
    }
}

/* ---- what distributions provide ---- */

static void print_marks(const gb_dist_type *type)
{
#define MARK(slot, name, words) printf(" %s |", !GB_HAS(type, slot) ? "" : type->wraps ? "○" : "●");
    GB_ABILITY_LIST(MARK)
#undef MARK
}

static void print_matrix(group which)
{
    size_t count;
    const gb_dist_type *const *const types = gb_dists(&count);
#define NAME(slot, name, words) " " #slot " |"
#define RULE(slot, name, words) ":-:|"
    printf("\n### %s\n\n| |" GB_ABILITY_LIST(NAME) "\n|---|" GB_ABILITY_LIST(RULE) "\n", group_name[which]);
#undef NAME
#undef RULE
    for (size_t i = 0; i < count; i++) {
        if (group_of(types[i]) != which)
            continue;
        printf("| [%s](#%s) |", types[i]->name, types[i]->name);
        print_marks(types[i]);
        putchar('\n');
    }
}

static void print_words_for_abilities(void)
{
#define WORDS(slot, name, words) puts("- *" #slot "*: " words);
    putchar('\n');
    GB_ABILITY_LIST(WORDS)
#undef WORDS
}

/* ---- divergences ---- */

static void print_partner(const gb_dist_type *partner, const gb_kl_pair *pair, bool first)
{
    if (!first)
        printf(pair->note || partner == NULL ? "; " : ", ");
    if (partner)
        printf("[%s](#%s)", partner->name, partner->name);
    else
        printf("anything");
    if (pair->note)
        printf(" (%s)", pair->note);
    else if (pair->fits)
        printf(" (if they fit each other)");
}

/* Another pair before it in its table has the same words. */
static bool was_said(const gb_kl_pair *table, const gb_kl_pair *pair)
{
    for (; table < pair; table++)
        if (table->q == pair->q && table->p == pair->p && !table->note && !pair->note)
            return true;
    return false;
}

/* The partners of a type, in the tables of all types: as q its p, or as p its q. */
static void print_partners(const gb_dist_type *type, bool as_q)
{
    size_t count, found = 0;
    const gb_dist_type *const *const types = gb_dists(&count);
    for (size_t i = 0; i < count; i++) {
        for (const gb_kl_pair *pair = types[i]->kl; pair && pair->kl; pair++) {
            if ((as_q ? pair->q : pair->p) != type || was_said(types[i]->kl, pair))
                continue;
            if (found == 0)
                printf(as_q ? "- KL(%s ‖ p), p: " : "- KL(q ‖ %s), q: ", type->name);
            print_partner(as_q ? pair->p : pair->q, pair, found++ == 0);
        }
    }
    if (found > 0)
        putchar('\n');
}

/* ---- one distribution ---- */

static void print_parameters(const gb_dist_type *type, const gb_option *param)
{
    for (size_t i = 0; i < GB_MAX_PARAMS && param[i].name; i++) {
        printf("%s *%s* %s", i ? "," : ":", param[i].name, param[i].domain->name);
        if (param == type->param && type->relation.outside && type->relation.which == i)
            printf(", %s", type->relation.must_be);
    }
}

static void print_constructors(const gb_dist_type *type, const constructor *by)
{
    printf("- ");
    print_constructor(by, "");
    print_parameters(type, type->param);
    putchar('\n');
    for (size_t i = 0; i < LENGTH(alternatives); i++) {
        if (alternatives[i].type != type)
            continue;
        printf("- or ");
        print_constructor(&alternatives[i], "");
        print_parameters(type, type->alternative);
        putchar('\n');
    }
}

static void print_support(const gb_dist_type *type)
{
    if (type->wraps) {
        puts("- event and support: those of what it wraps");
        return;
    }
    const bool held = !type->moving_support && !GB_HAS(type, ends);
    printf("- a %s%s, support %s%s\n", type->discrete ? "discrete " : "",
           event_name(type->support->event_rank), type->support->name,
           held ? "" : ", within ends that the parameters set");
}

static bool print_picture(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    FILE *const file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "%s has no picture: the target `pictures` makes it\n", name);
        return false;
    }
    fclose(file);
    printf("\n![%s: density and draws](pictures/%s.svg)\n", name, name);
    return true;
}

static bool print_distribution(const gb_dist_type *type, const constructor *by, const char *pictures)
{
    printf("\n### %s\n\n", type->name);
    print_constructors(type, by);
    print_support(type);
    printf("- log %s: `%s`\n", type->discrete ? "probability" : "density", type->formula);
    print_partners(type, true);
    print_partners(type, false);
    return print_picture(pictures, type->name);
}

static bool print_group(group which, const char *pictures)
{
    size_t count;
    const gb_dist_type *const *const types = gb_dists(&count);
    bool good = true;
    printf("\n## %s\n", group_name[which]);
    for (size_t i = 0; i < count; i++)
        if (group_of(types[i]) == which)
            good = print_distribution(types[i], &distributions[i], pictures) && good;
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s PICTURES\n", argv[0]);
        return 2;
    }
    gb_tape *const tape = gb_tape_new(.threads = 1);
    fputs(introduction, stdout);
    puts("\n## What each provides");
    print_words_for_abilities();
    for (group which = 0; which < GROUPS; which++)
        print_matrix(which);
    bool good = true;
    for (group which = 0; which < GROUPS; which++)
        good = print_group(which, argv[1]) && good;
    print_transforms();
    print_domains(tape);
    const gb_status status = gb_complain(tape, stderr);
    gb_tape_free(tape);
    return !good || status != GB_OK || fflush(stdout) != 0;
}
