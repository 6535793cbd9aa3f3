/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/checkpoint/file_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ground/file_impl.h"

static gb_status GB_PRINTF(3, 4) say(gb_status status, char why[GB_SAVED_WHY], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, GB_SAVED_WHY, format, arguments);
    va_end(arguments);
    return status;
}

static const char *words_of(int number, char *words, size_t bytes)
{
    if (strerror_r(number, words, bytes) != 0)
        snprintf(words, bytes, "error %d of the system", number);
    return words;
}

/* The message is that of errno. */
static gb_status reject(char why[GB_SAVED_WHY], const char *what)
{
    char cause[128];
    return say(GB_ESYSTEM, why, "it cannot be %s: %s", what, words_of(errno, cause, sizeof cause));
}

static const char *what_it_is(mode_t mode)
{
    return S_ISDIR(mode) ? "it is a directory" : "it is no regular file";
}

/* ---- writing ---- */

enum { LONGEST_PATH = 4096 };

typedef struct writing {
    const gb_memory *memory;
    char *path;        /* with symbolic links resolved */
    char *temporary;   /* a file in the same folder */
    size_t room;       /* of `temporary` */
    char *folder_path; /* folder of both files */
    int folder;        /* open, or −1 */
    bool replaces;     /* a file is there: `old` */
    struct stat old;
} writing;

static char *copied(const gb_memory *memory, const char *text, size_t more)
{
    const size_t length = strlen(text) + 1;
    char *const copy = gb_memory_resize(memory, NULL, length + more);
    return copy ? memcpy(copy, text, length) : NULL;
}

/* A path without a folder gives ".". */
static void cut_to_folder(char *path)
{
    char *const slash = strrchr(path, '/');
    if (!slash)
        memcpy(path, ".", 2);
    else
        slash[slash == path] = '\0';
}

/* Replaces a link by the path that it names, from the link's own folder on. Returns false for what is no
 * link, and for a path that is too long. */
static bool follow_link(char path[LONGEST_PATH])
{
    char target[LONGEST_PATH];
    const ssize_t got = readlink(path, target, sizeof target - 1);
    const char *const slash = strrchr(path, '/');
    const size_t folder = got > 0 && target[0] != '/' && slash ? (size_t)(slash - path) + 1 : 0;
    if (got <= 0 || folder + (size_t)got >= LONGEST_PATH)
        return false;
    memcpy(path + folder, target, (size_t)got);
    path[folder + (size_t)got] = '\0';
    return true;
}

/* Writes the path of the file that is replaced: the target of symbolic links, also if no file is there yet.
 * Returns false if the path is too long. */
static bool resolve(const char *path, char whole[LONGEST_PATH])
{
    enum { MOST_LINKS = 40 };
    if (strlen(path) >= LONGEST_PATH)
        return false;
    strcpy(whole, path);
    for (int i = 0; i < MOST_LINKS && follow_link(whole); i++) {}
    return true;
}

static bool find_paths(writing *w, const char *path)
{
    enum { NUMBERS = 64 };
    char whole[LONGEST_PATH];
    const char *const real = resolve(path, whole) ? whole : path; /* opening a longer one fails in words */
    w->path = copied(w->memory, real, 0);
    w->temporary = copied(w->memory, real, NUMBERS);
    w->folder_path = copied(w->memory, real, 2);
    w->room = strlen(real) + NUMBERS;
    if (!w->path || !w->temporary || !w->folder_path)
        return false;
    cut_to_folder(w->folder_path);
    return true;
}

