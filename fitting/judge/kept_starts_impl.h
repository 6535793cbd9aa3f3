/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gb_fit found besides, for judgements that are asked for later. */
#ifndef GREBE_FITTING_JUDGE_KEPT_STARTS_IMPL_H
#define GREBE_FITTING_JUDGE_KEPT_STARTS_IMPL_H

#include "fitting/judge.h"

enum { GB_STARTS_KEPT = 8 };

/* Keeps copies of the starts, of n numbers each, and of why q is not the best member (NULL: it is), in place
 * of those of an earlier fit. Those after the first 8 are left out. They hold as long as no variable of the
 * ELBO changes, and no data: what is fed, or the batches `data` (NULL: none). Returns false on error. */
bool gb_starts_keep(gb_elbo *e, const gb_batches *data, size_t n, size_t count, const gb_judge_start *starts,
                    const char *unfinished);

/* Keeps the verdict of the fit beside its starts. The other one returns it, if no variable of the ELBO has
 * changed since then; else GB_VERDICT_NONE. */
void gb_starts_keep_verdict(gb_elbo *e, gb_verdict verdict);
gb_verdict gb_starts_verdict(gb_elbo *e);

/* Sets the starts and .unfinished of the options by what is kept, if it still holds. */
void gb_starts_recall(gb_elbo *e, gb_judge_options *options);

/* Notes that the tape owns a judgement, so that gb_judgement_free tells the tape. Does nothing for NULL. */
void gb_judgement_is_of_tape(const gb_judgement *judgement);

#endif
