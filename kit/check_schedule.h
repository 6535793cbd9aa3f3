/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that a schedule keeps its promises, one of grebe's or your own. It checks what applies:
 *
 *   its struct      is complete
 *   factor          is a real scalar, finite and not negative, for t = 0 … 3000 and for a few t up to 1e9
 *   formula         its factors are those of a formula in plain C, to 1e-12
 *   t alone         the same t gives the same bits, in any order and on any tape; the factor has no variable
 *   float           tapes give the same, rounded; where the factor jumps, they may jump a little off
 *   warm-up         the schedule begins at its t = 0 when a preceding warm-up ends
 *   numbers         all values in their domains give such factors, or are rejected by the schedule's name;
 *                   values outside are rejected by name
 *   training        each training run moves t by one; runs that only evaluate do not
 *   resumes         after gb_tape_reset the training goes on with the same bits */
#ifndef GREBE_KIT_CHECK_SCHEDULE_H
#define GREBE_KIT_CHECK_SCHEDULE_H

#include "../core/options.h"
#include "../models/schedule.h"
#include "report.h"

GB_BEGIN_DECLS

/* Returns the factor at t; `options` is the options struct of the type. */
typedef double gb_schedule_reference(const void *options, double t);

typedef struct gb_check_schedule_options {
    size_t size;
    gb_report *report; /* OPTIONAL: receives the findings, one for each statement */
    /* OPTIONAL: the formula. NULL: the published one, if the type has the name of a schedule of grebe's; else
     * the report says that it is not checked. */
    gb_schedule_reference *reference;
    gb_memory memory; /* {0}: malloc */
} gb_check_schedule_options;

/* gb_check_schedule(gb_cosine(100)), gb_check_schedule(mine(3), .report = &report). Returns true if no check
 * fails. */
#define gb_check_schedule(...)                                                                               \
    GB_CALL_1(gb_check_schedule, __VA_ARGS__, .size = sizeof(gb_check_schedule_options))
GB_API bool gb_check_schedule_with(gb_schedule schedule, const gb_check_schedule_options *options);

GB_END_DECLS
#endif
