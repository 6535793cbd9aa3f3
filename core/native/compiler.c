/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/compiler_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/ground/clock_impl.h"
#include "core/ground/file_impl.h"
#include "core/ground/text_impl.h"

extern char **environ;

/* ------------------------------------------------------------------------------------------- where it is */

static bool is_program(const char *path, struct stat *is)
{
    return stat(path, is) == 0 && S_ISREG(is->st_mode) && access(path, X_OK) == 0;
}

/* On macOS /usr/bin/cc opens a dialog where no developer tools are installed. */
static bool opens_a_dialog(const char *path)
{
#if defined(__APPLE__)
    static const char *const tools[] = {"/var/db/xcode_select_link/usr/bin",
                                        "/Library/Developer/CommandLineTools/usr/bin",
                                        "/Applications/Xcode.app/Contents/Developer/usr/bin"};
    bool there = strncmp(path, "/usr/bin/", strlen("/usr/bin/")) != 0 || getenv("DEVELOPER_DIR");
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        there = there || access(tools[i], X_OK) == 0;
    return !there;
#else
    (void)path;
    return false;
#endif
}

/* Sets the path to that of a program: `name` itself if it has a slash, or else one in an absolute folder of
 * PATH. */
static bool look_up(const char *name, char path[GB_PATH_BYTES], struct stat *is)
{
    const char *folders = getenv("PATH");
    if (strchr(name, '/'))
        return snprintf(path, GB_PATH_BYTES, "%s", name) < GB_PATH_BYTES && is_program(path, is);
    for (size_t length; folders && *folders; folders += length + (folders[length] == ':')) {
        length = strcspn(folders, ":");
        if (*folders == '/' &&
            snprintf(path, GB_PATH_BYTES, "%.*s/%s", (int)length, folders, name) < GB_PATH_BYTES &&
            is_program(path, is))
            return true;
    }
    return false;
}

bool gb_compiler_find(gb_compiler *compiler, gb_why why)
{
    const char *const asked = getenv("GREBE_CC"), *const name = asked && *asked ? asked : "cc";
    struct stat is;
    *compiler = (gb_compiler){0};
    if (getuid() != geteuid() || getgid() != getegid())
        return gb_why_not(why, "a program with the rights of another user starts no compiler");
    if (!look_up(name, compiler->path, &is))
        return gb_why_not(why,
                          asked && *asked ? "GREBE_CC is %s, which is no program"
                                          : "there is no C compiler: no %s on PATH",
                          name);
    if (opens_a_dialog(compiler->path))
        return gb_why_not(why, "%s is there, but no developer tools: xcode-select --install", name);
    compiler->identity[0] = (uint64_t)is.st_size;
    compiler->identity[1] = (uint64_t)is.st_mtime;
    compiler->identity[2] = (uint64_t)is.st_ctime;
    compiler->identity[3] = (uint64_t)is.st_ino;
    return true;
}

/* --------------------------------------------------------------------------------------------- one call */

/* Variables that change what a compiler makes, or let it write elsewhere. */
static const char *const left_out[] = {
    "TMPDIR=",
    "LC_ALL=",
    "CPATH=",
    "C_INCLUDE_PATH=",
    "GCC_EXEC_PREFIX=",
    "COMPILER_PATH=",
    "LIBRARY_PATH=",
    "DEPENDENCIES_OUTPUT=",
    "SUNPRO_DEPENDENCIES=",
    "CCC_OVERRIDE_OPTIONS=",
};

/* The environment of the compiler; the caller frees it. Its temporary files are in the folder too. */
static char **environment_of(const gb_folder *folder)
{
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    char **const all = malloc((count + 3) * sizeof *all + sizeof "TMPDIR=" + strlen(folder->path));
    if (!all)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        bool keep = true;
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            keep = keep && strncmp(environ[i], left_out[k], strlen(left_out[k])) != 0;
        if (keep)
            all[kept++] = environ[i];
    }
    static char locale[] = "LC_ALL=C";
    char *const temporary = (char *)(all + count + 3);
    strcat(strcpy(temporary, "TMPDIR="), folder->path);
    all[kept++] = locale;
    all[kept++] = temporary;
    all[kept] = NULL;
    return all;
}

