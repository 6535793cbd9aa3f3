/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lazy latents: what they may be used for, and layers that stand in their place. */
#include "models/lazy.h"

#include <stdio.h>

#include "estimators/reach.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "models/elbo/latent_impl.h"
#include "models/elbo/lazy_impl.h"
#include "models/families/name_impl.h"

/* ---- uses ---- */

static const char *words_of(gb_lazy_use use)
{
    switch (use) {
    case GB_LAZY_DRAWN: return "one draw for all rows is in use already";
    case GB_LAZY_BY_ROW: return "draws for each row are in use already";
    case GB_LAZY_UNUSED:
    case GB_LAZY_ASIDE:
    case GB_LAZY_NOISE:
    case GB_LAZY_REPLACED: break;
    }
    return "a layer with a site of its own uses it already";
}

static bool is_aside(gb_lazy_use use)
{
    return use == GB_LAZY_ASIDE || use == GB_LAZY_NOISE;
}

/* What draws for each row, or a site of a layer, cannot do; NULL: nothing. */
static const char *refusal(const gb_own_lazy *own, gb_lazy_use as)
{
    const gb_lazy *const w = &own->seen;
    if (as == GB_LAZY_DRAWN)
        return NULL;
    if (w->elbo->options.bound.type->needs_weights)
        return "the bound needs log p - log q of one draw for all rows";
    if (is_aside(as) && (gb_estimator_needs(w->estimator) & GB_NEEDS_OWN_LOG_PROB))
        return "its estimator needs log q of the draw that the layer uses, and there is none";
    return is_aside(as) && own->family.row_by_row
               ? "its family is to draw for each row (gb_row_by_row), and the layer draws something else"
               : NULL;
}

static bool can_be_used(const gb_own_lazy *own, gb_lazy_use as)
{
    gb_elbo *const e = own->seen.elbo;
    const char *const name = own->seen.name, *const why = refusal(own, as);
    if (own->use != GB_LAZY_UNUSED)
        gb_fail(
            e->tape, GB_EARGUMENT,
            "latent %s: a second use is rejected, since %s, and the uses would differ; with GB_NOISE_SHARED "
            "(gb_lazy_draw) all uses have the same draw",
            name, words_of(own->use));
    else if (why)
        gb_fail(e->tape, GB_EARGUMENT, "latent %s: %s; take GB_NOISE_SHARED (gb_lazy_draw)", name, why);
    else
        return true;
    return false;
}

/* A point has one value, whatever it is used for, and any number of uses. */
static gb_node used(gb_lazy *w, gb_lazy_use as)
{
    gb_own_lazy *const own = (gb_own_lazy *)w; /* of which `w` is the first member */
    if (!own || gb_error(w->elbo->tape) != GB_OK)
        return (gb_node){0};
    if (!w->q.type)
        as = GB_LAZY_DRAWN;
    if (own->use == GB_LAZY_DRAWN && as == GB_LAZY_DRAWN)
        return w->value;
    return can_be_used(own, as) ? gb_elbo_use(own, as) : (gb_node){0};
}

gb_node gb_lazy_draw(gb_lazy *w)
{
    return used(w, GB_LAZY_DRAWN);
}

gb_node gb_lazy_draw_rows(gb_lazy *w)
{
    return used(w, GB_LAZY_BY_ROW);
}

gb_node gb_lazy_draw_aside(gb_lazy *w, bool is_noise)
{
    return used(w, is_noise ? GB_LAZY_NOISE : GB_LAZY_ASIDE);
}

/* ---- layers ---- */

gb_node gb_lazy_site(gb_lazy *w, const char *suffix, gb_dist of, gb_axes axes)
{
    char name[GB_PART_NAME];
    if (!w || !gb_joined_name(w->elbo->tape, w->name, ".", suffix ? suffix : "site", name))
        return (gb_node){0};
    w->elbo->has_draw = true;
    return gb_draw_over(w->elbo->expect, name, of, axes, w->estimator);
}

