/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/kinds/list.h"

#include "cli/shell/say.h"

#define GB_CLI_KIND_ADDRESS(name) &gb_cli_##name##_kind,
#define GB_CLI_KIND_NAME(name) #name,
static const gb_cli_kind *const kinds[] = {GB_CLI_CHECKED_KINDS(GB_CLI_KIND_ADDRESS)
                                               GB_CLI_OTHER_KINDS(GB_CLI_KIND_ADDRESS)};
static const char *const names[] = {GB_CLI_CHECKED_KINDS(GB_CLI_KIND_NAME)
                                        GB_CLI_OTHER_KINDS(GB_CLI_KIND_NAME)};
static const char *const checked[] = {GB_CLI_CHECKED_KINDS(GB_CLI_KIND_NAME)};

const gb_cli_kind *const *gb_cli_kinds(size_t *count)
{
    *count = sizeof kinds / sizeof *kinds;
    return kinds;
}

const gb_cli_kind *gb_cli_kind_of(const gb_kind *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->of == kind)
            return kinds[i];
    return NULL;
}

const gb_cli_kind *gb_cli_kind_find(const char *name, bool with_kit)
{
    size_t place;
    const bool found = with_kit ? gb_cli_find("kind of check called", name, sizeof checked / sizeof *checked,
                                              checked, &place)
                                : gb_cli_find("list of", name, sizeof names / sizeof *names, names, &place);
    return found ? kinds[place] : NULL;
}
