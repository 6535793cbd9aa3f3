/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the distributions that take probabilities or logits. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_SHARED_PROBABILITY_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_SHARED_PROBABILITY_IMPL_H

#include "distributions/distribution.h"

/* Of one event: p, q = 1 − p, their logarithms and ratios, each as exact as the parameter allows: p may
 * underflow where log p does not. */
typedef struct gb_chance {
    gb_node p, q, log_p, log_q, p_by_q, q_by_p;
} gb_chance;

/* Of K events, along the last axis. `soft`: they come from logits, so a probability that is 0 stays 0 and has
 * no gradient. */
typedef struct gb_chances {
    gb_node p, log_p;
    int64_t count;
    bool soft;
} gb_chances;

/* From the last parameter: probabilities, or in the alternative form logits. */
gb_chance gb_chance_of(const gb_dist *d);
gb_chances gb_chances_of(const gb_dist *d);

/* 1 − p for each event: from logits the sum of the others, which has all its digits where p is near 1. */
gb_node gb_chances_rest(const gb_chances *c);

/* The same for the opposite event. */
gb_chance gb_chance_against(gb_chance c);

/* `otherwise`, but NaN where x is NaN. */
gb_node gb_nan_where(gb_node x, gb_node otherwise);

/* log p − log(1 − p) */
gb_node gb_logit(gb_node p);

/* x log(x / y) − x + y. The logarithms are more exact than the numbers, which may have underflowed. */
gb_node gb_deviance_by_logs(gb_node x, gb_node log_x, gb_node y, gb_node log_y);

/* Divergences of one trial: sums of the deviances of the single events. */
gb_node gb_chance_kl(gb_chance q, gb_chance p);
gb_node gb_chances_kl(const gb_dist *q, const gb_dist *p);

/* The divergence of the number of trials until the event happens: that of one trial, divided by q.p. */
gb_node gb_waiting_kl(gb_chance q, gb_chance p);

/* Whether both have as many events. */
bool gb_same_count(const gb_dist *q, const gb_dist *p);

/* −Σ p log p */
gb_node gb_chances_entropy(const gb_dist *d);

/* For the slots `measure` and `has` of a type whose only parameter they are: ∂E[f]/∂logit_k = p_k (f(k) −
 * E[f]). In terms of probabilities there is no such derivative. */
bool gb_chances_measure(const gb_dist *d, size_t which, int64_t element, gb_measure *measure);
bool gb_chances_have(const gb_dist *d, gb_ability ability);

/* Whether the number of trials, parameter 0, is known at recording to be the same in both distributions. */
bool gb_same_total(const gb_dist *q, const gb_dist *p);

/* Whether the probability x is so small that 1 − x rounds to 1 by far, and x itself may have underflowed. */
gb_node gb_is_tiny(gb_node x);

/* The number of trials, if it is known at recording; else −1, with an error. */
int64_t gb_known_total(const gb_dist *d);

/* The log Poisson probability of x at this mean; x need not be a whole number. Products and ratios of these
 * are other distributions of counts (Loader 2000), and nothing large cancels in them. */
gb_node gb_log_poisson(gb_node x, gb_node mean, gb_node log_mean);

/* P(X ≤ x), from itself and from P(X > x): the smaller one is the more exact. */
gb_node gb_by_tails(gb_node below, gb_node above);

/* P(X ≤ x), where X > x means more than x successes before `failures` failures. */
gb_node gb_at_most(gb_node x, gb_node failures, gb_chance c);

/* The smaller of p and q, as ops/quantile.h takes it. */
gb_node gb_chance_side(gb_chance c);

/* log of C(n, k) p^k q^(n − k). n and k need not be whole numbers. */
gb_node gb_log_binomial(gb_node total, gb_node x, gb_chance c);

#endif
