/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the command that was built, by the shell, and keeps what it says. */
#ifndef GREBE_TESTS_CLI_COMMAND_H
#define GREBE_TESTS_CLI_COMMAND_H

#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/files.h"

enum { MOST_TEXT = 1 << 20 };

typedef struct answer {
    int code;
    char *out, *err; /* the next run overwrites them */
} answer;

/* `before` the command come settings of the environment ("PATH=/nowhere"). The shell becomes the command. */
static inline pid_t start_command(const char *before, const char *arguments)
{
    char line[8192];
    snprintf(line, sizeof line, "%s exec '%s' %s", before, GB_COMMAND, arguments);
    fflush(NULL);
    const pid_t child = fork();
    if (child != 0)
        return child;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    dup2(open("command.out", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    dup2(open("command.err", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

static inline int code_of(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static inline char *text_of(const char *path, char *text)
{
    FILE *const file = file_open(path);
    text[fread(text, 1, MOST_TEXT - 1, file)] = '\0';
    fclose(file);
    return text;
}

static inline answer grebe_with(const char *before, const char *arguments)
{
    static char out[MOST_TEXT], err[MOST_TEXT];
    const int code = code_of(start_command(before, arguments));
    return (answer){.code = code, .out = text_of("command.out", out), .err = text_of("command.err", err)};
}

static inline answer grebe(const char *arguments)
{
    return grebe_with("", arguments);
}

/* It ends with `code`, and says `words` on standard error. */
static inline void assert_says(const char *arguments, int code, const char *words)
{
    const answer a = grebe(arguments);
    if (a.code != code || !strstr(a.err, words))
        fail_msg("grebe %s: code %d and \"%s\"; %d and \"%s\" were expected", arguments, a.code, a.err, code,
                 words);
}

/* How many files there are besides those of the harness. */
static inline int files_here(void)
{
    int count = 0;
    DIR *const folder = opendir(".");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.' && strncmp(entry->d_name, "command.", 8) != 0;
    closedir(folder);
    return count;
}

/* The text of a file; the next call overwrites it. */
static inline char *file(const char *path)
{
    static char text[MOST_TEXT];
    return text_of(path, text);
}

/* A folder of its own, so that what a test leaves can be seen. */
static inline void enter_folder(const char *name)
{
    char line[256];
    assert_int_equal(chdir(GB_TEST_FOLDER), 0); /* in the build, wherever the test was started */
    snprintf(line, sizeof line, "rm -rf 'run_%s' && mkdir 'run_%s'", name, name);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line, "run_%s", name);
    assert_int_equal(chdir(line), 0);
}

#endif
