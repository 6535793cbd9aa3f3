/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shell/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/shell/input.h"
#include "data/sets.h"

/* ---- errors ---- */

/* What the library calls by names of C, and the command by options. */
static const char *const called[][2] = {
    {".missing of gb_table_read", "--missing"},
    {".drop_missing = true", "--drop-missing"},
    {".drop_missing", "--drop-missing"},
    {"gb_table_complete leaves out such rows", "--drop-missing leaves such rows out"},
    {"; .separator sets another", ""},
    {"; if it means a missing cell, name it in .missing", ""},
    {"; gb_table_complete leaves such rows out", ""},
    {"(.subset = true ignores such variables, for a program that only predicts)",
     "(a training goes on with the optimiser that began it)"},
    {".rows, .batch, .in_order, .name, .only and .window, or begin without .resume",
     "rows and --batch, or begin without --resume"},
    {".test ", "--validate "},
    {".data ", "--data "},
    {".error", "--error"},
    {".group", "--group"},
    {".samples", "--samples"},
    {".optimiser", "--optimiser"}};

/* The option's name begins a word, so that a column x.error stays. */
void gb_cli_put_called(FILE *file, const char *text)
{
    enum { CALLED = sizeof called / sizeof *called };
    for (char before = ' '; *text;) {
        size_t i = strchr(" (;", before) ? 0 : CALLED;
        i = *text == ';' ? 0 : i;
        while (i < CALLED && strncmp(text, called[i][0], strlen(called[i][0])) != 0)
            i++;
        const size_t length = i < CALLED ? strlen(called[i][0]) : 1;
        if (i < CALLED)
            fputs(called[i][1], file);
        else
            fputc(*text, file);
        before = text[length - 1];
        text += length;
    }
}

/* An error that names a place in a table, or what its numbers must be, is one of the data. */
static bool is_of_data(const char *text)
{
    static const char *const words[] = {", line ",
                                        ", row ",
                                        ", and must be ",
                                        " are both named ",
                                        "no row is left",
                                        "deviation overflows",
                                        "give each y exactly"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

gb_cli_code gb_cli_complain(gb_tape *tape)
{
    gb_cli_page page;
    const gb_status status = gb_error(tape);
    if (status == GB_OK)
        return GB_CLI_OK;
    fflush(stdout);
    if (gb_cli_page_begin(&page, stderr)) {
        fprintf(page.file, "grebe: ");
        gb_cli_put_called(page.file, gb_error_text(tape));
        fputc('\n', page.file);
        gb_cli_page_end(&page);
    }
    const gb_cli_code code = gb_cli_code_of(status);
    return status == GB_EFILE || (code == GB_CLI_USAGE && is_of_data(gb_error_text(tape))) ? GB_CLI_DATA
                                                                                           : code;
}

/* ---- data ---- */

static bool is_set(const char *name)
{
    size_t count;
    const char *const *const sets = gb_table_sets(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(sets[i], name) == 0 && access(name, F_OK) != 0)
            return true;
    return false;
}

gb_table *gb_cli_table_open(gb_tape *tape, const char *path, gb_table_read_options options)
{
    if (is_set(path))
        return gb_table_of_set(tape, path);
    if (strcmp(path, "-") != 0)
        return gb_table_read_with(tape, path, &options);
    char *const text = gb_cli_input_read(path, 0, &options.bytes);
    options.text = text;
    gb_table *const table = text ? gb_table_read_with(tape, "standard input", &options) : NULL;
    free(text);
    return table;
}