/* Names may be taken by other processes, or by files of a process that was killed. */
static int open_temporary(writing *w, mode_t mode)
{
    enum { TRIES = 1000 };
    const size_t length = strlen(w->path);
    int file = -1;
    for (int i = 0; i < TRIES && file < 0; i++) {
        snprintf(w->temporary + length, w->room - length, ".%ld-%d.part", (long)getpid(), i);
        file = gb_file_open(w->temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (file < 0 && errno != EEXIST)
            break;
    }
    return file;
}

/* Closes the file in all cases, and reports the first error. Writing may clear setuid: the mode comes last.
 * `old` is the file that is replaced, or NULL. */
static bool write_synced(int file, const void *bytes, size_t length, const struct stat *old)
{
    const bool written =
        gb_file_write_all(file, bytes, length) && (!old || gb_file_succeed(file, old)) && fsync(file) == 0;
    const int why = errno;
    const bool closed = close(file) == 0;
    if (!written)
        errno = why;
    return written && closed;
}

/* Some file systems cannot sync a folder; that is no error. */
static bool sync_folder(const writing *w)
{
    return fsync(w->folder) == 0 || errno == EINVAL || errno == ENOTSUP;
}

/* Renaming a file over another needs no permission to write to the other. A file whose mode lets nobody write
 * is protected from root too. */
static bool is_protected(const char *path, mode_t mode)
{
    return (mode & 0222) == 0 || (access(path, W_OK) != 0 && (errno == EACCES || errno == EPERM));
}

static gb_status reject_new(const writing *w, char why[GB_SAVED_WHY])
{
    char cause[128];
    const int number = errno;
    if (w->folder < 0 && number == ENOENT)
        return say(GB_ESYSTEM, why, "it cannot be written: its folder does not exist; create it first");
    if (w->folder < 0 || (number != EACCES && number != EPERM && number != EROFS))
        return reject(why, "written");
    return say(GB_ESYSTEM, why, "it cannot be written: %s: " GB_FILE_FOLDER_WORDS,
               words_of(number, cause, sizeof cause));
}

/* Returns an open temporary file in the same folder, or −1. */
static int begin(writing *w, char why[GB_SAVED_WHY], gb_status *status)
{
    const bool there = w->replaces = lstat(w->path, &w->old) == 0;
    const struct stat old = w->old;
    *status = GB_OK;
    if (there && S_ISLNK(old.st_mode)) { /* find_paths followed as many as there may be */
        errno = ELOOP;
        *status = reject(why, "written");
        return -1;
    }
    if (there && !S_ISREG(old.st_mode)) {
        *status = say(GB_ESYSTEM, why, "it cannot be written: %s", what_it_is(old.st_mode));
        return -1;
    }
    if (there && is_protected(w->path, old.st_mode)) {
        *status = say(GB_ESYSTEM, why,
                      "it cannot be written: the file that is there is write-protected (mode %04o); allow "
                      "writing to it (chmod u+w), or give another path",
                      (unsigned)old.st_mode & 07777);
        return -1;
    }
    w->folder = gb_file_open(w->folder_path, O_RDONLY | O_DIRECTORY, 0);
    const int file = w->folder >= 0 ? open_temporary(w, there ? S_IRUSR | S_IWUSR : 0666) : -1;
    if (file < 0)
        *status = reject_new(w, why);
    return file;
}

static gb_status replace(writing *w, const void *bytes, size_t length, char why[GB_SAVED_WHY])
{
    gb_status status;
    const int file = begin(w, why, &status);
    if (file < 0)
        return status;
    const struct stat *const old = w->replaces ? &w->old : NULL;
    if (!write_synced(file, bytes, length, old) || rename(w->temporary, w->path) != 0) {
        status = reject(why, "written");
        unlink(w->temporary);
        return status;
    }
    return sync_folder(w) ? GB_OK : reject(why, "synced to the disk, though it is written");
}

/* Checks permissions only, without creating a file. */
static gb_status look_at_folder(writing *w, char why[GB_SAVED_WHY])
{
    gb_status status;
    const int file = begin(w, why, &status);
    if (file >= 0) {
        close(file);
        unlink(w->temporary);
    }
    return status;
}

gb_status gb_file_write(const gb_memory *memory, const char *path, const void *bytes, size_t length,
                        char why[GB_SAVED_WHY])
{
    writing w = {.memory = memory, .folder = -1};
    gb_status status;
    if (!find_paths(&w, path))
        status = say(GB_ENOMEM, why, "it cannot be written: out of memory");
    else
        status = bytes ? replace(&w, bytes, length, why) : look_at_folder(&w, why);
    if (w.folder >= 0)
        close(w.folder);
    gb_memory_release(memory, w.path);
    gb_memory_release(memory, w.temporary);
    gb_memory_release(memory, w.folder_path);
    return status;
}

/* ---- reading ---- */

/* Reads exactly `length` bytes; there must be no more. */
static gb_status read_all(int file, unsigned char *to, size_t length, char why[GB_SAVED_WHY])
{
    unsigned char beyond;
    for (size_t used = 0;;) {
        const size_t left = length - used;
        const ssize_t got = read(file, left > 0 ? to + used : &beyond, left > 0 ? gb_file_at_once(left) : 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return reject(why, "read");
        if (got == 0 && left == 0)
            return GB_OK;
        if (got == 0 || left == 0)
            return say(GB_ESYSTEM, why, "its length changed while it was read");
        used += (size_t)got;
    }
}

static gb_status read_open(const gb_memory *memory, int file, size_t most, unsigned char **bytes,
                           size_t *length, char why[GB_SAVED_WHY])
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return reject(why, "read");
    if (!S_ISREG(about.st_mode))
        return say(GB_EFILE, why, "%s", what_it_is(about.st_mode));
    if ((uintmax_t)about.st_size > most)
        return say(GB_EFILE, why, "it is %lld bytes long, far more than a checkpoint of this tape needs",
                   (long long)about.st_size);
    *length = (size_t)about.st_size;
    unsigned char *const read = gb_memory_resize(memory, NULL, *length + 1);
    if (!read)
        return say(GB_ENOMEM, why, "it cannot be read: out of memory");
    const gb_status status = read_all(file, read, *length, why);
    if (status == GB_OK)
        *bytes = read;
    else
        gb_memory_release(memory, read);
    return status;
}

gb_status gb_file_read(const gb_memory *memory, const char *path, size_t most, unsigned char **bytes,
                       size_t *length, char why[GB_SAVED_WHY])
{
    *bytes = NULL;
    const int file = gb_file_open(path, O_RDONLY | O_NONBLOCK, 0); /* opening a pipe must not block */
    if (file < 0)
        return reject(why, "read");
    const gb_status status = read_open(memory, file, most, bytes, length, why);
    close(file);
    return status;
}
