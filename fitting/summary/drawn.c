/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/summary/drawn_impl.h"

#include "fitting/density/density_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"

gb_tape *gb_drawn_tape(gb_elbo *e, const gb_judgement *judgement, const gb_nuts *nuts)
{
    return e ? e->tape : nuts ? nuts->origin.tape : judgement ? judgement->origin.tape : NULL;
}

bool gb_drawn_fits(const char *who, gb_elbo *e, const gb_judgement *judgement, const gb_nuts *nuts)
{
    gb_tape *const tape = gb_drawn_tape(e, judgement, nuts);
    const char *const what = nuts ? ".nuts" : ".judgement";
    if (nuts && judgement)
        return gb_fail(tape, GB_EARGUMENT, "%s: .judgement and .nuts are both given", who) == GB_OK;
    if (!nuts && !judgement)
        return true;
    const gb_node origin = nuts ? nuts->origin : judgement->origin;
    const gb_density *const d = nuts ? nuts->density : judgement->density;
    if (origin.tape != tape)
        gb_fail(tape, GB_EARGUMENT, "%s: %s is of another tape than the ELBO", who, what);
    else if (!gb_node_ok(origin))
        gb_fail(tape, GB_EARGUMENT, "%s: %s is from before gb_tape_reset; make another", who, what);
    else if (e && d->elbo != e)
        gb_fail(tape, GB_EARGUMENT,
                "%s: %s is of another ELBO, with the latent %s; give what was made from this one", who, what,
                d->part[0].name);
    return gb_error(tape) == GB_OK;
}

bool gb_drawn_nodes_fit(const char *who, gb_tape *tape, gb_node_list nodes)
{
    for (size_t i = 0; i < nodes.count; i++)
        if (!gb_node_ok(nodes.node[i]) || nodes.node[i].tape != tape)
            return gb_fail(tape, GB_ENODE, "%s: node %zu is not a usable node of the ELBO's tape", who, i) ==
                   GB_OK;
    return true;
}

/* An only batch is fed, and stands afterwards where it stood. */
static bool feed(const gb_drawn *d)
{
    gb_batches *const data = d->density->options.data;
    if (gb_batches_count(data) != 1)
        return true;
    const gb_batches_place before = gb_batches_at(data);
    const bool good = gb_batches_go(data, (gb_batches_place){0}) == GB_OK && gb_next_batch(data);
    gb_batches_go(data, before);
    return good;
}

/* What to do instead is another thing than for a judgement. */
static bool has_spread(const char *who, const gb_elbo *e)
{
    const char *const point = gb_elbo_all_points(e), *const ensemble = gb_elbo_ensemble(e);
    if (point)
        gb_fail(e->tape, GB_EARGUMENT,
                "%s: all latents are points (such as %s), which have no draws: give .nuts = "
                "gb_sample_nuts(e), or a latent another family (gb_full_rank …); gb_elbo_posterior_read "
                "returns the values, and gb_predictive predicts with them, and scores held-out rows",
                who, point);
    if (ensemble)
        gb_fail(e->tape, GB_EARGUMENT,
                "%s: latent %s is an ensemble, whose members are no draws of a posterior: gb_predictive "
                "predicts by all of them, and scores held-out rows; for draws give the latent another family "
                "(gb_full_rank …)",
                who, ensemble);
    return !point && !ensemble;
}

gb_judgement *gb_drawn_judged(const char *who, gb_elbo *e, gb_batches *data)
{
    return has_spread(who, e) ? gb_judge(e, .data = data) : NULL;
}

bool gb_drawn_begin(gb_drawn *d, const char *who, gb_elbo *e, const gb_judgement *judgement,
                    const gb_nuts *nuts, gb_batches *data)
{
    *d = (gb_drawn){.tape = gb_drawn_tape(e, judgement, nuts), .judgement = judgement, .nuts = nuts};
    if (!d->tape || gb_error(d->tape) != GB_OK)
        return false;
    d->memory = gb_tape_memory(d->tape);
    if (!gb_drawn_fits(who, e, judgement, nuts))
        return false;
    if (!nuts && !judgement)
        d->judgement = d->made = gb_drawn_judged(who, e, data);
    if (!d->nuts && !d->judgement)
        return false;
    d->density = d->nuts ? d->nuts->density : d->judgement->density;
    if (!feed(d))
        return false;
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

const char *gb_drawn_words(const gb_drawn *d)
{
    if (d->nuts)
        return d->nuts->words;
    const gb_judgement *const j = d->judgement;
    const bool corrects = !j->misses_mode && d->weights->k < d->weights->threshold;
    return corrects && j->verdict >= GB_VERDICT_MEANS ? "" : j->words;
}

void gb_drawn_end(gb_drawn *d)
{
    gb_judgement_free(d->made);
}
