/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data, batch by batch:
 *
 *     gb_batches *data = gb_batches_new(t, .rows = N, .batch = 32,
 *                                       .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
 *     for (int epoch = 0; epoch < 10; epoch++)
 *         while (gb_next_batch(data))
 *             if (gb_run(train) != GB_OK)
 *                 return gb_complain(t, stderr);
 *
 * Each epoch visits all rows once, in a random order of its own. The order depends only on the seed. The last
 * batch of an epoch has the rows that are left; an ELBO scales it correctly.
 *
 * On the tape of a team (core/team.h) every member has all rows, and feeds its part of each batch: the first
 * member the first rows, and so on; unless they are .sharded. */
#ifndef GREBE_MODELS_BATCHES_H
#define GREBE_MODELS_BATCHES_H

#include "../core/options.h"
#include "../core/tape.h"
#include "../data/numbers.h"

GB_BEGIN_DECLS

typedef struct gb_batches gb_batches;

/* The values of one input: for each row a value of the input's shape, row after row, as numbers of any type.
 * They are borrowed, and must stay as they are while batches are fed. A batch converts its own rows to the
 * type of the tape, so bytes stay bytes, and a file can be larger than memory. Numbers that have this type
 * already are fed without a copy if they are neither shuffled nor scaled.
 *
 * An integer input also takes reals that are integers. A number that is none, or does not fit (a float tape
 * has 32-bit integers), is an error that names row and column. */
typedef struct gb_column {
    gb_node input;
    gb_numbers values;
} gb_column;

/* Inputs with their columns of data. */
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
    int64_t rows;  /* of the data set; 0: as many as the columns say. REQUIRED if none says it (gb_doubles) */
    int64_t batch; /* rows of a batch; 0: all */
    bool in_order; /* true: every epoch has the original order of the rows */
    gb_column_list columns;
    /* Name of the stream of noise that gives the order; NULL: "batches". Two gb_batches on one tape need two
     * names, unless they do not shuffle: .in_order, or all rows in one batch. */
    const char *name;
    /* These rows alone, such as the training part of a split, in this order if .in_order. Copied. A row may
     * occur several times. {0}: all. */
    gb_rows only;
    /* Shuffles in windows of so many rows that stand side by side: the windows, and the rows in each. Then
     * data are read almost in order, as files larger than memory need it, and an epoch needs memory for one
     * window, not for all rows. Rows of different windows meet in a batch only where one ends. So a window
     * should have many batches, and data that are sorted should be mixed first. 0: all rows together. */
    int64_t window;
    /* On the tape of a team: the rows are this member's, and others have others; it may have none, 0. `batch`
     * is then that of all members together, of which each feeds its share: with N rows in all, an epoch has
     * S = ⌈N / batch⌉ batches, and batch i takes rows ⌊i R / S⌋ to ⌊(i + 1) R / S⌋ of the member's R, in an
     * order of its own. So each epoch visits all rows once; the parts of a batch differ from even shares by
     * less than one row. gb_batches_rows says N. All members call gb_batches_new together. */
    bool sharded;
} gb_batches_options;

/* Returns NULL on error; the error is on the tape. The tape owns the result. */
#define gb_batches_new(...) GB_NEW_1(gb_batches, __VA_ARGS__, .size = sizeof(gb_batches_options))
GB_API gb_batches *gb_batches_new_with(gb_tape *tape, const gb_batches_options *options);

/* Feeds the next batch. Returns false at the end of an epoch, and on error. The next call begins a new
 * epoch. */
GB_API bool gb_next_batch(gb_batches *data);

/* Returns the tape that owns them; NULL for NULL. */
GB_API gb_tape *gb_batches_tape(const gb_batches *data);

/* Return the number of rows in an epoch, and the number of batches. */
GB_API int64_t gb_batches_rows(const gb_batches *data);
GB_API int64_t gb_batches_count(const gb_batches *data);

/* The position of the next batch: the epoch (the number of epochs that gb_next_batch has ended), and the
 * number of its rows that have been fed. gb_batches_at returns it; gb_batches_go continues from it. */
typedef struct gb_batches_place {
    uint64_t epoch;
    int64_t row;
} gb_batches_place;
GB_API gb_batches_place gb_batches_at(const gb_batches *data);
GB_API gb_status gb_batches_go(gb_batches *data, gb_batches_place place);

GB_END_DECLS
#endif
