/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare/csv.h"

#include <stdlib.h>
#include <string.h>

#include "cli/shell/input.h"
#include "cli/shell/say.h"
#include "cli/shell/values.h"

/* ---- fields ---- */

typedef struct reader {
    const char *path;
    char *at;
    size_t line;  /* of the field, counted from 1 */
    size_t lines; /* ended so far */
} reader;

/* How a field ended. RETURN: at a carriage return alone. */
typedef enum ending { COMMA, LINE, END, RETURN, BROKEN } ending;

static ending end_field(reader *r)
{
    if (r->at[0] == '\r' && r->at[1] == '\n')
        r->at++;
    const char last = *r->at;
    if (last == '\0')
        return END;
    r->at++;
    r->lines += last == '\n';
    return last == ',' ? COMMA : last == '\n' ? LINE : last == '\r' ? RETURN : BROKEN;
}

/* Reads "a ""b""": shortens it in place, and ends it with 0. */
static ending quoted_field(reader *r, char **field)
{
    char *to = *field = ++r->at;
    for (; *r->at && (*r->at != '"' || r->at[1] == '"'); r->at++) {
        r->at += *r->at == '"';
        r->lines += *r->at == '\n';
        *to++ = *r->at;
    }
    if (*r->at != '"')
        return BROKEN;
    r->at++;
    r->at += strspn(r->at, " \t");
    const ending how = end_field(r);
    *to = '\0';
    return how;
}

static ending plain_field(reader *r, char **field)
{
    *field = r->at;
    r->at += strcspn(r->at, ",\r\n");
    char *end = r->at;
    const ending how = end_field(r);
    while (end > *field && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    return how;
}

static ending next_field(reader *r, char **field)
{
    r->line = r->lines + 1;
    r->at += strspn(r->at, " \t");
    return *r->at == '"' ? quoted_field(r, field) : plain_field(r, field);
}

static void skip_empty_lines(reader *r)
{
    for (char *at = r->at;;) {
        at += strspn(at, " \t\r");
        if (*at != '\n' && *at != '\0')
            return;
        r->lines += *at == '\n';
        r->at = at + (*at == '\n');
        if (*at++ == '\0')
            return;
    }
}

static gb_cli_code broken(const reader *r, ending how)
{
    if (how == RETURN)
        return gb_cli_say(GB_CLI_DATA,
                          "%s, line %zu: a carriage return without a line feed; lines must end with \\n or "
                          "\\r\\n (old Macs wrote \\r alone)",
                          r->path, r->line);
    return gb_cli_say(GB_CLI_DATA,
                      "%s, line %zu: a quoted field does not end, or a comma is missing after it", r->path,
                      r->line);
}

/* ---- the table ---- */

/* A name and its place, for sorting. */
typedef struct named_column {
    const char *name;
    size_t place;
} named_column;

static int by_name(const void *a, const void *b)
{
    const named_column *const one = a, *const other = b;
    const int order = strcmp(one->name, other->name);
    return order ? order : (one->place > other->place) - (one->place < other->place);
}

static gb_cli_code out_of_memory(const reader *r, const char *what, size_t count)
{
    return gb_cli_say(GB_CLI_IO, "%s: no memory for %zu %s", r->path, count, what);
}

/* Finds the first column whose name is empty or stands before it; the number of columns if there is none. */
static gb_cli_code find_wrong_name(const gb_cli_csv *csv, const reader *r, size_t *wrong)
{
    named_column *const sorted = calloc(csv->columns, sizeof *sorted);
    *wrong = csv->columns;
    if (!sorted)
        return out_of_memory(r, "names", csv->columns);
    for (size_t i = 0; i < csv->columns; i++)
        sorted[i] = (named_column){csv->name[i], i};
    qsort(sorted, csv->columns, sizeof *sorted, by_name);
    for (size_t i = 0; i < csv->columns; i++) {
        const bool is_wrong = !*sorted[i].name || (i > 0 && strcmp(sorted[i - 1].name, sorted[i].name) == 0);
        if (is_wrong && sorted[i].place < *wrong)
            *wrong = sorted[i].place;
    }
    free(sorted);
    return GB_CLI_OK;
}

/* Makes room for a name. */
static bool grow_names(gb_cli_csv *csv, size_t *room)
{
    if (csv->columns < *room)
        return true;
    *room = *room ? 2 * *room : 64;
    const char **const larger = realloc(csv->name, *room * sizeof *csv->name);
    if (larger)
        csv->name = larger;
    return larger;
}

static gb_cli_code read_names(gb_cli_csv *csv, reader *r)
{
    ending how = COMMA;
    size_t wrong, room = 0;
    while (how == COMMA) {
        char *name = NULL;
        if (!grow_names(csv, &room))
            return out_of_memory(r, "names", room);
        how = next_field(r, &name);
        if (how >= RETURN)
            return broken(r, how);
        csv->name[csv->columns++] = name;
    }
    const gb_cli_code code = find_wrong_name(csv, r, &wrong);
    if (code != GB_CLI_OK || wrong == csv->columns)
        return code;
    return gb_cli_say(GB_CLI_DATA, "%s, line %zu: column %zu has %s", r->path, r->line, wrong + 1,
                      *csv->name[wrong] ? "a name that an earlier one has" : "no name");
}

static bool read_number(const gb_cli_csv *csv, const reader *r, size_t column, const char *text,
                        double *value)
{
    if (column == csv->columns)
        return gb_cli_reject("%s, line %zu: more fields than the %zu of the first line", r->path, r->line,
                             csv->columns);
    if (gb_cli_number(text, value))
        return true;
    if (!*text)
        return gb_cli_reject("%s, line %zu, column %zu (%s): the field is empty", r->path, r->line,
                             column + 1, csv->name[column]);
    return gb_cli_reject("%s, line %zu, column %zu (%s): \"%.40s\" is not a finite number", r->path, r->line,
                         column + 1, csv->name[column], text);
}

static gb_cli_code read_row(gb_cli_csv *csv, reader *r)
{
    size_t column = 0;
    ending how = COMMA;
    while (how == COMMA) {
        char *text = NULL;
        how = next_field(r, &text);
        if (how >= RETURN)
            return broken(r, how);
        if (!read_number(csv, r, column, text, &csv->value[csv->rows * csv->columns + column]))
            return GB_CLI_DATA;
        column++;
    }
    if (column < csv->columns)
        return gb_cli_say(GB_CLI_DATA, "%s, line %zu: %zu fields, but the first line has %zu", r->path,
                          r->line, column, csv->columns);
    csv->rows++;
    return GB_CLI_OK;
}

static size_t count_of(const char *text, char letter)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == letter;
    return count;
}

