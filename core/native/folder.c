/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/folder_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ground/file_impl.h"

bool gb_folder_make(gb_folder *folder, gb_why why)
{
    const char *const asked = getenv("TMPDIR"), *const in = asked && *asked ? asked : "/tmp";
    if (*in != '/')
        return gb_why_not(why, "no temporary folder: TMPDIR is %s, and should begin with a slash", in);
    if (snprintf(folder->path, sizeof folder->path, "%s/grebe-XXXXXX", in) >= (int)sizeof folder->path)
        return gb_why_not(why, "no temporary folder: TMPDIR is too long");
    return mkdtemp(folder->path) || gb_why_not_by(why, errno, "no temporary folder in %s", in);
}

/* Makes the folders that the name of a file has before its last slash. */
static void make_folders(char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

bool gb_write_all(int file, const void *bytes, size_t length)
{
    const char *from = bytes;
    while (length > 0) {
        const ssize_t written = write(file, from, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        from += written;
        length -= (size_t)written;
    }
    return true;
}

bool gb_folder_write(const gb_folder *folder, const char *name, const void *bytes, size_t length, gb_why why)
{
    char path[GB_PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    make_folders(path, strlen(folder->path) + 1);
    const int file = gb_file_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    bool good = file >= 0 && gb_write_all(file, bytes, length);
    const int error = errno;
    if (file >= 0)
        good = close(file) == 0 && good;
    return good || gb_why_not_by(why, error, "%s cannot be written", path);
}

uint64_t gb_folder_bytes(const gb_folder *folder)
{
    uint64_t sum = 0;
    DIR *const all = opendir(folder->path);
    struct stat is;
    for (const struct dirent *each; all && (each = readdir(all));)
        if (fstatat(dirfd(all), each->d_name, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(is.st_mode))
            sum += (uint64_t)is.st_size;
    if (all)
        closedir(all);
    return sum;
}

/* Follows no symbolic link: those are removed like files. */
static void remove_in(int at, const char *name)
{
    const int folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *const all = folder >= 0 ? fdopendir(folder) : NULL;
    for (const struct dirent *each; all && (each = readdir(all));)
        if (strcmp(each->d_name, ".") != 0 && strcmp(each->d_name, "..") != 0 &&
            unlinkat(folder, each->d_name, 0) != 0)
            remove_in(folder, each->d_name);
    if (all)
        closedir(all);
    else if (folder >= 0)
        close(folder);
    unlinkat(at, name, AT_REMOVEDIR);
}

void gb_folder_remove(const gb_folder *folder)
{
    remove_in(AT_FDCWD, folder->path);
}
