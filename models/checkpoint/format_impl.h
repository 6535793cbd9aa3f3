/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file format, as functions on bytes. They allocate nothing and use no tape. */
#ifndef GREBE_MODELS_CHECKPOINT_FORMAT_IMPL_H
#define GREBE_MODELS_CHECKPOINT_FORMAT_IMPL_H

#include "core/tape.h"

/* The head of version 1; that of version 2 has the number of notes besides. */
enum { GB_SAVED_VERSION = 2, GB_SAVED_HEAD = 48, GB_SAVED_TAIL = 8, GB_SAVED_WHY = 256 };

/* A named array. A part and a note are vectors of bytes. */
typedef struct gb_saved_entry {
    const char *name; /* `length` bytes, without a final 0 */
    size_t length;
    gb_shape shape;
    const void *data; /* in a file: little-endian, not aligned */
    size_t bytes;
} gb_saved_entry;

typedef struct gb_saved_program {
    uint64_t step, fingerprint;
} gb_saved_program;

/* A checkpoint in memory, filled by gb_saved_open. */
typedef struct gb_saved {
    uint64_t seed;
    gb_real real;
    uint32_t programs, variables, parts, notes;
    const unsigned char *program, *variable, *part, *note; /* first of each */
    const unsigned char *end;                              /* end of the last note */
} gb_saved;

/* Returns true if `bytes` are a valid checkpoint. If not, writes the reason into `why`. */
bool gb_saved_open(const unsigned char *bytes, size_t length, gb_saved *saved, char why[GB_SAVED_WHY]);

/* Return the contents of a checkpoint. Entries are sorted by name; `at` moves from one to the next. */
gb_saved_program gb_saved_program_at(const gb_saved *saved, size_t index);
gb_saved_entry gb_saved_variable_next(const gb_saved *saved, const unsigned char **at);
gb_saved_entry gb_saved_part_next(const gb_saved *saved, const unsigned char **at); /* a note too */

/* Writing into `to`; if it is NULL, only counts the bytes. The functions must be called in the order of the
 * file. */
typedef struct gb_saving {
    unsigned char *to;
    size_t used;
    bool too_long; /* the length exceeds a size_t */
} gb_saving;
void gb_saving_head(gb_saving *s, const gb_saved *head, size_t length);
void gb_saving_program(gb_saving *s, gb_saved_program program);
void gb_saving_entry(gb_saving *s, const gb_saved_entry *entry, size_t width);
void gb_saving_tail(gb_saving *s); /* writes the checksum of all bytes before */

/* Copies elements between the byte orders of this machine and of the file. `to` may equal `from`. */
void gb_saved_elements(unsigned char *to, const unsigned char *from, size_t bytes, size_t width);

/* The order of entries: by bytes; a prefix comes before a longer name. */
int gb_saved_order(const gb_saved_entry *a, const gb_saved_entry *b);

/* Returns a printable name: shortened, with control characters as gb_text_show writes them. */
enum { GB_SAVED_SHOWN = 64 };
const char *gb_saved_shown(const gb_saved_entry *entry, char text[GB_SAVED_SHOWN]);

/* Returns the CRC-64/XZ. */
uint64_t gb_saved_checksum(const unsigned char *bytes, size_t length);

/* Sets the length and the checksum of a file made by hand, which has at least a head and a tail. */
void gb_saved_seal(unsigned char *bytes, size_t length);

#endif
