/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chain: a starting point, a first step, warm-up and draws. It asks for log p and its gradient at one point
 * after the other, so that a caller can evaluate the points of many chains together. */
#ifndef GREBE_FITTING_NUTS_CHAIN_IMPL_H
#define GREBE_FITTING_NUTS_CHAIN_IMPL_H

#include "fitting/nuts/adapt_impl.h"
#include "fitting/nuts/tree_impl.h"

typedef enum gb_sampler_phase {
    GB_SAMPLER_AT_START,  /* looks for a point with density */
    GB_SAMPLER_SEARCHING, /* for a step that is neither much too small nor much too large */
    GB_SAMPLER_MOVING,    /* inside a transition */
    GB_SAMPLER_DONE,
    /* It cannot go on: no point with density, no step small enough, a step that may grow without end. */
    GB_SAMPLER_LOST,
    GB_SAMPLER_STUCK,
    GB_SAMPLER_UNBOUNDED
} gb_sampler_phase;

typedef struct gb_sampler_plan {
    size_t n, warmup, draws;
    gb_nuts_metric metric;
    int max_depth;
    double target, spread;
    bool is_started; /* z was given; else it is drawn, up to 100 times */
} gb_sampler_plan;

typedef struct gb_sampler {
    gb_sampler_plan plan;
    gb_sampler_phase phase;
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
} gb_sampler;

/* Makes a chain. Returns false if memory runs out. If plan->is_started, write the start to chain->z then. */
bool gb_sampler_begin(gb_sampler *chain, const gb_sampler_plan *plan, uint64_t seed, size_t number,
                      const gb_memory *memory);
void gb_sampler_end(gb_sampler *chain, const gb_memory *memory);

/* The point at which log p is to be evaluated next. */
const double *gb_sampler_asks(const gb_sampler *chain);

/* Takes log p (−∞: none) and the gradient there. Returns true when a transition has ended: chain->z … are
 * its result, and chain->tree says how it went. Then call gb_sampler_go_on, which learns from it in the
 * warm-up. */
bool gb_sampler_take(gb_sampler *chain, double log_p, const double *gradient);
void gb_sampler_go_on(gb_sampler *chain);

#endif
