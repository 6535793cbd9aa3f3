/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/elbo/kept_impl.h"

#include "core/graph/replace_impl.h"
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

void gb_elbo_keep_weight(gb_elbo *e, gb_kept_weight weighed)
{
    gb_kept_weight *const made = gb_tape_keep(e->tape, sizeof *made);
    if (!made)
        return;
    *made = weighed;
    made->before = e->weighed;
    e->weighed = made;
}

gb_node gb_elbo_weight_of(const gb_elbo *e, gb_node density)
{
    for (const gb_kept_weight *w = e->weighed; w; w = w->before)
        if (gb_node_same(w->density, density))
            return w->weight;
    for (const gb_kept_outcome *o = e->outcomes; o; o = o->before)
        if (gb_node_ok(o->weight) && gb_node_same(o->density, density))
            return o->weight;
    return (gb_node){0};
}

bool gb_kept_is_of_rows(const gb_kept *latent)
{
    return !latent->family.row_by_row && (gb_node_axes(latent->value) & GB_ROWS);
}

const char *gb_elbo_latent_of_rows(const gb_elbo *e)
{
    for (const gb_kept *at = e->kept; at; at = at->before)
        if (gb_kept_is_of_rows(at))
            return at->slot.name;
    return NULL;
}

static bool is_ensemble(const gb_kept *k)
{
    return !gb_dist_ok(k->q) && GB_HAS(k->family.type, point) && (gb_node_axes(k->value) & GB_SAMPLES);
}

const char *gb_elbo_ensemble(const gb_elbo *e)
{
    const char *first = NULL;
    for (const gb_kept *at = e->kept; at; at = at->before)
        if (is_ensemble(at))
            first = at->slot.name;
    return first;
}

const char *gb_elbo_all_points(const gb_elbo *e)
{
    const char *first = NULL;
    for (const gb_kept *at = e->kept; at; at = at->before) {
        if (!GB_HAS(at->family.type, point) || is_ensemble(at))
            return NULL;
        first = at->slot.name;
    }
    return first;
}

void gb_elbo_add_stand_in(gb_elbo *e, gb_stand_in of)
{
    gb_stand_in *const made = gb_tape_keep(e->tape, sizeof *made);
    if (!made)
        return;
    of.before = e->stand_ins;
    *made = of;
    e->stand_ins = made;
}

typedef gb_status replacing(size_t count, const gb_node *from, const gb_node *to, size_t roots,
                            const gb_node *root, gb_node *replaced);

static replacing *replaced_by(bool with_draws)
{
    return with_draws ? gb_replaced_with_draws : gb_replaced;
}

size_t gb_elbo_layers(const gb_elbo *e, gb_node *from, gb_node *to)
{
    size_t layers = 0;
    for (const gb_stand_in *at = e->stand_ins; at; at = at->before)
        layers += !at->q.type;
    size_t last = layers;
    for (const gb_stand_in *at = e->stand_ins; at && from; at = at->before)
        if (!at->q.type) {
            from[--last] = at->drawn;
            to[last] = at->whole;
        }
    return layers;
}

bool gb_elbo_add_layers(const gb_elbo *e, size_t places, gb_node *from, gb_node *to, bool with_draws)
{
    const size_t layers = gb_elbo_layers(e, from + places, to + places);
    bool good = true;
    for (size_t i = places > 0 ? places : 1; good && i < places + layers; i++)
        good = replaced_by(with_draws)(i, from, to, 1, &to[i], &to[i]) == GB_OK;
    return good;
}

bool gb_elbo_replaced(const gb_elbo *e, size_t places, const gb_node *from, const gb_node *to, size_t count,
                      const gb_node *node, bool with_draws, gb_node *replaced)
{
    const size_t layers = gb_elbo_layers(e, NULL, NULL);
    gb_node *const both = gb_tape_keep(e->tape, (2 * (places + layers) + 1) * sizeof *both);
    if (!both)
        return false;
    gb_node *const all_to = both + places + layers;
    for (size_t i = 0; i < places; i++) {
        both[i] = from[i];
        all_to[i] = to[i];
    }
    return gb_elbo_add_layers(e, places, both, all_to, with_draws) &&
           replaced_by(with_draws)(places + layers, both, all_to, count, node, replaced) == GB_OK;
}
