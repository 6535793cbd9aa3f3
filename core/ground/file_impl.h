/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files: opened above the standard ones, written as a whole, in the place of others. */
#ifndef GREBE_CORE_GROUND_FILE_IMPL_H
#define GREBE_CORE_GROUND_FILE_IMPL_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/* Said where no new file can be made beside the old one. */
#define GB_FILE_FOLDER_WORDS "its folder must be writable, since a new file takes the place of the old one"

/* Like open(), but never returns 0, 1 or 2, which the process may have closed: whatever it prints would go
 * into the file. The file is closed by exec. Returns -1, with errno, on error. */
int gb_file_open(const char *path, int flags, mode_t mode);

/* Returns the file by such a number: the same, or a copy, and then closes it; -1, with errno, on error. */
int gb_file_above_standard(int file);

/* Like tmpfile(), but never with 0, 1 or 2. */
FILE *gb_file_temporary(void);

/* Writes all bytes. Returns false, with errno, on error: a limit of file sizes is one too, and no signal. */
bool gb_file_write_all(int file, const void *bytes, size_t length);

/* Some systems reject more bytes in one call of read or write. */
static inline size_t gb_file_at_once(size_t length)
{
    const size_t most = (size_t)1 << 30;
    return length < most ? length : most;
}

/* Gives a new file the owner, the group and the mode of the one that it replaces, as far as the process may.
 * Without the owner, the file does not become setuid; without the group, not setgid. Returns false, with
 * errno, if the mode cannot be changed. */
bool gb_file_succeed(int file, const struct stat *old);

#endif