static gb_cli_code read_table(gb_cli_csv *csv, reader *r)
{
    const size_t lines = count_of(r->at, '\n') + 1;
    skip_empty_lines(r);
    if (!*r->at)
        return gb_cli_say(GB_CLI_DATA, "%s is empty; it must have a line of names, then lines of numbers",
                          r->path);
    gb_cli_code code = read_names(csv, r);
    if (code != GB_CLI_OK)
        return code;
    csv->value = calloc(lines, csv->columns * sizeof *csv->value);
    if (!csv->value)
        return out_of_memory(r, "lines", lines);
    for (skip_empty_lines(r); *r->at && code == GB_CLI_OK; skip_empty_lines(r))
        code = read_row(csv, r);
    return code == GB_CLI_OK && csv->rows == 0 ? gb_cli_say(GB_CLI_DATA, "%s has names, but no rows", r->path)
                                               : code;
}

gb_cli_code gb_cli_csv_read(gb_cli_csv *csv, const char *path)
{
    size_t length;
    memset(csv, 0, sizeof *csv);
    csv->text = gb_cli_input_read(path, 0, &length);
    if (!csv->text)
        return GB_CLI_IO;
    const bool marked = strncmp(csv->text, "\xEF\xBB\xBF", 3) == 0; /* byte order mark */
    reader r = {.path = path, .at = csv->text + (marked ? 3 : 0)};
    const gb_cli_code code = strlen(csv->text) < length
                                 ? gb_cli_say(GB_CLI_DATA, "%s is no text: it contains a byte 0", path)
                                 : read_table(csv, &r);
    if (code != GB_CLI_OK)
        gb_cli_csv_free(csv);
    return code;
}

void gb_cli_csv_free(gb_cli_csv *csv)
{
    free(csv->text);
    free(csv->name);
    free(csv->value);
    memset(csv, 0, sizeof *csv);
}
