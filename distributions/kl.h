/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact Kullback–Leibler divergences, KL(q ‖ p) = E_q[log q − log p], in nats. */
#ifndef GREBE_DISTRIBUTIONS_KL_H
#define GREBE_DISTRIBUTIONS_KL_H

#include "distribution.h"

GB_BEGIN_DECLS

/* A pair lives with either of its types (the slot `kl` of gb_dist_type): your own distribution brings its
 * divergences to grebe's and from them. Where both types have one, q's is taken. */
typedef struct gb_kl_pair {
    const gb_dist_type *q, *p;
    gb_node (*kl)(const gb_dist *q, const gb_dist *p); /* elementwise; parameters broadcast */
} gb_kl_pair;

/* Whether there is an exact divergence for these types. */
GB_API bool gb_has_kl(gb_dist q, gb_dist p);

/* KL(q ‖ p) for each element. An error that names the pair where gb_has_kl is false. */
GB_API gb_node gb_kl(gb_dist q, gb_dist p);

GB_END_DECLS
#endif
