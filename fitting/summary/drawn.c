/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/summary/drawn_impl.h"

#include "models/elbo/elbo_impl.h"

gb_tape *gb_drawn_tape(gb_elbo *e, const gb_judgement *judgement, const gb_nuts *nuts)
{
    if (nuts || judgement)
        return gb_density_tape(nuts ? nuts->density : judgement->density);
    return e ? e->tape : NULL;
}

bool gb_drawn_begin(gb_drawn *d, const char *who, gb_elbo *e, const gb_judgement *judgement,
                    const gb_nuts *nuts, gb_batches *data)
{
    *d = (gb_drawn){.tape = gb_drawn_tape(e, judgement, nuts), .judgement = judgement, .nuts = nuts};
    if (!d->tape || gb_error(d->tape) != GB_OK)
        return false;
    d->memory = gb_tape_memory(d->tape);
    if (d->nuts && d->judgement) {
        gb_fail(d->tape, GB_EARGUMENT, "%s: .judgement and .nuts are both given", who);
        return false;
    }
    if (!nuts && !judgement)
        d->judgement = d->made = gb_judge(e, .data = data);
    if (!d->nuts && !d->judgement)
        return false;
    d->density = d->nuts ? d->nuts->density : d->judgement->density;
    if (d->nuts) {
        d->draws = d->nuts->chains * d->nuts->draws;
        d->z = d->nuts->z;
        return true;
    }
    const bool is_wide = d->judgement->corrects_by_wide;
    d->draws = is_wide ? d->judgement->wide_draws : d->judgement->draws;
    d->z = is_wide ? d->judgement->wide_z : d->judgement->z;
    d->weights = is_wide ? &d->judgement->wide : &d->judgement->weights;
    if (d->draws == 0 || d->weights->status != GB_OK) {
        gb_fail(d->tape, GB_EARGUMENT, "%s: the draws of q have no weights: %s", who, d->judgement->words);
        return false;
    }
    return true;
}

void gb_drawn_end(gb_drawn *d)
{
    gb_judgement_free(d->made);
}
