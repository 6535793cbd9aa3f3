/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which kernels OpenBLAS ends up with. It chooses once for each process, so the program
 * starts itself anew with other environments; called with "--facts" it prints what it finds
 * and the product of two small matrices. */
#include "support/test.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ops/products/blas_impl.h"

/* ---- the other process ---- */

/* What the processor can do at best, in OpenBLAS's words; "-" where that is not known. */
static const char *best_kernels(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return "-";
}

static int print_facts(const char *preload)
{
    gb_blas_facts facts;
    if (preload && !dlopen(preload, RTLD_NOW | RTLD_GLOBAL))
        return 2;
    if (!gb_blas_look(&facts))
        return 1;
    const char *kernels = getenv("OPENBLAS_CORETYPE"), *threads = getenv("OPENBLAS_NUM_THREADS");
    printf("%s %s %d %d %s %s", best_kernels(), facts.kernels, facts.fallback, facts.loaded_by_grebe,
           kernels ? kernels : "unset", threads ? threads : "unset");
    return 0;
}

typedef struct child_facts {
    char best[32]; /* for the processor as the child sees it: under valgrind it is another one */
    char kernels[32];
    int fallback, loaded_by_grebe;
    char core_type[32], threads[32]; /* the environment after loading */
} child_facts;

static void set_or_unset(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static size_t read_all(int from, char *text, size_t size)
{
    size_t got = 0;
    for (ssize_t more; got < size - 1 && (more = read(from, text + got, size - 1 - got)) > 0;)
        got += (size_t)more;
    text[got] = '\0';
    return got;
}

/* Starts this program with these variables (NULL: unset) and a library in it already (NULL: none). */
static child_facts facts_of_child(const char *core_type, const char *threads, const char *preload)
{
    int ends[2], status;
    char text[256], program[4096];
    child_facts facts = {0};
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(length > 0);
    program[length] = '\0';
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        set_or_unset("OPENBLAS_CORETYPE", core_type);
        set_or_unset("OPENBLAS_NUM_THREADS", threads);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execl(program, program, "--facts", preload, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    read_all(ends[0], text, sizeof text);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(sscanf(text, "%31s %31s %d %d %31s %31s", facts.best, facts.kernels, &facts.fallback,
                            &facts.loaded_by_grebe, facts.core_type, facts.threads),
                     6);
    return facts;
}

static bool is_known(const child_facts *facts)
{
    return strcmp(facts->best, "-") != 0;
}

/* ---- tests ---- */

TEST(openblas_is_there)
{
    gb_blas_facts facts;
    assert_true(gb_blas_look(&facts));
    assert_non_null(facts.library);
    assert_non_null(facts.kernels);
    assert_non_null(facts.advice);
    assert_non_null(gb_blas_load());
    assert_ptr_equal(gb_blas_load(), gb_blas_load());
}

TEST(kernels_fit_the_processor)
{
    const child_facts facts = facts_of_child(NULL, NULL, NULL);
    if (!is_known(&facts))
        skip();
    assert_string_equal(facts.kernels, facts.best);
    assert_false(facts.fallback);
    assert_true(facts.loaded_by_grebe);
}

TEST(the_user_has_the_last_word)
{
    const child_facts facts = facts_of_child("Prescott", NULL, NULL);
    if (!is_known(&facts))
        skip();
    assert_string_equal(facts.kernels, "Prescott");
    assert_true(facts.fallback);
    assert_true(facts.loaded_by_grebe);
}

TEST(the_environment_is_as_it_was)
{
    child_facts facts = facts_of_child(NULL, NULL, NULL);
    assert_string_equal(facts.core_type, "unset");
    assert_string_equal(facts.threads, "unset");
    facts = facts_of_child(NULL, "3", NULL);
    assert_string_equal(facts.core_type, "unset");
    assert_string_equal(facts.threads, "3");
}

/* If the program has loaded OpenBLAS itself, grebe cannot choose the kernels; it reports that. */
TEST(openblas_before_grebe_is_reported)
{
    const child_facts facts = facts_of_child("Prescott", NULL, "libopenblas.so.0");
    assert_false(facts.loaded_by_grebe);
    if (is_known(&facts))
        assert_true(facts.fallback);
}

TEST(advice_is_given_where_something_is_wrong)
{
    gb_blas_facts facts;
    assert_true(gb_blas_look(&facts));
    assert_int_equal(facts.fallback || !facts.loaded_by_grebe, *facts.advice != '\0');
}

TEST(it_multiplies)
{
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

void test_begin(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--facts") == 0)
        exit(print_facts(argc > 2 ? argv[2] : NULL));
}
