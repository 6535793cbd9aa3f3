/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers that have noise of their own in each row: they stand in the place of whole ones. */
#include "models/lazy.h"

#include "estimators/reach.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "models/elbo/layers_impl.h"
#include "models/elbo/lazy_impl.h"
#include "models/families/name_impl.h"

/* ---- layers ---- */

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
        if (w[i]->q.type && !gb_lazy_is_aside(w[i])) {
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
        if (own->use == GB_LAZY_UNUSED || gb_lazy_is_aside(&own->seen))
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
    if (!gb_elbo_takes(e, x, "elbo_whole"))
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
