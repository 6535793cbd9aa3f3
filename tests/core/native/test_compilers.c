/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compilers that fail, in all the ways that shell scripts can: one line of words, and nothing is left. */
#include "support/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "core/ground/clock_impl.h"
#include "core/native/compiler_impl.h"
#include "support/native.h"

static const struct {
    const char *name, *script, *expected;
} fakes[] = {
    {"fails_with_words", "echo one >&2; echo 'cc: error: two' >&2; echo three; exit 1",
     "fake: cc: error: two"},
    {"fails_with_other_words", "echo; echo '\033[31mone' >&2; exit 3", "fake: \\x1b[31mone"},
    {"fails_to_link", "echo one; echo 'ld: final link failed: why'; echo 'error: ld'; exit 1",
     "ld: final link failed: why"},
    {"fails_twice",
     "case \"$*\" in *GB_WHOLE_HEADERS=0*) echo one one; echo 'error: one';; *) echo two;; esac; exit 1",
     "fake: two"},
    {"fails_without_words", "exit 1", "fake: it failed without a word"},
    {"kills_itself", "kill -KILL $$; sleep 5", "fake: it was ended by signal 9"},
    {"makes_nothing", "exit 0", "fake: it made no object"},
    {"makes_an_empty_file", ": > \"$out\"", "fake: it made no object"},
    {"makes_a_folder", "mkdir \"$out\"", "fake: it made no object"},
    {"makes_garbage", "echo garbage > \"$out\"", "the object that the compiler made cannot be loaded: "},
    {"makes_half_an_object", "cc \"$@\"; head -c 9000 \"$out\" > \"$out.half\"; mv \"$out.half\" \"$out\"",
     "the object that the compiler made is cut"},
    {"makes_the_head_of_an_object",
     "cc \"$@\"; head -c 100 \"$out\" > \"$out.half\"; mv \"$out.half\" \"$out\"",
     "the object that the compiler made is cut"},
    {"makes_an_object_without_key",
     "echo 'int f(void) { return 1; }' > \"$out.c\"; cc -shared -fPIC \"$out.c\" -o \"$out\"",
     "native code cannot be loaded: another object has its place"},
    {"makes_an_object_with_another_key",
     "echo 'const char gb_object_key[] = \"another\";' > \"$out.c\"; cc -shared -fPIC \"$out.c\" -o \"$out\"",
     "native code cannot be loaded: another object has its place"},
    {"may_read_nothing", "read -r line && exit 0; echo 'error: nothing to read'; exit 1",
     "error: nothing to read"},
    {"writes_temporary_files", "echo x > \"$TMPDIR/more\"; mkdir -p \"$TMPDIR/empty\"; exit 1",
     "without a word"},
    {"has_an_environment", "echo \"error: $LC_ALL,$CPATH,$GREBE_TEST\"; exit 1", "error: C,,kept"},
};

TEST_EACH(a_compiler, fakes)
{
    const struct {
        const char *name, *script, *expected;
    } *const fake = row;
    native_begin();
    const int open = native_open_files();
    setenv("CPATH", "/nowhere", 1);
    setenv("GREBE_TEST", "kept", 1);
    native_fake(fake->script);
    native_load(native_text(1), fake->expected);
    assert_int_equal(native_open_files(), open);
    if (native_entries(native_cache) >= 0)
        assert_int_equal(native_entries(native_cache), 0);
    unsetenv("CPATH");
    native_end();
}

/* As gcc 12 has one for a program of many comparisons. */
TEST(a_compiler_with_a_fault_is_called_again_with_less_optimisation)
{
    native_needs_compiler();
    native_begin();
    native_fake("case \"$*\" in *-O1*) exec cc \"$@\";; esac; echo 'internal compiler error'; exit 4");
    gb_object_free(native_load(native_text(1), ""));
    native_end();
}

#if defined(__GLIBC__)
TEST(a_compiler_has_no_files_of_the_program_around_it)
{
    native_begin();
    const int other = dup2(STDERR_FILENO, 9); /* without FD_CLOEXEC */
    native_fake("[ -e /proc/$$/fd/2 ] && [ ! -e /proc/$$/fd/9 ] && echo 'error: its own'; exit 1");
    native_load("", "fake: error: its own");
    close(other);
    native_end();
}
#endif

