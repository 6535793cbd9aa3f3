/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all benchmarks share: jobs timed side by side, tables, and a check that they compute the same. */
#ifndef GREBE_BENCH_BENCH_H
#define GREBE_BENCH_BENCH_H

#include <grebe/core/program.h>
#include <stdbool.h>
#include <stddef.h>

/* One of the things that are compared. A call of `run` does all of it once. */
typedef struct gb_bench_job {
    void (*run)(void *context); /* NULL: `context` is a gb_bench_watch */
    void *context;
} gb_bench_job;

/* What takes its own time, as it runs in another process: all of it once, and then how many seconds `calls` of it
 * took. */
typedef struct gb_bench_watch {
    double (*seconds)(void *context, size_t calls);
    void *context;
} gb_bench_watch;

typedef struct gb_bench_time {
    double seconds; /* of one call: the median over the rounds */
    double ratio;   /* to the first job: the median of the ratios within each round */
} gb_bench_time;

/* Times `count` jobs in turns, A B C A B C …, so that whatever else the machine does meets all of them
 * alike. A turn is one call that is not timed, and then as many as outlast the clock's grain. There are at
 * least 11 rounds, and more while the time lasts that GB_BENCH_SECONDS gives to each comparison (0.5). */
void gb_bench_measure(size_t count, const gb_bench_job *jobs, gb_bench_time *times);

/* Runs `job` in a process of its own, made anew from this one, and returns its largest resident set in bytes;
 * 0 if that did not work. Call it before this process has grown. */
double gb_bench_memory(gb_bench_job job);

/* Prints the title of a table, the machine and the BLAS kernels in use, and the head of the columns. */
void gb_bench_begin(const char *title);

typedef enum gb_bench_verdict { GB_BENCH_MISS, GB_BENCH_PASS, GB_BENCH_NOTE } gb_bench_verdict;

/* A line of the table. A target of "" is a remark: it has no verdict. */
void gb_bench_row(const char *what, const char *target, gb_bench_verdict verdict, const char *measured, ...)
    __attribute__((format(printf, 4, 5)));

static inline gb_bench_verdict gb_bench_passes(bool good)
{
    return good ? GB_BENCH_PASS : GB_BENCH_MISS;
}

/* Ends the process with status 1 unless all of `ours` is as near to `theirs` as `tolerance` times the
 * largest of them. */
void gb_bench_agree(const char *what, size_t count, const double *ours, const double *theirs,
                    double tolerance);

/* Ends the process with status 1, with the tape's error if it has one. */
void gb_bench_need(bool good, const gb_tape *tape, const char *what);

/* A job for a program: gb_run, and the end of the process if that fails. */
void gb_bench_run_program(void *program);

/* All elements of a node. Released with free. */
double *gb_bench_read(gb_node node);

/* Zeros, aligned to 64 bytes, with a line to spare at the end. Released with free. */
void *gb_bench_zeros(size_t bytes);

/* Numbers between low and high, the same in each run. */
double gb_bench_random(double low, double high);
double *gb_bench_randoms(size_t count, double low, double high);
float *gb_bench_floats(size_t count, const double *values);

double gb_bench_now(void);
double gb_bench_median(size_t count, double *values); /* sorts them */

#endif
