/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ground/memory_impl.h"
#include "core/kernels/noise_impl.h"
#include "data/table.h"

typedef enum part { TRAIN, VALIDATE, TEST, PARTS } part;

typedef struct own_split {
    gb_split seen;
    gb_memory memory;
    int64_t rows[];
} own_split;

typedef struct splitting {
    gb_tape *tape;
    gb_memory memory;
    gb_split_options options;
    int64_t rows;
    unsigned char *part; /* of each row */
    int64_t *order;      /* in which rows are chosen: at random, classes one after another */
} splitting;

/* ---- the order ---- */

/* The shuffle of Fisher and Yates. */
static void shuffle(const splitting *s)
{
    const uint64_t key = s->options.seed ? s->options.seed : gb_tape_seed(s->tape);
    for (uint32_t i = 0; i < (uint32_t)s->rows; i++) {
        const uint32_t counter[4] = {i, 0x73706C69, 0x74};
        const uint32_t other = gb_philox_below(counter, key, i + 1);
        s->order[i] = s->order[other];
        s->order[other] = i;
    }
}

typedef struct classed {
    double number;
    int64_t place, row;
} classed;

static int by_class(const void *a, const void *b)
{
    const classed *const x = a, *const y = b;
    if (x->number < y->number || x->number > y->number)
        return x->number < y->number ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Sorts the order by classes; inside a class it stays random. */
static bool sort_by_class(const splitting *s)
{
    classed *const rows = gb_memory_resize(&s->memory, NULL, (size_t)s->rows * sizeof *rows);
    for (int64_t i = 0; rows && i < s->rows; i++) {
        rows[i] = (classed){gb_numbers_at(s->options.by, (size_t)s->order[i]), i, s->order[i]};
        if (isnan(rows[i].number)) {
            gb_fail(s->tape, GB_EARGUMENT, "split: .by of row %lld is no number", (long long)rows[i].row);
            gb_memory_release(&s->memory, rows);
            return false;
        }
    }
    if (!rows) {
        gb_fail(s->tape, GB_ENOMEM, "split: out of memory for %lld rows", (long long)s->rows);
        return false;
    }
    qsort(rows, (size_t)s->rows, sizeof *rows, by_class);
    for (int64_t i = 0; i < s->rows; i++)
        s->order[i] = rows[i].row;
    gb_memory_release(&s->memory, rows);
    return true;
}

/* ---- choosing ---- */

/* How many of `from` things are among the first `i`, if `count` of them are chosen at equal distances. */
static int64_t evenly(int64_t i, int64_t count, int64_t from)
{
    return i * count / from;
}

/* Moves `count` of the `from` rows for training to another part. At equal distances in the order, so that
 * each class has its share, up to one row. */
static void choose(const splitting *s, part to, int64_t count, int64_t from)
{
    for (int64_t i = 0, seen = 0; i < s->rows; i++) {
        if (s->part[s->order[i]] != TRAIN)
            continue;
        if (evenly(seen + 1, count, from) > evenly(seen, count, from))
            s->part[s->order[i]] = (unsigned char)to;
        seen++;
    }
}

static void choose_fold(const splitting *s)
{
    for (int64_t i = s->options.fold; i < s->rows; i += s->options.folds)
        s->part[s->order[i]] = TEST;
}

/* ---- rows that were given ---- */

/* Marks rows, of which none may occur twice. */
static bool mark(const splitting *s, gb_rows rows, unsigned char *marks, part as, const char *name)
{
    for (size_t i = 0; i < rows.count; i++) {
        const int64_t row = rows.row[i];
        if (row < 0 || row >= s->rows)
            gb_fail(s->tape, GB_EARGUMENT, "split: %s has row %lld at place %zu, and rows are 0 to %lld",
                    name, (long long)row, i, (long long)s->rows - 1);
        else if (marks[row] != PARTS)
            gb_fail(s->tape, GB_EARGUMENT, "split: row %lld of %s, place %zu, %s", (long long)row, name, i,
                    marks[row] == as ? "is there twice" : "is in .test_rows too");
        else
            marks[row] = (unsigned char)as;
        if (gb_error(s->tape) != GB_OK)
            return false;
    }
    return true;
}

static bool take_given(const splitting *s)
{
    const gb_split_options *const o = &s->options;
    memset(s->part, PARTS, (size_t)s->rows);
    if (!mark(s, o->test_rows, s->part, TEST, ".test_rows") ||
        !mark(s, o->train_rows, s->part, TRAIN, ".train_rows"))
        return false;
    for (int64_t i = 0; i < s->rows; i++)
        if (s->part[i] == PARTS && o->train_rows.count > 0) {
            gb_fail(s->tape, GB_EARGUMENT,
                    "split: row %lld is neither in .test_rows nor in .train_rows; without .train_rows all "
                    "others are for training",
                    (long long)i);
            return false;
        } else if (s->part[i] == PARTS)
            s->part[i] = TRAIN;
    return true;
}

/* ---- sizes ---- */

/* The number of rows of a part; −1, and an error, for a size that is none. */
static int64_t rows_of(const splitting *s, double size, const char *name)
{
    const double rows = size < 1 ? rint(size * (double)s->rows) : size;
    if (!(size > 0) || rows < 1 || rows > (double)s->rows || rows > rint(rows) || rows < rint(rows)) {
        gb_fail(s->tape, GB_EARGUMENT,
                "split: %s is %g, and should be a fraction below 1 that is at least one of %lld rows, or a "
                "number of rows",
                name, size, (long long)s->rows);
        return -1;
    }
    return (int64_t)rows;
}

static int64_t count_part(const splitting *s, part which)
{
    int64_t count = 0;
    for (int64_t i = 0; i < s->rows; i++)
        count += s->part[i] == which;
    return count;
}

static bool options_fit(const splitting *s)
{
    const gb_split_options *const o = &s->options;
    const int ways = (o->test != 0) + (o->folds != 0) + (o->test_rows.count > 0);
    const bool is_by = o->by.at != NULL;
    if (s->rows < 2 || s->rows > INT32_MAX)
        gb_fail(s->tape, GB_EARGUMENT, "split: %lld rows; 2 to 2^31 - 1 can be split", (long long)s->rows);
    else if (ways > 1)
        gb_fail(s->tape, GB_EARGUMENT, "split: give one of .test, .folds and .test_rows");
    else if (ways == 0 && o->validate == 0)
        gb_fail(s->tape, GB_EARGUMENT,
                "split: no part is asked for; give .test, .validate, .folds or .test_rows");
    else if ((o->test_rows.count > 0 && !o->test_rows.row) || (o->train_rows.count > 0 && !o->train_rows.row))
        gb_fail(s->tape, GB_EARGUMENT, "split: a list of rows is NULL");
    else if (o->train_rows.count > 0 && o->test_rows.count == 0)
        gb_fail(s->tape, GB_EARGUMENT, "split: .train_rows needs .test_rows");
    else if (o->folds != 0 && (o->folds < 2 || o->folds > s->rows))
        gb_fail(s->tape, GB_EARGUMENT, "split: .folds is %lld, and should be 2 to %lld, the number of rows",
                (long long)o->folds, (long long)s->rows);
    else if (o->fold < 0 || o->fold >= (o->folds ? o->folds : 1))
        gb_fail(s->tape, GB_EARGUMENT, "split: .fold is %lld, and .folds is %lld; folds count from 0",
                (long long)o->fold, (long long)o->folds);
    else if (is_by && o->by.count && o->by.count != (uint64_t)s->rows)
        gb_fail(s->tape, GB_EARGUMENT, "split: .by has %zu numbers for %lld rows", o->by.count,
                (long long)s->rows);
    return gb_error(s->tape) == GB_OK;
}

/* ---- all of it ---- */

static bool choose_test(const splitting *s)
{
    const gb_split_options *const o = &s->options;
    if (o->test_rows.count > 0)
        return take_given(s);
    if (o->folds)
        choose_fold(s);
    if (o->test == 0)
        return true;
    const int64_t count = rows_of(s, o->test, ".test");
    if (count > 0)
        choose(s, TEST, count, s->rows);
    return count > 0;
}

static bool choose_validate(const splitting *s)
{
    const gb_split_options *const o = &s->options;
    const int64_t left = count_part(s, TRAIN);
    const bool is_asked = o->validate != 0;
    const int64_t count = is_asked ? rows_of(s, o->validate, ".validate") : 0;
    if (count < 0)
        return false;
    if (count >= left) {
        gb_fail(
            s->tape, GB_EARGUMENT,
            "split: of %lld rows %lld are for testing and %lld for validation: none is left to train with",
            (long long)s->rows, (long long)(s->rows - left), (long long)count);
        return false;
    }
    choose(s, VALIDATE, count, left);
    return true;
}

/* Appends the rows of a part: those of `given` in their order, or all in the order of the data set. */
static gb_rows collect(const splitting *s, part which, gb_rows given, int64_t *to)
{
    size_t count = 0;
    const int64_t all = given.count > 0 ? (int64_t)given.count : s->rows;
    for (int64_t i = 0; i < all; i++) {
        const int64_t row = given.count > 0 ? given.row[i] : i;
        if (s->part[row] == which)
            to[count++] = row;
    }
    return gb_rows_of(count, to);
}

static gb_split *collected(const splitting *s)
{
    own_split *const own =
        gb_memory_resize(&s->memory, NULL, sizeof *own + (size_t)s->rows * sizeof *own->rows);
    if (!own) {
        gb_fail(s->tape, GB_ENOMEM, "split: out of memory for %lld rows", (long long)s->rows);
        return NULL;
    }
    own->memory = s->memory;
    own->seen.train = collect(s, TRAIN, s->options.train_rows, own->rows);
    own->seen.validate = collect(s, VALIDATE, s->options.train_rows, own->rows + own->seen.train.count);
    own->seen.test =
        collect(s, TEST, s->options.test_rows, own->rows + own->seen.train.count + own->seen.validate.count);
    return &own->seen;
}

gb_split *gb_split_new_with(gb_tape *tape, int64_t rows, const gb_split_options *options)
{
    splitting s = {.tape = tape, .rows = rows};
    if (!tape || gb_error(tape) != GB_OK ||
        !gb_options_take(tape, "split", &s.options, sizeof s.options, options) || !options_fit(&s))
        return NULL;
    s.memory = gb_tape_memory(tape);
    s.part = gb_memory_resize(&s.memory, NULL, (size_t)rows);
    s.order = gb_memory_resize(&s.memory, NULL, (size_t)rows * sizeof *s.order);
    gb_split *made = NULL;
    if (!s.part || !s.order)
        gb_fail(tape, GB_ENOMEM, "split: out of memory for %lld rows", (long long)rows);
    else {
        memset(s.part, TRAIN, (size_t)rows);
        shuffle(&s);
        if ((!s.options.by.at || sort_by_class(&s)) && choose_test(&s) && choose_validate(&s))
            made = collected(&s);
    }
    gb_memory_release(&s.memory, s.part);
    gb_memory_release(&s.memory, s.order);
    return made;
}

void gb_split_free(gb_split *split)
{
    own_split *const own = (void *)split;
    if (!own)
        return;
    const gb_memory memory = own->memory;
    gb_memory_release(&memory, own);
}
