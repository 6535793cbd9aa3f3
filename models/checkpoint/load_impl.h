/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_CHECKPOINT_LOAD_IMPL_H
#define GREBE_MODELS_CHECKPOINT_LOAD_IMPL_H

#include "models/checkpoint.h"

/* The part of gb_checkpoint_load after reading the file; may change `bytes`. */
gb_status gb_checkpoint_take(const gb_checkpoint *checkpoint, unsigned char *bytes, size_t length);

#endif
