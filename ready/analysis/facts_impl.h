/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an analysis has learned from its training rows, as a note on the tape: for a process that only
 * predicts. */
#ifndef GREBE_READY_ANALYSIS_FACTS_IMPL_H
#define GREBE_READY_ANALYSIS_FACTS_IMPL_H

#include "ready/model.h"

/* Beside what the designs have noted. */
typedef struct gb_facts {
    const char *model;         /* its text */
    const char *posterior;     /* of the latents: its text */
    const char *group, *error; /* columns of the table; "": none */
    unsigned has;              /* nodes and options: the bits below */
    bool has_design;
    int64_t rows, columns, missing, classes;
    double outcome_mean, outcome_sd, counted_rows;
    const double *mean, *sd; /* of the columns */
    const char *outcome;
} gb_facts;

enum {
    GB_HAS_WEIGHT = 1,
    GB_HAS_TRIALS = 2,
    GB_HAS_OFFSET = 4,
    GB_HAS_PRESENT = 8,
    GB_HAS_Y = 16,
    GB_HAS_X = 32,
    GB_HAS_DROP_MISSING = 64,
    GB_HAS_INTERCEPT = 128 /* added to arrays */
};

/* Return false on error. The tape owns what is read. */
bool gb_facts_note(gb_tape *tape, const char *name, const gb_facts *facts);
bool gb_facts_read(gb_tape *tape, const char *name, gb_facts *facts);

#endif
