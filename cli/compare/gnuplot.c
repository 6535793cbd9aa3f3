/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare/gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Gives gnuplot the usual handling of signals that this process blocks or ignores. */
static bool prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *attributes, int in, int out)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    return (in < 0 || posix_spawn_file_actions_adddup2(files, in, STDIN_FILENO) == 0) &&
           posix_spawn_file_actions_adddup2(files, out, STDOUT_FILENO) == 0 &&
           posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setsigdefault(attributes, &usual) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0;
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

static gb_cli_gnuplot run(char *const argument[], int in, int out)
{
    enum { NOT_FOUND = 127 }; /* exit status of a child that could not run the program */
    pid_t child;
    int status;
    if (!start(argument, in, out, &child))
        return GB_CLI_NO_GNUPLOT;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return GB_CLI_NOT_DRAWN;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return GB_CLI_NO_GNUPLOT;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? GB_CLI_DRAWN : GB_CLI_NOT_DRAWN;
}

gb_cli_gnuplot gb_cli_gnuplot_run(FILE *script, FILE *picture)
{
    char program[] = "gnuplot", settings[] = "-d"; /* without the user's own settings */
    if (fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0)
        return GB_CLI_NOT_DRAWN;
    return run((char *const[]){program, settings, NULL}, fileno(script), fileno(picture));
}

bool gb_cli_gnuplot_version(char *text, size_t bytes)
{
    char program[] = "gnuplot", option[] = "--version";
    FILE *const said = tmpfile();
    const bool there = said && run((char *const[]){program, option, NULL}, -1, fileno(said)) == GB_CLI_DRAWN;
    if (said)
        rewind(said);
    const bool good = there && fgets(text, (int)bytes, said);
    if (said)
        fclose(said);
    if (good)
        text[strcspn(text, "\n")] = '\0';
    return good;
}
