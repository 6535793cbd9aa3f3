/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_FITTING_JUDGE_PATHOLOGY_IMPL_H
#define GREBE_FITTING_JUDGE_PATHOLOGY_IMPL_H

#include "fitting/judge/judging_impl.h"

/* Adds a reason, as printf writes it, which makes the verdict no better than `most`. */
typedef void gb_judge_reason(gb_own_judgement *j, gb_verdict most, const char *format, ...) GB_PRINTF(3, 4);

/* Looks for what no good fit has: draws that are no numbers, scales at 0, an ELBO that the data do not allow,
 * latents that nothing depends on. */
void gb_judge_look_for_pathologies(gb_own_judgement *j, gb_judge_reason *reason);

/* Names latents whose locations are where they started: an explanation of a bad verdict. */
void gb_judge_look_for_standstill(gb_own_judgement *j, gb_judge_reason *reason);

#endif
