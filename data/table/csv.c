/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/table/csv_impl.h"

#include <string.h>

static bool ends_line(char c)
{
    return c == '\n' || c == '\r' || c == '\0';
}

static bool is_space(const gb_csv *csv, char c)
{
    return c == ' ' || (c == '\t' && csv->separator != '\t');
}

gb_csv gb_csv_of(const char *text, size_t length, char separator, char comment)
{
    gb_csv csv = {.at = text, .end = text + length, .separator = separator, .comment = comment, .line = 1};
    csv.blank = csv.end;
    while (csv.blank > text && (ends_line(csv.blank[-1]) || is_space(&csv, csv.blank[-1])))
        csv.blank--;
    return csv;
}

static void skip_spaces(gb_csv *csv)
{
    while (is_space(csv, *csv->at))
        csv->at++;
}

/* Stands at the end of a line, and goes to the next. */
static void next_line(gb_csv *csv)
{
    if (csv->at == csv->end)
        return;
    csv->at += csv->at[0] == '\r' && csv->at[1] == '\n' ? 2 : 1;
    csv->line++;
}

bool gb_csv_row(gb_csv *csv, bool keep_empty)
{
    while (csv->at < csv->end) {
        const char *const begin = csv->at;
        skip_spaces(csv);
        const bool is_comment = csv->comment && *csv->at == csv->comment;
        const bool is_kept = ends_line(*csv->at) && keep_empty && csv->at < csv->blank;
        if (!is_comment && (!ends_line(*csv->at) || is_kept)) {
            csv->at = begin;
            return true;
        }
        while (!ends_line(*csv->at))
            csv->at++;
        next_line(csv);
    }
    return false;
}

/* Stands behind a cell and its spaces. */
static gb_csv_found end_cell(gb_csv *csv)
{
    if (ends_line(*csv->at)) {
        next_line(csv);
        return GB_CSV_LAST;
    }
    csv->at += csv->separator != ' ';
    return GB_CSV_CELL;
}

static gb_csv_found next_quoted(gb_csv *csv, gb_csv_cell *cell)
{
    const char *const begin = ++csv->at;
    int64_t lines = 0;
    for (;; csv->at++) {
        if (csv->at == csv->end)
            return GB_CSV_UNCLOSED;
        if (*csv->at == '"' && csv->at[1] != '"')
            break;
        csv->at += *csv->at == '"';
        lines += *csv->at == '\n' || (*csv->at == '\r' && csv->at[1] != '\n');
    }
    *cell = (gb_csv_cell){.text = begin, .length = (size_t)(csv->at - begin), .is_quoted = true};
    csv->line += lines;
    const char *const after = ++csv->at;
    skip_spaces(csv);
    const bool is_separated = csv->separator == ' ' ? csv->at > after : *csv->at == csv->separator;
    return is_separated || ends_line(*csv->at) ? end_cell(csv) : GB_CSV_AFTER_QUOTES;
}

gb_csv_found gb_csv_next(gb_csv *csv, gb_csv_cell *cell)
{
    const char separator = csv->separator;
    skip_spaces(csv);
    if (*csv->at == '"')
        return next_quoted(csv, cell);
    const char *const begin = csv->at;
    const char *at = begin;
    if (separator == ' ')
        while (*at != ' ' && *at != '\t' && !ends_line(*at))
            at++;
    else
        while (*at != separator && !ends_line(*at))
            at++;
    csv->at = at;
    while (at > begin && is_space(csv, at[-1]))
        at--;
    *cell = (gb_csv_cell){.text = begin, .length = (size_t)(at - begin)};
    skip_spaces(csv);
    return end_cell(csv);
}

void gb_csv_copy(gb_csv_cell cell, char *to)
{
    for (size_t i = 0; i < cell.length; i++) {
        *to++ = cell.text[i];
        i += cell.is_quoted && cell.text[i] == '"';
    }
    *to = '\0';
}

/* ---- the separator ---- */

typedef struct sample {
    size_t cells;    /* of the first row */
    bool is_same;    /* the next rows have as many */
    bool is_numeric; /* these have numbers alone; if there is only one row, it has */
    bool has_blanks; /* a cell has a space inside, or is empty and not the last of its row */
} sample;

static bool looks_numeric(const gb_csv_cell *cell)
{
    return !cell->is_quoted && cell->length > 0 && strspn(cell->text, "0123456789+-.eE") >= cell->length;
}

/* Two spaces and more align numbers; a single one may be part of a cell. */
static bool has_blank(const gb_csv_cell *cell, gb_csv_found found)
{
    if (cell->is_quoted)
        return false;
    const char *const space = memchr(cell->text, ' ', cell->length);
    return cell->length == 0 ? found != GB_CSV_LAST : space && space[1] != ' ';
}

static sample look(gb_csv csv)
{
    enum { ROWS = 20 };
    gb_csv_cell cell;
    sample s = {.is_same = true};
    for (int row = 0; row < ROWS && s.is_same && gb_csv_row(&csv, false); row++) {
        size_t cells = 0;
        bool is_numeric = true;
        gb_csv_found found = GB_CSV_CELL;
        while (found == GB_CSV_CELL) {
            found = gb_csv_next(&csv, &cell);
            const bool is_cell = found <= GB_CSV_LAST;
            is_numeric = is_numeric && is_cell && looks_numeric(&cell);
            s.has_blanks = s.has_blanks || (is_cell && has_blank(&cell, found));
            cells++;
        }
        s.cells = row == 0 ? cells : s.cells;
        s.is_same = found == GB_CSV_LAST && cells == s.cells;
        s.is_numeric = is_numeric && (row <= 1 || s.is_numeric);
    }
    return s;
}

/* Of lines that are numbers by white space. Tabs among spaces separate, too, and lines may end with one. But
 * cells between tabs that are empty, or have spaces, would be lost or cut. */
static char tab_or_space(const sample *tabbed, const sample *spaced)
{
    const bool is_by_tabs = tabbed->cells > 1 && tabbed->is_same;
    if (is_by_tabs && tabbed->has_blanks)
        return '\0';
    return is_by_tabs && tabbed->cells == spaced->cells ? '\t' : ' ';
}

char gb_csv_separator(const char *text, size_t length, char comment, bool decimal_comma)
{
    static const char candidates[] = {'\t', ';', ',', ' '};
    char best = decimal_comma ? ';' : ',';
    size_t most = 1;
    sample of[sizeof candidates];
    for (size_t i = 0; i < sizeof candidates; i++)
        of[i] = look(gb_csv_of(text, length, candidates[i], comment));
    const sample *const tabbed = &of[0], *const spaced = &of[sizeof candidates - 1];
    if (spaced->cells > 1 && spaced->is_same && spaced->is_numeric)
        return tab_or_space(tabbed, spaced);
    for (size_t i = 0; i < sizeof candidates; i++) {
        const char candidate = candidates[i];
        const sample s = of[i];
        if (candidate == ',' && decimal_comma)
            continue;
        if (s.cells > 1 && s.is_same)
            return candidate;
        if (s.cells > most && candidate != ' ') {
            most = s.cells;
            best = candidate;
        }
    }
    return best;
}
