/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/elbo/kept_impl.h"

#include "models/elbo/elbo_impl.h"

void gb_elbo_keep(gb_elbo *e, gb_kept latent)
{
    gb_kept *const made = gb_tape_keep(e->tape, sizeof *made);
    const char *const name = made ? gb_tape_keep_text(e->tape, latent.slot.name) : NULL;
    if (!name)
        return;
    latent.slot.name = name;
    latent.before = e->kept;
    *made = latent;
    e->kept = made;
}

void gb_elbo_keep_outcome(gb_elbo *e, gb_kept_outcome outcome)
{
    gb_kept_outcome *const made = gb_tape_keep(e->tape, sizeof *made);
    const char *const name = made ? gb_tape_keep_text(e->tape, outcome.name) : NULL;
    if (!name)
        return;
    outcome.name = name;
    outcome.before = e->outcomes;
    *made = outcome;
    e->outcomes = made;
}
