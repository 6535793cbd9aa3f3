/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/replicates/train_impl.h"

#include <string.h>

static const double SMALLEST_RATE = 1e-6;

bool gb_problem_training_begin(gb_problem_training *t, const gb_replicate_plan *plan)
{
    *t = (gb_problem_training){.rate = plan->rate, .is_fresh = true};
    if (!gb_replicates_begin(&t->r, plan))
        return false;
    t->elements = gb_replicates_parameters(&t->r);
    t->now = gb_tape_keep(t->r.trial.tape, (2 * t->elements + 1) * sizeof *t->now);
    t->before = t->now ? t->now + t->elements : NULL;
    return t->now;
}

void gb_problem_training_end(gb_problem_training *t)
{
    gb_replicates_end(&t->r);
}

/* Undoes a step that left the domain of the parameters. If even the smallest step leaves the domain, the
 * training ends: there is no minimum inside. */
static bool take_back(gb_problem_training *t)
{
    if (t->is_fresh || gb_replicates_status(&t->r) == GB_ENOMEM)
        return false;
    gb_forgive(t->r.trial.tape);
    t->is_fresh = true;
    t->rate = t->rate > SMALLEST_RATE ? t->rate / 2 : 0;
    memcpy(t->now, t->before, t->elements * sizeof *t->now);
    return gb_replicates_set(&t->r, t->now) && gb_replicates_restart(&t->r, t->rate) == GB_OK;
}

bool gb_problem_forward(gb_problem_training *t, double *seconds)
{
    double took = 0;
    bool good = gb_replicates_get(&t->r, t->now);
    while (good && !gb_replicates_run(&t->r, &took))
        good = take_back(t);
    t->is_fresh = false;
    memcpy(t->before, t->now, t->elements * sizeof *t->now);
    if (seconds)
        *seconds += took;
    return good;
}
