/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stray text in a column of numbers makes it a factor of as many levels as it has numbers. */
#include "data/design/strays_impl.h"

#include <stdio.h>
#include <string.h>

#include "core/ground/text_impl.h"

enum { SHOWN = 40 };

static bool is_number(const char *level)
{
    double number;
    return gb_text_number(level, strlen(level), &number);
}

static void look_at(gb_packing *text, const gb_formula_variable *variable)
{
    const gb_factor_levels *const levels = &variable->levels;
    const char *stray = NULL;
    size_t strays = 0;
    for (size_t i = 0; i < levels->count; i++) {
        if (is_number(levels->level[i]))
            continue;
        stray = strays++ == 0 ? levels->level[i] : stray;
    }
    const size_t numbers = levels->count - strays;
    if (strays == 0 || numbers < 2 || numbers <= strays)
        return;
    char shown[SHOWN], line[256];
    gb_text_show(stray, strlen(stray), sizeof shown, shown);
    snprintf(line, sizeof line, " is a factor: %zu of its %zu levels are numbers, and \"%s\" is none; ",
             numbers, levels->count, shown);
    gb_text_add(text, variable->text);
    gb_text_add(text, line);
    gb_text_add(text, "mend the cell if it is meant as a column of numbers, or name the word in .missing of "
                      "gb_table_read\n");
}

void gb_say_stray_texts(gb_packing *text, const gb_formula *formula)
{
    for (size_t i = 0; i < formula->variables.count; i++)
        if (formula->variables.at[i].is_used && formula->variables.at[i].is_factor)
            look_at(text, &formula->variables.at[i]);
}
