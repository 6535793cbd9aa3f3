/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the library contains, kind by kind: a const struct for each, and a word in one of the lists of list.h.
 * `grebe list`, `grebe check` and their help are printed from these. */
#ifndef GREBE_CLI_KINDS_KIND_H
#define GREBE_CLI_KINDS_KIND_H

#include <stdint.h>

#include "cli/kinds/listing.h"
#include "kit/report.h"

typedef struct gb_cli_checking {
    uint64_t seed;
    bool thorough, verbose;
} gb_cli_checking;

typedef struct gb_cli_kind {
    const char *name, *one; /* "ops", "operation" */
    size_t (*count)(void);
    const char *(*row)(size_t i); /* the name of one of them */
    void (*list)(gb_cli_listing *listing, size_t i);
    /* Returns whether there is a plug-in of that name, and prints an error if not. NULL: each row is one. */
    bool (*knows)(const char *name);
    /* Runs its conformance kit. NULL without a kit. */
    bool (*check)(const char *name, const gb_cli_checking *how, gb_report *report);
    /* OPTIONAL: returns the text that is checked in place of a name that cannot be made by name alone. */
    const char *(*example)(const char *name);
    /* OPTIONAL: returns why the kit cannot check it; NULL if it can. */
    const char *(*beyond)(const char *name);
} gb_cli_kind;

/* Finds the place of a row; prints an error and returns false if there is none. */
bool gb_cli_row_find(const gb_cli_kind *kind, const char *name, size_t *place);

/* Defines two functions of a kind from one of the library's: const TYPE *const *LIST(size_t *count). */
#define GB_CLI_NAMES_OF(kind, list)                                                                          \
    static size_t count_##kind(void)                                                                         \
    {                                                                                                        \
        size_t count;                                                                                        \
        list(&count);                                                                                        \
        return count;                                                                                        \
    }                                                                                                        \
    static const char *name_of_##kind(size_t i)                                                              \
    {                                                                                                        \
        return list(NULL)[i]->name;                                                                          \
    }

#endif
