/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_FITTING_SUMMARY_SUMMARY_IMPL_H
#define GREBE_FITTING_SUMMARY_SUMMARY_IMPL_H

#include "fitting/judge/watched_impl.h"
#include "fitting/summary.h"

/* Draws of all rows. */
typedef struct gb_summary_draws {
    size_t count;
    const double *z, *value; /* value: of parameters, [draw][parameter] */
    double *node;            /* of nodes: [draw][number] */
    gb_psis weights;         /* with this summary's memory; not of NUTS */
} gb_summary_draws;

/* The tape, as long as it is neither reset nor freed; then NULL. The tape and the summary hold it. */
typedef struct gb_summary_tape {
    gb_memory memory;
    gb_tape *tape;
    bool is_held; /* by both */
} gb_summary_tape;

/* What is shown has pointers to the arrays here. */
typedef struct gb_own_summary {
    gb_summary_table shown; /* first: gb_summary_free gets a pointer to it */
    gb_memory memory;
    gb_watched watched;    /* the same, for numbers in, numbers out */
    gb_tape *tape;         /* while the summary is made */
    gb_summary_tape *held; /* afterwards */
    gb_density *density;
    gb_judgement *made;            /* by gb_summary itself */
    const gb_judgement *judgement; /* one of the two */
    const gb_nuts *nuts;
    bool of_q;
    gb_summary_draws own;             /* of q, or of NUTS */
    gb_summary_draws wide;            /* only where numbers are corrected by them */
    const gb_summary_draws *corrects; /* one of the two: the draws that are shown and saved */
    size_t nodes;                     /* numbers of all nodes */
    gb_summary_row *row;
    char *names, *words;
} gb_own_summary;

/* A row's number in these draws: every `stride`-th one. */
static inline const double *gb_summary_column(const gb_own_summary *s, const gb_summary_draws *draws,
                                              size_t row, size_t *stride)
{
    const bool is_parameter = row < s->shown.parameters;
    *stride = is_parameter ? s->shown.parameters : s->nodes;
    return is_parameter ? draws->value + row : draws->node + (row - s->shown.parameters);
}

/* Fills the numbers of a row, whose name is there. Returns false if memory runs out. */
bool gb_summary_fill(gb_own_summary *s, size_t row);

/* "q", "psis", "nuts", "point", "wide". */
const char *gb_summary_source_text(gb_summary_source source);

#endif
