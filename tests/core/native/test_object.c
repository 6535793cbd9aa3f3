/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C text becomes functions of this process. */
#include "support/test.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "core/ground/clock_impl.h"
#include "support/counted_memory.h"
#include "support/native.h"

#define PRELUDE "#include \"native_prelude.h\"\n"

TEST(vectors_of_each_instruction_set_and_type)
{
    static const char *const text = PRELUDE "GB_NATIVE void f(real *x);\n"
                                            "void f(real *x) { *(V *)x = v_exp(*(const V *)x); }\n"
                                            "GB_NATIVE int bytes(void);\n"
                                            "int bytes(void) { return GB_VECTOR_BYTES; }\n";
    native_needs_compiler();
    native_begin();
    const int open = native_open_files();
    for (gb_isa isa = GB_ISA_BASELINE; isa <= gb_best_isa(); isa++)
        for (int bits = isa == gb_best_isa() ? 32 : 64; bits <= 64; bits += 32) {
            char why[512] = "";
            union {
                double d[8];
                float f[16];
            } x = {.d = {0}};
            gb_object *const object =
                gb_object_load(&(gb_native_source){.file = &text, .files = 1, .isa = isa, .real_bits = bits},
                               NULL, why, sizeof why);
            if (!object)
                fail_msg("%s", why);
            void (*f)(void *);
            int (*bytes)(void);
            *(void **)&f = gb_object_find(object, "f");
            *(void **)&bytes = gb_object_find(object, "bytes");
            f(&x);
            assert_true(bits == 64 ? x.d[0] == 1 : x.f[0] == 1);
            assert_int_equal(bytes(), 16 << isa);
            assert_null(gb_object_find(object, "v_exp"));
            gb_object_free(object);
            native_assert_clean();
        }
    assert_int_equal(native_open_files(), open);
    native_end();
}

TEST(files_are_linked)
{
    static const char *const three[] = {
        "double half(double x);\n__attribute__((visibility(\"default\"))) double f(double x)"
        " { return half(half(x)); }\n",
        "double half(double x);\ndouble half(double x) { return x / 2; }\n", "static int unused;\n"};
    native_needs_compiler();
    native_begin();
    gb_object *const object = native_load_of(three, 3, NULL, "");
    double (*f)(double);
    *(void **)&f = gb_object_find(object, "f");
    assert_true(f(1) == 0.25);
    assert_null(gb_object_find(object, "half"));
    gb_object_free(object);
    gb_object_free(NULL);
    native_end();
}

TEST(the_first_error_is_told)
{
    native_needs_compiler();
    native_begin();
    native_load("int x = nowhere;\n", "0.c:1:9: error");
    native_load("int f(void) { return nowhere(); }\n", "error: implicit");
    const char *const two[] = {"int x;\n", "#include \"nowhere.h\"\n"};
    native_load_of(two, 2, NULL, "1.c:1:10: fatal error");
    native_load("extern int nowhere;\nint f(void);\nint f(void) { return nowhere; }\n", "cannot be loaded");
    native_end();
}

/* Objects are loaded from files whose names come again: each is the one that was asked for. */
TEST(many_are_loaded_side_by_side)
{
    enum { MANY = 4 };
    gb_object *object[MANY];
    native_needs_compiler();
    native_begin();
    for (int i = 0; i < MANY; i++)
        object[i] = native_load(native_text(i), "");
    for (int i = 0; i < MANY; i++)
        assert_int_equal(native_call(object[i]), i);
    for (int i = 0; i < MANY; i += 2)
        gb_object_free(object[i]);
    for (int i = 0; i < MANY; i += 2)
        object[i] = native_load(native_text(MANY - i), "");
    for (int i = 0; i < MANY; i++)
        assert_int_equal(native_call(object[i]), i % 2 ? i : MANY - i);
    for (int i = 0; i < MANY; i++)
        gb_object_free(object[i]);
    native_end();
}

static void *load_some(void *from)
{
    const int first = *(int *)from;
    int good = 0;
    for (int i = first; i < first + 3; i++) {
        char text[160], why[512];
        const char *const file = text;
        snprintf(text, sizeof text, "__attribute__((visibility(\"default\"))) int f(void) { return %d; }\n",
                 i);
        gb_object *const object = gb_object_load(
            &(gb_native_source){.file = &file, .files = 1, .isa = GB_ISA_BASELINE, .real_bits = 64}, NULL,
            why, sizeof why);
        int (*f)(void) = NULL;
        if (object)
            *(void **)&f = gb_object_find(object, "f");
        good += f && f() == i;
        gb_object_free(object);
    }
    return good == 3 ? from : NULL;
}

