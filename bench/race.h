/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Races: a program interpreted and as native code, beside the same job by hand and by a peer. All take turns
 * in the same rounds, and are one line of a table. */
#ifndef GREBE_BENCH_RACE_H
#define GREBE_BENCH_RACE_H

#include "bench.h"

/* How a tape of a race executes its programs: gb_tape_new(.native = gb_race_use[i]). */
enum { GB_RACE_INTERPRETED, GB_RACE_NATIVE, GB_RACE_USES };
extern const gb_native_use gb_race_use[GB_RACE_USES];

typedef struct gb_race {
    const char *what;
    gb_bench_job ours[GB_RACE_USES]; /* no native code: {0} */
    gb_bench_job hand, peer;         /* {0}: there is none */
    double each;                     /* one run is so many; times are of one of them. 0 means 1 */
    /* Goals of both executors. `times` counts the time by hand as 1, or that of the peer if nothing is by
     * hand; `seconds` are of each. 0: no goal. */
    double times[GB_RACE_USES], seconds[GB_RACE_USES];
} gb_race;

#define GB_RACE_PROGRAMS(interpreted, native)                                                                \
    {                                                                                                        \
        {gb_bench_run_program, interpreted},                                                                 \
        {                                                                                                    \
            gb_bench_run_program, native                                                                     \
        }                                                                                                    \
    }

/* Like gb_bench_begin, for a table of races. `peer` is the head of its column; "" if there is none. */
void gb_race_begin(const char *title, const char *peer);

/* Measures a race and prints its line: times, and how many times the time by hand (or of the peer) that is.
 * Ends the process if a program of `ours[GB_RACE_NATIVE]` is not run as native code though there is a
 * compiler. */
void gb_race_run(gb_race race);

/* Prints how long a program takes to become native code: by the compiler, and from the cache. Also a bound
 * for the memory of each compiler so far: a new process counts what this one has until the compiler replaces
 * it. So call it before this process has grown. `record` returns the program, on a tape of these options.
 * Goals in seconds. */
void gb_race_compile(const char *what, double goal, double cached, gb_tape_options options,
                     gb_program *(*record)(gb_tape *tape, const void *context), const void *context);

#endif
