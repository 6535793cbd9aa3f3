/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sigmoid belief network: layers of bits z_1 … z_L, and p(z_L), p(z_{k−1} | z_k), q(z_k | z_{k−1}) of
 * Bernoullis whose logits are linear, where z_0 = x is a black and white image. */
#ifndef GREBE_BENCH_BELIEF_NET_H
#define GREBE_BENCH_BELIEF_NET_H

#include <grebe/grebe.h>

enum { BELIEF_LAYERS = 2 }; /* at most */

typedef struct belief_sizes {
    int64_t pixels, bits, layers, rows; /* `rows` are those of the data set */
} belief_sizes;

typedef struct belief_net {
    belief_sizes sizes;
    gb_node x, top;                             /* logits of p(z_L) */
    gb_node w[BELIEF_LAYERS], c[BELIEF_LAYERS]; /* logits of p(z_{k−1} | z_k): z_k·w + c */
    gb_node v[BELIEF_LAYERS], d[BELIEF_LAYERS]; /* logits of q(z_k | z_{k−1}): z_{k−1}·v + d */
} belief_net;

/* Records the input x and the variables, which depend on the seed of the tape. `c` are start values of the
 * logits of pixels; NULL: −1. */
belief_net belief_begin(gb_tape *t, const belief_sizes *sizes, const double *c);

/* Records the bound. Its draws have the names `name`, and of a second layer `name`2. */
gb_elbo *belief_record(const belief_net *n, const char *name, gb_estimator estimator, int64_t samples,
                       gb_bound bound);

#endif
