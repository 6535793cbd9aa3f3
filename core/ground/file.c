/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ground/file_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int above_standard(int file)
{
    const int above = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (above < 0 && errno == EINVAL)
        errno = EMFILE; /* the process may not have such a number */
    return above;
}

int gb_file_open(const char *path, int flags, mode_t mode)
{
    const int first = open(path, flags | O_CLOEXEC, mode);
    if (first < 0 || first > STDERR_FILENO)
        return first;
    const int file = above_standard(first), why = errno;
    close(first);
    errno = why;
    return file;
}

FILE *gb_file_temporary(void)
{
    FILE *const first = tmpfile();
    if (!first || fileno(first) > STDERR_FILENO)
        return first;
    const int number = above_standard(fileno(first)), why = errno;
    fclose(first);
    errno = why;
    return number >= 0 ? fdopen(number, "w+") : NULL;
}

bool gb_file_succeed(int file, const struct stat *old)
{
    const uid_t same_owner = (uid_t)-1;
    const gid_t same_group = (gid_t)-1;
    struct stat is;
    if (fstat(file, &is) != 0)
        return false;
    const bool has_group = is.st_gid == old->st_gid || fchown(file, same_owner, old->st_gid) == 0;
    const bool has_owner = is.st_uid == old->st_uid || fchown(file, old->st_uid, same_group) == 0;
    const mode_t refused = (has_owner ? 0 : S_ISUID) | (has_group ? 0 : S_ISGID);
    return fchmod(file, old->st_mode & 07777 & ~refused) == 0;
}
