/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files are written whole or not at all, and read whole. Each function returns GB_OK, or fills `why` and
 * returns a status: of the file, of memory, or of the system. */
#ifndef GREBE_MODELS_CHECKPOINT_FILE_IMPL_H
#define GREBE_MODELS_CHECKPOINT_FILE_IMPL_H

#include "models/checkpoint/format_impl.h"

/* Writes the file. With `bytes` NULL, only tests whether the file can be written. */
gb_status gb_file_write(const gb_memory *memory, const char *path, const void *bytes, size_t length,
                        char why[GB_SAVED_WHY]);

/* Reads a whole regular file of at most `most` bytes. The caller releases `bytes`. */
gb_status gb_file_read(const gb_memory *memory, const char *path, size_t most, unsigned char **bytes,
                       size_t *length, char why[GB_SAVED_WHY]);

#endif