TEST(threads_and_processes_load_at_once)
{
    enum { THREADS = 3 };
    int first[THREADS] = {1, 2, 1};
    pthread_t thread[THREADS];
    native_needs_compiler();
    native_begin();
    const pid_t child = fork();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, load_some, &first[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *good;
        assert_int_equal(pthread_join(thread[i], &good), 0);
        first[i] = good ? 0 : 1;
    }
    if (child == 0)
        _exit(first[0] + first[1] + first[2]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(first[0] + first[1] + first[2], 0);
    assert_int_equal(native_entries(native_cache), 4);
    native_end();
}

TEST(lack_of_memory_is_told)
{
    static const char *const text = "__attribute__((visibility(\"default\"))) int f(void) { return 1; }\n";
    int failed = 0;
    native_needs_compiler();
    native_begin();
    setenv("XDG_CACHE_HOME", "/dev/null/none", 1);
    for (size_t at = 1; at < 7; at++) {
        char why[512] = "";
        counted_memory counts = {.fail_at = at, .fail_after = true};
        const gb_memory memory = counted(&counts);
        gb_object *const object = gb_object_load(
            &(gb_native_source){
                .file = &text, .files = 1, .isa = GB_ISA_BASELINE, .real_bits = 64, .memory = &memory},
            NULL, why, sizeof why);
        if (!object && !strstr(why, "no memory"))
            fail_msg("%s", why);
        failed += !object;
        gb_object_free(object);
        assert_int_equal(counts.outstanding, 0);
        native_assert_clean();
    }
    assert_true(failed >= 4);
    native_end();
}

/* The file in memory that a loaded object is in; -1: it is in none. */
static int sealed_file(void)
{
    for (int file = 0; file < 100; file++) {
        char path[32], to[64] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        if (readlink(path, to, sizeof to - 1) > 0 && strncmp(to, "/memfd:grebe", 12) == 0)
            return file;
    }
    return -1;
}

TEST(a_loaded_object_cannot_be_changed)
{
    native_needs_compiler();
    native_begin();
    gb_object *const object = native_load(native_text(3), "");
    const int file = sealed_file();
    if (file >= 0) {
        assert_int_equal(pwrite(file, "x", 1, 0), -1);
        assert_int_equal(ftruncate(file, 0), -1);
        assert_int_equal(ftruncate(file, 1 << 20), -1);
    }
    assert_int_equal(native_call(object), 3);
    gb_object_free(object);
    native_end();
}

/* What the program prints there would go into the object. */
/* Where few files may be open, none of them is kept open for an object. */
TEST(half_of_the_files_that_may_be_open_are_left)
{
    struct rlimit limit, usual;
    int other[20];
    native_needs_compiler();
    native_begin();
    for (int i = 0; i < 20; i++)
        other[i] = dup(STDERR_FILENO);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    const int open = native_open_files();
    for (int is_few = 0; is_few < 2; is_few++) {
        limit = usual;
        limit.rlim_cur = is_few ? (rlim_t)other[19] + 12 : usual.rlim_cur;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        gb_object *const object = native_load(native_text(1), "");
        const int held = native_open_files() - open;
        gb_object_free(object);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
        assert_in_range(held, 0, !is_few);
        assert_int_equal(native_open_files(), open);
    }
    for (int i = 0; i < 20; i++)
        close(other[i]);
    native_end();
}

TEST(an_object_takes_no_place_of_a_closed_stream)
{
    native_needs_compiler();
    native_begin();
    const pid_t child = fork();
    if (child == 0) {
        const char *const text = native_text(4);
        char why[512];
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        const gb_native_source source = {.file = &text, .files = 1, .isa = GB_ISA_BASELINE, .real_bits = 64};
        const gb_object *const object = gb_object_load(&source, NULL, why, sizeof why);
        const int file = sealed_file();
        _exit(!object || (file >= 0 && file <= STDERR_FILENO));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    native_end();
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A text of 30 KB, and an object of about as much. */
TEST(a_hit_takes_little_time)
{
    enum { TIMES = 41, FUNCTIONS = 300 };
    static char text[FUNCTIONS * 120];
    const char *const file = text;
    double seconds[TIMES];
    size_t length = 0;
    native_needs_compiler();
    native_begin();
    for (int i = 0; i < FUNCTIONS; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "__attribute__((visibility(\"default\"))) double f%03d(double x, double y)"
                                   " { return x / y + y * %3d; }\n",
                                   i, i);
    gb_object_free(native_load(text, ""));
    native_count();
    gb_object_free(native_load(text, ""));
    for (int i = 0; i < TIMES; i++) {
        const double begin = gb_seconds();
        gb_object *const object = native_load_of(&file, 1, NULL, "");
        seconds[i] = gb_seconds() - begin;
        gb_object_free(object);
    }
    assert_int_equal(native_calls(), 1);
    qsort(seconds, TIMES, sizeof *seconds, by_value);
    print_message("a hit: %.2f ms in the median, %.2f at least, of a text of %zu bytes\n",
                  1000 * seconds[TIMES / 2], 1000 * seconds[0], length);
    assert_true(seconds[TIMES / 2] < 0.02);
    native_end();
}