TEST(no_compiler)
{
    native_begin();
    char *const path = strdup(getenv("PATH"));
    setenv("GREBE_CC", "/nowhere/cc", 1);
    native_load("", "GREBE_CC is /nowhere/cc, which is no program");
    setenv("GREBE_CC", native_folder, 1);
    native_load("", "which is no program");
    file_put_text(native_path("text"), "not a program\n");
    setenv("GREBE_CC", native_path("text"), 1);
    native_load("", "which is no program");
    chmod(native_path("text"), 0700);
    native_load("", "cannot be started: Exec format error");
    unsetenv("GREBE_CC");
    setenv("PATH", "/nowhere:relative::", 1);
    native_load("", "no C compiler: install gcc or clang");
    unsetenv("PATH");
    native_load("", "no C compiler: install gcc or clang");
    setenv("PATH", path, 1);
    free(path);
    native_end();
}

TEST(a_compiler_by_its_name)
{
    char folders[2 * NATIVE_PATH];
    native_begin();
    native_fake("echo 'error: found'; exit 1");
    char *const path = strdup(getenv("PATH"));
    snprintf(folders, sizeof folders, "relative:%s:%s", native_folder, path);
    setenv("PATH", folders, 1);
    setenv("GREBE_CC", "fake", 1);
    native_load("", "/fake: error: found");
    native_fake("exit 1");
    setenv("GREBE_CC", "fake", 1);
    setenv("PATH", "relative", 1);
    assert_int_equal(symlink(native_folder, "relative"), 0);
    native_load("", "GREBE_CC is fake, which is no program");
    assert_int_equal(unlink("relative"), 0);
    setenv("PATH", path, 1);
    free(path);
    native_end();
}

TEST(no_temporary_folder)
{
    native_begin();
    native_fake("exit 1");
    setenv("TMPDIR", "/nowhere/tmp", 1);
    native_load("", "no temporary folder in /nowhere/tmp: No such file or directory");
    setenv("TMPDIR", "tmp", 1);
    native_load("", "TMPDIR is no absolute path, or too long: tmp");
    setenv("TMPDIR", native_temporary, 1);
    native_end();
}

static void put_folder(const char *name, time_t used)
{
    char path[2 * NATIVE_PATH], file[2 * NATIVE_PATH + 8];
    const struct timespec then[2] = {{.tv_sec = used}, {.tv_sec = used}};
    snprintf(path, sizeof path, "%s/%s", native_temporary, name);
    snprintf(file, sizeof file, "%s/0.c", path);
    assert_int_equal(mkdir(path, 0700), 0);
    file_put_text(file, "");
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
}

/* What a killed process has left goes with the next use, and nothing else does. */
TEST(folders_that_were_left)
{
    char link[2 * NATIVE_PATH], elsewhere[2 * NATIVE_PATH];
    const time_t now = time(NULL);
    native_begin();
    native_fake("exit 1");
    put_folder("grebe-native-killed", now - 3700);
    put_folder("grebe-native-in-use", now - 3500);
    put_folder("grebe-results", now - 100000);
    if (geteuid() == 0) {
        put_folder("grebe-native-other", now - 3700);
        assert_int_equal(chown(native_path("tmp/grebe-native-other"), 12345, 0), 0);
    }
    snprintf(link, sizeof link, "%s/grebe-native-link", native_temporary);
    snprintf(elsewhere, sizeof elsewhere, "%s/grebe-results", native_temporary);
    assert_int_equal(symlink(elsewhere, link), 0);
    native_load("", "failed without a word");
    assert_int_equal(native_entries(native_temporary), geteuid() == 0 ? 4 : 3);
    assert_int_equal(native_entries(elsewhere), 1);
    assert_int_equal(native_entries(native_path("tmp/grebe-native-in-use")), 1);
    assert_int_equal(native_entries(native_path("tmp/grebe-native-killed")), -1);
    assert_int_equal(system("rm -r \"$TMPDIR\"/*"), 0);
    native_end();
}

static const char hangs[] =
    "echo $$ >> \"$TMPDIR/../../pids\"; sleep 50 & echo $! >> \"$TMPDIR/../../pids\"; wait";

