/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the library has, kind by kind: a const struct each, and a word in one of the lists below. From these come
 * `grebe list`, `grebe check` and their help. */
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
    bool (*knows)(const char *name); /* whether there is one, else what is wrong is said; NULL: it is a row */
    /* Its conformance kit. NULL: there is none. */
    bool (*check)(const char *name, const gb_cli_checking *how, gb_report *report);
    const char *(*beyond)(
        const char *name); /* why the kit cannot judge it, or NULL; NULL: it can judge all */
} gb_cli_kind;

/* Those with a kit, and those without. */
#define GB_CLI_CHECKED_KINDS(do_) do_(ops) do_(distributions) do_(estimators) do_(families) do_(optimisers)
#define GB_CLI_OTHER_KINDS(do_) do_(kl) do_(baselines) do_(problems)

#define GB_CLI_KIND_WORD(name) " " #name
#define GB_CLI_DECLARE_KIND(name) extern const gb_cli_kind gb_cli_##name##_kind;
GB_CLI_CHECKED_KINDS(GB_CLI_DECLARE_KIND)
GB_CLI_OTHER_KINDS(GB_CLI_DECLARE_KIND)
#undef GB_CLI_DECLARE_KIND

/* The kind of that name. NULL: there is none, or none with a kit, which was said. */
const gb_cli_kind *gb_cli_kind_find(const char *name, bool with_kit);

/* The place of a row. False: there is none, which was said. */
bool gb_cli_row_find(const gb_cli_kind *kind, const char *name, size_t *place);

/* Two of the functions of a kind, from one of the library's: const TYPE *const *LIST(size_t *count). */
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
