/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CLI_KINDS_LIST_H
#define GREBE_CLI_KINDS_LIST_H

#include "cli/kinds/kind.h"

/* The kinds with a kit, and the kinds without. */
#define GB_CLI_CHECKED_KINDS(do_)                                                                            \
    do_(ops) do_(distributions) do_(transforms) do_(estimators) do_(baselines) do_(families) do_(optimisers) \
        do_(schedules) do_(bounds) do_(models) do_(problems)
#define GB_CLI_OTHER_KINDS(do_) do_(kl) do_(shrinkages)

#define GB_CLI_KIND_WORD(name) " " #name
/* For the help of commands that load files. */
#define GB_CLI_FILE_WORDS                                                                                    \
    "A word with a slash is a file of plug-ins of your own, a shared object: it is loaded, its code runs,\n" \
    "and its plug-ins are known by their names.\n"
#define GB_CLI_DECLARE_KIND(name) extern const gb_cli_kind gb_cli_##name##_kind;
GB_CLI_CHECKED_KINDS(GB_CLI_DECLARE_KIND)
GB_CLI_OTHER_KINDS(GB_CLI_DECLARE_KIND)
#undef GB_CLI_DECLARE_KIND

/* Returns all kinds, and stores their number in `count`. */
const gb_cli_kind *const *gb_cli_kinds(size_t *count);

/* Returns that of a kind of the library; NULL if there is none. */
const gb_cli_kind *gb_cli_kind_of(const gb_kind *kind);

/* Returns the kind of that name; prints an error and returns NULL if there is none, or none with a kit. */
const gb_cli_kind *gb_cli_kind_find(const char *name, bool with_kit);

#endif
