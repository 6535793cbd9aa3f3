/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which kernels OpenBLAS ends up with. It chooses once for each process, so the program
 * starts itself anew with other environments; called with "--facts" it prints what it finds
 * and the product of two small matrices. */
#include "support/test.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/noise.h"
#include "core/program.h"
#include "ops/draws.h"
#include "ops/matmul.h"
#include "ops/products/blas_impl.h"
#include "ops/reduce.h"

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
    char word[32] = "";
    sscanf(facts.kernels, "%31s", word);
    printf("%s %s %d %d %s %s", best_kernels(), word, facts.fallback, facts.loaded_by_grebe,
           kernels ? kernels : "unset", threads ? threads : "unset");
    return 0;
}

/* In bytes. */
static rlim_t address_space(void)
{
    long pages = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Multiplies on this many threads, with so much memory left (MiB; 0: all). Prints the status, the number of
 * OpenBLAS's threads after it, and the sum of the product. */
static int print_product(const char *library, int blas_threads, int threads, int memory)
{
    enum { SIZE = 1024 };
    int (*get)(void) = NULL;
    void (*set)(int) = NULL;
    gb_blas_facts facts;
    if (blas_threads > 1) {
        void *const at = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
        *(void **)&set = at ? dlsym(at, "openblas_set_num_threads") : NULL;
        *(void **)&get = at ? dlsym(at, "openblas_get_num_threads") : NULL;
        if (!get || !set)
            return 2;
        set(blas_threads);
    }
    gb_tape *const t = gb_tape_new(.seed = 1, .threads = threads);
    const gb_node x = gb_normal_noise(gb_stream(t, "x"), gb_shape(SIZE, SIZE), 0);
    gb_value(gb_sum(x)); /* starts the threads */
    if (!gb_blas_look(&facts))
        return 1;
    const struct rlimit limit = {.rlim_cur = address_space() + ((rlim_t)memory << 20),
                                 .rlim_max = RLIM_INFINITY};
    if (memory && setrlimit(RLIMIT_AS, &limit) != 0)
        return 3;
    const double sum = gb_value(gb_sum(gb_matmul(x, x)));
    printf("%d %d %a", gb_error(t), get ? get() : 1, sum);
    gb_tape_free(t);
    return 0;
}

static gb_status status_of_product(void)
{
    gb_tape *const t = gb_tape_new(.seed = 1, .threads = 1);
    const gb_node x = gb_variable(t, "x", gb_shape(400, 400), gb_fill(1));
    const gb_status status = gb_run(gb_compile(t, gb_roots(gb_sum(gb_matmul(x, x))), gb_no_update));
    if (status != GB_OK)
        fprintf(stderr, "%s\n", gb_error_text(t));
    gb_tape_free(t);
    return status;
}

/* Multiplies where OpenBLAS cannot be loaded for lack of memory (MiB), and again when there is enough. */
static int print_retry(int memory)
{
    const struct rlimit little = {.rlim_cur = address_space() + ((rlim_t)memory << 20),
                                  .rlim_max = RLIM_INFINITY},
                        all = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &little) != 0)
        return 3;
    const bool starved = gb_blas_look(NULL);
    const gb_status first = status_of_product();
    if (setrlimit(RLIMIT_AS, &all) != 0)
        return 3;
    printf("%d %d %d", starved, first, status_of_product());
    return 0;
}

static int print_advice(void)
{
    gb_blas_facts facts;
    const bool there = gb_blas_look(&facts);
    printf("%s", facts.advice);
    return there;
}

