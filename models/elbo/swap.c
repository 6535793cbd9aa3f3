/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/elbo/swap_impl.h"

#include <stdio.h>
#include <string.h>

#include "distributions/list.h"
#include "estimators/expectation/again_impl.h"
#include "estimators/list.h"
#include "estimators/visit.h"
#include "models/elbo/divergence_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"

/* ---- which estimators ---- */

/* Draws that the estimators of others make belong to these. */
static const own_site *last_site(const gb_elbo *e)
{
    const own_site *own = e->expect->last;
    while (own && own->within)
        own = gb_site_before(own);
    return own;
}

static const own_site *site_before(const own_site *own)
{
    do
        own = gb_site_before(own);
    while (own && own->within);
    return own;
}

static bool names(const char *latent, const char *draw)
{
    const size_t length = latent ? strlen(latent) : 0;
    return !latent || (strncmp(draw, latent, length) == 0 && (draw[length] == '\0' || draw[length] == '.'));
}

static gb_estimator estimator_for(const gb_elbo_again *how, const own_site *own)
{
    gb_estimator estimator = own->site.estimator;
    for (size_t i = 0; i < how->swaps; i++)
        if (how->swap[i].estimator.type && names(how->swap[i].latent, own->site.name))
            estimator = how->swap[i].estimator;
    return estimator;
}

/* Every swap is of a draw. */
static bool swaps_are_there(const gb_elbo *e, const gb_elbo_again *how)
{
    for (size_t i = 0; i < how->swaps; i++) {
        const own_site *own = last_site(e);
        while (own && !names(how->swap[i].latent, own->site.name))
            own = site_before(own);
        if (!own)
            return gb_fail(e->tape, GB_ENAME, "swap: there is no draw %s",
                           how->swap[i].latent ? how->swap[i].latent : "at all") == GB_OK;
    }
    return true;
}

/* ---- the state ---- */

typedef struct recording {
    gb_elbo *old, *e;
    const gb_elbo_again *how;
    gb_again *again;
    size_t sites;
    const own_site **site; /* in the order of recording */
    gb_dist *q;            /* of each, in the new recording */
} recording;

static const gb_kept *kept_of(const gb_elbo *e, gb_node draw)
{
    const gb_kept *at = e->kept;
    while (at && !(gb_dist_ok(at->q) && gb_node_same(at->value, draw)))
        at = at->before;
    return at;
}

static bool find_sites(recording *r)
{
    const gb_elbo *const old = r->old;
    for (const own_site *own = last_site(old); own; own = site_before(own))
        r->sites++;
    r->site = gb_tape_keep(old->tape, (r->sites + 1) * sizeof *r->site);
    size_t place = r->sites;
    for (const own_site *own = last_site(old); r->site && own; own = site_before(own))
        r->site[--place] = own;
    return r->site;
}

/* One message has all draws that their new estimators do not fit, with what is lacking. */
static bool estimators_fit(const recording *r)
{
    enum { SHOWN = 4 };
    char words[480] = "";
    size_t used = 0, unfit = 0;
    for (size_t i = 0; i < r->sites; i++) {
        const own_site *const own = r->site[i];
        const gb_estimator estimator = estimator_for(r->how, own);
        const char *const lack = gb_estimator_lacks(estimator, own->q);
        if (!lack || ++unfit > SHOWN || used + 1 >= sizeof words)
            continue;
        used += (size_t)snprintf(
            words + used, sizeof words - used, "%s%s does not fit draw %.40s: it needs a %s, and %s has none",
            used ? "; " : "", estimator.type->name, own->site.name, lack, own->q.type->name);
    }
    if (unfit > SHOWN && used + 1 < sizeof words)
        snprintf(words + used, sizeof words - used, "; and %zu more", unfit - SHOWN);
    return unfit == 0 || gb_fail(r->old->tape, GB_EARGUMENT, "swap: %s", words) == GB_OK;
}

