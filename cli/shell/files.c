/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shell/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/shell/say.h"

/* ---- signals ---- */

static void *wait_for_signals(void *argument)
{
    gb_cli_files *const files = argument;
    int number;
    if (sigwait(&files->signals, &number) != 0)
        return NULL;
    pthread_mutex_lock(&files->lock);
    for (size_t i = 0; i < files->count; i++)
        if (files->file[i].temporary[0])
            unlink(files->file[i].temporary);
    _exit(128 + number);
}

/* A signal that is ignored (nohup, a shell's background) stays ignored. */
static void add_signal(sigset_t *set, int number)
{
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaddset(set, number);
}

bool gb_cli_files_begin(gb_cli_files *files)
{
    pthread_t thread;
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    memset(files, 0, sizeof *files);
    sigemptyset(&files->signals);
    add_signal(&files->signals, SIGINT);
    add_signal(&files->signals, SIGTERM);
    add_signal(&files->signals, SIGHUP);
    add_signal(&files->signals, SIGQUIT);
    sigaction(SIGPIPE, &ignore, NULL); /* writing to a closed pipe then fails like other writes */
    return pthread_mutex_init(&files->lock, NULL) == 0 &&
           pthread_sigmask(SIG_BLOCK, &files->signals, NULL) == 0 &&
           pthread_create(&thread, NULL, wait_for_signals, files) == 0 && pthread_detach(thread) == 0;
}

/* ---- opening ---- */

/* Follows links: the target is replaced, not the link. */
static bool find_path(gb_cli_file *f)
{
    char *const real = realpath(f->asked, NULL);
    const char *const path = real ? real : f->asked;
    const bool fits = strlen(path) + 32 < sizeof f->path;
    if (fits) {
        snprintf(f->path, sizeof f->path, "%s", path);
        snprintf(f->temporary, sizeof f->temporary, "%s.%ld.part", path, (long)getpid());
    }
    free(real);
    return fits || gb_cli_reject("cannot write %s: its name is too long", f->asked);
}

static FILE *open_new(gb_cli_file *f, const struct stat *old)
{
    const mode_t mode = old ? old->st_mode & 0777 : 0666;
    const int number = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    return number >= 0 ? fdopen(number, "w") : NULL;
}

/* Temporary names are unique to this process: an existing one belongs to another output of the same file. */
static const char *reason(const gb_cli_file *f)
{
    struct stat there;
    const int why = errno;
    const bool twice = why == EEXIST && f->temporary[0] && stat(f->temporary, &there) == 0;
    return twice ? "two outputs are this one file" : strerror(why);
}

FILE *gb_cli_files_open(gb_cli_files *files, const char *path)
{
    struct stat old;
    if (strcmp(path, "-") == 0)
        return stdout;
    if (files->count == GB_CLI_FILES) {
        gb_cli_reject("cannot write %s: too many files", path);
        return NULL;
    }
    pthread_mutex_lock(&files->lock);
    gb_cli_file *const f = &files->file[files->count];
    memset(f, 0, sizeof *f);
    f->asked = path;
    const bool there = stat(path, &old) == 0;
    if (there && !S_ISREG(old.st_mode))
        f->file = fopen(path, "w");
    else if (find_path(f))
        f->file = open_new(f, there ? &old : NULL);
    files->count += f->file != NULL;
    pthread_mutex_unlock(&files->lock);
    if (!f->file)
        gb_cli_reject("cannot write %s: %s", path, reason(f));
    return f->file;
}

/* ---- closing ---- */

static void remove_file(gb_cli_file *f)
{
    fclose(f->file);
    if (f->temporary[0])
        unlink(f->temporary);
}

void gb_cli_files_drop(gb_cli_files *files)
{
    pthread_mutex_lock(&files->lock);
    if (files->count > 0)
        remove_file(&files->file[--files->count]);
    pthread_mutex_unlock(&files->lock);
}

void gb_cli_files_discard(gb_cli_files *files)
{
    while (files->count > 0)
        gb_cli_files_drop(files);
}

static bool keep(gb_cli_file *f)
{
    const bool written = !ferror(f->file) && fflush(f->file) == 0;
    const int why = errno;
    const bool closed = fclose(f->file) == 0;
    const bool good = written && closed && (!f->temporary[0] || rename(f->temporary, f->path) == 0);
    if (!good && f->temporary[0])
        unlink(f->temporary);
    return good || gb_cli_reject("cannot write %s: %s", f->asked, strerror(written ? errno : why));
}

bool gb_cli_files_keep(gb_cli_files *files)
{
    bool good = true;
    pthread_mutex_lock(&files->lock);
    for (size_t i = 0; i < files->count; i++)
        good = keep(&files->file[i]) && good;
    files->count = 0;
    pthread_mutex_unlock(&files->lock);
    return good;
}
