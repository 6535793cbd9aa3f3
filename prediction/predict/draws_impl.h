/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose draws a prediction takes: of q; of a judgement, with weights; of NUTS. */
#ifndef GREBE_PREDICTION_PREDICTIVE_DRAWS_IMPL_H
#define GREBE_PREDICTION_PREDICTIVE_DRAWS_IMPL_H

#include "fitting/summary/drawn_impl.h"
#include "prediction/predict.h"

typedef struct gb_source_of_draws {
    const gb_elbo *elbo;
    gb_drawn drawn;      /* of a judgement or NUTS */
    gb_density *density; /* NULL: of q */
    size_t count;
    const double *z; /* points of the density */
    size_t free;     /* numbers of a point */
    size_t *place;   /* of draws that were chosen by weight; NULL: all */
    double *weight;  /* their sum is 1; NULL: all equal */
    uint64_t step;   /* of the first draw of q, and of all noise */
    gb_summary_source source;
    double k;
    const char *words;
    gb_verdict verdict; /* of the fit that left q as it is, for draws of q */
} gb_source_of_draws;

/* Returns false on error. gb_draws_end frees what it has, also then. */
bool gb_draws_begin(gb_source_of_draws *s, gb_elbo *e, const gb_predictive_options *options);
void gb_draws_end(gb_source_of_draws *s);

/* Prepares a program for draw number `draw`, and runs it. */
bool gb_draws_run(const gb_source_of_draws *s, gb_program *program, size_t draw);

#endif
