/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs one program on a tape of its own. */
#ifndef GREBE_TESTS_RUN_H
#define GREBE_TESTS_RUN_H

#include "probe.h"

enum { SEED = 20 };

static const char *const REAL[] = {[GB_DOUBLE] = "double", [GB_FLOAT] = "float"};

static inline gb_tape *tape_of(gb_real real, int threads, int64_t samples)
{
    return gb_tape_new(.seed = SEED, .real = real, .threads = threads, .samples = samples);
}

static inline uint64_t run_program(const named_program *program, gb_real real, int threads)
{
    probe *const p = calloc(1, sizeof *p);
    assert_non_null(p);
    *p = (probe){.program = program->name,
                 .t = tape_of(real, threads, program->samples),
                 .real = real,
                 .threads = threads,
                 .hash = HASH_OF_NOTHING,
                 .verbose = getenv("GB_VERBOSE") != NULL};
    program->run(p);
    assert_good(p);
    const uint64_t hash = p->hash;
    if (hash == HASH_OF_NOTHING)
        fail_msg("%s reads nothing", program->name);
    gb_tape_free(p->t);
    free(p);
    return hash;
}

#endif
