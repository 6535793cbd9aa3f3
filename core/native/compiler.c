/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/compiler_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/ground/clock_impl.h"
#include "core/ground/text_impl.h"

extern char **environ;

/* -------------------------------------------------------------------------------------------- where it is */

/* Writes the path of a program: `name` itself if it has a slash, or else one in a folder of PATH, which
 * is absolute. */
static bool look_up(const char *name, gb_compiler *found)
{
    const bool is_path = strchr(name, '/');
    size_t length;
    for (const char *at = is_path ? "/" : getenv("PATH"); at && *at; at += length + (at[length] == ':')) {
        length = strcspn(at, ":");
        const int bytes = is_path ? snprintf(found->path, GB_PATH_BYTES, "%s", name)
                                  : snprintf(found->path, GB_PATH_BYTES, "%.*s/%s", (int)length, at, name);
        if (*at == '/' && bytes < GB_PATH_BYTES && stat(found->path, &found->is) == 0 &&
            S_ISREG(found->is.st_mode) && access(found->path, X_OK) == 0)
            return true;
    }
    return false;
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
    if (getuid() != geteuid() || getgid() != getegid())
        return gb_why_not(why, "a program with the rights of another user starts no compiler");
    if (!look_up(name, compiler))
        return name == asked
                   ? gb_why_not(why, "GREBE_CC is %.200s, which is no program", name)
                   : gb_why_not(why, "no C compiler: install gcc or clang, so that PATH leads to cc");
    return !opens_a_dialog(compiler->path) ||
           gb_why_not(why, "no C compiler: %s needs developer tools (xcode-select --install)", name);
}

/* ----------------------------------------------------------------------------------------------- one call */

/* Appends an empty word, and the environment without what lets a compiler make something else, or write
 * elsewhere; its temporary files are in the folder. */
static void append_environment(gb_growing_text *words, const char *folder)
{
    static const char without[] =
        " TMPDIR LC_ALL CPATH C_INCLUDE_PATH GCC_EXEC_PREFIX COMPILER_PATH LIBRARY_PATH DEPENDENCIES_OUTPUT"
        " SUNPRO_DEPENDENCIES CCC_OVERRIDE_OPTIONS ";
    GB_WORD(words, "%cLC_ALL=C%cTMPDIR=%s", 0, 0, folder);
    for (char *const *each = environ; each && *each; each++) {
        char name[32] = " ";
        const size_t length = strcspn(*each, "=");
        if (length < sizeof name - 2)
            snprintf(name, sizeof name, " %.*s ", (int)length, *each);
        if (length >= sizeof name - 2 || !strstr(without, name))
            GB_WORD(words, "%s", *each);
    }
}

/* Returns pointers to the words, with NULL for the empty one and at the end; the caller frees them. */
static char **lists_of(const gb_growing_text *words)
{
    size_t count = 1;
    for (size_t i = 0; i < words->text.count; i++)
        count += words->text.at[i] == '\0';
    char **const list = words->failed ? NULL : gb_memory_resize(words->memory, NULL, count * sizeof *list);
    char *at = words->text.at;
    for (size_t i = 0; list && i < count; i++, at += strlen(at) + 1)
        list[i] = *at ? at : NULL; /* the text ends with another 0 */
    return list;
}

/* Starts a process with a group of its own and the usual handling of signals. The environment follows the
 * arguments. Returns 0, or the number of the system's error. */
static int start(char **arguments, const char *messages, pid_t *child)
{
    const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    const int how = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char **environment = arguments;
    while (*environment++) {}
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    int error = posix_spawn_file_actions_init(&files);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        const bool good =
            posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
            posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, messages, how, 0600) == 0 &&
            posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO) == 0 &&
            posix_spawnattr_setpgroup(&attributes, 0) == 0 &&
            posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
            posix_spawnattr_setsigdefault(&attributes, &all) == 0 &&
            posix_spawnattr_setflags(&attributes, flags) == 0;
        error = good ? posix_spawn(child, *arguments, &files, &attributes, arguments, environment) : ENOMEM;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static const char *reached(gb_limits limits, const char *folder)
{
    if (limits.cancel && atomic_load(limits.cancel))
        return "it was stopped";
    if (gb_seconds() > limits.until)
        return "it took too long";
    return gb_sum_files(AT_FDCWD, folder, NULL, false).bytes > limits.bytes ? "its files became too large"
                                                                            : NULL;
}

/* Waits for the end of the process, and ends it at a limit, of which it returns the words. Until waitpid the
 * number of the process stays its own, so that the rest of its group can be ended safely. Where the program
 * around grebe takes the status first, or ignores SIGCHLD, waitid fails, and the status stays as it is. */
static const char *await(pid_t child, const char *folder, gb_limits limits, int *status)
{
    const char *reason = NULL;
    siginfo_t ended = {0};
    for (long pause = 1000000; ended.si_pid == 0; pause += pause < 16000000 ? pause : 0) {
        if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
            return reason;
        if (ended.si_pid == 0) {
            reason = reason ? reason : reached(limits, folder);
            nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        }
        if (ended.si_pid != 0 || reason)
            kill(-child, SIGKILL);
    }
    while (waitpid(child, status, 0) < 0 && errno == EINTR) {}
    return reason;
}

/* Takes the first line that names a fault, or else the first. */
static void first_line(const char *path, char *line, size_t bytes)
{
    char each[400];
    FILE *const messages = fopen(path, "r");
    *line = '\0';
    for (bool found = false; messages && !found && fgets(each, sizeof each, messages);) {
        found = strstr(each, "error") || strstr(each, "fail");
        if (found || !*line)
            gb_text_show(each, strcspn(each, "\n"), bytes - 1, line);
    }
    if (messages)
        fclose(messages);
}

bool gb_compiler_run(gb_growing_text *words, const char *folder, gb_limits limits, gb_why why)
{
    enum { UNKNOWN = -1 };
    char messages[GB_PATH_BYTES], line[480];
    pid_t child;
    int status = UNKNOWN;
    append_environment(words, folder);
    char **const lists = lists_of(words);
    if (!lists)
        return gb_why_not(why, "no memory to compile native code");
    snprintf(messages, sizeof messages, "%s/messages", folder);
    const int error = start(lists, messages, &child);
    gb_memory_release(words->memory, lists);
    const char *const path = words->text.at;
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
