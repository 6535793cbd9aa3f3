/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/compiler_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/ground/clock_impl.h"
#include "core/ground/file_impl.h"
#include "core/ground/process_impl.h"
#include "core/ground/text_impl.h"
#include "core/native/embedded_impl.h"

extern char **environ;

/* ---- where it is ---- */

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

/* ---- one call ---- */

/* Appends an empty word, and the environment without what lets a compiler make something else, or write
 * elsewhere; its temporary files are in the folder. */
static void append_environment(gb_growing_text *words, const char *folder)
{
    static const char without[] =
        " TMPDIR LC_ALL CPATH C_INCLUDE_PATH GCC_EXEC_PREFIX COMPILER_PATH LIBRARY_PATH DEPENDENCIES_OUTPUT"
        " SUNPRO_DEPENDENCIES CCC_OVERRIDE_OPTIONS ";
    GB_WORD(words, "%cLC_ALL=C%cTMPDIR=%s", 0, 0, folder);
    for (char *const *each = environ; each && *each; each++) {
        char name[32];
        snprintf(name, sizeof name, " %.*s ", (int)strcspn(*each, "="), *each);
        if (!strstr(without, name)) /* a longer name, which is cut, is not there */
            GB_WORD(words, "%s", *each);
    }
}

/* Returns pointers to the words, with NULL for the empty one and at the end; the caller frees them. */
static char **lists_of(const gb_growing_text *words)
{
    size_t count = 1;
    for (size_t i = 0; i < words->count; i++)
        count += words->at[i] == '\0';
    char **const list = words->failed ? NULL : gb_memory_resize(words->memory, NULL, count * sizeof *list);
    char *at = words->at;
    for (size_t i = 0; list && i < count; i++, at += strlen(at) + 1)
        list[i] = *at ? at : NULL; /* the text ends with another 0 */
    return list;
}

static const char *reached(gb_limits limits, const char *folder)
{
    if (limits.cancel && atomic_load(limits.cancel))
        return "it was stopped";
    if (gb_seconds() > limits.until)
        return "it took too long";
    const bool is_full = gb_sum_files(AT_FDCWD, folder, NULL, false).bytes > limits.bytes;
    return is_full ? "its files became too large" : NULL;
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

/* The file of its messages is its input too: read from there, it is always at its end. */
static int start(char **arguments, const char *messages, pid_t *child)
{
    char **environment = arguments;
    sigset_t usual;
    while (*environment++) {}
    sigfillset(&usual);
    sigdelset(&usual, SIGKILL);
    sigdelset(&usual, SIGSTOP);
    const int file = gb_file_open(messages, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0)
        return errno;
    const int error = gb_process_start(arguments, environment, file, file, file, &usual, child);
    close(file);
    return error;
}

bool gb_compiler_run(gb_growing_text *words, const char *folder, gb_limits limits, gb_why why)
{
    enum { UNKNOWN = -1 };
    char messages[GB_PATH_BYTES], line[480];
    pid_t child;
    int status = UNKNOWN;
    snprintf(messages, sizeof messages, "%s/messages", folder);
    append_environment(words, folder);
    char **const lists = lists_of(words);
    const int error = lists ? start(lists, messages, &child) : ENOMEM;
    gb_memory_release(words->memory, lists);
    if (words->failed || error == ENOMEM)
        return gb_why_not(why, "no memory to compile native code");
    const char *const path = words->at;
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

/* ---- from texts to an object ---- */

/* The compiler is ended after so many seconds; it may fill so much of the disk. */
enum { MOST_SECONDS = 300, MOST_BYTES = 256 << 20 };

static bool write_files(const gb_native_source *source, const char *key, const char *folder, gb_why why)
{
    char text[128];
    bool good =
        gb_folder_write(folder, "native_prelude.h", gb_embedded_prelude, gb_embedded_prelude_bytes, why);
    for (size_t i = 0; good && i < source->files; i++) {
        snprintf(text, sizeof text, "%zu.c", i);
        good = gb_folder_write(folder, text, source->file[i], strlen(source->file[i]), why);
    }
    snprintf(text, sizeof text,
             "__attribute__((weak, visibility(\"default\"))) const char gb_object_key[] = \"%s\";\n", key);
    return good && gb_folder_write(folder, "key.h", text, strlen(text), why);
}

/* One call compiles and links: the compiler's driver goes from text to text. `again`: the first call failed.
 * A compiler may need headers that this version of grebe takes for unused: now it gets them. Or it has a
 * fault of its own, which are rarer with less optimisation. */
static bool compile(const gb_compiler *compiler, const gb_native_source *source, const char *folder,
                    bool again, gb_limits limits, const gb_memory *memory, gb_why why)
{
    gb_growing_text words = {.memory = memory};
    GB_WORD(&words, "%s", compiler->path);
    for (const char *const *flag = gb_embedded_flags[source->isa]; *flag; flag++)
        GB_WORD(&words, "%s", *flag);
    GB_WORD(&words, "-DGB_REAL_BITS=%d", source->real_bits);
    GB_WORD(&words, "-DGB_WHOLE_HEADERS=%d", again);
    if (again)
        GB_WORD(&words, "%s", "-O1");
    GB_WORD(&words, "-I%s", folder);
    GB_WORD(&words, "-include%c%s/key.h", 0, folder);
    for (size_t i = 0; i < source->files; i++)
        GB_WORD(&words, "%s/%zu.c", folder, i);
    GB_WORD(&words, "-shared%c-s%c-o%c%s/object%c-lm", 0, 0, 0, folder, 0);
    const bool good = gb_compiler_run(&words, folder, limits, why);
    gb_text_free(&words);
    return good;
}

bool gb_build(const gb_compiler *compiler, const gb_native_source *source, const char *key,
              const atomic_bool *cancel, gb_growing_text *object, gb_why why)
{
    const gb_limits limits = {.cancel = cancel, .until = gb_seconds() + MOST_SECONDS, .bytes = MOST_BYTES};
    const gb_memory *const memory = object->memory;
    char folder[GB_FOLDER_BYTES], path[GB_PATH_BYTES];
    if (!gb_folder_make(folder, why))
        return false;
    snprintf(path, sizeof path, "%s/object", folder);
    bool good = write_files(source, key, folder, why);
    if (good && !compile(compiler, source, folder, false, limits, memory, why))
        good = compile(compiler, source, folder, true, limits, memory, why);
    if (good && !gb_text_read(object, AT_FDCWD, path, MOST_BYTES))
        good = object->failed ? gb_why_not(why, "no memory to compile native code")
                              : gb_why_not(why, "%s: it made no object", compiler->path);
    gb_folder_remove(folder);
    return good;
}
