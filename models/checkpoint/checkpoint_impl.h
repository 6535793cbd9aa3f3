/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is to be saved or loaded, and all that a tape has of it. */
#ifndef GREBE_MODELS_CHECKPOINT_CHECKPOINT_IMPL_H
#define GREBE_MODELS_CHECKPOINT_CHECKPOINT_IMPL_H

#include "models/checkpoint.h"
#include "models/checkpoint/format_impl.h"

/* One that is saved or loaded: a variable, or a part. */
typedef struct gb_gathered_item {
    gb_saved_entry entry;
    size_t index; /* among the nodes, or the caller's parts */
} gb_gathered_item;

typedef struct gb_gathered {
    const gb_checkpoint *of;
    gb_memory memory;
    size_t variables;
    gb_node *node;
    gb_gathered_item *variable, *part; /* in the order of their names */
    gb_saved_program *program;         /* as they are now */
} gb_gathered;

/* Records an error, with the path before the words. Returns `status`. */
gb_status gb_checkpoint_fail(const gb_checkpoint *checkpoint, gb_status status, const char *format, ...)
    GB_PRINTF(3, 4);

/* Copies the caller's struct, which may be shorter, to `own`, and checks it: GB_OK, or the tape has the error. */
gb_status gb_checkpoint_asked(const gb_checkpoint *theirs, gb_checkpoint *own);

/* Looks at the tape as it is now. GB_OK, or the tape has the error; to be freed in any case. */
gb_status gb_checkpoint_gather(gb_gathered *gathered, const gb_checkpoint *checkpoint);
void gb_gathered_free(gb_gathered *gathered);

#endif
