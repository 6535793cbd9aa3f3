/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the machine can do at most, on one thread: the other benchmarks are judged by it. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "hand.h"

/* 256 KiB and 64 MiB of floats. */
enum { IN_CACHE = 1 << 16, IN_MEMORY = 1 << 24 };

typedef struct limit {
    const char *what, *unit;
    void (*run)(void *limits);
    double units; /* of one run */
    gb_hand_limits job;
} limit;

static void measure(const limit *of, const gb_hand_limits *arrays)
{
    gb_bench_time time;
    gb_hand_limits job = of->job;
    job.from = arrays->from;
    job.by = arrays->by;
    job.to = arrays->to;
    gb_bench_measure(1, &(gb_bench_job){of->run, &job}, &time);
    gb_bench_row(of->what, "", GB_BENCH_NOTE, "%.3g %s", 1e-9 * of->units / time.seconds, of->unit);
}

#define BYTES(count, arrays) ((double)(count) * (arrays) * sizeof(float))

int main(void)
{
    static const limit limits[] = {
        {"reading, second cache", "GB/s", gb_hand_read, BYTES(IN_CACHE, 1), {.count = IN_CACHE}},
        {"reading, memory", "GB/s", gb_hand_read, BYTES(IN_MEMORY, 1), {.count = IN_MEMORY}},
        {"reading and writing, second cache", "GB/s", gb_hand_copy, BYTES(IN_CACHE, 2), {.count = IN_CACHE}},
        {"reading and writing, memory", "GB/s", gb_hand_copy, BYTES(IN_MEMORY, 2), {.count = IN_MEMORY}},
        {"normal draws, float", "billions/s", gb_hand_normals, IN_CACHE, {.count = IN_CACHE}},
        {"additions and multiplications in a chain", "billions/s", gb_hand_latency, 10000, {.count = 10000}},
    };
    /* The products of a step of Bayes by Backprop's first two layers, and a large square. */
    static const size_t widths[] = {50, 400, 1200};
    const gb_hand_limits arrays = {.from = gb_bench_zeros(BYTES(IN_MEMORY, 1)),
                                   .by = gb_bench_zeros(BYTES(IN_MEMORY, 1)),
                                   .to = gb_bench_zeros(BYTES(IN_MEMORY, 1))};
    gb_bench_begin("Limits of this machine, one thread");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        measure(&limits[i], &arrays);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int kind = 0; kind < 4; kind++) {
            static const char *const kinds[] = {"X W", "Xᵀ G", "H W", "G Wᵀ"};
            const size_t h = widths[i], rows = h == 50 ? 32 : 128, in = kind < 2 ? 784 : h;
            const gb_hand_limits job = {.m = kind == 1 ? in : rows,
                                        .n = h,
                                        .k = kind == 1 ? rows : in,
                                        .transposed = kind == 1   ? 1
                                                      : kind == 3 ? 2
                                                                  : 0};
            char what[80];
            snprintf(what, sizeof what, "float product %s: %zu x %zu x %zu", kinds[kind], job.m, job.k,
                     job.n);
            const double units = 2 * (double)job.m * (double)job.n * (double)job.k;
            measure(&(limit){what, "GFLOP/s", gb_hand_product, units, job}, &arrays);
        }
    measure(&(limit){"float product of 1024 x 1024 x 1024",
                     "GFLOP/s",
                     gb_hand_product,
                     0x1p31,
                     {.m = 1024, .n = 1024, .k = 1024}},
            &arrays);
    free(arrays.from);
    free(arrays.by);
    free(arrays.to);
}
