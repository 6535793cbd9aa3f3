/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a file or of memory, in order. What gzip has packed is unpacked. */
#ifndef GREBE_DATA_STORED_STORED_IMPL_H
#define GREBE_DATA_STORED_STORED_IMPL_H

#include <zlib.h>

#include "core/tape.h"

typedef struct gb_stored {
    gb_tape *tape;    /* has the errors: "table: kids.csv: …" */
    const char *what; /* what it is: "table", "array" */
    const char *name; /* the file */
    gb_memory memory;
    int file;              /* -1: memory */
    unsigned char *buffer; /* of a file */
    const unsigned char *at;
    size_t left;                                       /* bytes at `at` */
    int64_t length;                                    /* of all; -1: not known before it is read */
    bool has_ended, has_failed, is_packed, is_between; /* is_between: a packed part has ended */
    z_stream unpack;
} gb_stored;

/* Begin with a file, or with bytes in memory. Return false on error, which is on the tape. gb_stored_close
 * follows in any case. The caller has set `tape`, `what` and `name`. */
bool gb_stored_open(gb_stored *source);
bool gb_stored_open_bytes(gb_stored *source, const void *bytes, size_t length);
void gb_stored_close(gb_stored *source);

/* Reads `bytes` bytes, or fewer at the end and on error. */
size_t gb_stored_read(gb_stored *source, void *to, size_t bytes);

/* Reads all that is left, and ends it with a zero byte, which `length` does not count. Returns NULL on error.
 * The caller releases it with the memory of the source. */
char *gb_stored_read_all(gb_stored *source, size_t *length);

#endif
