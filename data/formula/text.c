/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/formula/text_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/ground/text_impl.h"

/* ---- errors ---- */

enum {
    SHOWN = 60,
    BEFORE = 40
}; /* bytes of the formula in a message, and how many of them before the place */

/* Returns how many columns of a terminal the letter takes, and moves over it. White space is one space. */
static size_t show_letter(const char **from, const char *end, char shown[GB_LETTER_TEXT])
{
    const bool is_space = strchr(" \t\r\n", **from) != NULL;
    const size_t bytes = gb_text_letter(*from, (size_t)(end - *from), shown);
    if (is_space)
        strcpy(shown, " ");
    *from += bytes;
    return is_space || bytes > 1 ? 1 : strlen(shown);
}

/* Writes the part of a formula around byte `at`, and a line with a caret below. */
static void show_place(const char *text, size_t at, char *excerpt, size_t most)
{
    const size_t length = strlen(text);
    size_t from = at > BEFORE ? at - BEFORE : 0, column = 0;
    while (from > 0 && ((unsigned char)text[from] & 0xC0) == 0x80)
        from++; /* not within a letter */
    size_t to = length - from > SHOWN ? from + SHOWN : length;
    while (to < length && ((unsigned char)text[to] & 0xC0) == 0x80)
        to++;
    gb_text_writer w = {.text = excerpt, .bytes = most};
    gb_text_put(&w, from > 0 ? "\n    …" : "\n    ");
    column = from > 0;
    for (const char *c = text + from; c < text + to;) {
        char shown[GB_LETTER_TEXT];
        const bool is_before = c < text + at;
        const size_t columns = show_letter(&c, text + to, shown);
        column += is_before ? columns : 0;
        gb_text_put(&w, shown);
    }
    gb_text_put(&w, to < length ? "…\n    " : "\n    ");
    for (size_t i = 0; i < column; i++)
        gb_text_put(&w, " ");
    gb_text_put(&w, "^");
}

bool gb_formula_fail(const gb_formula_text *f, size_t at, gb_status code, const char *format, ...)
{
    char words[300], excerpt[4 * SHOWN + BEFORE * 4 + 64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    show_place(f->text, at, excerpt, sizeof excerpt);
    gb_fail(f->tape, code, "formula: %s%s", words, excerpt);
    return false;
}

/* ---- numbers as R writes them ---- */

const char *gb_r_number(double value, char text[GB_R_NUMBER_TEXT])
{
    enum { MOST_DIGITS = 15 };
    char full[GB_NUMBER_TEXT];
    if (!isfinite(value))
        return strcpy(text, isnan(value) ? "NaN" : value > 0 ? "Inf" : "-Inf");
    snprintf(full, sizeof full, "%.*e", MOST_DIGITS - 1, value);
    char *const mantissa_end = strchr(full, 'e');
    const int exponent = (int)strtol(mantissa_end + 1, NULL, 10);
    int digits = MOST_DIGITS;
    for (const char *c = mantissa_end - 1; *c == '0' && digits > 1; c--)
        digits--;
    const int decimals = digits - 1 - exponent > 0 ? digits - 1 - exponent : 0;
    const int fixed = (exponent > 0 ? exponent + 1 : 1) + (decimals > 0 ? decimals + 1 : 0);
    const int scientific = digits + (digits > 1) + (abs(exponent) < 100 ? 4 : 5);
    if (fixed <= scientific)
        snprintf(text, GB_R_NUMBER_TEXT, "%.*f", decimals, value);
    else
        snprintf(text, GB_R_NUMBER_TEXT, "%.*e", digits - 1, value);
    char *const point = strpbrk(text, ",."); /* the user's decimal separator */
    if (point)
        *point = '.';
    return text;
}

/* ---- text that grows ---- */

void gb_text_add(gb_packing *text, const char *more)
{
    gb_pack(text, more, strlen(more));
}

char *gb_text_moved(gb_packing *text, gb_arena *arena)
{
    char *const kept = text->failed ? NULL : gb_arena_text(arena, text->at ? text->at : "");
    gb_memory_release(text->memory, text->at);
    *text = (gb_packing){.memory = text->memory};
    return kept;
}
