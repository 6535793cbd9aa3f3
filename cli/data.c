/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/say.h"
#include "cli/values.h"

enum { MOST_COLUMNS = 4096 };

typedef struct reader {
    const char *path;
    FILE *file;
    char *line; /* as it was, with the ends of fields replaced by '\0' */
    size_t room, number;
    char *field[MOST_COLUMNS];
    size_t fields;
} reader;

static gb_cli_code wrong(const reader *r, const char *what)
{
    return gb_cli_say(GB_CLI_DATA, "%s, line %zu: %s", r->path, r->number, what);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

/* A field in quotes, in place; "" in it is a quote. Returns what follows, NULL where the quotes do not end. */
static char *unquote(char *text)
{
    char *to = text, *from = text + 1;
    for (; *from; from++) {
        if (*from == '"' && from[1] != '"')
            break;
        from += *from == '"';
        *to++ = *from;
    }
    if (*from != '"')
        return NULL;
    from++;
    *to = '\0';
    return from;
}

/* Cuts spaces at both ends. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static gb_cli_code split(reader *r)
{
    char *at = r->line;
    r->fields = 0;
    for (;;) {
        if (r->fields == MOST_COLUMNS)
            return wrong(r, "there are too many columns");
        at += strspn(at, " \t");
        char *start = at;
        if (*at == '"') {
            at = unquote(start);
            if (!at)
                return wrong(r, "a quotation mark is not closed");
        }
        at += strcspn(at, ",");
        const char end = *at;
        *at++ = '\0';
        r->field[r->fields++] = trimmed(start);
        if (end != ',')
            return GB_CLI_OK;
    }
}

/* The next line that is not blank: 1; 0 at the end; −1: it was said. */
static int next_line(reader *r, gb_cli_code *code)
{
    for (;;) {
        errno = 0;
        if (getline(&r->line, &r->room, r->file) < 0) {
            if (!ferror(r->file))
                return 0;
            *code = gb_cli_say(GB_CLI_IO, "cannot read %s: %s", r->path, strerror(errno));
            return -1;
        }
        r->number++;
        if (is_blank(r->line))
            continue;
        *code = split(r);
        return *code == GB_CLI_OK ? 1 : -1;
    }
}

static gb_cli_code find_target(const reader *r, const char *target, size_t *which)
{
    char what[GB_CLI_PATH];
    for (*which = 0; *which < r->fields; ++*which)
        if (strcmp(r->field[*which], target) == 0)
            return r->fields > 1 ? GB_CLI_OK : wrong(r, "there is no column besides the target");
    snprintf(what, sizeof what, "column in %s called", r->path);
    gb_cli_say_unknown(what, target, r->fields, (const char *const *)r->field);
    return GB_CLI_DATA;
}

static gb_cli_code add_row(gb_cli_data *d, const reader *r, size_t target, size_t *room)
{
    const size_t row = d->data.rows, columns = d->data.columns;
    if (r->fields != columns + 1)
        return gb_cli_say(GB_CLI_DATA, "%s, line %zu: %zu fields, where the first line has %zu", r->path,
                          r->number, r->fields, columns + 1);
    if (row == *room && columns > 0) {
        *room = 2 * *room + 64;
        double *const x = realloc(d->x, *room * columns * sizeof *x), *const y =
                                                                          realloc(d->y, *room * sizeof *y);
        d->x = x ? x : d->x;
        d->y = y ? y : d->y;
        if (!x || !y)
            return gb_cli_say(GB_CLI_IO, "out of memory");
    }
    for (size_t i = 0, at = 0; i <= columns; i++) {
        double *const to = i == target ? &d->y[row] : &d->x[row * columns + at++];
        if (!gb_cli_number(r->field[i], to))
            return gb_cli_say(GB_CLI_DATA, "%s, line %zu, column %zu: \"%s\" is no finite number", r->path,
                              r->number, i + 1, r->field[i]);
    }
    d->data.rows++;
    return GB_CLI_OK;
}

static void standardise(gb_cli_data *d)
{
    const size_t rows = d->data.rows, columns = d->data.columns;
    for (size_t j = 0; j < columns; j++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < rows; i++)
            mean += d->x[i * columns + j] / (double)rows;
        for (size_t i = 0; i < rows; i++)
            square += pow(d->x[i * columns + j] - mean, 2) / (double)rows;
        for (size_t i = 0; i < rows; i++) /* a constant column is 0 */
            d->x[i * columns + j] = square > 0 ? (d->x[i * columns + j] - mean) / sqrt(square) : 0;
    }
}

static gb_cli_code read_all(gb_cli_data *d, reader *r, const char *target)
{
    size_t which = 0, room = 0;
    gb_cli_code code = GB_CLI_OK;
    const int there = next_line(r, &code);
    if (there == 0)
        return wrong(r, "there is nothing in it; names of columns are expected first");
    if (there > 0)
        code = find_target(r, target, &which);
    if (code != GB_CLI_OK)
        return code;
    d->data.columns = r->fields - 1;
    while (code == GB_CLI_OK && next_line(r, &code) > 0)
        code = add_row(d, r, which, &room);
    return code == GB_CLI_OK && d->data.rows == 0 ? wrong(r, "there are no rows") : code;
}

gb_cli_code gb_cli_data_read(gb_cli_data *d, const char *path, const char *target, bool standard)
{
    reader r = {.path = path, .file = fopen(path, "r")};
    memset(d, 0, sizeof *d);
    if (!r.file)
        return gb_cli_say(GB_CLI_IO, "cannot read %s: %s", path, strerror(errno));
    const gb_cli_code code = read_all(d, &r, target);
    free(r.line);
    fclose(r.file);
    if (code != GB_CLI_OK) {
        gb_cli_data_free(d);
        return code;
    }
    if (standard)
        standardise(d);
    d->data.x = d->x;
    d->data.y = d->y;
    return GB_CLI_OK;
}

void gb_cli_data_free(gb_cli_data *d)
{
    free(d->x);
    free(d->y);
    memset(d, 0, sizeof *d);
}
