/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns that explain nothing, or nothing new. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/design/filling_impl.h"
#include "data/design/strays_impl.h"
#include "data/design/warnings_impl.h"

/* Less than this part of a column is left when others are taken out: the tolerance of R's lm. */
static const double NOTHING = 1e-7;
enum { MOST_LINES = 20, MOST_NAMES = 6, MOST_COLUMNS = 4096 };

typedef struct search {
    const gb_matrix_columns *of;
    size_t columns, count; /* how many columns are independent so far */
    double *r;             /* of X = Q R, [columns][columns]: the same lengths and angles, in few rows */
    double *basis;         /* orthonormal, [count][columns] */
    double *triangle;      /* the independent columns in this basis, [count][columns] */
    size_t *independent;   /* which columns they are */
    double *column, *share;
    gb_packing text;
    size_t lines;
    bool all_count;
} search;

static double at(const search *s, size_t row, size_t column)
{
    return gb_numbers_at(s->of->values, row * s->columns + column);
}

static bool counts(const search *s, size_t row)
{
    return !s->of->counts || s->of->counts[row] > 0;
}

/* ---- R, row by row ---- */

/* Turns a row into R by rotations, which need no memory for X once more. */
static void rotate_in(double *r, double *row, size_t columns)
{
    for (size_t j = 0; j < columns; j++) {
        double *const of_r = r + j * columns;
        const double length = hypot(of_r[j], row[j]);
        if (!(fabs(row[j]) > 0) || !(length > 0))
            continue;
        const double c = of_r[j] / length, s = row[j] / length;
        for (size_t k = j; k < columns; k++) {
            const double x = of_r[k], y = row[k];
            of_r[k] = c * x + s * y;
            row[k] = c * y - s * x;
        }
    }
}

/* Each column in units of its largest number, so no square overflows. */
static void find_r(search *s)
{
    const size_t columns = s->columns, rows = s->of->rows;
    double *const unit = s->share, *const row = s->column;
    for (size_t j = 0; j < columns; j++)
        unit[j] = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns && counts(s, i); j++)
            unit[j] = fmax(unit[j], fabs(at(s, i, j)));
    for (size_t i = 0; i < rows; i++) {
        if (!counts(s, i))
            continue;
        for (size_t j = 0; j < columns; j++)
            row[j] = unit[j] > 0 ? at(s, i, j) / unit[j] : 0;
        rotate_in(s->r, row, columns);
    }
    /* back to the columns themselves: sums of them are shown */
    for (size_t i = 0; i < columns * columns; i++)
        s->r[i] *= unit[i % columns];
}

/* ---- lines ---- */

static void add_number(gb_packing *text, double number)
{
    char word[GB_R_NUMBER_TEXT];
    snprintf(word, sizeof word, "%.6g", number);
    gb_text_add(text, word);
}

static bool begin_line(search *s, size_t column)
{
    if (s->lines++ >= MOST_LINES)
        return false;
    gb_text_add(&s->text, "column ");
    gb_text_add(&s->text, s->of->name[column]);
    return true;
}

/* Says which sum of independent columns a column is; `share` has their multiples. */
static void say_sum(search *s, size_t column, const double *share, const double *lengths)
{
    size_t names = 0, more = 0;
    if (!begin_line(s, column))
        return;
    gb_text_add(&s->text, " is ");
    for (size_t i = 0; i < s->count; i++) {
        if (fabs(share[i]) * lengths[s->independent[i]] <= NOTHING * lengths[column])
            continue;
        if (names == MOST_NAMES) {
            more++;
            continue;
        }
        const bool is_one = fabs(fabs(share[i]) - 1) < NOTHING;
        gb_text_add(&s->text, share[i] < 0 ? (names ? " - " : "-") : (names ? " + " : ""));
        if (!is_one) {
            add_number(&s->text, fabs(share[i]));
            gb_text_add(&s->text, " × ");
        }
        gb_text_add(&s->text, s->of->name[s->independent[i]]);
        names++;
    }
    gb_text_add(&s->text, more > 0 ? " + …" : "");
    gb_text_add(&s->text, ": the data cannot tell their coefficients apart\n");
}

static void say_constant(search *s, size_t column, double number)
{
    if (!begin_line(s, column))
        return;
    gb_text_add(&s->text, " is ");
    add_number(&s->text, number);
    gb_text_add(&s->text, s->all_count ? " in all rows\n" : " in all rows that count\n");
}

/* ---- columns ---- */

/* Returns whether a column has one number in all rows that count where it is there. Stores that number. */
static bool is_constant(const search *s, size_t column, double *number)
{
    *number = (double)NAN;
    for (size_t i = 0; i < s->of->rows; i++) {
        const double is = counts(s, i) ? at(s, i, column) : (double)NAN;
        if (is < *number || is > *number)
            return false;
        *number = isnan(*number) ? is : *number;
    }
    return true;
}

static double length_of(const double *x, size_t count)
{
    double largest = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i]));
    for (size_t i = 0; i < count && largest > 0; i++)
        squares += x[i] / largest * (x[i] / largest);
    return largest * sqrt(squares);
}

/* Takes the basis out of `column`, twice for its digits. `share` gets what it has of each. */
static void take_out(const search *s, double *column, double *share)
{
    memset(share, 0, s->columns * sizeof *share);
    for (int times = 0; times < 2; times++)
        for (size_t k = 0; k < s->count; k++) {
            const double *const q = s->basis + k * s->columns;
            double along = 0;
            for (size_t i = 0; i < s->columns; i++)
                along += q[i] * column[i];
            for (size_t i = 0; i < s->columns; i++)
                column[i] -= along * q[i];
            share[k] += along;
        }
}

