/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* wait4 */
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ops/blas.h"

/* ---- time ---- */

enum { LEAST_ROUNDS = 11, MOST_ROUNDS = 301 };
static const double turn_seconds = 4e-3;

double gb_bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double gb_bench_median(size_t count, double *values)
{
    qsort(values, count, sizeof *values, by_size);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static double budget(void)
{
    const char *text = getenv("GB_BENCH_SECONDS");
    const double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 ? seconds : 0.5;
}

/* Times one call as the mean over `calls`, after an untimed one that brings back its data and threads. */
static double turn(gb_bench_job job, size_t calls)
{
    if (!job.run) {
        const gb_bench_watch *const watch = job.context;
        return watch->seconds(watch->context, calls) / (double)calls;
    }
    job.run(job.context);
    const double start = gb_bench_now();
    for (size_t i = 0; i < calls; i++)
        job.run(job.context);
    return (gb_bench_now() - start) / (double)calls;
}

static size_t calls_for_a_turn(gb_bench_job job)
{
    size_t calls = 1;
    while (turn(job, calls) * (double)calls < turn_seconds)
        calls *= 2;
    return calls;
}

void gb_bench_measure(size_t count, const gb_bench_job *jobs, gb_bench_time *times)
{
    size_t *calls = gb_bench_zeros(count * sizeof *calls);
    double *seconds = gb_bench_zeros(count * MOST_ROUNDS * sizeof *seconds);
    double *ratios = gb_bench_zeros(MOST_ROUNDS * sizeof *ratios);
    for (size_t i = 0; i < count; i++)
        calls[i] = calls_for_a_turn(jobs[i]);
    const double end = gb_bench_now() + budget();
    size_t rounds = 0;
    while (rounds < LEAST_ROUNDS || (rounds < MOST_ROUNDS && gb_bench_now() < end)) {
        for (size_t i = 0; i < count; i++)
            seconds[i * MOST_ROUNDS + rounds] = turn(jobs[i], calls[i]);
        rounds++;
    }
    for (size_t i = count; i-- > 0;) { /* the first job comes last, since sorting loses its order */
        for (size_t round = 0; round < rounds; round++)
            ratios[round] = seconds[i * MOST_ROUNDS + round] / seconds[round];
        times[i].ratio = gb_bench_median(rounds, ratios);
        times[i].seconds = gb_bench_median(rounds, seconds + i * MOST_ROUNDS);
    }
    free(calls);
    free(seconds);
    free(ratios);
}

/* ---- memory ---- */

double gb_bench_memory(gb_bench_job job)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        job.run(job.context);
        fflush(NULL);
        _exit(0);
    }
    struct rusage usage;
    int status = 0;
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0)
        return 0;
    return 1024.0 * (double)usage.ru_maxrss;
}

/* ---- tables ---- */

static void print_processor(void)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0) {
            const char *name = strchr(line, ':');
            printf("  processor: %s", name ? name + 2 : "?\n");
            break;
        }
    if (file)
        fclose(file);
}

void gb_bench_introduce(const char *title)
{
    gb_blas_facts blas;
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("\n%s\n", title);
    print_processor();
    if (gb_blas_look(&blas))
        printf("  BLAS kernels: %s%s (%s)\n", blas.kernels, blas.fallback ? ", older than the processor" : "",
               blas.library);
    else
        printf("  BLAS: none (%s)\n", blas.advice);
}

/* Returns the width of a text in columns: characters, not bytes. */
static int columns(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static void print_column(const char *text, int width)
{
    const int rest = width - columns(text);
    printf("%s%*s ", text, rest > 0 ? rest : 0, "");
}

/* Three columns, or six of which the last four divide the third. */
void gb_bench_line(int count, const char *const *text, gb_bench_verdict verdict)
{
    static const char *const words[] = {"MISS", "pass", ""};
    static const int three[] = {47, 15, 36}, six[] = {32, 15, 14, 14, 8, 13};
    printf("  ");
    for (int i = 0; i < count; i++)
        print_column(text[i], (count == 3 ? three : six)[i]);
    printf("%s\n", words[verdict]);
}

void gb_bench_begin(const char *title)
{
    gb_bench_introduce(title);
    gb_bench_line(3, (const char *const[]){"what", "target", "measured"}, GB_BENCH_NOTE);
}

void gb_bench_row(const char *what, const char *target, gb_bench_verdict verdict, const char *measured, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, measured);
    vsnprintf(text, sizeof text, measured, arguments);
    va_end(arguments);
    gb_bench_line(3, (const char *const[]){what, target, text}, verdict);
}

/* ---- agreement ---- */

void gb_bench_agree(const char *what, size_t count, const double *ours, const double *theirs,
                    double tolerance)
{
    double largest = 0, difference = 0;
    bool finite = true;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(theirs[i]));
        difference = fmax(difference, fabs(ours[i] - theirs[i]));
        finite &= isfinite(ours[i]) && isfinite(theirs[i]);
    }
    if (finite && difference <= tolerance * largest)
        return;
    fprintf(stderr, "%s: grebe and its peer differ by %g; the largest value is %g\n", what, difference,
            largest);
    exit(1);
}

void gb_bench_need(bool good, const gb_tape *tape, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s: failed\n", what);
    if (tape)
        gb_complain(tape, stderr);
    exit(1);
}

void gb_bench_run_program(void *program)
{
    if (gb_run(program) != GB_OK) {
        fprintf(stderr, "a run failed\n");
        exit(1);
    }
}

double *gb_bench_read(gb_node node)
{
    const size_t count = gb_value_count(node);
    double *values = gb_bench_zeros(count * sizeof *values);
    gb_bench_need(gb_read(node, values, count) == GB_OK, node.tape, "reading");
    return values;
}

/* ---- numbers ---- */

void *gb_bench_zeros(size_t bytes)
{
    enum { LINE = 64 };
    const size_t whole = (bytes + 2 * LINE - 1) / LINE * LINE;
    void *memory = aligned_alloc(LINE, whole);
    gb_bench_need(memory != NULL, NULL, "memory");
    memset(memory, 0, whole);
    return memory;
}

double gb_bench_random(double low, double high)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth */
    return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

double *gb_bench_randoms(size_t count, double low, double high)
{
    double *values = gb_bench_zeros(count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = gb_bench_random(low, high);
    return values;
}

float *gb_bench_floats(size_t count, const double *values)
{
    float *floats = gb_bench_zeros(count * sizeof *floats);
    for (size_t i = 0; i < count; i++)
        floats[i] = (float)values[i];
    return floats;
}
