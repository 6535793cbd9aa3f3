/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do the verdicts of gb_fit hold? Each run is one call gb_fit(e), without options, whose q is compared with a
 * reference that does not come from the fit. */
#ifndef GREBE_BENCH_TRUST_H
#define GREBE_BENCH_TRUST_H

#include <grebe/distributions/domain.h>
#include <grebe/distributions/list.h>
#include <grebe/estimators/list.h>
#include <grebe/fitting/fit.h>
#include <grebe/fitting/judge.h>
#include <grebe/fitting/nuts.h>
#include <grebe/fitting/summary.h>
#include <grebe/models/elbo.h>
#include <grebe/ops/arrange.h>
#include <grebe/ops/array.h>
#include <grebe/ops/draws.h>
#include <grebe/ops/elementwise.h>
#include <grebe/ops/linear.h>
#include <grebe/ops/matmul.h>
#include <grebe/ops/recursion.h>
#include <grebe/ops/reduce.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TRUST_NAME = 64, TRUST_TOLD = 32, TRUST_NUMBERS = 128 };

typedef enum trust_family { TRUST_MEAN_FIELD, TRUST_FULL_RANK, TRUST_FAMILIES } trust_family;
extern const char *const trust_family_names[TRUST_FAMILIES];

/* Numbers that a model tells are compared with those of the reference. */
typedef enum trust_kind {
    TRUST_LIGHT, /* by mean and standard deviation */
    TRUST_HEAVY, /* by the median, and the distance from the 5 % to the 95 % quantile */
    TRUST_FREE   /* not compared: a free number of the model as it is fitted */
} trust_kind;

typedef struct trust_number {
    char name[TRUST_NAME];
    trust_kind kind;
    double mean, sd, q05, q50, q95;
    double ess, rhat; /* of a reference by NUTS; exact: ∞ and 1 */
} trust_number;

typedef struct trust_told {
    gb_node node;
    const char *name;
    trust_kind kind;
} trust_told;

/* A model while it is recorded. */
typedef struct trust {
    gb_tape *t;
    gb_elbo *e;
    uint64_t seed; /* of a random posterior */
    trust_family family;
    const double *start; /* of the free numbers; NULL: the usual one */
    size_t start_count;
    /* Predictors and outcomes are multiplied by these. Priors and what is told change with them, so that the
     * posterior is the same one in other units. */
    double x, y;
    /* It is recorded for NUTS, which a model may want in other parameters; and in others again if the first
     * ones do not do: attempt 0, 1 … */
    bool for_reference;
    int attempt;
    trust_told told[TRUST_TOLD];
    size_t nodes;
} trust;

/* What a unit variant changes; a model says which of them make sense for it. */
enum { TRUST_X = 1, TRUST_Y = 2, TRUST_FAR = 4 };

typedef struct trust_model {
    const char *name;
    void (*record)(trust *m);
    int variants;
    /* Writes all numbers that the model tells, in their order. NULL: by NUTS, or from the folder of shared
     * posteriors. */
    void (*exact)(trust_number *number);
    const char *shared; /* its folder there */
} trust_model;

/* The tables, each ended by a NULL name. */
extern const trust_model trust_shared_models[], trust_known_models[], trust_series_models[],
    trust_regression_models[];

/* "random:SEED". */
void trust_record_random(trust *m);

/* ---- recording ---- */

/* All latents of a model: one block, with the family of this run. */
void trust_block(trust *m, size_t count, const gb_latent_part *parts, gb_node *draws);
void trust_tell(trust *m, const char *name, gb_node node, trust_kind kind);

/* For a model whose reference has other parameters: the free numbers of the model as it is fitted, in their
 * order. Does nothing but for a reference. */
void trust_free_number(trust *m, gb_node node);

static inline gb_node trust_num(const trust *m, double x)
{
    return gb_num(m->t, x);
}

static inline gb_dist trust_normal(const trust *m, double mean, double sd)
{
    return gb_normal(trust_num(m, mean), trust_num(m, sd));
}

static inline gb_node trust_vector(const trust *m, size_t count, const double *x)
{
    return gb_constant(m->t, gb_shape((int64_t)count), gb_values_of(x, count));
}

static inline gb_node trust_matrix(const trust *m, int64_t rows, int64_t columns, const double *x)
{
    return gb_constant(m->t, gb_shape(rows, columns), gb_values_of(x, (size_t)(rows * columns)));
}

/* ---- data from a seed ---- */

typedef struct trust_rng {
    uint64_t state;
} trust_rng;

double trust_uniform(trust_rng *r, double low, double high);
double trust_gauss(trust_rng *r);
double trust_gamma(trust_rng *r, double shape);
double trust_poisson(trust_rng *r, double mean);
int trust_choose(trust_rng *r, int count);

/* ---- the shared posteriors ---- */

/* False, with a message, if the folder is not there. */
bool trust_has_shared(const char *name);
bool trust_read_shared(const char *name, trust_number *number, size_t *count);

/* ---- numbers and references ---- */

/* A model on a tape of its own. Returns false, with a message, on error. */
typedef struct trust_job {
    const trust_model *model; /* NULL: a random posterior */
    uint64_t random;
    char name[TRUST_NAME];
} trust_job;
bool trust_begin(trust *m, const trust_job *job, uint64_t seed);
void trust_end(trust *m);

/* The numbers that the model tells, over weighted draws z (weight NULL: equal). With chains > 0 the draws are
 * those of chains, and ess and rhat are known. Returns how many; 0 on error. */
size_t trust_numbers(const trust *m, gb_density *d, size_t draws, const double *z, size_t chains,
                     trust_number *number);

/* The same of q, over draws that nothing else used. */
size_t trust_numbers_of_q(const trust *m, trust_number *number);

double trust_seconds(void);

typedef struct trust_reference {
    char source[TRUST_NAME];
    size_t count;
    trust_number number[TRUST_NUMBERS];
    size_t free; /* of the model as it is fitted, of the same draws; 0: they are not known */
    double free_mean[TRUST_NUMBERS], free_sd[TRUST_NUMBERS];
} trust_reference;

/* Reads it from the folder, or computes it and keeps it there. Returns false, with a message, if there is
 * none: the sampler did not reach what is asked of a reference. Free numbers are those of chains that are as
 * good; where the reference is from posteriordb, of chains that agree with it. */
bool trust_refer(const char *folder, const trust_job *job, trust_reference *r);

/* The largest distances of numbers from those of a reference. */
typedef struct trust_gap {
    double mean, sd; /* in reference sds; relative */
    char mean_of[TRUST_NAME], sd_of[TRUST_NAME];
} trust_gap;
trust_gap trust_compare(size_t count, const trust_number *q, const trust_number *reference);

#endif