static bool begin(recording *r)
{
    const gb_elbo *const old = r->old;
    const gb_elbo_again *const how = r->how;
    const char *const stream = gb_tape_keep_text(old->tape, how->stream ? how->stream : ""),
                      *const word = gb_tape_keep_text(old->tape, how->word ? how->word : "");
    r->q = gb_tape_keep(old->tape, (r->sites + 1) * sizeof *r->q);
    r->e = gb_tape_keep(old->tape, sizeof *r->e);
    if (!stream || !word || !r->q || !r->e)
        return false;
    r->again = gb_again_new(old->expect, how->axes, word, stream, how->count + 2 * r->sites);
    if (!r->again)
        return false;
    for (size_t i = 0; i < how->count; i++)
        gb_again_put(r->again, how->variable[i], how->instead[i]);
    *r->e = (gb_elbo){.tape = old->tape,
                      .options = old->options,
                      .expect = r->again->expect,
                      .replicates = how->axes,
                      .latents = old->latents,
                      .lazy = old->lazy,
                      .has_point = old->has_point,
                      .has_draw = old->has_draw,
                      .has_rows = old->has_rows,
                      .has_density = old->has_density,
                      .part_of_data = old->part_of_data,
                      .kl_step = old->kl_step};
    return true;
}

/* ---- the draws ---- */

/* The term of such a latent is made again, since its form depends on the estimator; others are copied. Of a
 * block whose priors are of several kinds it is always sampled. */
static bool makes_term_again(const gb_kept *kept)
{
    return kept && (kept->parts == 0 || gb_dist_ok(kept->joined) || kept->is_flat);
}

static bool draw_again(recording *r, size_t i)
{
    const gb_elbo_again *const how = r->how;
    const own_site *const own = r->site[i];
    const gb_kept *const kept = kept_of(r->old, own->site.draw);
    const gb_estimator estimator = estimator_for(how, own);
    const bool is_free = how->free && strcmp(how->free, own->site.name) == 0;
    r->again->common = is_free ? 0 : how->common;
    r->q[i] = gb_again_dist(r->again, kept ? kept->q : own->q);
    if (estimator.type == &gb_sleep_estimator_type) {
        r->e->sleepers++;
        gb_expect_has_model(r->e->expect);
    }
    r->e->drawn += kept != NULL;
    if (!gb_node_ok(gb_again_draw(r->again, own, r->q[i], estimator)))
        return false;
    if (!makes_term_again(kept))
        gb_again_put_own(r->again, own);
    return gb_error(r->e->tape) == GB_OK;
}

/* ---- the terms ---- */

/* Whether this is the term of the latent that is drawn at a site, and is made again. */
static bool is_latent_term(const gb_elbo_term *term, const gb_kept *kept)
{
    return makes_term_again(kept) && (term->kind == GB_TERM_KL || term->kind == GB_TERM_ENTROPY) &&
           strcmp(kept->slot.name, term->name) == 0;
}

static gb_node again(const recording *r, gb_node node)
{
    gb_node made = node;
    return !gb_node_ok(node) || gb_again_replace(r->again, 1, &node, &made) ? made : (gb_node){0};
}

static void add_latent_term(recording *r, const char *name, const gb_kept *kept, size_t i)
{
    const gb_node draw = again(r, kept->value), weight = again(r, kept->weight);
    const gb_estimator estimator = estimator_for(r->how, r->site[i]);
    const gb_dist prior = gb_again_dist(r->again, kept->parts > 0 ? kept->joined : kept->prior);
    if (gb_dist_ok(prior))
        gb_elbo_add_kl(r->e, name, r->q[i], prior, draw, estimator, weight);
    else
        gb_elbo_add_entropy(r->e, name, r->q[i], draw, estimator, weight);
}

static void copy_term(recording *r, const gb_own_term *old)
{
    gb_node part[] = {old->each, old->density, old->row, old->shown.scale};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        part[i] = again(r, part[i]);
    const size_t before = r->e->count;
    gb_elbo_add(r->e, old->shown.kind, old->shown.name, part[0], part[3]);
    if (r->e->count == before)
        return;
    gb_own_term *const made = r->e->last;
    made->density = part[1];
    made->row = part[2];
    made->shown.approximation = old->shown.approximation;
    made->shown.warning = old->shown.warning;
}

/* gb_prior has the density of a discrete law at its draws, and that is 0 between its values. */
static bool takes_relaxed(const recording *r, const gb_own_term *term)
{
    for (size_t i = 0; i < r->sites && gb_node_ok(term->density); i++) {
        const gb_site *const site = &r->site[i]->site;
        const gb_estimator estimator = estimator_for(r->how, r->site[i]);
        if (estimator.type->relaxes && !site->estimator.type->relaxes &&
            gb_node_depends(term->density, site->draw))
            return gb_fail(r->old->tape, GB_EARGUMENT,
                           "swap: %s relaxes draw %s, and the prior %s was recorded for its values alone; "
                           "record the model with an estimator that relaxes",
                           estimator.type->name, site->name, term->shown.name) == GB_OK;
    }
    return true;
}

