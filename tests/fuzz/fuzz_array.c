/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as IDX or NPY, packed or not: they are read, or rejected in words. What is read is written, and
 * read again as the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/array.h"
#include "fuzz.h"

static void need(bool holds, const char *what, const gb_tape *t)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_array: %s; %s\n", what, gb_error_text(t));
    abort();
}

static void read_again(gb_tape *t, const gb_array *a)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *const file = open_memstream(&bytes, &length);
    const gb_numbers is = gb_array_numbers(a);
    need(file && gb_numbers_npy(is, gb_array_shape(a), file) == GB_OK && fclose(file) == 0, "not written", t);
    gb_array *const again = gb_array_read(t, "again", .data = bytes, .bytes = length);
    const gb_numbers was = gb_array_numbers(again);
    need(again && gb_shape_same(gb_array_shape(a), gb_array_shape(again)) && is.type == was.type &&
             is.count == was.count && memcmp(is.at, was.at, is.count * gb_number_bytes(is.type)) == 0,
         "not the same again", t);
    gb_array_free(again);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    gb_tape *const t = gb_tape_new(.threads = 1);
    unsigned char *const bytes = malloc(length ? length : 1);
    need(t && bytes, "out of memory", t);
    if (length > 0)
        memcpy(bytes, data, length);
    gb_array *const a = gb_array_read(t, "fuzz", .data = bytes, .bytes = length);
    need(!a == (gb_error(t) != GB_OK) && (a || *gb_error_text(t)), "rejected without a reason", t);
    need(a || gb_error(t) == GB_EFILE, "rejected for another reason", t);
    if (a)
        read_again(t, a);
    gb_array_free(a);
    free(bytes);
    gb_tape_free(t);
    return 0;
}
