/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_MODELS_CASE_IMPL_H
#define GREBE_KIT_MODELS_CASE_IMPL_H

#include "kit/shell/verdicts_impl.h"
#include "ready/analysis.h"

/* The statements, in the order of the report. */
/* clang-format off */
#define GB_MODEL_STATEMENTS(do_)                                                                             \
    do_(FORM,     "its struct is complete")                                                                  \
    do_(RECORDED, "it is recorded and run without an error")                                                 \
    do_(FINITE,   "log p is finite, and so is its gradient")                                                 \
    do_(NAMES,    "what it shows has names of its own")                                                      \
    do_(WEIGHTS,  "a row of weight 2 counts twice")                                                          \
    do_(REPEATED, "a row of weight 2 is two rows, and one of weight 0 is none")                              \
    do_(MISSING,  "a missing outcome says nothing")                                                          \
    do_(GAPS,     "a missing number of the columns says nothing")                                            \
    do_(UNITS,    "other units move log p by a constant")                                                    \
    do_(BATCHES,  "log p is the sum over batches")                                                           \
    do_(SWAPS,    "posteriors are swapped")                                                                  \
    do_(ROWS,     "new rows are predicted, and scored where an outcome is there")                            \
    do_(LAW,      "rows are predicted by the law of their likelihood")                                       \
    do_(OFFSET,   "an offset is a column whose coefficient is 1")                                            \
    do_(GROUP,    "rows of other groups are predicted otherwise")                                            \
    do_(ERROR,    "a larger standard error is more noise")                                                   \
    do_(TRIALS,   "of twice the trials twice as many succeed")                                               \
    do_(NOTES,    "a process that has only a checkpoint predicts the same")
/* clang-format on */
GB_STATEMENT_CODES(GB_MODEL_STATEMENTS);

enum { GB_MODEL_ROWS = 24, GB_MODEL_CHANGED = 7, GB_MODEL_NUMBERS = 1024 };

typedef struct gb_model_check {
    gb_kit kit;
    gb_model model;
    const char *columns;
    const gb_domain *outcome; /* where outcomes lie; NULL: there is none */
    bool has_bits;            /* without an outcome, columns are 0 and 1 */
    bool with_group, with_error, with_trials, has_units;
    bool has_density; /* found out when log p is first evaluated */
    gb_tape *tape;    /* of log p, while it is evaluated */
} gb_model_check;

/* What differs from the usual table. */
typedef struct gb_model_twist {
    double weight;   /* of row CHANGED; 0: 1. Negative: that row has weight 0 */
    double fed;      /* the same, of what is fed: scales are those of the table; 0: nothing else is fed */
    bool is_missing; /* its outcome */
    int gaps;        /* of the numbers of that row, are missing: 1: columns a, z and f; 2: all */
    bool filled;     /* what is fed for them is 1 */
    bool is_twice, is_absent;   /* that row */
    double of_y, of_x;          /* units; 0: 1 */
    double of_error, of_trials; /* factors; 0: 1 */
    double more_a, more_offset; /* added in all rows */
    int other_groups;           /* added to the numbers of groups */
    bool no_weights;            /* the formula has none */
    const char *columns;        /* of the formula; NULL: the usual ones */
    int64_t batch;
    gb_family posterior; /* none: the usual one */
    bool noted;          /* no data */
} gb_model_twist;

/* Records the model for the table, on a tape of the caller's. `table` receives the table, which the caller
 * frees; it may be NULL. NULL on error. */
gb_analysis *gb_model_case(const gb_model_check *c, gb_tape *tape, gb_model_twist how, gb_table **table);

/* The table alone, which the caller frees. */
gb_table *gb_model_table(const gb_model_check *c, gb_tape *tape, gb_model_twist how);

/* A tape, of one thread. */
gb_tape *gb_model_tape(const gb_model_check *c);

#endif
