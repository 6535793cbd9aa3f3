/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shell/child.h"

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Gives the program the usual handling of signals that this process blocks or ignores. */
static bool prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *attributes, int in, int out)
{
    const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    return (in < 0 || posix_spawn_file_actions_adddup2(files, in, STDIN_FILENO) == 0) &&
           posix_spawn_file_actions_adddup2(files, out, STDOUT_FILENO) == 0 &&
           posix_spawnattr_setpgroup(attributes, 0) == 0 &&
           posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setsigdefault(attributes, &usual) == 0 &&
           posix_spawnattr_setflags(attributes, flags) == 0;
}

static bool start(char *const argument[], int in, int out, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&files) != 0)
        return false;
    bool good = posix_spawnattr_init(&attributes) == 0;
    if (good) {
        good = prepare(&files, &attributes, in, out) &&
               posix_spawnp(child, argument[0], &files, &attributes, argument, environ) == 0;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return good;
}

static bool start_known(gb_cli_files *files, char *const argument[], int in, int out)
{
    pid_t child;
    pthread_mutex_lock(&files->lock);
    const bool good = start(argument, in, out, &child);
    if (good)
        files->child = child;
    pthread_mutex_unlock(&files->lock);
    return good;
}

/* The number of the process is another's as soon as waitpid has returned it: so the end is awaited first. */
static bool await(gb_cli_files *files, int *status)
{
    siginfo_t ended;
    bool good;
    while (!(good = waitid(P_PID, (id_t)files->child, &ended, WEXITED | WNOWAIT) == 0) && errno == EINTR) {}
    pthread_mutex_lock(&files->lock);
    good = good && waitpid(files->child, status, 0) == files->child;
    files->child = 0;
    pthread_mutex_unlock(&files->lock);
    return good;
}

gb_cli_child gb_cli_child_run(gb_cli_files *files, char *const argument[], int in, int out)
{
    enum { NOT_FOUND = 127 }; /* exit status of a child that could not run the program */
    int status;
    if (!start_known(files, argument, in, out))
        return GB_CLI_CHILD_NOT_FOUND;
    if (!await(files, &status))
        return GB_CLI_CHILD_FAILED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return GB_CLI_CHILD_NOT_FOUND;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? GB_CLI_CHILD_DONE : GB_CLI_CHILD_FAILED;
}
