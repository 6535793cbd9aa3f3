/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The format as functions on bytes: nothing here allocates or knows a tape. */
#ifndef GREBE_MODELS_CHECKPOINT_FORMAT_IMPL_H
#define GREBE_MODELS_CHECKPOINT_FORMAT_IMPL_H

#include "core/tape.h"

enum { GB_SAVED_VERSION = 1, GB_SAVED_HEAD = 48, GB_SAVED_TAIL = 8, GB_SAVED_WHY = 256 };

/* A named array. A part of the caller's is a vector of bytes. */
typedef struct gb_saved_entry {
    const char *name; /* of `length` bytes: in a file no zero ends it */
    size_t length;
    gb_shape shape;
    const void *data; /* in a file the low byte of an element comes first, and nothing is aligned */
    size_t bytes;
} gb_saved_entry;

typedef struct gb_saved_program {
    uint64_t step, fingerprint;
} gb_saved_program;

/* A checkpoint in memory. gb_saved_open fills it. */
typedef struct gb_saved {
    uint64_t seed;
    gb_real real;
    uint32_t programs, variables, parts;
    const unsigned char *program, *variable, *part; /* where the first one of each is */
    const unsigned char *end;                       /* of the last */
} gb_saved;

/* True if `bytes` are a checkpoint, whole and sound; else `why` is said. */
bool gb_saved_open(const unsigned char *bytes, size_t length, gb_saved *saved, char why[GB_SAVED_WHY]);

/* What an opened one has. Entries are in the order of their names: `at` moves from one to the next. */
gb_saved_program gb_saved_program_at(const gb_saved *saved, size_t index);
gb_saved_entry gb_saved_variable_next(const gb_saved *saved, const unsigned char **at);
gb_saved_entry gb_saved_part_next(const gb_saved *saved, const unsigned char **at);

/* Writing: into `to`, or only counted where that is NULL. Call in the order of the file. */
typedef struct gb_saving {
    unsigned char *to;
    size_t used;
    bool too_long; /* for a size_t */
} gb_saving;
void gb_saving_head(gb_saving *s, const gb_saved *head, size_t length);
void gb_saving_program(gb_saving *s, gb_saved_program program);
void gb_saving_entry(gb_saving *s, const gb_saved_entry *entry, size_t width);
void gb_saving_tail(gb_saving *s); /* the checksum of all before it */

/* Copies elements from this machine's order of bytes to the file's, or back; `to` may be `from`. */
void gb_saved_elements(unsigned char *to, const unsigned char *from, size_t bytes, size_t width);

/* The order of entries: by bytes, what begins with all of the other one after it. */
int gb_saved_order(const gb_saved_entry *a, const gb_saved_entry *b);

/* A name that can be shown: cut short, and control characters as "?". */
enum { GB_SAVED_SHOWN = 64 };
const char *gb_saved_shown(const gb_saved_entry *entry, char text[GB_SAVED_SHOWN]);

/* CRC-64/XZ. */
uint64_t gb_saved_checksum(const unsigned char *bytes, size_t length);

/* Sets the length and the checksum of a file that was made by hand, which has at least a head and a tail. */
void gb_saved_seal(unsigned char *bytes, size_t length);

#endif
