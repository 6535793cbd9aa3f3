/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learning before measuring: until the variance no longer falls. Then what is learned goes to its optimum, by
 * least squares; or, where that is not possible, goes on at a smaller rate, at which it wanders less. */
#include "compare/measuring/learn_impl.h"

#include <math.h>

#include "compare/measuring/tally_impl.h"

enum { FIRST_BLOCK = 1000, FEW_RUNS = 20000, MANY_RUNS = 100000 };
static const double RATE = 0.01, FINE_RATE = 0.001, KNOWN = 0.03, FALLS = 2;

double gb_compare_lessons(const gb_compare_work *c)
{
    return fmin(fmax(FEW_RUNS, 2 * (double)c->it.draws), MANY_RUNS);
}

/* Sum of the variances of all elements, and its standard error. */
typedef struct block {
    double variance, error;
} block;

/* Learns in `runs` runs. Estimates that are not finite are reported when it is measured. */
static bool learn_in(gb_compare_work *c, gb_replicates *r, int64_t runs, gb_compare_tally *tally,
                     double *scratch, block *result)
{
    tally->total = (gb_moments){0};
    for (size_t j = 0; j < r->elements; j++)
        tally->element[j] = (gb_moments){0};
    for (int64_t done = 0, made; done < runs; done += made) {
        made = gb_compare_fill(c, r, runs - done < (int64_t)r->room ? runs - done : (int64_t)r->room, NULL);
        if (made == 0 || c->stopped)
            return false;
        if (!gb_compare_count(tally, r, (size_t)made, scratch))
            return true;
    }
    *result = (block){.variance = tally->total.mean,
                      .error = sqrt(gb_moments_variance(&tally->total) / tally->total.count)};
    return true;
}

static bool falls(block before, block now)
{
    return before.variance - now.variance > FALLS * hypot(before.error, now.error);
}

/* Returns false on error. */
static bool learn_in_blocks(gb_compare_work *c, gb_replicates *r, gb_compare_probe *probe,
                            gb_compare_tally *tally, double *scratch)
{
    const double most = gb_compare_lessons(c);
    block before = {.variance = (double)INFINITY}, now = before;
    bool moving = true;
    int64_t runs = FIRST_BLOCK;
    if (gb_replicates_learn_at(r, RATE) != GB_OK || !learn_in(c, r, runs, tally, scratch, &now))
        return false;
    for (double done = (double)runs; done + (double)runs <= most; runs *= 2) {
        before = now;
        if (!learn_in(c, r, runs, tally, scratch, &now))
            return false;
        done += (double)runs;
        moving = falls(before, now);
        if (!moving && now.error <= KNOWN * now.variance)
            break;
    }
    const gb_solved how = gb_replicates_solve(r, FEW_RUNS);
    if (how == GB_SOLVED)
        return true;
    probe->moving |= moving || how == GB_FLAT;
    return gb_replicates_status(r) == GB_OK && gb_replicates_learn_at(r, FINE_RATE) == GB_OK &&
           learn_in(c, r, runs, tally, scratch, &now);
}

bool gb_compare_learn(gb_compare_work *c, gb_replicates *r, size_t which)
{
    gb_compare_probe *const probe = &c->probe[which];
    if (!probe->learns)
        return true;
    gb_compare_tally tally = {.element = gb_compare_keep(c, r->elements, sizeof *tally.element),
                              .origin = gb_compare_keep(c, r->elements, sizeof *tally.origin)};
    double *const scratch = gb_compare_keep(c, r->room, sizeof *scratch);
    return tally.element && tally.origin && scratch && learn_in_blocks(c, r, probe, &tally, scratch) &&
           !c->stopped;
}