gb_node gb_elbo_stand_in(gb_elbo *e, const char *name, gb_node drawn, gb_node whole)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    if (!e || gb_error(e->tape) != GB_OK)
        return (gb_node){0};
    const char *const kept = gb_tape_keep_text(e->tape, name ? name : "");
    if (!gb_node_ok(drawn) || !gb_node_ok(whole) || drawn.tape != e->tape || whole.tape != e->tape)
        gb_fail(e->tape, GB_ENODE, "stand_in %s: it is not a usable node of the ELBO's tape",
                name ? name : "");
    else if (!gb_shape_same(gb_node_shape(drawn), gb_node_shape(whole)))
        gb_fail(e->tape, GB_ESHAPE,
                "stand_in %s: it has shape %s, and with one draw for all rows %s; both must be the same",
                name ? name : "", gb_shape_text(gb_node_shape(drawn), a),
                gb_shape_text(gb_node_shape(whole), b));
    else if (kept)
        gb_elbo_add_stand_in(e, (gb_stand_in){.name = kept, .drawn = drawn, .whole = whole});
    return gb_error(e->tape) == GB_OK ? drawn : (gb_node){0};
}

static bool are_aside(size_t count, gb_lazy *const *w)
{
    for (size_t i = 0; i < count; i++)
        if (w[i]->q.type && !is_aside(((const gb_own_lazy *)w[i])->use)) {
            gb_fail(
                w[i]->elbo->tape, GB_EARGUMENT,
                "lazy_replace: latent %s must have been drawn by gb_lazy_draw_aside, and be replaced once",
                w[i]->name);
            return false;
        }
    return true;
}

gb_node gb_lazy_replace(size_t count, gb_lazy *const *w, gb_node drawn, gb_node whole)
{
    for (size_t i = 0; i < count; i++)
        if (!w || !w[i])
            return (gb_node){0};
    if (count == 0 || gb_error(w[0]->elbo->tape) != GB_OK || !are_aside(count, w))
        return (gb_node){0};
    const gb_node layer = gb_elbo_stand_in(w[0]->elbo, w[0]->name, drawn, whole);
    for (size_t i = 0; i < count && gb_node_ok(layer); i++)
        if (w[i]->q.type)
            ((gb_own_lazy *)w[i])->use = GB_LAZY_REPLACED;
    return layer;
}

/* ---- what a complete ELBO must hold ---- */

bool gb_lazy_all_used(const gb_elbo *e)
{
    for (const gb_own_lazy *own = e->lazy; own; own = own->before)
        if (own->use == GB_LAZY_UNUSED || is_aside(own->use))
            return gb_fail(
                       e->tape, GB_EARGUMENT,
                       "elbo: latent %s was made by gb_latent_lazy, and no layer uses it; give it to a layer "
                       "(gb_lazy_affine), or draw it (gb_lazy_draw)",
                       own->seen.name) == GB_OK;
    return true;
}

bool gb_lazy_rows_are_separate(const gb_elbo *e, gb_node sampled)
{
    gb_reach reach;
    for (const gb_stand_in *at = e->stand_ins; at; at = at->before) {
        if (!(gb_node_axes(at->drawn) & GB_ROWS))
            continue;
        if (!gb_reach_of(sampled, at->drawn, &reach))
            return false;
        if (gb_node_ok(reach.whole))
            return gb_fail(
                       e->tape, GB_EARGUMENT,
                       "elbo: latent %s has noise of its own in each row, which needs a sum over rows that "
                       "do not depend on each other's draws, and these do (a mean, maximum or product of "
                       "rows); take GB_NOISE_SHARED",
                       at->name) == GB_OK;
    }
    return true;
}

/* ---- whole functions ---- */

static gb_node draw_from(const gb_stand_in *at)
{
    char name[GB_PART_NAME];
    gb_tape *const tape = at->drawn.tape;
    return gb_joined_name(tape, at->name, ".", "whole", name)
               ? gb_sample(at->q, gb_stream(tape, name), GB_SAMPLES)
               : (gb_node){0};
}

gb_node gb_elbo_whole(gb_elbo *e, gb_node x)
{
    size_t count = 0;
    gb_node whole = {0};
    if (!e || gb_error(e->tape) != GB_OK)
        return whole;
    for (const gb_stand_in *at = e->stand_ins; at; at = at->before)
        count += at->q.type != NULL;
    gb_node *const from = gb_tape_keep(e->tape, (2 * count + 1) * sizeof *from);
    if (!from)
        return whole;
    gb_node *const to = from + count;
    size_t i = 0;
    for (gb_stand_in *at = e->stand_ins; at; at = at->before)
        if (at->q.type) {
            if (!gb_node_ok(at->whole))
                at->whole = draw_from(at);
            from[i] = at->drawn;
            to[i++] = at->whole;
        }
    return gb_elbo_replaced(e, count, from, to, 1, &x, false, &whole) ? whole : (gb_node){0};
}
