/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "race.h"

#include <grebe/core/native.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

const gb_native_use gb_race_use[GB_RACE_USES] = {GB_NATIVE_OFF, GB_NATIVE_NOW};

enum { JOBS = GB_RACE_USES + 2, HAND = GB_RACE_USES, PEER, CELL = 64 };

void gb_race_begin(const char *title, const char *peer)
{
    gb_native_facts facts;
    gb_bench_introduce(title);
    if (!gb_native_look(&facts))
        printf("  no native code: %s\n", facts.fault);
    gb_bench_line(6, (const char *const[]){"what", "goals", "interpreted", "native code", "by hand", peer},
                  GB_BENCH_NOTE);
}

/* ---- numbers ---- */

static void write_time(char cell[CELL], double seconds, bool is_goal)
{
    static const char *const units[] = {"s", "ms", "µs", "ns"};
    int unit = 0;
    while (unit < 3 && seconds < 0.9995) {
        seconds *= 1000;
        unit++;
    }
    if (is_goal)
        snprintf(cell, CELL, "%.3g %s", seconds, units[unit]);
    else
        snprintf(cell, CELL, "%.*f %s", seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds, units[unit]);
}

/* "≤ 1.3, 1.15" or "≤ 5 ns, 2.5 ns"; "" if there are none. */
static void write_goals(char cell[CELL], const gb_race *race)
{
    char goal[GB_RACE_USES][CELL] = {"-", "-"};
    bool any = false;
    for (int i = 0; i < GB_RACE_USES; i++) {
        any |= race->times[i] > 0 || race->seconds[i] > 0;
        if (race->times[i] > 0)
            snprintf(goal[i], CELL, "%.3g", race->times[i]);
        else if (race->seconds[i] > 0)
            write_time(goal[i], race->seconds[i], true);
    }
    snprintf(cell, CELL, any ? "≤ %.25s, %.25s" : "", goal[0], goal[1]);
}

/* ---- a race ---- */

static bool is_there(gb_bench_job job)
{
    return job.run || job.context;
}

/* A program of native code has run, so that it is known whether there is any. */
static bool is_native(gb_bench_job job)
{
    gb_native_facts facts;
    if (job.run != gb_bench_run_program)
        return is_there(job);
    job.run(job.context);
    if (strcmp(gb_program_native(job.context), "native code") == 0)
        return true;
    gb_bench_need(!gb_native_look(&facts), NULL, gb_program_native(job.context));
    return false;
}

static gb_bench_verdict judge(const gb_race *race, const gb_bench_time *time, const bool *runs)
{
    gb_bench_verdict verdict = GB_BENCH_NOTE;
    for (int i = 0; i < GB_RACE_USES; i++) {
        if (!runs[i] || !(race->times[i] > 0 || race->seconds[i] > 0))
            continue;
        const bool good =
            race->times[i] > 0 ? time[i].ratio <= race->times[i] : time[i].seconds <= race->seconds[i];
        if (verdict != GB_BENCH_MISS)
            verdict = gb_bench_passes(good);
    }
    return verdict;
}

/* Measures those jobs that are there. Returns which one counts as 1, or JOBS. */
static int measure(const gb_race *race, bool runs[JOBS], gb_bench_time time[JOBS])
{
    const gb_bench_job all[JOBS] = {race->ours[0], race->ours[1], race->hand, race->peer};
    const int order[JOBS] = {HAND, PEER, GB_RACE_INTERPRETED, GB_RACE_NATIVE};
    gb_bench_job job[JOBS];
    gb_bench_time measured[JOBS];
    size_t count = 0;
    for (int i = 0; i < JOBS; i++)
        runs[i] = i == GB_RACE_NATIVE ? is_native(all[i]) : is_there(all[i]);
    for (int i = 0; i < JOBS; i++)
        if (runs[order[i]])
            job[count++] = all[order[i]];
    gb_bench_measure(count, job, measured);
    count = 0;
    for (int i = 0; i < JOBS; i++)
        if (runs[order[i]])
            time[order[i]] = measured[count++];
    return runs[HAND] ? HAND : runs[PEER] ? PEER : JOBS;
}

