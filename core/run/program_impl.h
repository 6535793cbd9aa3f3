/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program: its goal, and the plans that were made for it. */
#ifndef GREBE_CORE_RUN_PROGRAM_IMPL_H
#define GREBE_CORE_RUN_PROGRAM_IMPL_H

#include "core/plan/plan_impl.h"
#include "core/program.h"

struct gb_program {
    gb_goal goal;
    uint32_t generation; /* of the tape; 0: freed */
    uint32_t *inputs;    /* that the goal depends on */
    size_t input_count;
    bool counts_rows; /* asks for their number */
    int64_t samples;
    uint64_t step;
    uint64_t ran;    /* the tape's `runs` when it last ended well; 0: never */
    gb_plan *plans;  /* the latest first */
    gb_plan *latest; /* that ran last */
};

/* Usable; else false, and the tape has the error (for NULL there is no tape). */
bool gb_program_ok(const gb_program *program, const char *who);
gb_status gb_program_status(const gb_program *program);

enum { GB_LOOKING_BIT = 63 }; /* of the step that streams see: the half for programs that only look */

/* What streams see in the next run: the step, and which half of them. */
static inline void gb_program_set_noise_step(gb_program *program)
{
    const bool looks = program->goal.target_count == 0;
    program->goal.noise_step = program->step | (uint64_t)looks << GB_LOOKING_BIT;
}

#endif
