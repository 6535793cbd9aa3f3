/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact Kullback–Leibler divergences, KL(q ‖ p) = E_q[log q − log p], in nats. */
#ifndef GREBE_DISTRIBUTIONS_KL_H
#define GREBE_DISTRIBUTIONS_KL_H

#include "distribution.h"

GB_BEGIN_DECLS

/* A pair lives with one of its types (the slot `kl` of gb_dist_type): your own distribution brings its divergences
 * to grebe's and from them. A pair that both types bring is an error, since it would not be clear which is meant. */
typedef struct gb_kl_pair {
    const gb_dist_type *q;
    const gb_dist_type *p; /* NULL: any */
    gb_node (*kl)(const gb_dist *q,
                  const gb_dist *p); /* one number for each of the batch; parameters broadcast */
    /* OPTIONAL: whether these two have it, where that is not known from their types. NULL: they have. */
    bool (*fits)(const gb_dist *q, const gb_dist *p);
    /* OPTIONAL: what it is, where it is no exact divergence ("Gal's approximation"). NULL: it is exact. */
    const char *note;
} gb_kl_pair;

/* The pair for these two, by their types, through a transform that both have, or through independent products; NULL
 * where there is none. A pair that is found twice is an error on the tape of q, and NULL. */
GB_API const gb_kl_pair *gb_kl_find(gb_dist q, gb_dist p);

/* Whether gb_kl has a closed form. */
GB_API bool gb_has_kl(gb_dist q, gb_dist p);

/* KL(q ‖ p) for each of the batch. An error on the tape of q that names the pair where gb_has_kl is false. +∞ where q has mass that
 * p has not. */
GB_API gb_node gb_kl(gb_dist q, gb_dist p);

GB_END_DECLS
#endif
