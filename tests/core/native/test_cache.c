/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects are kept, checked, and made anew where anything is wrong with what is kept. */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "core/native.h"
#include "core/native/cache_impl.h"
#include "support/native.h"

/* The path of the only file in the cache. */
static const char *only_file(void)
{
    static char path[2 * NATIVE_PATH];
    struct dirent *each;
    DIR *const all = opendir(native_cache);
    assert_non_null(all);
    while ((each = readdir(all)) && each->d_name[0] == '.') {}
    assert_non_null(each);
    snprintf(path, sizeof path, "%s/%.64s", native_cache, each->d_name);
    closedir(all);
    assert_int_equal(native_entries(native_cache), 1);
    return path;
}

/* Loads the number, and returns how many calls of the compiler that took. */
static int calls_for(int number)
{
    const int before = native_calls();
    native_assert_loads(number);
    return native_calls() - before;
}

TEST(another_of_anything_is_another_object)
{
    native_needs_compiler();
    native_begin();
    native_count();
    assert_int_equal(calls_for(1), 1);
    assert_int_equal(calls_for(1), 0);
    assert_int_equal(calls_for(2), 1);
    assert_int_equal(calls_for(1), 0);
    const char *const text = native_text(1);
    for (int bits = 64; bits >= 32; bits -= 32) {
        char why[512];
        gb_object_free(gb_object_load(
            &(gb_native_source){.file = &text, .files = 1, .isa = GB_ISA_BASELINE, .real_bits = bits}, NULL,
            why, sizeof why));
    }
    assert_int_equal(native_calls(), gb_best_isa() == GB_ISA_BASELINE ? 3 : 4);
    const struct timespec early[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, native_path("fake"), early, 0), 0);
    assert_int_equal(calls_for(1), 1);
    native_end();
}

TEST(damaged_files_are_made_anew)
{
    static const struct {
        const char *what;
        long at; /* below 0: from the end */
    } places[] = {{"first byte", 0},     {"version", 7}, {"text", 200},    {"object", -1000},
                  {"end of object", -9}, {"hash", -8},   {"last byte", -1}};
    size_t length, again;
    native_needs_compiler();
    native_begin();
    native_count();
    assert_int_equal(calls_for(1), 1);
    unsigned char *const good = file_get(only_file(), &length);
    assert_memory_equal(good, "grebe ", 6);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        unsigned char *const bad = file_get(only_file(), &again);
        bad[places[i].at >= 0 ? places[i].at : (long)length + places[i].at] ^= 1;
        file_put(only_file(), bad, length);
        if (calls_for(1) != 1 || calls_for(1) != 0)
            fail_msg("%s", places[i].what);
        free(bad);
    }
    for (size_t most = 0; most < length; most += most < 120 ? 40 : 2000) {
        file_put(only_file(), good, most);
        assert_int_equal(calls_for(1) + 2 * calls_for(1), 1);
    }
    unsigned char *const longer = calloc(length + 1, 1);
    assert_non_null(longer);
    memcpy(longer, good, length);
    file_put(only_file(), longer, length + 1);
    assert_int_equal(calls_for(1) + 2 * calls_for(1), 1);
    free(longer);
    free(good);
    native_end();
}

/* Under its name stands something else: another text's object, a link, a pipe. */
TEST(foreign_files_are_made_anew)
{
    char name[2 * NATIVE_PATH];
    size_t length;
    native_needs_compiler();
    native_begin();
    native_count();
    assert_int_equal(calls_for(1), 1);
    unsigned char *const other = file_get(only_file(), &length);
    assert_int_equal(unlink(only_file()), 0);
    assert_int_equal(calls_for(2), 1);
    snprintf(name, sizeof name, "%s", only_file());
    file_put(name, other, length);
    assert_int_equal(calls_for(2) + 2 * calls_for(2), 1);

    file_put(native_path("elsewhere"), other, length);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(symlink(native_path("elsewhere"), name), 0);
    assert_int_equal(calls_for(2) + 2 * calls_for(2), 1);
    assert_int_equal(access(native_path("elsewhere"), F_OK), 0);

    assert_int_equal(unlink(name), 0);
    assert_int_equal(mkfifo(name, 0600), 0);
    assert_int_equal(calls_for(2) + 2 * calls_for(2), 1);
    free(other);
    native_end();
}