/* From shares of the basis to multiples of the columns that it was made of. */
static void solve(const search *s, double *share)
{
    for (size_t k = s->count; k-- > 0;) {
        share[k] /= s->triangle[k * s->columns + k];
        for (size_t i = 0; i < k; i++)
            share[i] -= share[k] * s->triangle[k * s->columns + i];
    }
}

/* Without an intercept, a column of another constant than 0 takes its place. Returns whether a line says that
 * the column is constant; an intercept needs none. */
static bool look_for_constant(search *s, size_t j)
{
    double number;
    const bool constant = is_constant(s, j, &number), is_0 = !(number < 0 || number > 0);
    if (!constant || isnan(number) || !(is_0 || s->of->has_intercept))
        return false;
    if (is_0 || j > 0)
        say_constant(s, j, number);
    return true;
}

static void look_at(search *s, size_t j, double *lengths)
{
    double *const column = s->column, *const share = s->share;
    for (size_t i = 0; i < s->columns; i++)
        column[i] = s->r[i * s->columns + j];
    lengths[j] = length_of(column, s->columns);
    const bool constant = look_for_constant(s, j);
    take_out(s, column, share);
    const double left = length_of(column, s->columns);
    if (left > NOTHING * lengths[j]) {
        for (size_t i = 0; i < s->columns; i++)
            s->basis[s->count * s->columns + i] = column[i] / left;
        share[s->count] = left;
        memcpy(s->triangle + s->count * s->columns, share, s->columns * sizeof *share);
        s->independent[s->count++] = j;
        return;
    }
    if (constant)
        return;
    solve(s, share);
    say_sum(s, j, share, lengths);
}

static void look_for_sums(search *s, double *lengths)
{
    find_r(s);
    for (size_t j = 0; j < s->columns; j++)
        look_at(s, j, lengths);
}

static bool has_gaps(const search *s)
{
    for (size_t i = 0; i < s->of->rows * s->columns; i++)
        if (isnan(gb_numbers_at(s->of->values, i)))
            return true;
    return false;
}

static void look_for_constants(search *s)
{
    char line[80];
    for (size_t j = 0; j < s->columns; j++)
        look_for_constant(s, j);
    if (!s->of->is_too_much && s->columns <= MOST_COLUMNS)
        return;
    if (s->of->is_too_much)
        snprintf(line, sizeof line, "sums are not looked for among so many numbers\n");
    else
        snprintf(line, sizeof line, "sums are not looked for among more than %d columns\n", MOST_COLUMNS);
    gb_text_add(&s->text, line);
}

static void add_rest(search *s)
{
    char line[64];
    if (s->lines <= MOST_LINES)
        return;
    snprintf(line, sizeof line, "and %zu more\n", s->lines - MOST_LINES);
    gb_text_add(&s->text, line);
}

/* Returns false if memory runs out. */
static bool look(search *s, gb_arena *scratch)
{
    const size_t columns = s->columns, each = columns * sizeof(double);
    double **const arrays[] = {&s->r, &s->basis, &s->triangle, &s->column, &s->share};
    if (columns > MOST_COLUMNS || s->of->is_too_much || has_gaps(s)) {
        look_for_constants(s);
        return true;
    }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = gb_arena_take(scratch, i < 3 ? columns * each : each)))
            return false;
    double *const lengths = gb_arena_take(scratch, each);
    s->independent = gb_arena_take(scratch, columns * sizeof *s->independent);
    if (lengths && s->independent)
        look_for_sums(s, lengths);
    return lengths && s->independent;
}

const char *gb_column_warnings(gb_arena *arena, const gb_matrix_columns *of)
{
    const gb_memory *const memory = arena->memory;
    gb_arena scratch = {.memory = memory};
    search s = {.of = of, .columns = of->columns, .text = {.memory = memory}, .all_count = true};
    size_t first = 0;
    for (size_t i = 0; i < of->rows; i++) {
        s.all_count = s.all_count && counts(&s, i);
        first += first == i && !counts(&s, i);
    }
    const bool is_fine = first == of->rows || look(&s, &scratch);
    add_rest(&s);
    const char *const text = gb_text_moved(&s.text, arena);
    gb_arena_free(&scratch);
    return is_fine ? text : NULL;
}

const char *gb_design_warnings(gb_design *d)
{
    if (!d || gb_error(d->tape) != GB_OK)
        return NULL;
    if (d->warnings || d->rows == 0 || !d->owns_formula) /* other rows learn no coefficients */
        return d->warnings ? d->warnings : "";
    const gb_matrix_columns of = {.rows = (size_t)d->rows,
                                  .columns = d->formula->columns,
                                  .values = gb_design_values(d),
                                  .counts = d->counts,
                                  .name = d->formula->column_name,
                                  .has_intercept = d->formula->has_intercept};
    gb_packing text = {.memory = d->arena.memory};
    gb_say_stray_texts(&text, d->formula);
    const char *const columns = gb_column_warnings(&d->arena, &of);
    gb_text_add(&text, columns ? columns : "");
    const char *const all = gb_text_moved(&text, &d->arena);
    if (!columns || !all) {
        gb_fail(d->tape, GB_ENOMEM, "design_warnings: out of memory for %zu columns", of.columns);
        return NULL;
    }
    return d->warnings = all;
}
