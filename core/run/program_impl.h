/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program: its goal and its plans. */
#ifndef GREBE_CORE_RUN_PROGRAM_IMPL_H
#define GREBE_CORE_RUN_PROGRAM_IMPL_H

#include "core/plan/plan_impl.h"
#include "core/program.h"

struct gb_program {
    gb_goal goal;
    uint32_t generation; /* of the tape; 0: its plans are freed */
    uint32_t *inputs;    /* the inputs that the goal depends on */
    size_t input_count;
    bool counts_rows; /* depends on the number of rows */
    int64_t samples;
    uint64_t step;
    uint64_t print;    /* its fingerprint, once a team has run it */
    bool was_compared; /* its constants, by a team */
    uint64_t ran;      /* the tape's `runs` at the last successful run; 0: never */
    gb_plan *plans;    /* the latest used first */
    gb_plan *latest;   /* the plan of the latest run */
    const void *maker; /* see gb_program_tolerate; NULL: the user */
};

/* Returns whether a program can be used. If not, the tape has the error; for NULL there is no tape. */
bool gb_program_ok(const gb_program *program, const char *who);
gb_status gb_program_status(const gb_program *program);

enum { GB_EVALUATION_BIT = 63 }; /* set in the steps of programs without assigns */

/* Sets the step that streams use in the next run. Programs with and without assigns use different halves of
 * all steps. */
static inline void gb_program_set_noise_step(gb_program *program)
{
    const bool evaluates = program->goal.target_count == 0;
    program->goal.noise_step = program->step | (uint64_t)evaluates << GB_EVALUATION_BIT;
}

#endif
