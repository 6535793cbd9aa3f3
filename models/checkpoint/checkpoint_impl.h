/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects what is saved or loaded: the variables, notes and programs of a tape, and the parts. */
#ifndef GREBE_MODELS_CHECKPOINT_CHECKPOINT_IMPL_H
#define GREBE_MODELS_CHECKPOINT_CHECKPOINT_IMPL_H

#include "models/checkpoint.h"
#include "models/checkpoint/format_impl.h"

/* A variable, a part, or a note. */
typedef struct gb_gathered_item {
    gb_saved_entry entry;
    size_t index; /* index among the nodes, among the parts, or among the names */
} gb_gathered_item;

typedef struct gb_gathered {
    const gb_checkpoint *of;
    gb_memory memory;
    size_t variables, notes;
    gb_node *node;
    const char **name;                        /* of the notes */
    gb_gathered_item *variable, *part, *note; /* sorted by name */
    gb_saved_program *program;                /* current step and fingerprint of each */
} gb_gathered;

/* Records an error, which begins with the path. Returns `status`. */
gb_status gb_checkpoint_fail(const gb_checkpoint *checkpoint, gb_status status, const char *format, ...)
    GB_PRINTF(3, 4);

/* Copies the caller's struct, which may be shorter, to `own`, and checks it. Returns GB_OK, or the code of
 * the error on the tape. */
gb_status gb_checkpoint_asked(const gb_checkpoint *theirs, gb_checkpoint *own);

/* Collects the current state of the tape. Returns GB_OK, or the code of the error on the tape;
 * gb_gathered_free must be called in both cases. */
gb_status gb_checkpoint_gather(gb_gathered *gathered, const gb_checkpoint *checkpoint);
void gb_gathered_free(gb_gathered *gathered);

#endif
