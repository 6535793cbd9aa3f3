/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_BENCH_TRUST_REACH_H
#define GREBE_BENCH_TRUST_REACH_H

#include "trust.h"

/* A pair for which gb_fit is to say "good". */
typedef struct trust_reach {
    const char *model;
    trust_family family;
    const char *reason;
    /* Writes sds of the family's best member over those of the posterior, known without a fit; means are
     * those of the posterior. Returns how many. NULL: not known. */
    size_t (*optimum)(double *sds);
} trust_reach;

extern const trust_reach trust_reaches[]; /* ended by a NULL model */

/* Returns why; NULL: the pair is not in the table. */
const char *trust_reason(const char *model, trust_family family);

#endif
