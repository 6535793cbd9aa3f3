/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ground/file_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int copy_above_standard(int file)
{
    const int above = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (above < 0 && errno == EINVAL)
        errno = EMFILE; /* the process may not have such a number */
    return above;
}

int gb_file_above_standard(int file)
{
    if (file < 0 || file > STDERR_FILENO)
        return file;
    const int above = copy_above_standard(file), why = errno;
    close(file);
    errno = why;
    return above;
}

int gb_file_open(const char *path, int flags, mode_t mode)
{
    return gb_file_above_standard(open(path, flags | O_CLOEXEC, mode));
}

FILE *gb_file_temporary(void)
{
    FILE *const first = tmpfile();
    if (!first || fileno(first) > STDERR_FILENO)
        return first;
    const int number = copy_above_standard(fileno(first)), why = errno;
    fclose(first);
    errno = why;
    return number >= 0 ? fdopen(number, "w+") : NULL;
}

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(file, bytes, gb_file_at_once(length));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

/* Writing beyond RLIMIT_FSIZE raises SIGXFSZ, which ends the process. The signal is blocked meanwhile, and
 * taken back if it was not pending before: the error alone remains. */
bool gb_file_write_all(int file, const void *bytes, size_t length)
{
    sigset_t limit, mask, pending;
    int number;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    const bool blocked = sigpending(&pending) == 0 && pthread_sigmask(SIG_BLOCK, &limit, &mask) == 0;
    const bool was_pending = blocked && sigismember(&pending, SIGXFSZ) == 1;
    const bool written = write_all(file, bytes, length);
    const int why = errno;
    if (blocked && !was_pending && sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1)
        sigwait(&limit, &number);
    if (blocked)
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = why;
    return written;
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
