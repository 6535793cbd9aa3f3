/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison at work: what is known so far, its memory, its first error, and runs that tell of progress. */
#ifndef GREBE_COMPARE_MEASURING_WORK_IMPL_H
#define GREBE_COMPARE_MEASURING_WORK_IMPL_H

#include "compare/compare.h"
#include "compare/replicates.h"

enum { GB_COMPARE_NAME = 96, GB_COMPARE_ERROR = 640, GB_COMPARE_TOGETHER = 1024, GB_COMPARE_PLACES = 10 };

/* What a first recording says of an estimator. */
typedef struct gb_compare_probe {
    bool fits;
    double evaluations; /* for each sample, */
    bool costs_vary;    /* or for all samples at once, whose costs do not vary */
    int64_t least;      /* samples that it needs */
    int64_t samples;    /* that it gets */
    bool learns;
} gb_compare_probe;

typedef struct gb_compare_work {
    gb_comparison it; /* first: gb_comparison_free gets its address */
    gb_compare_options with;
    struct gb_compare_block *blocks;
    gb_replicate_plan plan; /* what is common to all estimators; at_a_time of those that do not learn */
    gb_compare_probe *probe;
    gb_compared *compared;
    size_t places;    /* where estimates are made */
    double *place;    /* the parameters of each */
    double *exact;    /* the gradient at each; NaN where it is not known */
    double done, all; /* estimates and runs that learn or train; how many there will be */
    double told;      /* when progress was last told, in seconds */
    int64_t pace;     /* runs between two looks at the clock */
    bool stopped;     /* on request */
    char error[GB_COMPARE_ERROR];
} gb_compare_work;

/* Zeros, until the comparison is freed; NULL: GB_ENOMEM is noted. */
void *gb_compare_keep(gb_compare_work *c, size_t count, size_t bytes);
/* Keeps the first error. Returns false. */
bool gb_compare_fail(gb_compare_work *c, gb_status status, const char *format, ...) GB_PRINTF(3, 4);
/* The error of the replicates' tape, in the name of an estimator. */
bool gb_compare_failed(gb_compare_work *c, const char *name, const gb_replicates *r);

/* At most `most` runs, the first in place `first`, and as many as a thousandth of a second or a few hold, adding to `seconds`
 * what they took, if it is not NULL. Now and then asks whether to go on (c->stopped). How many there were; 0: one failed. */
int64_t gb_compare_run(gb_compare_work *c, gb_replicates *r, int64_t first, int64_t most, double *seconds);

#endif
