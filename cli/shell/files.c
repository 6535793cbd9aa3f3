/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shell/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/shell/say.h"
#include "core/ground/file_impl.h"

/* ---- signals ---- */

static const int ending[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGXCPU,
                             SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF};

/* Returns whether this is the first interrupt of work that ends by itself then. */
static bool is_put_off(gb_cli_files *files, int number)
{
    pthread_mutex_lock(&files->lock);
    const bool is = number == SIGINT && files->waits && !files->interrupted;
    if (is)
        files->interrupted = 1;
    pthread_mutex_unlock(&files->lock);
    return is;
}

static void *wait_for_signals(void *argument)
{
    gb_cli_files *const files = argument;
    int number;
    do
        if (sigwait(&files->signals, &number) != 0)
            return NULL;
    while (is_put_off(files, number));
    pthread_mutex_lock(&files->lock);
    for (size_t i = 0; i < files->count; i++)
        if (files->file[i].temporary[0])
            unlink(files->file[i].temporary);
    if (files->child > 0)
        kill(-files->child, SIGKILL);
    _exit(128 + number);
}

/* A signal that is ignored (nohup, a shell's background) stays ignored. */
static void add_signal(sigset_t *set, int number)
{
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaddset(set, number);
}

/* A file that is opened later must not become standard output. A closed one stays one that cannot be used:
 * reading from it, and writing to it, are errors, which are reported as others are. */
static bool hold_standard_files(void)
{
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        if (fcntl(number, F_GETFD) < 0 && open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return false;
    return true;
}

bool gb_cli_files_begin(gb_cli_files *files)
{
    pthread_t thread;
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    memset(files, 0, sizeof *files);
    if (!hold_standard_files())
        return gb_cli_reject("a standard file is closed, and /dev/null cannot be opened in its place");
    sigemptyset(&files->signals);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        add_signal(&files->signals, ending[i]);
    sigaction(SIGPIPE, &ignore, NULL); /* writing to a closed pipe then fails like other writes */
    sigaction(SIGXFSZ, &ignore, NULL); /* and so does writing beyond the limit of a file */
    return (pthread_mutex_init(&files->lock, NULL) == 0 &&
            pthread_sigmask(SIG_BLOCK, &files->signals, NULL) == 0 &&
            pthread_create(&thread, NULL, wait_for_signals, files) == 0 && pthread_detach(thread) == 0) ||
           gb_cli_reject("cannot start a thread");
}

void gb_cli_files_wait(gb_cli_files *files, bool waits)
{
    pthread_mutex_lock(&files->lock);
    files->waits = waits;
    pthread_mutex_unlock(&files->lock);
}

/* ---- paths ---- */

/* Returns false, with errno, if the name is too long. */
static bool join(char to[GB_CLI_PATH], const char *path, const char *more)
{
    const size_t length = strlen(path);
    const bool fits = length + strlen(more) < GB_CLI_PATH;
    if (fits) {
        strcpy(to, path);
        strcpy(to + length, more);
    } else
        errno = ENAMETOOLONG;
    return fits;
}

/* Replaces a path by what the link `path` contains, which is relative to its folder. */
static bool step(char path[GB_CLI_PATH], const char *target)
{
    const char *const slash = strrchr(path, '/');
    const bool is_in_folder = slash && *target != '/';
    char folder[GB_CLI_PATH] = "";
    if (is_in_folder)
        memcpy(folder, path, (size_t)(slash - path) + 1);
    return join(path, folder, target);
}

/* Follows links at the end of a path: the file that they lead to is replaced, not a link. On error returns
 * false, with errno. */
static bool follow(char path[GB_CLI_PATH])
{
    enum { MOST_LINKS = 40 };
    char target[GB_CLI_PATH];
    for (int links = 0; links <= MOST_LINKS; links++) {
        const ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0)
            return true;
        target[length] = '\0';
        if (!step(path, target))
            return false;
    }
    errno = ELOOP;
    return false;
}

static bool find_paths(gb_cli_file *f)
{
    char own[32];
    snprintf(own, sizeof own, ".%ld.part", (long)getpid());
    return join(f->path, f->asked, "") && follow(f->path) && join(f->temporary, f->path, own);
}

static bool look(const char *path, int standard, struct stat *found)
{
    return (strcmp(path, "-") == 0 ? fstat(standard, found) : stat(path, found)) == 0;
}

