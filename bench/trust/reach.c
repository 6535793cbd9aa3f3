/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the family can be called good: written down before the first fit, from what is known of the
 * posteriors. Good means: means within 0.2 standard deviations, standard deviations within 20 %, and weights
 * without a heavy tail. Of other pairs nothing is asked but that no verdict comforts falsely. */
#include "reach.h"

#include <string.h>

const trust_reach trust_reaches[] = {
    {"kidiq", TRUST_FULL_RANK, "linear, 434 rows: normal up to the log of sigma"},
    {"earnings", TRUST_FULL_RANK, "linear, 1192 rows"},
    {"mesquite", TRUST_FULL_RANK, "linear, 46 rows: a student t of 38 degrees of freedom"},
    {"blr", TRUST_FULL_RANK, "linear, 100 rows"},
    {"blr", TRUST_MEAN_FIELD,
     "correlations below 0.2: by 1/√(diagonal of the precision) sds are less than 9 % too small"},
    {"arK", TRUST_FULL_RANK, "linear in the last five data, 195 rows"},
    {"mixture", TRUST_FULL_RANK, "1000 data, components 5.6 sd apart: nearly normal"},
    {"arma", TRUST_FULL_RANK, "200 steps, roots far from each other: nearly normal"},
    {"hmm", TRUST_FULL_RANK, "200 steps, states 2.6 sd apart: nearly normal in logits"},
    {"poisson_gp", TRUST_FULL_RANK, "log-concave, counts of about 3, and a normal prior"},
    {"ordinal", TRUST_FULL_RANK, "log-concave, 120 rows for 6 numbers"},
    {"normal20", TRUST_FULL_RANK, "it is a member: exact"},
    {"modes_near", TRUST_FULL_RANK,
     "modes that are 2 sd apart make one: the best normal has an sd of 1.394 for 1.414"},
    {"modes_near", TRUST_MEAN_FIELD, "the same; its numbers are independent"},
    {0}};

const char *trust_reason(const char *model, trust_family family)
{
    for (const trust_reach *r = trust_reaches; r->model; r++)
        if (!strcmp(r->model, model) && r->family == family)
            return r->reason;
    return NULL;
}
