/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which kernels OpenBLAS ends up with. It chooses once for each process, so the program starts itself anew with
 * other environments; called with "--facts" it prints what it finds and the product of two small matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ops/blas_impl.h"

enum { TEXT = 256 };

static bool has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static bool has_avx512(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

/* ---- the other process ---- */

static int print_facts(const char *preload)
{
    gb_blas_facts facts;
    if (preload && !dlopen(preload, RTLD_NOW | RTLD_GLOBAL))
        return 2;
    if (!gb_blas_look(&facts))
        return 1;
    const char *kernels_now = getenv("OPENBLAS_CORETYPE"), *threads_now = getenv("OPENBLAS_NUM_THREADS");
    printf("%s %d %d %s %s", facts.kernels, facts.fallback, facts.loaded_by_grebe, kernels_now ? kernels_now : "-",
           threads_now ? threads_now : "-");
    return 0;
}

/* Starts this program with one variable set (NULL: unset) and reads what it prints. */
static void facts_of_child(const char *kernels, const char *threads, const char *preload, char text[TEXT])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (kernels)
            setenv("OPENBLAS_CORETYPE", kernels, 1);
        else
            unsetenv("OPENBLAS_CORETYPE");
        if (threads)
            setenv("OPENBLAS_NUM_THREADS", threads, 1);
        else
            unsetenv("OPENBLAS_NUM_THREADS");
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execl("/proc/self/exe", "test_blas", "--facts", preload, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t more; got < TEXT - 1 && (more = read(ends[0], text + got, TEXT - 1 - got)) > 0;)
        got += (size_t)more;
    text[got] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* What a child says where its kernels are `kernels`. */
static void expect(const char *text, const char *kernels, int fallback, int by_grebe, const char *environment)
{
    char expected[TEXT];
    snprintf(expected, sizeof expected, "%s %d %d %s", kernels, fallback, by_grebe, environment);
    assert_string_equal(text, expected);
}

/* ---- tests ---- */

static void openblas_is_there(void **state)
{
    (void)state;
    gb_blas_facts facts;
    assert_true(gb_blas_look(&facts));
    assert_non_null(facts.library);
    assert_non_null(facts.kernels);
    assert_non_null(facts.advice);
    assert_non_null(gb_blas_load());
    assert_ptr_equal(gb_blas_load(), gb_blas_load());
}

static void kernels_fit_the_processor(void **state)
{
    (void)state;
    char text[TEXT];
    if (!has_avx2())
        skip();
    facts_of_child(NULL, NULL, NULL, text);
    expect(text, has_avx512() ? "SkylakeX" : "Haswell", 0, 1, "- -");
}

static void an_empty_variable_is_none(void **state)
{
    (void)state;
    char text[TEXT];
    if (!has_avx2())
        skip();
    facts_of_child("", NULL, NULL, text);
    expect(text, has_avx512() ? "SkylakeX" : "Haswell", 0, 1, " -");
}

static void the_user_has_the_last_word(void **state)
{
    (void)state;
    char text[TEXT];
    if (!has_avx2())
        skip();
    facts_of_child("Prescott", NULL, NULL, text);
    expect(text, "Prescott", 1, 1, "Prescott -");
}

static void the_environment_is_as_it_was(void **state)
{
    (void)state;
    char text[TEXT];
    if (!has_avx2())
        skip();
    facts_of_child(NULL, "3", NULL, text);
    expect(text, has_avx512() ? "SkylakeX" : "Haswell", 0, 1, "- 3");
}

/* Where the program brought OpenBLAS along, nothing can be mended; but it is said. */
static void openblas_before_grebe_is_told(void **state)
{
    (void)state;
    char text[TEXT];
    if (!has_avx2())
        skip();
    facts_of_child("Prescott", NULL, "libopenblas.so.0", text);
    expect(text, "Prescott", 1, 0, "Prescott -");
}

static void advice_is_given_where_something_is_wrong(void **state)
{
    (void)state;
    gb_blas_facts facts;
    assert_true(gb_blas_look(&facts));
    assert_int_equal(facts.fallback || !facts.loaded_by_grebe, *facts.advice != '\0');
}

static void it_multiplies(void **state)
{
    (void)state;
    const gb_blas *blas = gb_blas_load();
    const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, -1, 0, 3}; /* 2×3, 3×2 */
    const float af[] = {1, 2, 3, 4, 5, 6}, bf[] = {1, 0, 2, -1, 0, 3};
    double c[4];
    float cf[4];
    const double expected[] = {5, 7, 14, 13};
    blas->dgemm(GB_BLAS_ROW_MAJOR, GB_BLAS_PLAIN, GB_BLAS_PLAIN, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2);
    blas->sgemm(GB_BLAS_ROW_MAJOR, GB_BLAS_PLAIN, GB_BLAS_PLAIN, 2, 2, 3, 1, af, 3, bf, 2, 0, cf, 2);
    for (int i = 0; i < 4; i++) {
        assert_true(c[i] == expected[i]);
        assert_true((double)cf[i] == expected[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--facts") == 0)
        return print_facts(argc > 2 ? argv[2] : NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openblas_is_there),
        cmocka_unit_test(kernels_fit_the_processor),
        cmocka_unit_test(an_empty_variable_is_none),
        cmocka_unit_test(the_user_has_the_last_word),
        cmocka_unit_test(the_environment_is_as_it_was),
        cmocka_unit_test(openblas_before_grebe_is_told),
        cmocka_unit_test(advice_is_given_where_something_is_wrong),
        cmocka_unit_test(it_multiplies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
