/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stray text in a column of numbers makes it a factor of as many levels as it has numbers; so do decimal
 * commas, thousands separators and signs. */
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

/* Returns how many bytes of a sign that stands in written numbers begin here; 0: none. */
static size_t sign_at(const char *c)
{
    static const char *const signs[] = {",", ".", " ", "'", "%", "$", "€", "£", "¥", "\u00a0", "\u202f"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(c, signs[i], strlen(signs[i])) == 0)
            return strlen(signs[i]);
    return 0;
}

/* Whether a level is a number as people write it: 4,52 or 4,520 or 4.5 % or $12. 1.2.2020 is none. */
static bool is_written(const char *level)
{
    size_t digits = 0, points = 0;
    bool has_comma = false;
    for (const char *c = level + (*level == '-'); *c;) {
        const bool is_digit = *c >= '0' && *c <= '9';
        const size_t bytes = is_digit ? 1 : sign_at(c);
        if (bytes == 0)
            return false;
        digits += is_digit;
        points += *c == '.';
        has_comma |= *c == ',';
        c += bytes;
    }
    return digits > 0 && (points < 2 || has_comma);
}

typedef struct kinds {
    size_t numbers, written;
    const char *stray, *first; /* the first that is no number; the first that is only written as one */
    bool has_comma;
} kinds;

static kinds count(const gb_factor_levels *levels)
{
    kinds k = {0};
    for (size_t i = 0; i < levels->count; i++) {
        const char *const level = levels->level[i];
        if (is_number(level)) {
            k.numbers++;
            continue;
        }
        k.stray = k.stray ? k.stray : level;
        if (!is_written(level))
            continue;
        k.written++;
        k.first = k.first ? k.first : level;
        k.has_comma |= strchr(level, ',') != NULL;
    }
    return k;
}

static void say(gb_packing *text, const char *name, const char *line, const char *remedy)
{
    gb_text_add(text, name);
    gb_text_add(text, line);
    gb_text_add(text, remedy);
}

/* A factor of a few levels, such as 5% and 10%, may be meant; one of as many as half of the rows is not. */
static void look_at(gb_packing *text, const gb_formula_variable *variable, size_t rows)
{
    enum { MANY = 10 };
    const size_t levels = variable->levels.count;
    const kinds k = count(&variable->levels);
    const size_t meant = k.numbers + k.written;
    char shown[SHOWN], line[256];
    if (k.numbers >= 2 && 2 * k.numbers > levels && k.stray) {
        gb_text_show(k.stray, strlen(k.stray), sizeof shown, shown);
        snprintf(line, sizeof line, " is a factor: %zu of its %zu levels are numbers, and \"%s\" is none; ",
                 k.numbers, levels, shown);
        say(text, variable->text, line,
            "mend the cell if it is meant as a column of numbers, or name the word in .missing of "
            "gb_table_read\n");
    } else if (k.written > 0 && 2 * meant > levels && (levels >= MANY || 2 * levels > rows)) {
        gb_text_show(k.first, strlen(k.first), sizeof shown, shown);
        snprintf(line, sizeof line, " is a factor: %zu of its %zu levels look like numbers, such as \"%s\"; ",
                 meant, levels, shown);
        say(text, variable->text, line,
            k.has_comma ? "give .decimal_comma of gb_table_read if a comma is the decimal sign; else take "
                          "separators, % and signs of money out of the cells\n"
                        : "take separators, % and signs of money out of the cells\n");
    }
}

void gb_say_stray_texts(gb_packing *text, const gb_formula *formula, size_t rows)
{
    for (size_t i = 0; i < formula->variables.count; i++)
        if (formula->variables.at[i].is_used && formula->variables.at[i].is_factor)
            look_at(text, &formula->variables.at[i], rows);
}
