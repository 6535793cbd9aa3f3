/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files, and temporary folders for them. */
#ifndef GREBE_CORE_NATIVE_FILES_IMPL_H
#define GREBE_CORE_NATIVE_FILES_IMPL_H

#include <stdint.h>
#include <sys/stat.h>

#include "core/native/text_impl.h"

/* Appends a regular file of 1 to `most` bytes, by its name in an open folder, to a text. Returns false if
 * that is not possible: errno is ENOENT if there is no such file. */
bool gb_text_read(gb_growing_text *text, int in, const char *name, size_t most);

/* Paths of folders, and of files in them, whose names have up to 63 bytes. Longer ones are rejected. */
enum { GB_FOLDER_BYTES = 960, GB_PATH_BYTES = GB_FOLDER_BYTES + 64 };

/* Makes a folder in TMPDIR, or in /tmp, that is for this user alone, and writes its path. Removes those that
 * ended processes have left there. */
bool gb_folder_make(char folder[GB_FOLDER_BYTES], gb_why why);

/* Writes a new file into it. */
bool gb_folder_write(const char *folder, const char *name, const void *bytes, size_t length, gb_why why);

/* Removes it with all that is in it. */
void gb_folder_remove(const char *folder);

/* How many files there are, of how many bytes, and which of them was changed longest ago. */
typedef struct gb_file_sum {
    uint64_t files, bytes;
    struct stat of_oldest;
    char oldest[256];
} gb_file_sum;

/* Sums the files of a folder, by its name in an open one, that are meant; NULL: all. `removes`: removes them,
 * with all that is in them, and sums what could be removed. */
typedef bool gb_is_meant(const char *name, const struct stat *is);
gb_file_sum gb_sum_files(int in, const char *name, gb_is_meant *is_meant, bool removes);

#endif
