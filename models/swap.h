/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same ELBO with other estimators, on the same variables: to compare estimators on a model that was
 * recorded with one of them.
 *
 *     gb_elbo *other = gb_elbo_swapped(e, "score", 1, &(gb_swap){.estimator = gb_score()});
 *     gb_node g = gb_grad(gb_elbo_loss(other), gb_variable_named(t, "w.location"));
 *
 * gb_watch (compare/watch.h) and gb_race (compare/race.h) do this by themselves. */
#ifndef GREBE_MODELS_SWAP_H
#define GREBE_MODELS_SWAP_H

#include "elbo.h"

GB_BEGIN_DECLS

/* A latent, and the estimator that it gets. */
typedef struct gb_swap {
    /* A latent, or a draw of a layer ("w.layer"): the estimators of these draws are exchanged, and of draws
     * whose names continue with a dot. NULL: of all draws. */
    const char *latent;
    gb_estimator estimator;
} gb_swap;

/* Records the ELBO again with other estimators, and returns it. `e` becomes complete (gb_elbo_loss), and
 * stays as it is. Both have the same variables, data and noise: trained alone, the new one takes the steps of
 * a model that was recorded with these estimators, up to the order of sums. So a KL that only some estimators
 * need sampled (sticking_the_landing) is sampled for these.
 *
 * What the new estimators learn are variables "NAME.WORD.PART"; `word` must be new to the tape for estimators
 * that learn. A later swap replaces an earlier one of the same draw. A mask that dropout draws is an option
 * of its estimator, .mask.
 *
 * NULL on error: an estimator that does not fit a draw (the message names all draws that it does not fit, and
 * what they lack), a swap of a latent that is not there, or one that relaxes a discrete draw whose values
 * gb_prior evaluates. */
GB_API gb_elbo *gb_elbo_swapped(gb_elbo *e, const char *word, size_t count, const gb_swap *swaps);

GB_END_DECLS
#endif
