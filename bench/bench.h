/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by all benchmarks: jobs timed side by side, tables, and a check that jobs compute the same. */
#ifndef GREBE_BENCH_BENCH_H
#define GREBE_BENCH_BENCH_H

#include <grebe/core/program.h>
#include <stdbool.h>
#include <stddef.h>

/* One of the jobs to compare. A call of `run` does the whole job once. */
typedef struct gb_bench_job {
    void (*run)(void *context); /* NULL: `context` is a gb_bench_watch */
    void *context;
} gb_bench_job;

/* A job that times itself, since it runs in another process. Returns the seconds of `calls` runs, after one
 * that is not timed. */
typedef struct gb_bench_watch {
    double (*seconds)(void *context, size_t calls);
    void *context;
} gb_bench_watch;

typedef struct gb_bench_time {
    double seconds; /* of one call: the median over the rounds */
    double ratio;   /* to the first job: the median of the ratios within each round */
} gb_bench_time;

/* Times `count` jobs in turns, A B C A B C …, so that disturbances of the machine affect all of them alike. A
 * turn is one call that is not timed, and then enough calls for the resolution of the clock. There are at
 * least 11 rounds, and more within the time that GB_BENCH_SECONDS gives to each comparison (0.5). */
void gb_bench_measure(size_t count, const gb_bench_job *jobs, gb_bench_time *times);

/* Runs `job` in a new process, forked from this one, and returns its largest resident set in bytes; 0 if that
 * fails. Call it before this process has grown. */
double gb_bench_memory(gb_bench_job job);

typedef enum gb_bench_verdict { GB_BENCH_MISS, GB_BENCH_PASS, GB_BENCH_NOTE } gb_bench_verdict;

/* Prints the title of a table, the machine, and the BLAS kernels in use; gb_bench_begin also the heads of
 * three columns. */
void gb_bench_introduce(const char *title);
void gb_bench_begin(const char *title);

/* Prints a line of three columns or of six (race.h), and a verdict. */
void gb_bench_line(int count, const char *const *text, gb_bench_verdict verdict);

/* Prints a line of the table. A target of "" means a remark: it has no verdict. */
void gb_bench_row(const char *what, const char *target, gb_bench_verdict verdict, const char *measured, ...)
    __attribute__((format(printf, 4, 5)));

static inline gb_bench_verdict gb_bench_passes(bool good)
{
    return good ? GB_BENCH_PASS : GB_BENCH_MISS;
}

/* Compares `ours` with `theirs`. Ends the process with status 1 if a difference exceeds `tolerance` times the
 * largest value. */
void gb_bench_agree(const char *what, size_t count, const double *ours, const double *theirs,
                    double tolerance);

/* Ends the process with status 1 unless `good`, and prints the tape's error if there is one. */
void gb_bench_need(bool good, const gb_tape *tape, const char *what);

/* The job of a program: calls gb_run, and ends the process if that fails. */
void gb_bench_run_program(void *program);

/* Returns all elements of a node. Release them with free. */
double *gb_bench_read(gb_node node);

/* Returns zeros, aligned to 64 bytes, with a spare line at the end. Release them with free. */
void *gb_bench_zeros(size_t bytes);

/* Random numbers between low and high, the same in each run. */
double gb_bench_random(double low, double high);
double *gb_bench_randoms(size_t count, double low, double high);
float *gb_bench_floats(size_t count, const double *values);

double gb_bench_now(void);
double gb_bench_median(size_t count, double *values); /* sorts them */

#endif
