/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shell/child.h"

#include <errno.h>
#include <sys/wait.h>

#include "core/ground/process_impl.h"

extern char **environ;

static bool start_known(gb_cli_files *files, char *const argument[], int in, int out)
{
    pid_t child;
    sigset_t usual; /* what this process blocks or ignores */
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    pthread_mutex_lock(&files->lock);
    const bool good = gb_process_start(argument, environ, in, out, -1, &usual, &child) == 0;
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