/* A process group of its own, and the usual handling of signals. */
static bool prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *attributes, const char *messages)
{
    const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    return posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_addopen(files, STDOUT_FILENO, messages, O_WRONLY | O_CREAT | O_TRUNC,
                                            0600) == 0 &&
           posix_spawn_file_actions_adddup2(files, STDOUT_FILENO, STDERR_FILENO) == 0 &&
           posix_spawnattr_setpgroup(attributes, 0) == 0 &&
           posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setsigdefault(attributes, &all) == 0 &&
           posix_spawnattr_setflags(attributes, flags) == 0;
}

/* Returns 0, or the number of the system's error. */
static int start(const gb_compiler *compiler, char **arguments, const gb_folder *folder, const char *messages,
                 pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = ENOMEM;
    char **const environment = environment_of(folder);
    if (environment && posix_spawn_file_actions_init(&files) == 0) {
        if (posix_spawnattr_init(&attributes) == 0) {
            if (prepare(&files, &attributes, messages))
                error = posix_spawn(child, compiler->path, &files, &attributes, arguments, environment);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&files);
    }
    free(environment);
    return error;
}

/* Waits for the end of the process, which stays a zombie until then: so its number is its own, and the rest
 * of its group can be ended. Returns NULL, or why it was ended. Another part of the program may take the
 * status first, or ignore SIGCHLD: then waitid fails, and `status` stays as it is. */
static const char *await(pid_t child, const gb_folder *folder, gb_limits limits, int *status)
{
    const char *reason = NULL;
    siginfo_t ended = {0};
    for (long pause = 1000000; ended.si_pid == 0; pause += pause < 16000000 ? pause : 0) {
        if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
            return reason;
        if (ended.si_pid != 0)
            break;
        if (limits.cancel && atomic_load(limits.cancel))
            reason = "it was stopped";
        else if (gb_seconds() > limits.until)
            reason = "it took too long";
        else if (gb_folder_bytes(folder) > limits.bytes)
            reason = "its files became too large";
        if (reason)
            kill(-child, SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
    }
    kill(-child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR) {}
    return reason;
}

/* Takes the first line of the messages with the word "error", or else the first. */
static void first_line(const char *path, char *line, size_t bytes)
{
    char each[400];
    bool found = false;
    const int file = gb_file_open(path, O_RDONLY, 0);
    FILE *const messages = file >= 0 ? fdopen(file, "r") : NULL;
    *line = '\0';
    while (messages && !found && fgets(each, sizeof each, messages)) {
        found = strstr(each, "error") != NULL;
        if (found || !*line)
            gb_text_show(each, strcspn(each, "\n"), bytes - 1, line);
    }
    if (messages)
        fclose(messages);
    else if (file >= 0)
        close(file);
}

bool gb_compiler_run(const gb_compiler *compiler, char **arguments, const gb_folder *folder, gb_limits limits,
                     gb_why why)
{
    char messages[GB_PATH_BYTES + 16], line[480];
    pid_t child;
    int status = -1;
    snprintf(messages, sizeof messages, "%s/messages", folder->path);
    const int error = start(compiler, arguments, folder, messages, &child);
    if (error)
        return gb_why_not_by(why, error, "%s cannot be started", compiler->path);
    const char *const reason = await(child, folder, limits, &status);
    if (reason)
        return gb_why_not(why, "%s: %s", compiler->path, reason);
    if (status == -1)
        return gb_why_not(why, "%s: this program lets nobody learn how it ended (SIGCHLD)", compiler->path);
    if (WIFSIGNALED(status))
        return gb_why_not(why, "%s: it was ended by signal %d", compiler->path, WTERMSIG(status));
    if (WEXITSTATUS(status) == 0)
        return true;
    first_line(messages, line, sizeof line);
    return *line ? gb_why_not(why, "%s: %s", compiler->path, line)
                 : gb_why_not(why, "%s: it failed without a word", compiler->path);
}
