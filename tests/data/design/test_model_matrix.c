/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Designs are those of R: the same columns in the same order, with the same names, to 1e-12. */
#include "support/close.h"

#include <math.h>
#include <stdlib.h>

#include "data/formula.h"
#include "data/table.h"

enum { ROWS = 12, MOST_COLUMNS = 256, MOST_LINE = 1 << 14 };

/* One formula, as references/model_matrix.R writes it. */
typedef struct reference {
    char formula[512], contrasts[64], levels[128];
    size_t columns;
    char *name[MOST_COLUMNS];
    double value[ROWS][MOST_COLUMNS], offset[ROWS], outcome[ROWS];
    bool has_offset, has_outcome;
} reference;

static char line[MOST_LINE];

static bool next_line(FILE *file)
{
    if (!fgets(line, sizeof line, file))
        return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

static void read_numbers(const char *text, size_t count, double *numbers)
{
    char *end = NULL;
    for (size_t i = 0; i < count; i++, text = end) {
        numbers[i] = strtod(text, &end);
        assert_ptr_not_equal(text, end);
    }
}

static void take_text(const char *from, char *to, size_t bytes)
{
    assert_in_range(strlen(from), 0, bytes - 1);
    memcpy(to, from, strlen(from) + 1);
}

static void take_word(FILE *file, const char *word, char *to, size_t bytes)
{
    assert_true(next_line(file));
    assert_int_equal(strncmp(line, word, strlen(word)), 0);
    take_text(line + strlen(word), to, bytes);
}

static bool read_reference(FILE *file, reference *r)
{
    char count[16];
    if (!next_line(file))
        return false;
    assert_int_equal(strncmp(line, "formula ", 8), 0);
    take_text(line + 8, r->formula, sizeof r->formula);
    take_word(file, "contrasts ", r->contrasts, sizeof r->contrasts);
    take_word(file, "levels ", r->levels, sizeof r->levels);
    take_word(file, "columns ", count, sizeof count);
    r->columns = (size_t)strtol(count, NULL, 10);
    assert_in_range(r->columns, 1, MOST_COLUMNS);
    for (size_t i = 0; i < r->columns && next_line(file); i++)
        r->name[i] = strdup(line);
    for (size_t i = 0; i < ROWS && next_line(file); i++)
        read_numbers(line, r->columns, r->value[i]);
    r->has_offset = r->has_outcome = false;
    while (next_line(file) && *line) {
        const bool is_offset = strcmp(line, "offset") == 0;
        *(is_offset ? &r->has_offset : &r->has_outcome) = true;
        assert_true(next_line(file));
        read_numbers(line, ROWS, is_offset ? r->offset : r->outcome);
    }
    return true;
}

/* ---- the options ---- */

static gb_contrasts contrasts_named(const char *name)
{
    return strcmp(name, "sum") == 0    ? GB_CONTRASTS_SUM
           : strcmp(name, "poly") == 0 ? GB_CONTRASTS_POLY
                                       : GB_CONTRASTS_HELMERT;
}

/* "f=sum;g=poly", or "*=sum" for all; and "h=small,medium" for levels. */
static void read_options(reference *r, gb_contrasts *of_all, gb_factor_column factors[4], size_t *count)
{
    char *rest = NULL;
    *count = 0;
    for (char *one = strtok_r(r->contrasts, ";", &rest); one; one = strtok_r(NULL, ";", &rest)) {
        char *const sign = strchr(one, '=');
        *sign = '\0';
        if (*one == '*')
            *of_all = contrasts_named(sign + 1);
        else
            factors[(*count)++] = (gb_factor_column){.column = one, .contrasts = contrasts_named(sign + 1)};
    }
    if (!*r->levels)
        return;
    char *const sign = strchr(r->levels, '=');
    *sign = '\0';
    if (*count == 0)
        factors[(*count)++] = (gb_factor_column){.column = r->levels};
    factors[*count - 1].levels = sign + 1;
}

/* ---- comparing ---- */

static bool agrees(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

static void compare(const gb_design *d, const reference *r)
{
    const int64_t columns = gb_design_columns(d);
    for (int64_t j = 0; j < columns && (size_t)j < r->columns; j++)
        if (strcmp(gb_design_column_name(d, j), r->name[j]) != 0)
            fail_msg("%s: column %d is %s, and is %s in R", r->formula, (int)j, gb_design_column_name(d, j),
                     r->name[j]);
    if ((size_t)columns != r->columns || gb_design_rows(d) != ROWS)
        fail_msg("%s: it has %d columns, and %zu in R", r->formula, (int)columns, r->columns);
    const double *const x = gb_design_values(d).at;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < r->columns; j++)
            if (!agrees(x[i * r->columns + j], r->value[i][j]))
                fail_msg("%s: %s in row %zu is %.17g, and %.17g in R", r->formula, r->name[j], i,
                         x[i * r->columns + j], r->value[i][j]);
    const gb_numbers offset = gb_design_offset(d);
    assert_int_equal(offset.at != NULL, r->has_offset);
    for (size_t i = 0; i < ROWS && r->has_offset; i++)
        assert_true(agrees(gb_numbers_at(offset, i), r->offset[i]));
    for (size_t i = 0; i < ROWS && r->has_outcome; i++)
        assert_true(agrees(gb_numbers_at(gb_design_outcome(d), i), r->outcome[i]));
}

static gb_design *design_of(gb_tape *t, const gb_table *d, reference *r)
{
    gb_contrasts contrasts = GB_CONTRASTS_DEFAULT;
    gb_factor_column factors[4];
    size_t count;
    read_options(r, &contrasts, factors, &count);
    return gb_design_new(t, r->formula, d, .contrasts = contrasts, .factors = gb_factors_of(count, factors));
}

static FILE *open_reference(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/data/design/references/%s", GB_TESTS, name);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

static gb_table *reference_table(gb_tape *t)
{
    char path[512];
    snprintf(path, sizeof path, "%s/data/design/references/table.csv", GB_TESTS);
    gb_table *const d = gb_table_read(t, path);
    assert_fine(t);
    return d;
}

TEST(designs_have_the_columns_of_r)
{
    static reference r;
    FILE *const file = open_reference("model_matrix.txt");
    gb_table *const d = reference_table(t);
    int formulas = 0;
    for (; read_reference(file, &r); formulas++) {
        const gb_design *const x = design_of(t, d, &r);
        if (!x)
            fail_msg("%s: %s", r.formula, gb_error_text(t));
        compare(x, &r);
        for (size_t i = 0; i < r.columns; i++)
            free(r.name[i]);
        gb_tape_reset(t);
    }
    assert_in_range(formulas, 300, 1000);
    gb_table_free(d);
    fclose(file);
}

/* What a design has learned is all that the columns of other rows need: those of the same rows, and of one
 * row alone, have the same bits. */
TEST(designs_that_are_read_from_their_notes_give_the_same_bits)
{
    static reference r;
    FILE *const file = open_reference("model_matrix.txt");
    gb_table *const d = reference_table(t), *const one = gb_table_take(d, gb_rows_of(1, (int64_t[]){7}));
    while (read_reference(file, &r)) {
        gb_tape *const other = gb_tape_new(.threads = 1);
        const gb_design *const x = design_of(t, d, &r);
        size_t bytes;
        const void *const note = gb_tape_noted(t, "design", &bytes);
        gb_tape_note(other, "n", note, bytes);
        const gb_design *const noted = gb_design_noted(other, "n"), *const again = gb_design_apply(noted, d),
                               *const of_one = gb_design_apply(x, one);
        if (!again || !of_one)
            fail_msg("%s: %s%s", r.formula, gb_error_text(other), gb_error_text(t));
        const size_t columns = r.columns, width = columns * sizeof(double);
        const double *const values = gb_design_values(x).at;
        assert_memory_equal(gb_design_values(again).at, values, ROWS * width);
        assert_memory_equal(gb_design_values(of_one).at, values + 7 * columns, width);
        for (size_t i = 0; i < columns; i++) {
            assert_string_equal(gb_design_column_name(noted, (int64_t)i), r.name[i]);
            free(r.name[i]);
        }
        gb_tape_free(other);
        gb_tape_reset(t);
    }
    gb_table_free(one);
    gb_table_free(d);
    fclose(file);
}
