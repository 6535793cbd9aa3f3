/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Temporary folders: what is written into one goes with it. */
#ifndef GREBE_CORE_NATIVE_FOLDER_IMPL_H
#define GREBE_CORE_NATIVE_FOLDER_IMPL_H

#include <stdint.h>

#include "core/native/why_impl.h"

/* Longer paths are rejected. The second is that of a file in a folder: of a name of up to 63 bytes. */
enum { GB_FOLDER_BYTES = 960, GB_PATH_BYTES = GB_FOLDER_BYTES + 64 };

typedef struct gb_folder {
    char path[GB_FOLDER_BYTES]; /* absolute */
} gb_folder;

/* Writes all bytes to an open file. Returns false, with errno, on error. */
bool gb_write_all(int file, const void *bytes, size_t length);

/* Makes a folder in TMPDIR, or in /tmp, that is for this user alone. */
bool gb_folder_make(gb_folder *folder, gb_why why);

/* Writes a file; its name may have folders, which are made. */
bool gb_folder_write(const gb_folder *folder, const char *name, const void *bytes, size_t length, gb_why why);

/* Returns the bytes of the files in the folder, without those of folders in it. */
uint64_t gb_folder_bytes(const gb_folder *folder);

/* Removes the folder, with all that is in it. */
void gb_folder_remove(const gb_folder *folder);

#endif
