/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a file or of memory, in order. What gzip has packed is unpacked. */
#ifndef GREBE_DATA_STORED_SOURCE_IMPL_H
#define GREBE_DATA_STORED_SOURCE_IMPL_H

#include <zlib.h>

#include "core/tape.h"

typedef struct gb_source {
    gb_tape *tape;    /* has the errors: "table: kids.csv: …" */
    const char *what; /* what it is: "table", "array" */
    const char *name; /* the file */
    gb_memory memory;
    int file;              /* -1: memory */
    unsigned char *buffer; /* of a file */
    const unsigned char *at;
    size_t left;                                       /* bytes at `at` */
    bool has_ended, has_failed, is_packed, is_between; /* is_between: a packed part has ended */
    z_stream unpack;
} gb_source;

/* Begin with a file, or with bytes in memory. Return false on error, which is on the tape. gb_source_close
 * follows in any case. The caller has set `tape`, `what` and `name`. */
bool gb_source_open(gb_source *source);
bool gb_source_open_bytes(gb_source *source, const void *bytes, size_t length);
void gb_source_close(gb_source *source);

/* Reads `bytes` bytes, or fewer at the end and on error. */
size_t gb_source_read(gb_source *source, void *to, size_t bytes);

/* Reads all that is left, and ends it with a zero byte, which `length` does not count. Returns NULL on error.
 * The caller releases it with the memory of the source. */
char *gb_source_read_all(gb_source *source, size_t *length);

#endif