/* Both processes of a compiler that hangs are gone. */
static void assert_ended(void)
{
    FILE *const pids = fopen(native_path("pids"), "r");
    long pid;
    int count = 0;
    assert_non_null(pids);
    for (; fscanf(pids, "%ld", &pid) == 1; count++)
        for (int i = 0; kill((pid_t)pid, 0) == 0; i++) {
            char path[64], state = 'Z', name[64];
            snprintf(path, sizeof path, "/proc/%ld/stat", pid);
            FILE *const stat = fopen(path, "r");
            if (!stat || fscanf(stat, "%*d %63s %c", name, &state) != 2 || state == 'Z') {
                if (stat)
                    fclose(stat);
                break; /* a grandchild is the init process's to wait for */
            }
            fclose(stat);
            assert_true(i < 200);
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        }
    fclose(pids);
    assert_true(count >= 2);
}

static void *cancel_soon(void *cancel)
{
    for (int i = 0; i < 500 && access(native_path("pids"), F_OK) != 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    atomic_store((atomic_bool *)cancel, true);
    return NULL;
}

TEST(a_compiler_that_hangs_is_stopped)
{
    atomic_bool cancel = false;
    pthread_t thread;
    const char *const text = native_text(1);
    native_begin();
    native_fake(hangs);
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &cancel), 0);
    const double begin = gb_seconds();
    native_load_of(&text, 1, &cancel, "fake: it was stopped");
    assert_true(gb_seconds() - begin < 20);
    pthread_join(thread, NULL);
    assert_ended();
    native_load_of(&text, 1, &cancel, "fake: it was stopped");
    native_end();
}

/* Runs the compiler alone, with limits. */
static void run_limited(double seconds, uint64_t bytes, const char *expected)
{
    static const gb_memory usual;
    char why[512] = "", folder[GB_FOLDER_BYTES];
    const gb_why words = {why, sizeof why};
    gb_growing_text call = {.memory = &usual};
    GB_WORD(&call, "%s", getenv("GREBE_CC"));
    assert_true(gb_folder_make(folder, words));
    const gb_limits limits = {.until = gb_seconds() + seconds, .bytes = bytes};
    const bool good = gb_compiler_run(&call, folder, limits, words);
    if (good != !*expected || !strstr(why, expected))
        fail_msg("%s; expected: %s", why, expected);
    gb_folder_remove(folder);
    gb_text_free(&call);
}

TEST(limits_end_a_compiler)
{
    native_begin();
    native_fake(hangs);
    run_limited(0.3, 1 << 20, "fake: it took too long");
    assert_ended();
    native_fake("while :; do head -c 100000 /dev/zero >> \"$TMPDIR/big\"; done");
    run_limited(60, 1 << 20, "fake: its files became too large");
    native_fake("sleep 50 & echo $$ > \"$TMPDIR/../../pids\"; echo $! >> \"$TMPDIR/../../pids\"; exit 0");
    run_limited(60, 1 << 20, "");
    assert_ended();
    native_end();
}

/* The signals of the program are not the compiler's; and the program may have no use for SIGCHLD. */
TEST(signals_of_the_program)
{
    sigset_t blocked, before;
    native_begin();
    native_fake("kill -TERM $$; sleep 1; kill -INT $$; sleep 1; exit 0");
    void (*const old)(int) = signal(SIGTERM, SIG_IGN);
    sigfillset(&blocked);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    native_load("", "fake: it was ended by signal 15");
    sigprocmask(SIG_SETMASK, &before, NULL);
    signal(SIGTERM, old);
    native_fake("exit 0");
    signal(SIGCHLD, SIG_IGN);
    native_load("", "fake: this program does not let grebe learn how it ended (SIGCHLD)");
    signal(SIGCHLD, SIG_DFL);
    native_load("", "fake: it made no object");
    native_end();
}

/* Files of the program's own may not grow, which otherwise ends a program by a signal: as on a full disk. */
TEST(files_that_cannot_be_written)
{
    native_begin();
    native_fake("exit 0");
    const pid_t child = fork();
    if (child == 0) {
        char why[512] = "";
        const char *const text = native_text(1);
        const gb_native_source source = {.file = &text, .files = 1, .isa = GB_ISA_BASELINE, .real_bits = 64};
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000});
        const bool good = !gb_object_load(&source, NULL, why, sizeof why) &&
                          strstr(why, "native_prelude.h cannot be written: File too large");
        if (!good)
            fprintf(stderr, "%s\n", why);
        _exit(!good);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    native_end();
}

/* A compiler that needs all headers gets them. */
TEST(headers_left_out_come_back)
{
    native_needs_compiler();
    native_begin();
    native_fake("case \"$*\" in *GB_WHOLE_HEADERS=0*) echo 'error: left out'; exit 1;; esac\nexec cc \"$@\"");
    native_assert_loads(1);
    native_end();
}
