/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/compiler_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
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

/* -------------------------------------------------------------------------------------------- where it is */

/* Writes the path of a program: `name` itself if it has a slash, or else one in a folder of PATH, which
 * is absolute. */
static bool look_up(const char *name, char path[GB_PATH_BYTES], struct stat *is)
{
    const char *at = getenv("PATH");
    size_t length;
    bool found = false;
    if (strchr(name, '/'))
        at = "/";
    for (; at && *at && !found; at += length + (at[length] == ':')) {
        length = strcspn(at, ":");
        const int bytes = strchr(name, '/') ? snprintf(path, GB_PATH_BYTES, "%s", name)
                                            : snprintf(path, GB_PATH_BYTES, "%.*s/%s", (int)length, at, name);
        found = *at == '/' && bytes < GB_PATH_BYTES && stat(path, is) == 0 && S_ISREG(is->st_mode) &&
                access(path, X_OK) == 0;
    }
    return found;
}

/* On macOS /usr/bin/cc opens a dialog where no developer tools are installed. */
static bool opens_a_dialog(const char *path)
{
#if defined(__APPLE__)
    return strncmp(path, "/usr/bin/", strlen("/usr/bin/")) == 0 && !getenv("DEVELOPER_DIR") &&
           access("/var/db/xcode_select_link/usr/bin", X_OK) != 0 &&
           access("/Library/Developer/CommandLineTools/usr/bin", X_OK) != 0 &&
           access("/Applications/Xcode.app/Contents/Developer/usr/bin", X_OK) != 0;
#else
    return *path == '\0';
#endif
}

bool gb_compiler_find(gb_compiler *compiler, gb_why why)
{
    const char *const asked = getenv("GREBE_CC"), *const name = asked && *asked ? asked : "cc";
    struct stat is;
    *compiler = (gb_compiler){0};
    if (getuid() != geteuid() || getgid() != getegid())
        return gb_why_not(why, "a program with the rights of another user starts no compiler");
    if (!look_up(name, compiler->path, &is))
        return name == asked
                   ? gb_why_not(why, "GREBE_CC is %.200s, which is no program", name)
                   : gb_why_not(why, "no C compiler: install gcc or clang, so that PATH leads to cc");
    if (opens_a_dialog(compiler->path))
        return gb_why_not(why, "no C compiler: %s needs developer tools (xcode-select --install)", name);
    compiler->size = (uint64_t)is.st_size;
    compiler->changed = (uint64_t)is.st_mtime;
    compiler->moved = (uint64_t)is.st_ctime;
    compiler->number = (uint64_t)is.st_ino;
    return true;
}

/* ----------------------------------------------------------------------------------------------- one call */

/* The environment of the compiler; the caller frees it. Without what lets it make something else, or write
 * elsewhere; its temporary files are in the folder. */
static char **environment_of(const gb_folder *folder)
{
    static char locale[] = "LC_ALL=C";
    static const char *const without[] = {"TMPDIR=",
                                          "LC_ALL=",
                                          "CPATH=",
                                          "C_INCLUDE_PATH=",
                                          "GCC_EXEC_PREFIX=",
                                          "COMPILER_PATH=",
                                          "LIBRARY_PATH=",
                                          "DEPENDENCIES_OUTPUT=",
                                          "SUNPRO_DEPENDENCIES=",
                                          "CCC_OVERRIDE_OPTIONS="};
    size_t count = 0, kept = 2;
    while (environ && environ[count])
        count++;
    char **const all = malloc((count + 3) * sizeof *all + sizeof "TMPDIR=" + GB_FOLDER_BYTES);
    if (!all)
        return NULL;
    all[0] = locale;
    all[1] = strcpy((char *)(all + count + 3), "TMPDIR=");
    strcat(all[1], folder->path);
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < sizeof without / sizeof *without &&
               strncmp(environ[i], without[k], strlen(without[k])) != 0)
            k++;
        if (k == sizeof without / sizeof *without)
            all[kept++] = environ[i];
    }
    all[kept] = NULL;
    return all;
}