/* Nothing is kept in a folder that cannot be trusted, and nothing is taken from it. */
static void assert_unused(const char *advice)
{
    gb_native_facts facts;
    const int before = native_entries(native_cache);
    assert_int_equal(calls_for(1), 1);
    assert_false(gb_native_clear(&facts));
    if (!strstr(facts.advice, advice))
        fail_msg("%s; expected: %s", facts.advice, advice);
    assert_string_equal(facts.cache, "");
    assert_int_equal(native_entries(native_cache), before);
}

TEST(folders_that_are_not_used)
{
    native_needs_compiler();
    native_begin();
    native_count();
    assert_int_equal(calls_for(1), 1);
    struct stat is;
    assert_int_equal(stat(native_cache, &is), 0);
    assert_int_equal(is.st_mode & 0777, 0700);
    assert_int_equal(stat(only_file(), &is), 0);
    assert_int_equal(is.st_mode & 0777, 0600);

    chmod(native_cache, 0770);
    assert_unused("another user owns it or may write to it");
    chmod(native_cache, 0702);
    assert_unused("another user owns it or may write to it");
    chmod(native_cache, 0700);
    if (geteuid() == 0 && chown(native_cache, 12345, 0) == 0) {
        assert_unused("another user owns it or may write to it");
        assert_int_equal(chown(native_cache, 0, 0), 0);
    }
    char moved[NATIVE_PATH];
    snprintf(moved, sizeof moved, "%s", native_path("moved"));
    assert_int_equal(rename(native_cache, moved), 0);
    assert_int_equal(symlink(moved, native_cache), 0);
    assert_unused("no cache in ");
    assert_int_equal(unlink(native_cache), 0);
    file_put_text(native_cache, "");
    assert_unused("Not a directory");
    setenv("XDG_CACHE_HOME", "/dev/null/cache", 1);
    assert_unused("no cache in /dev/null/cache/grebe: Not a directory");
    char *const home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_unused("neither XDG_CACHE_HOME nor HOME says where");
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", native_folder, 1);
    assert_int_equal(calls_for(1) + 2 * calls_for(1), 1);
    assert_int_equal(native_entries(native_path(".cache/grebe")), 1);
    if (home)
        setenv("HOME", home, 1);
    free(home);
    native_end();
}

static void put_sparse(const char *name, off_t bytes, time_t used)
{
    char path[2 * NATIVE_PATH];
    snprintf(path, sizeof path, "%s/%s", native_cache, name);
    file_put_text(path, "x");
    assert_int_equal(truncate(path, bytes), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[2]){{.tv_sec = used}, {.tv_sec = used}}, 0),
                     0);
}

static bool is_kept(const char *name)
{
    char path[2 * NATIVE_PATH];
    snprintf(path, sizeof path, "%s/%s", native_cache, name);
    return access(path, F_OK) == 0;
}

