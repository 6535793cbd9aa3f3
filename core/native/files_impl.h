/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files, and temporary folders for them. */
#ifndef GREBE_CORE_NATIVE_FILES_IMPL_H
#define GREBE_CORE_NATIVE_FILES_IMPL_H

#include <stdint.h>

#include "core/memory.h"
#include "core/native/why_impl.h"

typedef struct gb_bytes {
    void *at; /* whoever gets it frees it, to the allocator that was given */
    size_t length;
} gb_bytes;

/* Writes all bytes to an open file. Returns false, with errno, on error. */
bool gb_bytes_write(int file, const void *bytes, size_t length);

/* Reads an open regular file of 1 to `most` bytes. Returns false, with errno, on error: ENOMEM, EIO if it has
 * another length. */
bool gb_bytes_read(int file, size_t most, const gb_memory *memory, gb_bytes *bytes);

/* Paths of folders, and of files in them, whose names have up to 63 bytes. Longer ones are rejected. */
enum { GB_FOLDER_BYTES = 960, GB_PATH_BYTES = GB_FOLDER_BYTES + 64 };

typedef struct gb_folder {
    char path[GB_FOLDER_BYTES]; /* absolute */
} gb_folder;

/* Makes a folder in TMPDIR, or in /tmp, that is for this user alone. */
bool gb_folder_make(gb_folder *folder, gb_why why);

/* Writes a new file into it. */
bool gb_folder_write(const gb_folder *folder, const char *name, const void *bytes, size_t length, gb_why why);

/* Returns the bytes of its files. */
uint64_t gb_folder_bytes(const gb_folder *folder);

/* Removes it with its files, and with empty folders in it. */
void gb_folder_remove(const gb_folder *folder);

#endif