/* A process group of its own, and the usual handling of signals. */
static bool prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *attributes, const char *messages)
{
    const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    const int how = O_WRONLY | O_CREAT | O_TRUNC;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    return posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_addopen(files, STDOUT_FILENO, messages, how, 0600) == 0 &&
           posix_spawn_file_actions_adddup2(files, STDOUT_FILENO, STDERR_FILENO) == 0 &&
           posix_spawnattr_setpgroup(attributes, 0) == 0 &&
           posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setsigdefault(attributes, &all) == 0 &&
           posix_spawnattr_setflags(attributes, flags) == 0;
}

/* Returns 0, or the number of the system's error. */
static int start(const char *path, char **arguments, const gb_folder *folder, const char *messages,
                 pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = ENOMEM;
    char **const environment = environment_of(folder);
    if (environment && posix_spawn_file_actions_init(&files) == 0) {
        if (posix_spawnattr_init(&attributes) == 0) {
            if (prepare(&files, &attributes, messages))
                error = posix_spawn(child, path, &files, &attributes, arguments, environment);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&files);
    }
    free(environment);
    return error;
}

static const char *reached(gb_limits limits, const gb_folder *folder)
{
    if (limits.cancel && atomic_load(limits.cancel))
        return "it was stopped";
    if (gb_seconds() > limits.until)
        return "it took too long";
    return gb_folder_bytes(folder) > limits.bytes ? "its files became too large" : NULL;
}

static void end_group(pid_t child)
{
    kill(-child, SIGKILL);
}

/* Waits for the end of the process, and ends it at a limit, of which it returns the words. Until waitpid the
 * number of the process stays its own, so that the rest of its group can be ended safely. Where the program
 * around grebe takes the status first, or ignores SIGCHLD, waitid fails, and the status stays as it is. */
static const char *await(pid_t child, const gb_folder *folder, gb_limits limits, int *status)
{
    const char *reason = NULL;
    siginfo_t ended = {0};
    for (long pause = 1000000; ended.si_pid == 0; pause += pause < 16000000 ? pause : 0) {
        if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
            return reason;
        if (ended.si_pid != 0)
            break;
        reason = reason ? reason : reached(limits, folder);
        if (reason)
            end_group(child);
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
    }
    end_group(child);
    while (waitpid(child, status, 0) < 0 && errno == EINTR) {}
    return reason;
}

/* Takes the first line that names a fault, or else the first. */
static void first_line(const char *path, char *line, size_t bytes)
{
    char each[400];
    bool found = false;
    const int file = gb_file_open(path, O_RDONLY, 0);
    FILE *const messages = file >= 0 ? fdopen(file, "r") : NULL;
    *line = '\0';
    while (messages && !found && fgets(each, sizeof each, messages)) {
        found = strstr(each, "error") || strstr(each, "fail");
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
    enum { UNKNOWN = -1 };
    const char *const path = compiler->path;
    char messages[GB_PATH_BYTES], line[480];
    pid_t child;
    int status = UNKNOWN;
    snprintf(messages, sizeof messages, "%s/messages", folder->path);
    const int error = start(path, arguments, folder, messages, &child);
    if (error)
        return gb_why_not(why, "%s cannot be started: %s", path, strerror(error));
    const char *const reason = await(child, folder, limits, &status);
    if (reason)
        return gb_why_not(why, "%s: %s", path, reason);
    if (status == UNKNOWN)
        return gb_why_not(why, "%s: this program does not let grebe learn how it ended (SIGCHLD)", path);
    if (WIFSIGNALED(status))
        return gb_why_not(why, "%s: it was ended by signal %d", path, WTERMSIG(status));
    if (WEXITSTATUS(status) == 0)
        return true;
    first_line(messages, line, sizeof line);
    return gb_why_not(why, "%s: %s", path, *line ? line : "it failed without a word");
}
