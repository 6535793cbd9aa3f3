/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a data set: rows to train with, to validate with, to test with.
 *
 *     gb_split *s = gb_split_new(t, N, .test = 0.1, .validate = 0.2);
 *     gb_batches *train = gb_batches_new(t, .batch = 32, .only = s->train, .columns = …);
 *     gb_batches *test = gb_batches_new(t, .only = s->test, .name = "test", .columns = …);
 *     …
 *     gb_split_free(s);
 *
 * Every row is in exactly one part. */
#ifndef GREBE_DATA_SPLIT_H
#define GREBE_DATA_SPLIT_H

#include "../core/options.h"
#include "../core/tape.h"
#include "numbers.h"

GB_BEGIN_DECLS

/* The caller owns it; gb_split_free frees it, before or after its tape. A part may be empty. Rows that were
 * given stand in the order in which they were given; others in the order of the data set. */
typedef struct gb_split {
    gb_rows train, validate, test;
} gb_split;

typedef struct gb_split_options {
    size_t size;
    /* The size of a part: below 1 a fraction of all rows, rounded to a number of rows; from 1 on that number.
     * All other rows are for training; at least one must be left. */
    double test, validate;
    /* One of `folds` parts of equal size (or 1 row less) is for testing: part `fold`, counted from 0. All
     * folds together test each row once. Instead of .test. */
    int64_t folds, fold;
    /* Parts that are known, as published splits are. The rows of .test_rows test; the others are for training
     * and validation. If .train_rows is given too, both together must have each row once; the rows that
     * validate are taken from it. Instead of .test and .folds. */
    gb_rows test_rows, train_rows;
    /* Classes: a number for each row, such as gb_table_levels has. All parts have rows of each class in
     * proportion, up to one row; with .test and .validate, those for training up to two. {0}: no classes. */
    gb_numbers by;
    /* Decides which rows are chosen; 0: the seed of the tape. The same seed gives the same parts. */
    uint64_t seed;
} gb_split_options;

/* Splits `rows` rows. Returns NULL on error; the error is on the tape. */
#define gb_split_new(...) GB_NEW_2(gb_split, __VA_ARGS__, .size = sizeof(gb_split_options))
GB_API gb_split *gb_split_new_with(gb_tape *tape, int64_t rows, const gb_split_options *options);

/* Frees a split. NULL is allowed. */
GB_API void gb_split_free(gb_split *split);

typedef struct gb_rows_read_options {
    size_t size;
    bool one_based; /* the file counts rows from 1 */
} gb_rows_read_options;

/* Reads rows from a file that has one integer on each line. The tape keeps them until it is reset or freed.
 * Returns {0} on error; the error is on the tape. */
#define gb_rows_read(...) GB_CALL_2(gb_rows_read, __VA_ARGS__, .size = sizeof(gb_rows_read_options))
GB_API gb_rows gb_rows_read_with(gb_tape *tape, const char *path, const gb_rows_read_options *options);

GB_END_DECLS
#endif
