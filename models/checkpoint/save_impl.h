/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_CHECKPOINT_SAVE_IMPL_H
#define GREBE_MODELS_CHECKPOINT_SAVE_IMPL_H

#include "models/checkpoint.h"

/* Returns the bytes of a checkpoint, which the caller releases; NULL: the error is on the tape. */
unsigned char *gb_checkpoint_bytes(const gb_checkpoint *checkpoint, size_t *length);

struct gb_gathered;

/* Returns the length of the file in bytes; SIZE_MAX if it is too large. */
size_t gb_gathered_length(const struct gb_gathered *gathered);

/* Tests whether a checkpoint can be saved there. Returns GB_OK, or the code of the error on the tape. */
gb_status gb_checkpoint_try(const gb_checkpoint *checkpoint);

#endif
