/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CLI_KINDS_LIST_H
#define GREBE_CLI_KINDS_LIST_H

#include "cli/kinds/kind.h"

/* The kinds with a kit, and the kinds without. */
#define GB_CLI_CHECKED_KINDS(do_)                                                                            \
    do_(ops) do_(distributions) do_(transforms) do_(estimators) do_(baselines) do_(families) do_(optimisers) \
        do_(schedules) do_(bounds) do_(models)
#define GB_CLI_OTHER_KINDS(do_) do_(kl) do_(problems) do_(shrinkages)

#define GB_CLI_KIND_WORD(name) " " #name
#define GB_CLI_DECLARE_KIND(name) extern const gb_cli_kind gb_cli_##name##_kind;
GB_CLI_CHECKED_KINDS(GB_CLI_DECLARE_KIND)
GB_CLI_OTHER_KINDS(GB_CLI_DECLARE_KIND)
#undef GB_CLI_DECLARE_KIND

/* Returns the kind of that name; prints an error and returns NULL if there is none, or none with a kit. */
const gb_cli_kind *gb_cli_kind_find(const char *name, bool with_kit);

#endif
