/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_CHECKPOINT_LOAD_IMPL_H
#define GREBE_MODELS_CHECKPOINT_LOAD_IMPL_H

#include "models/checkpoint.h"

/* The part of gb_checkpoint_load after reading the file; may change `bytes`. */
gb_status gb_checkpoint_take(const gb_checkpoint *checkpoint, unsigned char *bytes, size_t length);

/* Like gb_checkpoint_load, and stores the steps of the programs in `steps` before it calls `accept`. */
gb_status gb_checkpoint_load_steps(const gb_checkpoint *checkpoint, uint64_t *steps);

#endif
