/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the family can be called good: written down before the first fit, from what is known of the
 * posteriors. Good means: means within 0.2 standard deviations, standard deviations within 20 %, and weights
 * without a heavy tail. Of other pairs nothing is asked but that no verdict comforts falsely. */
#include "reach.h"

#include <math.h>
#include <string.h>

/* The best normal for x with log p = −x²/2 + log cosh x, whose variance is 2: its sd s solves
 * 1/s = s (1 − E sech² (s z)), by bisection and the trapezoidal rule. The other number is normal. */
static size_t optimum_of_near_modes(double *sds)
{
    double low = 1, high = 2;
    for (int i = 0; i < 60; i++) {
        const double s = 0.5 * (low + high), h = 0.01;
        double mean = 0;
        for (int k = -1000; k <= 1000; k++)
            mean += h * exp(-0.5 * h * h * k * k) / sqrt(2 * GB_PI) / pow(cosh(s * h * k), 2);
        *(s * s * (1 - mean) < 1 ? &low : &high) = s;
    }
    sds[0] = low / sqrt(2);
    sds[1] = 1;
    return 2;
}

static size_t optimum_of_normal(double *sds)
{
    enum { N = 20 };
    for (size_t i = 0; i < N; i++)
        sds[i] = 1;
    return N;
}

const trust_reach trust_reaches[] = {
    {"kidiq", TRUST_FULL_RANK, "linear, 434 rows: normal up to the log of sigma", NULL},
    {"earnings", TRUST_FULL_RANK, "linear, 1192 rows", NULL},
    {"mesquite", TRUST_FULL_RANK, "linear, 46 rows: a student t of 38 degrees of freedom", NULL},
    {"blr", TRUST_FULL_RANK, "linear, 100 rows", NULL},
    {"blr", TRUST_MEAN_FIELD,
     "correlations below 0.2: by 1/√(diagonal of the precision) sds are less than 9 % too small", NULL},
    {"arK", TRUST_FULL_RANK, "linear in the last five data, 195 rows", NULL},
    {"mixture", TRUST_FULL_RANK, "1000 data, components 5.6 sd apart: nearly normal", NULL},
    {"arma", TRUST_FULL_RANK, "200 steps, roots far from each other: nearly normal", NULL},
    {"hmm", TRUST_FULL_RANK, "200 steps, states 2.6 sd apart: nearly normal in logits", NULL},
    {"poisson_gp", TRUST_FULL_RANK, "log-concave, counts of about 3, and a normal prior", NULL},
    {"ordinal", TRUST_FULL_RANK, "log-concave, 120 rows for 6 numbers", NULL},
    {"normal20", TRUST_FULL_RANK, "it is a member: exact", optimum_of_normal},
    {"modes_near", TRUST_FULL_RANK,
     "modes that are 2 sd apart make one: the best normal has an sd of 1.394 for 1.414",
     optimum_of_near_modes},
    {"modes_near", TRUST_MEAN_FIELD, "the same; its numbers are independent", optimum_of_near_modes},
    {0}};

const char *trust_reason(const char *model, trust_family family)
{
    for (const trust_reach *r = trust_reaches; r->model; r++)
        if (!strcmp(r->model, model) && r->family == family)
            return r->reason;
    return NULL;
}
