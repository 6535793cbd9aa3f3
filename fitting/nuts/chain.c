/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/nuts/chain_impl.h"

#include <math.h>
#include <string.h>

enum { MOST_STARTS = 100 };
static const double MOST_STEP = 1e7, FIRST_STEP = 1;

/* ---- memory ---- */

bool gb_sampler_begin(gb_sampler *chain, const gb_sampler_plan *plan, uint64_t seed, size_t number,
                      const gb_memory *memory)
{
    const size_t n = plan->n, of_metric = gb_metric_numbers(plan->metric, n),
                 of_welford = gb_welford_numbers(plan->metric, n),
                 of_tree = gb_tree_numbers(n, plan->max_depth), spans = (size_t)plan->max_depth + 1;
    *chain = (gb_sampler){.plan = *plan, .random = gb_random_of(seed, number), .step = FIRST_STEP};
    double *const all = gb_memory_resize(
        memory, NULL, (2 * n + of_metric + of_welford + of_tree) * sizeof *all + spans * sizeof(gb_span));
    if (!all)
        return false;
    memset(all, 0, 2 * n * sizeof *all);
    chain->memory = all;
    chain->z = all;
    chain->gradient = all + n;
    gb_metric_begin(&chain->metric, plan->metric, n, all + 2 * n);
    gb_welford_begin(&chain->welford, plan->metric, n, all + 2 * n + of_metric);
    double *const tree = all + 2 * n + of_metric + of_welford;
    chain->tree.metric = &chain->metric;
    chain->tree.random = &chain->random;
    gb_tree_begin(&chain->tree, n, plan->max_depth, (gb_span *)(void *)(tree + of_tree), tree);
    gb_windows_begin(&chain->windows, plan->warmup);
    for (size_t i = 0; i < n && !plan->is_started; i++)
        chain->z[i] = plan->spread * (2 * gb_random_uniform(&chain->random) - 1);
    return true;
}

void gb_sampler_end(gb_sampler *chain, const gb_memory *memory)
{
    gb_memory_release(memory, chain->memory);
    chain->memory = NULL;
}

const double *gb_sampler_asks(const gb_sampler *chain)
{
    return chain->phase == GB_SAMPLER_AT_START ? chain->z : chain->tree.z;
}

/* ---- the first step ---- */

/* A leap with new momenta from where the chain stands. */
static void try_step(gb_sampler *chain)
{
    gb_tree *const tree = &chain->tree;
    gb_metric_draw(&chain->metric, &chain->random, tree->p);
    chain->search_energy = gb_energy(&chain->metric, chain->log_p, tree->p, tree->velocity);
    memcpy(tree->z, chain->z, chain->plan.n * sizeof *tree->z);
    gb_leap_begin(&chain->metric, chain->step, chain->gradient, tree->z, tree->p, tree->velocity);
}

static void begin_search(gb_sampler *chain)
{
    chain->phase = GB_SAMPLER_SEARCHING;
    chain->direction = 0;
    try_step(chain);
}

static void begin_transition(gb_sampler *chain)
{
    chain->phase =
        chain->transitions < chain->plan.warmup + chain->plan.draws ? GB_SAMPLER_MOVING : GB_SAMPLER_DONE;
    if (chain->phase == GB_SAMPLER_DONE)
        return;
    chain->tree.step = chain->step;
    gb_tree_start(&chain->tree, chain->z, chain->log_p, chain->gradient);
}

/* Doubles or halves the step until the acceptance of one leap passes 0.8. */
static void search(gb_sampler *chain, double log_p, const double *gradient)
{
    gb_tree *const tree = &chain->tree;
    gb_leap_end(chain->plan.n, chain->step, gradient, tree->p);
    const double gain = chain->search_energy - gb_energy(&chain->metric, log_p, tree->p, tree->velocity);
    const int wants = gain > log(0.8) ? 1 : -1;
    const bool stands = memcmp(tree->z, chain->z, chain->plan.n * sizeof *tree->z) == 0;
    if (chain->direction < 0 && stands) { /* the step is too small for the digits of z */
        chain->phase = GB_SAMPLER_STUCK;
        return;
    }
    if (chain->direction == -wants) {
        gb_step_size_begin(&chain->step_size, chain->plan.target, chain->step);
        begin_transition(chain);
        return;
    }
    if (chain->direction != 0)
        chain->step *= wants > 0 ? 2 : 0.5;
    chain->direction = wants;
    if (chain->step > MOST_STEP)
        chain->phase = GB_SAMPLER_UNBOUNDED;
    else
        try_step(chain);
}

/* ---- phases ---- */

static void at_start(gb_sampler *chain, double log_p, const double *gradient)
{
    const size_t n = chain->plan.n;
    if (isfinite(log_p)) {
        chain->log_p = log_p;
        memcpy(chain->gradient, gradient, n * sizeof *gradient);
        begin_search(chain);
        return;
    }
    if (chain->plan.is_started || ++chain->tries == MOST_STARTS) {
        chain->phase = GB_SAMPLER_LOST;
        return;
    }
    for (size_t i = 0; i < n; i++)
        chain->z[i] = chain->plan.spread * (2 * gb_random_uniform(&chain->random) - 1);
}

/* Learns from a transition of the warm-up. */
static void adapt(gb_sampler *chain)
{
    gb_windows *const windows = &chain->windows;
    const double accepted = chain->tree.accepted / (double)chain->tree.leaps;
    const bool ends = gb_windows_ends(windows), has_metric = chain->plan.metric != GB_METRIC_UNIT;
    chain->step = gb_step_size_learn(&chain->step_size, accepted);
    if (gb_windows_inside(windows))
        gb_welford_add(&chain->welford, chain->z);
    gb_windows_next(windows);
    if (chain->transitions == chain->plan.warmup)
        chain->step = gb_step_size_final(&chain->step_size);
    if (!ends || !has_metric) {
        begin_transition(chain);
        return;
    }
    gb_welford_end(&chain->welford, chain->metric.covariance);
    if (gb_metric_factor(&chain->metric))
        begin_search(chain);
    else
        chain->phase = GB_SAMPLER_UNBOUNDED; /* draws so far apart that their squares overflow */
}

static bool move(gb_sampler *chain, double log_p, const double *gradient)
{
    const gb_span *const whole = &chain->tree.whole;
    if (gb_tree_take(&chain->tree, log_p, gradient))
        return false;
    memcpy(chain->z, whole->z, chain->plan.n * sizeof *chain->z);
    memcpy(chain->gradient, whole->gradient, chain->plan.n * sizeof *chain->gradient);
    chain->log_p = whole->log_p;
    chain->energy = whole->energy;
    chain->transitions++;
    return true;
}

bool gb_sampler_take(gb_sampler *chain, double log_p, const double *gradient)
{
    switch (chain->phase) {
    case GB_SAMPLER_AT_START: at_start(chain, log_p, gradient); return false;
    case GB_SAMPLER_SEARCHING: search(chain, log_p, gradient); return false;
    case GB_SAMPLER_MOVING: return move(chain, log_p, gradient);
    default: return false;
    }
}

void gb_sampler_go_on(gb_sampler *chain)
{
    if (chain->transitions <= chain->plan.warmup)
        adapt(chain);
    else
        begin_transition(chain);
}
