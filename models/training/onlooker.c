/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/training/onlooker_impl.h"

#include "core/ground/clock_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/training/fit_impl.h"

void gb_elbo_add_onlooker(gb_elbo *e, gb_onlooker *onlooker)
{
    onlooker->before = e->onlookers;
    e->onlookers = onlooker;
}

void gb_elbo_remove_onlooker(gb_elbo *e, const gb_onlooker *onlooker)
{
    gb_onlooker **at = &e->onlookers;
    while (*at && *at != onlooker)
        at = &(*at)->before;
    if (*at)
        *at = onlooker->before;
}

bool gb_fit_let_look(gb_fit_run *f, bool is_last)
{
    if (!f->elbo->onlookers)
        return true;
    const double now = gb_seconds();
    const gb_moment moment = {.step = gb_program_step(f->result.program),
                              .steps = f->steps > 0 ? (uint64_t)f->steps : 0,
                              .epoch = gb_batches_at(f->options.data).epoch,
                              .seconds = now - f->began,
                              .is_last = is_last,
                              .options = &f->options};
    for (gb_onlooker *at = f->elbo->onlookers; at && gb_error(f->tape) == GB_OK; at = at->before)
        at->look(at->user, &moment);
    f->began += gb_seconds() - now; /* their time does not count */
    return gb_error(f->tape) == GB_OK;
}
