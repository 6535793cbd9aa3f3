/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison at work: results so far, memory, the first error, and runs that report progress. */
#ifndef GREBE_COMPARE_MEASURING_WORK_IMPL_H
#define GREBE_COMPARE_MEASURING_WORK_IMPL_H

#include "compare/compare.h"
#include "compare/replicates.h"

enum { GB_COMPARE_NAME = 96, GB_COMPARE_ERROR = 640, GB_COMPARE_TOGETHER = 1024 };

/* What the first recording of an estimator shows. */
typedef struct gb_compare_probe {
    bool fits;
    double evaluations; /* for each sample, */
    bool costs_vary;    /* or, if false, for all samples together */
    int64_t least;      /* samples that an estimate needs */
    int64_t samples;    /* samples that an estimate gets */
    int64_t rows;       /* of the data that the problem records; 0: none */
    bool learns;
    bool moving; /* what it learns did not settle */
} gb_compare_probe;

typedef struct gb_compare_work {
    gb_comparison it; /* first: gb_comparison_free gets its address */
    gb_compare_options with;
    struct gb_compare_block *blocks;
    gb_replicate_plan plan; /* common to all estimators; at_a_time is for those that do not learn */
    gb_compare_probe *probe;
    gb_compared *compared;
    gb_measured **measured; /* their parameters; NULL: not measured */
    double *spread;         /* standard errors of total variances, also of unknown ones */
    double *place;          /* the parameters where estimates are made */
    double *exact;          /* the gradient there; NaN if unknown */
    double rarest;          /* the smallest probability of an outcome there: gb_replicates_rarest */
    /* The first parameter whose exact gradient is not finite; NULL: none. Errors of estimators say more, so
     * this is reported after them. */
    const char *exact_overflow;
    double done, all;   /* estimates, and runs that learn or train: so far, and in total */
    double reported_at; /* when progress was last reported, in seconds */
    int64_t pace;       /* runs between two readings of the clock */
    bool stopped;       /* on request */
    char error[GB_COMPARE_ERROR];
} gb_compare_work;

/* Allocates zeros, which live until the comparison is freed. Returns NULL, and records GB_ENOMEM, without
 * memory. */
void *gb_compare_keep(gb_compare_work *c, size_t count, size_t bytes);
/* Records an error, unless there is one already. Returns false. */
bool gb_compare_fail(gb_compare_work *c, gb_status status, const char *format, ...) GB_PRINTF(3, 4);
/* Records the error of the replicates' tape, after the name of an estimator. Returns false. */
bool gb_compare_failed(gb_compare_work *c, const char *name, const gb_replicates *r);
/* The same for one estimator, which keeps its own first error besides. */
bool gb_compare_fail_one(gb_compare_work *c, size_t which, gb_status status, const char *format, ...)
    GB_PRINTF(4, 5);
bool gb_compare_failed_one(gb_compare_work *c, size_t which, const gb_replicates *r);

/* Makes at most `most` runs, the first in place `first`, and stops after a few thousandths of a second. Adds
 * their time to `seconds`, unless NULL. Asks from time to time whether to go on (c->stopped). Returns the
 * number of runs; 0 if one failed. */
int64_t gb_compare_run(gb_compare_work *c, gb_replicates *r, int64_t first, int64_t most, double *seconds);

/* Fills the places of `runs` runs, or fewer if the comparison is stopped. Returns how many; 0 if a run
 * failed. */
int64_t gb_compare_fill(gb_compare_work *c, gb_replicates *r, int64_t runs, double *seconds);

/* Counts estimates or steps that were made, and asks whether to go on. Returns false if not. */
bool gb_compare_made(gb_compare_work *c, double count);

/* ---- comparison.c ---- */

/* Compares at given parameters, which a training has after `step` steps; NULL: where the options say. */
gb_comparison *gb_compare_from(const gb_compare_options *options, int64_t step, const double *place);

/* Finds places along a training by the first estimator: their steps, and their parameters one after the
 * other, which live as long as the result. `place` stays as it is on error, which the result has. NULL if
 * there is no memory at all. */
gb_comparison *gb_compare_places(const gb_compare_options *options, size_t places, int64_t *step,
                                 double **place);

#endif
