/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "data/design/filling_impl.h"

/* Names come from files, and may have what a terminal would obey. */
static void put(FILE *file, const char *text)
{
    char letter[GB_LETTER_TEXT];
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        bytes = gb_text_letter(text, left, letter);
        fputs(letter, file);
    }
}

static void put_rows(const gb_design *d, FILE *file)
{
    fprintf(file, "%" PRId64 " columns, %" PRId64 " rows", gb_design_columns(d), d->rows);
    if (d->table) {
        fputs(" of ", file);
        put(file, d->table);
    }
    if (d->rows < d->table_rows)
        fprintf(file, "; %" PRId64 " rows with missing cells are left out", d->table_rows - d->rows);
    fputc('\n', file);
}

static void put_columns(const gb_design *d, FILE *file)
{
    for (int64_t i = 0; i < gb_design_columns(d); i++) {
        const char *const name = gb_design_column_name(d, i), *const term = gb_design_column_term(d, i);
        fputs("  ", file);
        put(file, name);
        if (strcmp(name, term) != 0) {
            fputs("  of ", file);
            put(file, term);
        }
        fputc('\n', file);
    }
}

static void put_levels(const gb_design *d, FILE *file)
{
    static const char *const contrasts[] = {[GB_CONTRASTS_DEFAULT] = "treatment",
                                            [GB_CONTRASTS_TREATMENT] = "treatment",
                                            [GB_CONTRASTS_SUM] = "sum",
                                            [GB_CONTRASTS_HELMERT] = "Helmert",
                                            [GB_CONTRASTS_POLY] = "polynomial"};
    for (size_t i = 0; i < d->formula->variables.count; i++) {
        const gb_formula_variable *const v = &d->formula->variables.at[i];
        if (!v->is_factor || !v->is_used)
            continue;
        put(file, v->text);
        fprintf(file, ", %s contrasts:", contrasts[v->levels.contrasts]);
        for (size_t j = 0; j < v->levels.count; j++) {
            fputc(' ', file);
            put(file, v->levels.level[j]);
        }
        fputc('\n', file);
    }
}

/* Lines of warnings have names too, so each letter is looked at; the ends of lines are the warnings' own. */
static void put_lines(const char *lines, FILE *file)
{
    for (size_t length; *lines; lines += length + 1) {
        char letter[GB_LETTER_TEXT];
        length = strcspn(lines, "\n");
        for (size_t at = 0, bytes; at < length; at += bytes) {
            bytes = gb_text_letter(lines + at, length - at, letter);
            fputs(letter, file);
        }
        fputc('\n', file);
    }
}

gb_status gb_design_print(gb_design *d, FILE *file)
{
    if (!d || !file)
        return d ? gb_fail(d->tape, GB_EARGUMENT, "design_print: the file is NULL") : GB_EARGUMENT;
    const char *const warnings = gb_design_warnings(d);
    if (!warnings)
        return gb_error(d->tape);
    put(file, d->formula->text.text);
    fputc('\n', file);
    put_rows(d, file);
    put_columns(d, file);
    put_levels(d, file);
    put_lines(warnings, file);
    return gb_flushed(file) ? GB_OK
                            : gb_fail(d->tape, GB_ESYSTEM, "design_print: the file cannot be written");
}
