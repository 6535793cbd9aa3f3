/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the library contains, kind by kind: a const struct for each, and a word in one of the lists of list.h.
 * `grebe list`, `grebe check` and their help are printed from these. */
#ifndef GREBE_CLI_KINDS_KIND_H
#define GREBE_CLI_KINDS_KIND_H

#include <stdint.h>

#include "cli/kinds/listing.h"
#include "kit/report.h"
#include "plugins/plugin.h"

typedef struct gb_cli_checking {
    uint64_t seed;
    bool thorough, verbose;
} gb_cli_checking;

typedef struct gb_cli_kind {
    const char *name, *one; /* "ops", "operation" */
    /* Its rows: the members of a kind of the library, also those that were loaded; or `count` rows, of which
     * `row` returns the name. */
    const gb_kind *of;
    size_t (*count)(void);
    const char *(*row)(size_t i);
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

size_t gb_cli_kind_count(const gb_cli_kind *kind);
const char *gb_cli_kind_row(const gb_cli_kind *kind, size_t i);
/* Returns the type struct of a row; NULL for rows that are no members of a kind. */
const gb_plugin *gb_cli_kind_type(const gb_cli_kind *kind, size_t i);

/* Finds the place of a row; prints an error and returns false if there is none. */
bool gb_cli_row_find(const gb_cli_kind *kind, const char *name, size_t *place);

#endif