static bool is_one_file(const struct stat *a, const struct stat *b)
{
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool gb_cli_files_same(const char *input, const char *output)
{
    struct stat in, out;
    return look(input, STDIN_FILENO, &in) && look(output, STDOUT_FILENO, &out) && is_one_file(&in, &out);
}

/* ---- opening ---- */

/* The folder's owner could replace the file, and the superuser any; neither means to do so unasked. */
static bool is_protected(const char *path, const struct stat *old)
{
    return !(old->st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) || access(path, W_OK) != 0;
}

/* One that replaces another gets its owner and mode when it is written; until then nobody else reads it. */
static FILE *open_new(const gb_cli_file *f)
{
    const mode_t mode = f->replaces ? S_IRUSR | S_IWUSR : 0666;
    const int number = gb_file_open(f->temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
    return number >= 0 ? fdopen(number, "w") : NULL;
}

/* Temporary names are unique to this process: an existing one belongs to another output of the same file. */
static FILE *reject_file(const char *path, const char *why)
{
    gb_cli_reject("cannot write %s: %s", path, why);
    return NULL;
}

static FILE *reject_new(const gb_cli_file *f)
{
    struct stat there;
    const int why = errno;
    const bool twice = why == EEXIST && f->temporary[0] && stat(f->temporary, &there) == 0;
    const bool is_folder = f->temporary[0] && (why == EACCES || why == EPERM || why == EROFS);
    if (is_folder)
        gb_cli_reject("cannot write %s: %s: " GB_FILE_FOLDER_WORDS, f->asked, strerror(why));
    else
        reject_file(f->asked, twice ? "two outputs are this one file" : strerror(why));
    return NULL;
}

/* Says that it waits, if a pipe has no reader yet. */
static FILE *open_in_place(const gb_cli_file *f)
{
    if (!S_ISFIFO(f->old.st_mode))
        return fopen(f->asked, "w");
    const int at_once = open(f->asked, O_WRONLY | O_NONBLOCK);
    if (at_once < 0 && errno == ENXIO)
        gb_cli_reject("%s is a pipe that nothing reads: waiting for a reader", f->asked);
    if (at_once < 0)
        return fopen(f->asked, "w");
    fcntl(at_once, F_SETFL, fcntl(at_once, F_GETFL) & ~O_NONBLOCK);
    return fdopen(at_once, "w");
}

/* The lock is not held while a pipe waits for its reader, so that a signal can end the process. */
static bool open_file(gb_cli_files *files, gb_cli_file *f)
{
    if (f->replaces && !S_ISREG(f->old.st_mode)) {
        f->file = open_in_place(f);
        files->count += f->file != NULL;
        return f->file;
    }
    if (!find_paths(f))
        return false;
    pthread_mutex_lock(&files->lock);
    f->file = open_new(f);
    files->count += f->file != NULL;
    pthread_mutex_unlock(&files->lock);
    return f->file;
}

FILE *gb_cli_files_open(gb_cli_files *files, const char *path)
{
    struct stat standard;
    if (strcmp(path, "-") == 0)
        return stdout;
    if (files->count == GB_CLI_FILES)
        return reject_file(path, "too many files");
    gb_cli_file *const f = &files->file[files->count];
    memset(f, 0, sizeof *f);
    f->asked = path;
    f->replaces = stat(path, &f->old) == 0;
    if (f->replaces && fstat(STDOUT_FILENO, &standard) == 0 && is_one_file(&f->old, &standard))
        return stdout; /* such as /dev/stdout */
    if (f->replaces && S_ISREG(f->old.st_mode) && is_protected(path, &f->old))
        return reject_file(path, "it is write-protected");
    return open_file(files, f) ? f->file : reject_new(f);
}

/* ---- closing ---- */

static void forget(gb_cli_files *files)
{
    pthread_mutex_lock(&files->lock);
    for (size_t i = 0; i < files->count; i++)
        if (files->file[i].temporary[0])
            unlink(files->file[i].temporary);
    files->count = 0;
    pthread_mutex_unlock(&files->lock);
}

void gb_cli_files_discard(gb_cli_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        fclose(files->file[i].file);
    forget(files);
}

/* What failed some time ago fails alike with another byte, which goes to a file that is not whole. */
int gb_cli_files_fault(FILE *file)
{
    if (ferror(file))
        return write(fileno(file), "\n", 1) < 0 ? errno : EIO;
    return fflush(file) == 0 ? 0 : errno;
}

static bool close_file(gb_cli_file *f)
{
    const bool succeeds = f->replaces && f->temporary[0];
    const int fault = gb_cli_files_fault(f->file);
    const bool is_written = fault == 0 && (!succeeds || gb_file_succeed(fileno(f->file), &f->old));
    const int why = fault ? fault : errno;
    const bool is_closed = fclose(f->file) == 0;
    return (is_written && is_closed) ||
           gb_cli_reject("cannot write %s: %s", f->asked, strerror(is_written ? errno : why));
}

/* Gives the file that is replaced a second name, so that it can return. */
static void keep_old(gb_cli_file *f)
{
    if (!join(f->before, f->temporary, ".old") || link(f->path, f->before) != 0)
        f->before[0] = '\0';
}

/* Without a second name, nothing was there before, or the file system has no such names. */
static void bring_back(const gb_cli_file *f, bool was_there)
{
    const bool good = f->before[0] ? rename(f->before, f->path) == 0 : !was_there && unlink(f->path) == 0;
    if (!good)
        gb_cli_reject("%s is replaced already", f->asked);
}

static bool replace_from(gb_cli_files *files, size_t i)
{
    struct stat old;
    if (i == files->count)
        return true;
    gb_cli_file *const f = &files->file[i];
    if (!f->temporary[0])
        return replace_from(files, i + 1);
    const bool was_there = lstat(f->path, &old) == 0;
    keep_old(f);
    const bool is_renamed = rename(f->temporary, f->path) == 0;
    if (!is_renamed)
        gb_cli_reject("cannot write %s: %s", f->asked, strerror(errno));
    const bool good = is_renamed && replace_from(files, i + 1);
    if (is_renamed && !good)
        bring_back(f, was_there);
    if (f->before[0])
        unlink(f->before);
    return good;
}

bool gb_cli_files_keep(gb_cli_files *files)
{
    bool good = true;
    for (size_t i = 0; i < files->count; i++)
        good = close_file(&files->file[i]) && good;
    pthread_mutex_lock(&files->lock);
    good = good && replace_from(files, 0);
    pthread_mutex_unlock(&files->lock);
    forget(files);
    return good;
}
