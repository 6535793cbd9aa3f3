/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_CHECKPOINT_SAVE_IMPL_H
#define GREBE_MODELS_CHECKPOINT_SAVE_IMPL_H

#include "models/checkpoint.h"

/* Makes the bytes of a checkpoint, to be released; NULL: the tape has the error. */
unsigned char *gb_checkpoint_bytes(const gb_checkpoint *checkpoint, size_t *length);

struct gb_gathered;

/* How many bytes that would be; SIZE_MAX: too many. */
size_t gb_gathered_length(const struct gb_gathered *gathered);

/* Whether a checkpoint could be saved there: GB_OK, or the tape has the error. */
gb_status gb_checkpoint_try(const gb_checkpoint *checkpoint);

#endif