void gb_race_run(gb_race race)
{
    bool runs[JOBS];
    gb_bench_time time[JOBS];
    char cell[JOBS + 1][CELL] = {""};
    const int one = measure(&race, runs, time);
    for (int i = 0; i < JOBS; i++) {
        if (!runs[i])
            continue;
        time[i].seconds /= race.each > 0 ? race.each : 1;
        write_time(cell[i + 1], time[i].seconds, false);
        const size_t length = strlen(cell[i + 1]);
        if (i != one && one < JOBS)
            snprintf(cell[i + 1] + length, CELL - length, "  %.2f", time[i].ratio);
    }
    write_goals(cell[0], &race);
    const char *const columns[] = {race.what, cell[0], cell[1], cell[2], cell[3], cell[4]};
    gb_bench_line(6, columns, judge(&race, time, runs));
}

/* ---- compiling ---- */

typedef struct making {
    gb_tape_options options;
    gb_program *(*record)(gb_tape *tape, const void *context);
    const void *context;
} making;

/* Returns the time of the first run of a planned program. */
static double first_run(const making *m, gb_native_use use)
{
    gb_tape_options options = m->options;
    options.size = sizeof options;
    options.native = use;
    gb_tape *const tape = gb_tape_new_with(&options);
    gb_program *const program = m->record(tape, m->context);
    gb_plan_facts facts = {0};
    gb_bench_need(program && gb_program_plan(program, &facts) == GB_OK, tape, "a program to compile");
    const double start = gb_bench_now();
    gb_bench_run_program(program);
    const double seconds = gb_bench_now() - start;
    gb_bench_need(use == GB_NATIVE_OFF || strcmp(gb_program_native(program), "native code") == 0, tape,
                  gb_program_native(program));
    gb_tape_free(tape);
    return seconds;
}

/* The least of eleven, or of as many as take a second. */
static double least_first_run(const making *m, gb_native_use use)
{
    const double end = gb_bench_now() + 1;
    double least = first_run(m, use);
    for (int i = 0; i < 10 && gb_bench_now() < end; i++) {
        const double next = first_run(m, use);
        least = next < least ? next : least;
    }
    return least;
}

void gb_race_compile(const char *what, double goal, double cached, gb_tape_options options,
                     gb_program *(*record)(gb_tape *tape, const void *context), const void *context)
{
    const making m = {options, record, context};
    gb_native_facts facts;
    char folder[] = "/tmp/grebe-bench-XXXXXX", target[CELL], name[2][CELL], measured[2][CELL];
    if (!gb_native_look(&facts))
        return;
    const char *const before = getenv("XDG_CACHE_HOME");
    char *const usual = before ? strdup(before) : NULL;
    gb_bench_need(mkdtemp(folder) && setenv("XDG_CACHE_HOME", folder, 1) == 0, NULL, "an empty cache");
    const double compiled = first_run(&m, GB_NATIVE_NOW), loaded = least_first_run(&m, GB_NATIVE_NOW),
                 interpreted = least_first_run(&m, GB_NATIVE_OFF);
    gb_native_clear(&facts);
    rmdir(facts.cache);
    rmdir(folder);
    if (usual)
        setenv("XDG_CACHE_HOME", usual, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    free(usual);
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    write_time(name[0], goal, true);
    write_time(name[1], cached, true);
    snprintf(target, sizeof target, "≤ %.25s, %.25s", name[0], name[1]);
    write_time(measured[0], compiled - interpreted, false);
    write_time(measured[1], loaded - interpreted, false);
    gb_bench_row(what, target,
                 gb_bench_passes(compiled - interpreted <= goal && loaded - interpreted <= cached),
                 "%s; from the cache %s; memory ≤ %.0f MB", measured[0], measured[1],
                 1.024e-3 * (double)usage.ru_maxrss);
}