/* The terms are recorded from the last to the first. */
static bool add_terms(recording *r, const gb_own_term *last)
{
    if (!last)
        return true;
    if (!add_terms(r, last->before) || !takes_relaxed(r, last))
        return false;
    size_t i = 0;
    const gb_kept *kept = NULL;
    for (; i < r->sites; i++) {
        kept = kept_of(r->old, r->site[i]->site.draw);
        if (is_latent_term(&last->shown, kept))
            break;
    }
    if (i < r->sites)
        add_latent_term(r, last->shown.name, kept, i);
    else
        copy_term(r, last);
    return gb_error(r->e->tape) == GB_OK;
}

/* ---- what else belongs to an ELBO ---- */

static void keep_latents(recording *r, const gb_kept *last)
{
    if (!last)
        return;
    keep_latents(r, last->before);
    gb_kept made = *last;
    made.prior = gb_dist_ok(last->prior) ? gb_again_dist(r->again, last->prior) : last->prior;
    made.q = gb_again_dist(r->again, last->q);
    made.joined = gb_again_dist(r->again, last->joined);
    made.value = again(r, last->value);
    made.weight = again(r, last->weight);
    gb_elbo_keep(r->e, made);
}

static void keep_outcomes(recording *r, const gb_kept_outcome *last)
{
    if (!last)
        return;
    keep_outcomes(r, last->before);
    gb_kept_outcome made = *last;
    made.law = gb_again_dist(r->again, last->law);
    made.data = again(r, last->data);
    made.density = again(r, last->density);
    gb_elbo_keep_outcome(r->e, made);
}

static void keep_weights(recording *r, const gb_kept_weight *last)
{
    if (!last)
        return;
    keep_weights(r, last->before);
    gb_elbo_keep_weight(r->e, (gb_kept_weight){.density = again(r, last->density), .weight = last->weight});
}

static void add_stand_ins(recording *r, const gb_stand_in *last)
{
    if (!last)
        return;
    add_stand_ins(r, last->before);
    gb_stand_in made = *last;
    made.drawn = again(r, last->drawn);
    made.whole = again(r, last->whole);
    made.q = gb_again_dist(r->again, last->q);
    gb_elbo_add_stand_in(r->e, made);
}

/* ---- the whole ---- */

gb_elbo *gb_elbo_record_again(gb_elbo *e, const gb_elbo_again *how)
{
    recording r = {.old = e, .how = how};
    if (!gb_node_ok(gb_elbo_loss(e)) || !swaps_are_there(e, how) || !find_sites(&r) || !estimators_fit(&r) ||
        !begin(&r))
        return NULL;
    for (size_t i = 0; i < r.sites; i++)
        if (!draw_again(&r, i))
            return NULL;
    keep_latents(&r, e->kept);
    keep_outcomes(&r, e->outcomes);
    keep_weights(&r, e->weighed);
    add_stand_ins(&r, e->stand_ins);
    return add_terms(&r, e->last) && gb_node_ok(gb_elbo_loss(r.e)) ? r.e : NULL;
}

gb_elbo *gb_elbo_swapped(gb_elbo *e, const char *word, size_t count, const gb_swap *swaps)
{
    if (!e || gb_error(e->tape) != GB_OK)
        return NULL;
    if (!word || !*word || (count > 0 && !swaps)) {
        gb_fail(e->tape, GB_EARGUMENT, "swap: %s",
                word && *word ? "the list of swaps is NULL"
                              : "a word is required, for the names of what estimators learn");
        return NULL;
    }
    return gb_elbo_record_again(e, &(gb_elbo_again){.word = word, .swaps = count, .swap = swaps});
}

size_t gb_elbo_draws(const gb_elbo *e, const char **names, size_t most)
{
    size_t count = 0, place = 0;
    for (const own_site *own = last_site(e); own; own = site_before(own))
        count++;
    place = count;
    for (const own_site *own = last_site(e); own; own = site_before(own))
        if (--place < most)
            names[place] = own->site.name;
    return count;
}

gb_estimator gb_elbo_estimator_of(const gb_elbo *e, const char *draw)
{
    for (const own_site *own = last_site(e); own; own = site_before(own))
        if (strcmp(own->site.name, draw) == 0)
            return own->site.estimator;
    return (gb_estimator){0};
}
