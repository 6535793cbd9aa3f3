/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standardised columns, (x − mean) / sd, by the means and standard deviations of the training rows:
 *
 *     const gb_numbers raw = gb_table_numbers(d, "rm, lstat, age");
 *     gb_standard *s = gb_standard_new(t, raw, .columns = 3, .of = train, .names = "rm, lstat, age");
 *     … GB_COLUMNS({x, gb_standard_numbers(s, raw)}, …)
 *
 * A target has one column. Predictions of it go back to its own units by gb_standard_invert; a standard
 * deviation of predictions is multiplied by gb_standard_sds, and log gb_standard_sds is subtracted from a log
 * density.
 *
 * Means and standard deviations are a note on the tape, so a checkpoint has them. A process that only
 * predicts reads them back after gb_checkpoint_load, by gb_standard_noted. All is computed in double,
 * whatever the type of the tape; so 1e9 ± 1e-3 keeps its digits, but for the rounding of the mean, 6e-8.
 *
 * The tape owns the result: it ends when the tape is reset or freed. NULL means that an earlier call failed:
 * the functions then do nothing, and return NULL, 0, {0} or the error. */
#ifndef GREBE_DATA_STANDARD_H
#define GREBE_DATA_STANDARD_H

#include "../core/options.h"
#include "../core/tape.h"
#include "numbers.h"

GB_BEGIN_DECLS

typedef struct gb_standard gb_standard;

/* A column that is the same number in all training rows, or that differs by rounding only: */
typedef enum gb_constant_columns {
    GB_CONSTANT_COLUMNS_REJECTED, /* is an error, which names it */
    GB_CONSTANT_COLUMNS_KEPT,     /* stays as it is: mean 0, standard deviation 1 */
    GB_CONSTANT_COLUMNS_CENTRED   /* becomes 0: its mean is subtracted, the standard deviation is 1 */
} gb_constant_columns;

typedef struct gb_standard_options {
    size_t size;
    const char *name;  /* of the note; NULL: "standard". Two on one tape need two names */
    int64_t columns;   /* numbers in a row; 0: 1 */
    int64_t rows;      /* 0: as many as `values` has. REQUIRED if it does not say (gb_doubles) */
    gb_rows of;        /* the training rows; {0}: all */
    const char *names; /* of the columns, separated by commas, for messages; NULL: they have numbers */
    bool population; /* the sum of squares is divided by n, as numpy.std does; false: by n − 1, as R's sd */
    gb_constant_columns constant;
    /* On the tape of a team (core/team.h): the rows are this member's, and others have others. The means and
     * standard deviations are then those of all rows, the same in all members, which call together. */
    bool sharded;
} gb_standard_options;

/* Finds mean and standard deviation of each column of `values`, [rows][columns]. Fails if a number is missing
 * (NaN) or infinite, and names row and column. Returns NULL on error. */
#define gb_standard_new(...) GB_NEW_2(gb_standard, __VA_ARGS__, .size = sizeof(gb_standard_options))
GB_API gb_standard *gb_standard_new_with(gb_tape *tape, gb_numbers values,
                                         const gb_standard_options *options);

/* Returns what gb_standard_new has noted under this name, on this tape or on the one of which a checkpoint
 * was loaded. Fails if there is no such note, or if its bytes are of something else. */
GB_API gb_standard *gb_standard_noted(gb_tape *tape, const char *name);

/* Return the number of columns, their means, and their standard deviations. */
GB_API int64_t gb_standard_columns(const gb_standard *standard);
GB_API const double *gb_standard_means(const gb_standard *standard);
GB_API const double *gb_standard_sds(const gb_standard *standard);

/* Writes (x − mean) / sd of `rows` rows to `standardised`, which may be the array of `values` if that has
 * doubles. A NaN stays one. */
GB_API gb_status gb_standard_apply(const gb_standard *standard, gb_numbers values, int64_t rows,
                                   double *standardised);

/* Returns the same numbers, which then stand for (x − mean) / sd: nothing is copied, so `values` stay
 * borrowed, and may be bytes or a mapped file. They must know their count. Returns {0} on error. */
GB_API gb_numbers gb_standard_numbers(const gb_standard *standard, gb_numbers values);

/* Writes mean + sd · x of `rows` rows to `values`, which may be `standardised` itself. */
GB_API gb_status gb_standard_invert(const gb_standard *standard, const double *standardised, int64_t rows,
                                    double *values);

GB_END_DECLS
#endif
