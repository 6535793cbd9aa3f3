/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of NUTS: filled draw by draw, then summarised. */
#ifndef GREBE_FITTING_NUTS_RESULT_IMPL_H
#define GREBE_FITTING_NUTS_RESULT_IMPL_H

#include "core/ground/memory_impl.h"
#include "fitting/nuts/chain_impl.h"

/* What is shown has pointers to the arrays here. */
typedef struct gb_own_nuts {
    gb_nuts shown; /* first: gb_nuts_free gets a pointer to it */
    gb_memory memory;
    size_t room; /* draws of a chain, as asked for */
    int max_depth;
    size_t *added;  /* draws of each chain so far */
    double *number; /* arrays of doubles, one after the other */
    double *z, *value, *log_p, *accept, *energy, *step, *metric, *e_bfmi;
    int *depth;
    gb_convergence *convergence;
    GB_LIST(gb_nuts_divergence) divergences;
    GB_LIST(double) where; /* their points, in the same order */
    char *words;
    gb_density_part *part; /* names of values, when the tape may be gone */
    size_t parts;
} gb_own_nuts;

/* Returns NULL, and records the error, if memory runs out. `options` have no defaults left. */
gb_own_nuts *gb_result_new(gb_density *density, const gb_sample_nuts_options *options,
                           const gb_memory *memory);

/* Adds the draw of a chain whose transition has ended. Returns false if memory runs out. */
bool gb_result_add(gb_own_nuts *r, size_t number, const gb_sampler *chain);

/* Computes values and summaries. Returns false on error. */
bool gb_result_finish(gb_own_nuts *r, const gb_sampler *chain, bool is_stopped);

#endif
