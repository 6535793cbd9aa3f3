/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/files_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ground/file_impl.h"

bool gb_bytes_write(int file, const void *bytes, size_t length)
{
    for (const char *from = bytes; length > 0;) {
        const ssize_t written = write(file, from, length);
        if (written < 0 && errno != EINTR)
            return false;
        from += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

bool gb_bytes_read(int file, size_t most, const gb_memory *memory, gb_bytes *bytes)
{
    struct stat is;
    size_t done = 0;
    *bytes = (gb_bytes){0};
    errno = EIO;
    if (fstat(file, &is) != 0 || !S_ISREG(is.st_mode) || is.st_size <= 0 || (uint64_t)is.st_size > most)
        return false;
    bytes->length = (size_t)is.st_size;
    bytes->at = gb_memory_resize(memory, NULL, bytes->length);
    errno = bytes->at ? EIO : ENOMEM;
    for (ssize_t got = 1; bytes->at && done < bytes->length && (got > 0 || (got < 0 && errno == EINTR));
         done += got > 0 ? (size_t)got : 0)
        got = read(file, (char *)bytes->at + done, bytes->length - done);
    if (bytes->at && done < bytes->length) {
        gb_memory_release(memory, bytes->at);
        bytes->at = NULL;
    }
    return bytes->at;
}

bool gb_folder_make(gb_folder *folder, gb_why why)
{
    const char *const asked = getenv("TMPDIR"), *const in = asked && *asked ? asked : "/tmp";
    if (*in != '/' || snprintf(folder->path, GB_FOLDER_BYTES, "%s/grebe-XXXXXX", in) >= GB_FOLDER_BYTES)
        return gb_why_not(why, "no temporary folder: TMPDIR is no absolute path, or too long: %.200s", in);
    return mkdtemp(folder->path) || gb_why_not(why, "no temporary folder in %s: %s", in, strerror(errno));
}

bool gb_folder_write(const gb_folder *folder, const char *name, const void *bytes, size_t length, gb_why why)
{
    char path[GB_PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    const int file = gb_file_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    bool good = file >= 0 && gb_bytes_write(file, bytes, length);
    const int error = errno;
    if (file >= 0)
        good = close(file) == 0 && good;
    return good || gb_why_not(why, "%s cannot be written: %s", path, strerror(error));
}

/* Goes through a folder, sums the bytes of its files, and removes what is in it if it should. */
static uint64_t go_through(const gb_folder *folder, bool removes)
{
    uint64_t sum = 0;
    DIR *const all = opendir(folder->path);
    struct stat is;
    for (const struct dirent *each; all && (each = readdir(all));) {
        if (fstatat(dirfd(all), each->d_name, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(is.st_mode))
            sum += (uint64_t)is.st_size;
        if (removes && unlinkat(dirfd(all), each->d_name, 0) != 0 && strcmp(each->d_name, ".") != 0 &&
            strcmp(each->d_name, "..") != 0)
            unlinkat(dirfd(all), each->d_name, AT_REMOVEDIR);
    }
    if (all)
        closedir(all);
    return sum;
}

uint64_t gb_folder_bytes(const gb_folder *folder)
{
    return go_through(folder, false);
}

void gb_folder_remove(const gb_folder *folder)
{
    go_through(folder, true);
    rmdir(folder->path);
}