TEST(what_was_used_longest_ago_goes)
{
    native_needs_compiler();
    native_begin();
    native_count();
    assert_int_equal(calls_for(1), 1);
    utimensat(AT_FDCWD, only_file(), (struct timespec[2]){{.tv_sec = 1000}, {.tv_sec = 1000}}, 0);
    assert_int_equal(calls_for(1), 0);
    put_sparse("00000000000000aa", 20 << 20, 3000);
    put_sparse("00000000000000bb", 20 << 20, 2000);
    put_sparse("00000000000000cc", 20 << 20, 4000);
    put_sparse("00000000000000ee.1-1", 4 << 20, 1000);
    put_sparse("notes.txt", 90 << 20, 1);
    assert_int_equal(calls_for(2), 1);
    assert_false(is_kept("00000000000000ee.1-1"));
    assert_true(is_kept("00000000000000bb"));
    put_sparse("00000000000000dd", 20 << 20, 5000);
    assert_int_equal(calls_for(3), 1);
    assert_false(is_kept("00000000000000bb"));
    assert_true(is_kept("00000000000000aa") && is_kept("00000000000000cc") && is_kept("notes.txt"));
    assert_int_equal(calls_for(1) + calls_for(2) + calls_for(3), 0);

    gb_native_facts facts;
    assert_true(gb_native_clear(&facts));
    assert_string_equal(facts.cache, native_cache);
    assert_int_equal(facts.files, 6);
    assert_true(facts.bytes > 60 << 20 && facts.bytes < 61 << 20);
    assert_int_equal(native_entries(native_cache), 1);
    assert_true(is_kept("notes.txt"));
    assert_true(gb_native_clear(&facts));
    assert_int_equal(facts.files, 0);
    native_end();
}

/* A text of so many bytes. The caller frees it. */
static char *long_text(size_t bytes)
{
    char *const text = malloc(bytes + 1);
    assert_non_null(text);
    memset(text, ' ', bytes);
    text[bytes] = 0;
    memcpy(text, native_text(9), strlen(native_text(9)) - 1);
    return text;
}

TEST(a_quarter_of_the_cache_is_too_much_for_one)
{
    native_needs_compiler();
    native_begin();
    char *const text = long_text(17 << 20);
    gb_object *const object = native_load(text, "");
    assert_int_equal(native_call(object), 9);
    gb_object_free(object);
    assert_int_equal(native_entries(native_cache), 0);
    free(text);
    native_end();
}

/* There is room for the text alone. */
TEST(what_could_not_be_written_is_not_kept)
{
    enum { BYTES = 1 << 20 };
    int status;
    native_needs_compiler();
    native_begin();
    char *const text = long_text(BYTES);
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){BYTES + 2000, BYTES + 2000});
        _exit(native_call(native_load(text, "")) != 9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(native_entries(native_cache), 0);
    free(text);
    native_end();
}

/* Several processes make and take the same objects, while another removes them. */
TEST(processes_share_a_cache)
{
    enum { PROCESSES = 3, TIMES = 4 };
    pid_t child[PROCESSES];
    native_needs_compiler();
    native_begin();
    native_count();
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] != 0)
            continue;
        for (int k = 0; k < TIMES; k++) {
            const char *const text = native_text(k / 2);
            char why[512];
            gb_object *const object = gb_object_load(
                &(gb_native_source){.file = &text, .files = 1, .isa = GB_ISA_BASELINE, .real_bits = 64}, NULL,
                why, sizeof why);
            if (!object || native_call(object) != k / 2)
                _exit(1);
            gb_object_free(object);
        }
        _exit(0);
    }
    gb_native_facts facts;
    for (int i = 0, ended = 0, status; ended < PROCESSES;
         ended += waitpid(child[i], &status, WNOHANG) == child[i], i = (i + 1) % PROCESSES) {
        gb_native_clear(&facts);
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    }
    native_assert_loads(0);
    native_end();
}

TEST(the_facts)
{
    gb_native_facts facts;
    native_begin();
    native_fake("echo 'error: none'; exit 1");
    assert_false(gb_native_look(&facts));
    assert_string_equal(facts.compiler, native_path("fake"));
    assert_non_null(strstr(facts.fault, "error: none"));
    assert_string_equal(facts.cache, native_cache);
    assert_int_equal(facts.files, 0);
    setenv("GREBE_CC", "/nowhere/cc", 1);
    assert_false(gb_native_look(&facts));
    assert_string_equal(facts.compiler, "");
    native_needs_compiler();
    unsetenv("GREBE_CC");
    assert_true(gb_native_look(&facts));
    assert_string_equal(facts.fault, "");
    assert_string_equal(facts.advice, "");
    assert_int_equal(facts.files, 1);
    assert_true(facts.bytes > 1000);
    native_end();
}
