/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chain: a starting point, a first step, warm-up and draws. It asks for log p and its gradient at one point
 * after the other, so that a caller can evaluate the points of many chains together. */
#ifndef GREBE_FITTING_SAMPLING_CHAIN_IMPL_H
#define GREBE_FITTING_SAMPLING_CHAIN_IMPL_H

#include "fitting/sampling/adapt_impl.h"
#include "fitting/sampling/tree_impl.h"

typedef enum gb_chain_phase {
    GB_CHAIN_AT_START,  /* looks for a point with density */
    GB_CHAIN_SEARCHING, /* for a step that is neither much too small nor much too large */
    GB_CHAIN_MOVING,    /* inside a transition */
    GB_CHAIN_DONE,
    /* It cannot go on: no point with density, no step small enough, a step that may grow without end. */
    GB_CHAIN_LOST,
    GB_CHAIN_STUCK,
    GB_CHAIN_UNBOUNDED
} gb_chain_phase;

typedef struct gb_chain_plan {
    size_t n, warmup, draws;
    gb_nuts_metric metric;
    int max_depth;
    double target, spread;
    bool is_started; /* z was given; else it is drawn, up to 100 times */
} gb_chain_plan;

typedef struct gb_chain {
    gb_chain_plan plan;
    gb_chain_phase phase;
    gb_random random;
    gb_metric metric;
    gb_step_size step_size;
    gb_windows windows;
    gb_welford welford;
    gb_tree tree;
    double *z, *gradient, log_p; /* where it stands */
    double energy;               /* H of the latest transition, at its end */
    double step, search_energy;
    int tries, direction; /* of the start; of the search: ±1, 0 before it is known */
    size_t transitions;   /* warm-up included */
    void *memory;
} gb_chain;

/* Makes a chain. Returns false if memory runs out. If plan->is_started, write the start to chain->z then. */
bool gb_chain_begin(gb_chain *chain, const gb_chain_plan *plan, uint64_t seed, size_t number,
                    const gb_memory *memory);
void gb_chain_end(gb_chain *chain, const gb_memory *memory);

/* The point at which log p is to be evaluated next. */
const double *gb_chain_asks(const gb_chain *chain);

/* Takes log p (−∞: none) and the gradient there. Returns true when a transition has ended: chain->z … are its
 * result, and chain->tree says how it went. Then call gb_chain_go_on, which learns from it in the warm-up. */
bool gb_chain_take(gb_chain *chain, double log_p, const double *gradient);
void gb_chain_go_on(gb_chain *chain);

#endif
