/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An array of numbers in a file: IDX, as MNIST has it, or NPY, as numpy.save writes it.
 *
 *     gb_array *images = gb_array_read(t, "train-images-idx3-ubyte.gz");
 *     gb_array *labels = gb_array_read(t, "train-labels-idx1-ubyte.gz");
 *     gb_batches *data = gb_batches_new(
 *         t, .batch = 128,
 *         .columns = GB_COLUMNS({x, gb_numbers_scaled(gb_array_numbers(images), 1. / 255, 0)},
 *                               {label, gb_array_numbers(labels)}));
 *     …
 *     gb_array_free(images);
 *
 * The caller owns an array, and frees it after the last batch, before or after the tape that has its errors.
 * A NULL array means that an earlier call failed: it has no numbers. */
#ifndef GREBE_DATA_ARRAY_H
#define GREBE_DATA_ARRAY_H

#include "../core/options.h"
#include "../core/tape.h"
#include "numbers.h"

GB_BEGIN_DECLS

typedef struct gb_array gb_array;

typedef struct gb_array_read_options {
    size_t size;
    /* The file is not read, but mapped into memory, and the system reads what is used: for files larger than
     * memory. It must not be packed, and its numbers must stand there as this machine has them: in its order
     * of bytes, rows first (C order). The file must not become shorter while the array is in use. */
    bool mapped;
    /* Read these bytes instead of a file; the path is their name in messages. NULL: read the file. */
    const void *data;
    size_t bytes;
} gb_array_read_options;

/* Reads a file, which may be packed by gzip. Returns NULL on error; the error is on the tape.
 *
 * Numbers keep their type, in the order of bytes of this machine and with rows first; half precision becomes
 * float, and booleans become bytes. At most 6 axes. The file must have exactly the numbers of its shape:
 * fewer or more are an error, and so are other types (complex, texts, structures, objects). */
#define gb_array_read(...) GB_CALL_2(gb_array_read, __VA_ARGS__, .size = sizeof(gb_array_read_options))
GB_API gb_array *gb_array_read_with(gb_tape *tape, const char *path, const gb_array_read_options *options);

/* Frees an array. NULL is allowed. */
GB_API void gb_array_free(gb_array *array);

/* Return its numbers, with their count; its shape; the size of its first axis (1 for a single number). */
GB_API gb_numbers gb_array_numbers(const gb_array *array);
GB_API gb_shape gb_array_shape(const gb_array *array);
GB_API int64_t gb_array_rows(const gb_array *array);

/* Writes numbers as NPY, which numpy.load and gb_array_read read. Scaled numbers are written as doubles.
 * Returns GB_EARGUMENT for NULL, without numbers, and if they have another count than the shape; GB_ESYSTEM
 * if writing failed. */
GB_API gb_status gb_numbers_npy(gb_numbers numbers, gb_shape shape, FILE *file);

GB_END_DECLS
#endif
