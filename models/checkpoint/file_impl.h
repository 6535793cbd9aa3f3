/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are written whole or not at all, and read whole. Each function returns GB_OK, or else fills
 * `why`; the status says whether the file, memory or the system is to blame. */
#ifndef GREBE_MODELS_CHECKPOINT_FILE_IMPL_H
#define GREBE_MODELS_CHECKPOINT_FILE_IMPL_H

#include "models/checkpoint/format_impl.h"

/* With `bytes` NULL it only tries whether the file could be written. */
gb_status gb_file_write(const gb_memory *memory, const char *path, const void *bytes, size_t length,
                        char why[GB_SAVED_WHY]);

/* All of a regular file of at most `most` bytes; to be released. */
gb_status gb_file_read(const gb_memory *memory, const char *path, size_t most, unsigned char **bytes,
                       size_t *length, char why[GB_SAVED_WHY]);

#endif
