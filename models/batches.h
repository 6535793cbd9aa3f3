/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data, batch by batch:
 *
 *     gb_batches *data = gb_batches_new(t, .rows = N, .batch = 32, .columns = GB_COLUMNS({x, xs}, {y, ys}));
 *     for (int epoch = 0; epoch < 10; epoch++)
 *         while (gb_next_batch(data))
 *             if (gb_run(train) != GB_OK)
 *                 return gb_complain(t, stderr);
 *
 * Each epoch goes through all rows once, in an order of its own, which is noise as any other: the same for the same seed.
 * The last batch of an epoch has what is left, which an ELBO scales right. */
#ifndef GREBE_MODELS_BATCHES_H
#define GREBE_MODELS_BATCHES_H

#include "../core/options.h"
#include "../core/tape.h"

GB_BEGIN_DECLS

typedef struct gb_batches gb_batches;

/* What one input is fed: a value of its shape for each row, row after row; doubles, or int64_t for an input of integers.
 * They must stay: a tape of doubles copies what a batch needs, and nothing else. (A float tape has integers of 32 bits: larger
 * ones are an error.) */
typedef struct gb_column {
    gb_node input;
    const void *values;
} gb_column;

typedef struct gb_column_list {
    const gb_column *column;
    size_t count;
} gb_column_list;
#define GB_COLUMNS(...)                                                                                      \
    ((gb_column_list){.column = (const gb_column[]){__VA_ARGS__},                                            \
                      .count = sizeof((const gb_column[]){__VA_ARGS__}) / sizeof(gb_column)})
GB_API gb_column_list gb_columns_of(size_t count, const gb_column *columns);

typedef struct gb_batches_options {
    size_t size;
    int64_t rows;  /* REQUIRED */
    int64_t batch; /* rows to a batch; 0: all */
    bool in_order; /* every epoch goes from the first row to the last */
    gb_column_list columns;
    /* Of the stream of noise that decides the order; NULL: "batches". A tape that has two needs two names, but for those that
     * shuffle nothing: .in_order, or all rows in one batch. */
    const char *name;
} gb_batches_options;

/* NULL on error, which the tape has. The tape owns them. */
#define gb_batches_new(...) GB_NEW_1(gb_batches, __VA_ARGS__, .size = sizeof(gb_batches_options))
GB_API gb_batches *gb_batches_new_with(gb_tape *tape, const gb_batches_options *options);

/* Feeds the next batch. False at the end of an epoch, after which the next one begins; and on error. */
GB_API bool gb_next_batch(gb_batches *data);

/* The tape that owns them; NULL for NULL. */
GB_API gb_tape *gb_batches_tape(const gb_batches *data);

/* How many rows there are, and batches in an epoch. */
GB_API int64_t gb_batches_rows(const gb_batches *data);
GB_API int64_t gb_batches_count(const gb_batches *data);

/* Where the next batch begins: in which epoch (how many have ended, once gb_next_batch has said so), and how many of its
 * rows have been seen. To go on from there another time. */
typedef struct gb_batches_place {
    uint64_t epoch;
    int64_t row;
} gb_batches_place;
GB_API gb_batches_place gb_batches_at(const gb_batches *data);
GB_API gb_status gb_batches_go(gb_batches *data, gb_batches_place place);

GB_END_DECLS
#endif
