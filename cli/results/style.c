/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/results/style.h"

#include <string.h>

#include "core/ground/text_impl.h"

const char *const gb_cli_colour[GB_CLI_COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                   "#E69F00", "#56B4E9", "#000000", "#7F7F7F"};
const int gb_cli_mark[GB_CLI_COLOURS] = {7, 5, 9, 13, 11, 6, 4, 8};

void gb_cli_style_numbers(FILE *file, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        fputc(' ', file);
        gb_put_number(file, values[i]);
    }
}

/* In single quotes gnuplot obeys nothing. A quote, which might end the text, becomes an apostrophe. What a
 * terminal would obey might end the line, and what is no UTF-8 spoils the picture: it becomes a space. */
void gb_cli_style_text(FILE *file, const char *text)
{
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        char letter[GB_LETTER_TEXT];
        bytes = gb_text_letter(text, left, letter);
        fputs(*text == '\'' ? "\u2019" : *letter == '\\' && *text != '\\' ? " " : letter, file);
    }
}

void gb_cli_style_quoted(FILE *file, const char *before, const char *text, const char *after)
{
    fprintf(file, "%s'", before);
    gb_cli_style_text(file, text);
    fprintf(file, "'%s", after);
}

void gb_cli_style_head(FILE *file, bool png, int width, int height)
{
    if (png)
        fprintf(file,
                "set terminal pngcairo noenhanced size %d,%d font 'sans-serif,11' fontscale 1.8 linewidth 2 "
                "background '#ffffff'\n",
                2 * width, 2 * height);
    else
        fprintf(file,
                "set terminal svg noenhanced size %d,%d dynamic font 'sans-serif,12' background '#ffffff'\n",
                width, height);
    fputs("set encoding utf8\nset grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror out\n"
          "set format y '%g'\n"
          "set key outside below center horizontal Left reverse noinvert samplen 1.5 font ',10'\n",
          file);
}
