/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact Kullback–Leibler divergences, KL(q ‖ p) = E_q[log q − log p], in nats. */
#ifndef GREBE_DISTRIBUTIONS_KL_H
#define GREBE_DISTRIBUTIONS_KL_H

#include "distribution.h"

GB_BEGIN_DECLS

/* A pair stands in the slot `kl` of one of its two types: your own distribution brings its divergences to and
 * from those of grebe. If both types bring the same pair, gb_kl fails, because either could be meant. */
typedef struct gb_kl_pair {
    const gb_dist_type *q;
    const gb_dist_type *p; /* NULL: any */
    /* One number for each element of the batch; the parameters of q and p broadcast. */
    gb_node (*kl)(const gb_dist *q, const gb_dist *p);
    /* OPTIONAL: whether it exists for these two, if their types alone do not decide that. NULL: it does. */
    bool (*fits)(const gb_dist *q, const gb_dist *p);
    /* OPTIONAL: what it is, if it is not an exact divergence ("Gal's approximation"). NULL: it is exact. */
    const char *note;
} gb_kl_pair;

/* The pair for q and p, by their types; NULL if there is none. Transformed and independent distributions have
 * pairs that use those of their bases. A pair that is found twice is an error on the tape of q, and the
 * result is NULL. */
GB_API const gb_kl_pair *gb_kl_find(gb_dist q, gb_dist p);

/* Whether there is a pair for q and p. */
GB_API bool gb_has_kl(gb_dist q, gb_dist p);

/* KL(q ‖ p), one number for each element of the batch; +∞ where q has mass and p has none. Fails if gb_has_kl
 * is false; the error, on the tape of q, names both types.
 *
 * Between beta laws, and dirichlet laws, in which one parameter is far larger than the rest in both, a small
 * divergence has an absolute error of some ε: of 2e-11, on a double tape, 5 digits are right. */
GB_API gb_node gb_kl(gb_dist q, gb_dist p);

GB_END_DECLS
#endif