/* The number of OpenBLAS's threads after a product, which grebe has loaded. */
static int print_threads(void)
{
    if (status_of_product() != GB_OK)
        return 1;
    void *const at = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
    int (*get)(void) = NULL;
    *(void **)&get = at ? dlsym(at, "openblas_get_num_threads") : NULL;
    printf("%d", get ? get() : -1);
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

/* Starts this program with these variables (NULL: unset) and arguments, and reads what it prints. */
static void run_child(const char *core_type, const char *threads, const char *const *argument, char *text,
                      size_t size)
{
    int ends[2], status;
    char program[4096];
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
        alarm(120);
        execl(program, program, argument[0], argument[1], argument[2], argument[3], argument[4],
              (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    read_all(ends[0], text, size);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* With a library in the process already (NULL: none). */
static child_facts facts_of_child(const char *core_type, const char *threads, const char *preload)
{
    char text[256];
    child_facts facts = {0};
    run_child(core_type, threads, (const char *const[5]){"--facts", preload}, text, sizeof text);
    assert_int_equal(sscanf(text, "%31s %31s %d %d %31s %31s", facts.best, facts.kernels, &facts.fallback,
                            &facts.loaded_by_grebe, facts.core_type, facts.threads),
                     6);
    return facts;
}

typedef struct child_product {
    int status, blas_threads;
    double sum;
} child_product;

static child_product product_of_child(const char *blas_threads, const char *threads, const char *memory)
{
    char text[256];
    child_product product = {0};
    run_child(NULL, NULL,
              (const char *const[5]){"--product", "libopenblas.so.0", blas_threads, threads, memory}, text,
              sizeof text);
    assert_int_equal(sscanf(text, "%d %d %lf", &product.status, &product.blas_threads, &product.sum), 3);
    return product;
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

/* A sanitizer or valgrind needs more addresses than a limit leaves. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool has_limits = false;
#else
static const bool has_limits = true;
#endif

TEST(without_memory_for_openblas_a_run_fails)
{
    if (!has_limits)
        skip();
    const child_product starved = product_of_child("1", "1", "100"), fed = product_of_child("1", "1", "200");
    assert_int_equal(starved.status, GB_ENOMEM);
    assert_int_equal(fed.status, GB_OK);
}

TEST(openblas_is_loaded_when_there_is_memory_for_it)
{
    if (!has_limits)
        skip();
    static const char *const memory[] = {"10", "20", "30", "36"};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        char text[64];
        int loaded, first, second;
        run_child(NULL, NULL, (const char *const[5]){"--retry", memory[i]}, text, sizeof text);
        assert_int_equal(sscanf(text, "%d %d %d", &loaded, &first, &second), 3);
        assert_int_equal(loaded, false);
        assert_int_equal(first, GB_ENOMEM);
        assert_int_equal(second, GB_OK);
    }
}

/* With addresses for one buffer, or for two, and four threads. */
TEST(threads_share_the_buffers_that_there_are)
{
    if (!has_limits)
        skip();
    const child_product plenty = product_of_child("1", "4", "0");
    assert_int_equal(plenty.status, GB_OK);
    static const char *const memory[] = {"180", "320"};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        const child_product scarce = product_of_child("1", "4", memory[i]);
        assert_int_equal(scarce.status, GB_OK);
        assert_true(scarce.sum == plenty.sum);
    }
}

TEST(the_programs_own_threads_are_as_they_were)
{
    const child_product alone = product_of_child("1", "2", "0"), beside = product_of_child("3", "2", "0");
    assert_int_equal(beside.status, GB_OK);
    assert_int_equal(beside.blas_threads, 3);
    assert_true(beside.sum == alone.sum);
}

/* GSL's BLAS is a plain one, and the tests have it. */
TEST(another_blas_serves_if_it_is_named)
{
    setenv("GREBE_BLAS", "libgslcblas.so.0", 1);
    const child_facts facts = facts_of_child(NULL, "3", NULL);
    const child_product product = product_of_child("1", "2", "0");
    unsetenv("GREBE_BLAS");
    const child_product usual = product_of_child("1", "2", "0");
    assert_string_equal(facts.kernels, "chosen");
    assert_int_equal(product.status, GB_OK);
    assert_true(product.sum != usual.sum); /* it is another library */
    assert_true(fabs(product.sum - usual.sum) <= 1e-9 * fabs(usual.sum));
}

TEST(a_library_that_is_no_blas_is_rejected)
{
    setenv("GREBE_BLAS", "libz.so.1", 1);
    char text[512];
    run_child(NULL, NULL, (const char *const[5]){"--advice"}, text, sizeof text);
    unsetenv("GREBE_BLAS");
    assert_non_null(strstr(
        text, "libz.so.1: the library of that name has no CBLAS; GREBE_BLAS in the environment asks for it"));
}

/* The number of the environment is for other callers: it is there after a product. */
TEST(the_number_of_threads_of_the_environment_stays)
{
    char text[64];
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) /* OpenBLAS has no more threads than processors */
        skip();
    run_child(NULL, "2", (const char *const[5]){"--threads"}, text, sizeof text);
    assert_string_equal(text, "2");
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
    if (argc > 1 && strcmp(argv[1], "--advice") == 0)
        exit(print_advice());
    if (argc > 1 && strcmp(argv[1], "--threads") == 0)
        exit(print_threads());
    if (argc > 2 && strcmp(argv[1], "--retry") == 0)
        exit(print_retry(atoi(argv[2])));
    if (argc > 5 && strcmp(argv[1], "--product") == 0)
        exit(print_product(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5])));
}
