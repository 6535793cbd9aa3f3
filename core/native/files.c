/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/files_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/ground/file_impl.h"

bool gb_text_read(gb_growing_text *text, int in, const char *name, size_t most)
{
    struct stat is;
    const int file = openat(in, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool good = fstat(file, &is) == 0 && S_ISREG(is.st_mode) && is.st_size > 0 &&
                      (uint64_t)is.st_size <= most && gb_text_has_room(text, (size_t)is.st_size);
    size_t left = good ? (size_t)is.st_size : 0;
    for (ssize_t got = 1; left > 0 && (got > 0 || (got < 0 && errno == EINTR));) {
        got = read(file, text->at + text->count, left);
        left -= got > 0 ? (size_t)got : 0;
        text->count += got > 0 ? (size_t)got : 0;
    }
    close(file);
    errno = EIO;
    return good && left == 0;
}

gb_file_sum gb_sum_files(int in, const char *name, gb_is_meant *is_meant, bool removes)
{
    gb_file_sum sum = {0};
    struct stat is;
    const int folder = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *const all = folder >= 0 ? fdopendir(folder) : NULL;
    for (const struct dirent *each; all && (each = readdir(all));) {
        if (strcmp(each->d_name, ".") == 0 || strcmp(each->d_name, "..") == 0 ||
            fstatat(folder, each->d_name, &is, AT_SYMLINK_NOFOLLOW) != 0 ||
            (is_meant && !is_meant(each->d_name, &is)))
            continue;
        if (removes && S_ISDIR(is.st_mode))
            gb_sum_files(folder, each->d_name, NULL, true);
        if (removes && unlinkat(folder, each->d_name, S_ISDIR(is.st_mode) ? AT_REMOVEDIR : 0) != 0)
            continue;
        if (sum.files++ == 0 || is.st_mtime < sum.of_oldest.st_mtime) {
            sum.of_oldest = is;
            snprintf(sum.oldest, sizeof sum.oldest, "%s", each->d_name);
        }
        sum.bytes += (uint64_t)is.st_size;
    }
    if (all)
        closedir(all);
    else if (folder >= 0)
        close(folder);
    return sum;
}

/* ---- temporary folders ---- */

#define NAME "grebe-native-"

/* A folder of ours that is older than any use of it: its process was killed. */
static bool is_left(const char *name, const struct stat *is)
{
    enum { SECONDS = 3600 };
    return strncmp(name, NAME, strlen(NAME)) == 0 && S_ISDIR(is->st_mode) && is->st_uid == geteuid() &&
           is->st_mtime < time(NULL) - SECONDS;
}

bool gb_folder_make(char folder[GB_FOLDER_BYTES], gb_why why)
{
    const char *const asked = getenv("TMPDIR"), *const in = asked && *asked ? asked : "/tmp";
    if (*in != '/' || strlen(in) > GB_FOLDER_BYTES - sizeof "/" NAME "XXXXXX")
        return gb_why_not(why, "no temporary folder: TMPDIR is no absolute path, or too long: %.200s", in);
    snprintf(folder, GB_FOLDER_BYTES, "%s/.", in);
    gb_sum_files(AT_FDCWD, folder, is_left, true);
    snprintf(folder, GB_FOLDER_BYTES, "%s/" NAME "XXXXXX", in);
    return mkdtemp(folder) || gb_why_not(why, "no temporary folder in %s: %s", in, strerror(errno));
}

bool gb_folder_write(const char *folder, const char *name, const void *bytes, size_t length, gb_why why)
{
    char path[GB_PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = gb_file_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    bool good = file >= 0 && gb_file_write_all(file, bytes, length);
    const int error = errno;
    if (file >= 0)
        good = close(file) == 0 && good;
    return good || gb_why_not(why, "%s cannot be written: %s", path, strerror(error));
}

void gb_folder_remove(const char *folder)
{
    gb_sum_files(AT_FDCWD, folder, NULL, true);
    rmdir(folder);
}
