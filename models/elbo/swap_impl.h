/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ELBO that is recorded again: with other estimators, or with many copies of its variables side by side,
 * each with draws of its own. */
#ifndef GREBE_MODELS_ELBO_SWAP_IMPL_H
#define GREBE_MODELS_ELBO_SWAP_IMPL_H

#include "models/swap.h"

typedef struct gb_elbo_again {
    const char *word;   /* of variables that estimators learn: "NAME.WORD.PART" */
    const char *stream; /* ends the names of streams of noise; NULL: they repeat those of the ELBO */
    size_t swaps;
    const gb_swap *swap;
    /* Further hidden axes of all draws; 0: none. What stands in the place of variables may have them. */
    gb_axes axes;
    size_t count;
    const gb_node *variable, *instead;
    /* That of these axes along which the draw named `free`, and what its estimator draws, varies alone: the
     * noise of all others is the same. 0: there is none. */
    gb_axes common;
    const char *free;
} gb_elbo_again;

/* Returns the new ELBO; NULL on error. */
gb_elbo *gb_elbo_record_again(gb_elbo *e, const gb_elbo_again *how);

/* Writes the names of the draws of an ELBO in the order of recording, but for those that the estimators of
 * others make. At most `most` of them. Returns how many there are. */
size_t gb_elbo_draws(const gb_elbo *e, const char **names, size_t most);

/* Returns the estimator of the draw of that name; one without a type if there is none. */
gb_estimator gb_elbo_estimator_of(const gb_elbo *e, const char *draw);

#endif
