/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other views of the points: values, free numbers from values, draws of q, nodes of the user's. */
#include <stdio.h>

#include "core/run/tolerant_impl.h"
#include "core/tape/input_impl.h"
#include "distributions/distribution.h"
#include "estimators/estimator.h"
#include "fitting/density/density_impl.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static gb_node row_of(gb_node x)
{
    return gb_reshape(gb_widen(x, GB_SAMPLES), gb_shape((int64_t)gb_shape_count(gb_node_shape(x))));
}

static gb_node joined(const gb_density *d, const gb_node *rows)
{
    return gb_widen(gb_concat(d->parts, rows, -1), GB_SAMPLES);
}

/* ---- values ---- */

gb_node gb_density_all_values(gb_density *d)
{
    gb_node *const row = gb_tape_keep(d->tape, d->parts * sizeof *row);
    for (size_t i = 0; row && i < d->parts; i++)
        row[i] = row_of(d->placed[i].shown);
    return row ? joined(d, row) : (gb_node){0};
}

/* ---- free numbers ---- */

/* Room for what stands in the place of each latent. */
static gb_node *places_of(const gb_density *d)
{
    return gb_tape_keep(d->tape, d->places * sizeof(gb_node));
}

/* The free numbers of part i from its value. The reach may depend on the parts before. */
static gb_node free_of(const gb_density *d, size_t i, gb_node shown, const gb_node *value)
{
    const gb_slot *const slot = &d->placed[i].slot;
    if (d->part[i].is_free)
        return row_of(shown);
    gb_node x = gb_transform_inverse(slot->reach, shown);
    if (gb_transform_axes(slot->reach) && !gb_density_place(d, i, value, 1, &x, false, &x))
        return (gb_node){0};
    return row_of(x);
}

gb_node gb_density_all_free(gb_density *d)
{
    d->given = gb_input_points(d->tape, "values of a density", gb_shape((int64_t)d->value_count));
    gb_node *const value = places_of(d), *const row = places_of(d);
    for (size_t i = 0; value && row && i < d->parts; i++) {
        const gb_density_part *const part = &d->part[i];
        const gb_node shown = gb_density_piece(d->given, part->first_value, part->values, part->shape);
        value[i] = gb_density_hidden(&d->placed[i], shown);
        row[i] = free_of(d, i, shown, value);
    }
    return value && row ? joined(d, row) : (gb_node){0};
}

/* ---- draws of q ---- */

/* The stream of the draws: "density.draw", or with a number if there is one already. */
static gb_noise stream_of(gb_tape *tape)
{
    char name[40] = "density.draw";
    for (int i = 2;; i++) {
        const gb_noise stream = gb_stream(tape, name);
        if (gb_error(tape) != GB_ENAME)
            return stream;
        gb_forgive(tape);
        snprintf(name, sizeof name, "density_%d.draw", i);
    }
}

typedef struct drawing {
    gb_density *d;
    gb_noise noise;
    size_t places; /* latents drawn so far, in the order of recording */
    gb_node *from, *to;
    gb_node *row; /* free numbers of each part */
    gb_node log_q;
} drawing;

static void put(drawing *w, gb_node from, gb_node to)
{
    w->from[w->places] = from;
    w->to[w->places++] = to;
}

/* Places nodes at the draws so far. */
static bool at_draws(const drawing *w, size_t count, gb_node *node)
{
    return gb_elbo_replaced(w->d->elbo, w->places, w->from, w->to, count, node, true, node);
}

/* Draws from q of a latent by itself, given the draws before. */
static bool draw_one(drawing *w, const gb_kept *kept, gb_node drawn[2])
{
    if (!gb_dist_ok(kept->q)) { /* a point */
        drawn[0] = gb_widen(gb_stop(kept->value), GB_SAMPLES);
        drawn[1] = gb_num(w->d->tape, 0);
        return gb_node_ok(drawn[0]);
    }
    if (gb_dist_discrete(kept->q)) {
        gb_fail(w->d->tape, GB_EARGUMENT, "density_draw: q of latent %s (%s) has no density", kept->slot.name,
                kept->q.type->name);
        return false;
    }
    drawn[0] = gb_sample(kept->q, w->noise, GB_SAMPLES);
    drawn[1] = gb_per_sample(gb_log_prob(kept->q, drawn[0]));
    return at_draws(w, 2, drawn);
}

/* Adds the free numbers of part i, drawn by itself, and the slope that log q needs there. */
static bool add_single(drawing *w, size_t i)
{
    const gb_placed *const at = &w->d->placed[i];
    const gb_transform reach = at->slot.reach;
    gb_node drawn[2];
    if (at->of_rows)
        gb_fail(w->d->tape, GB_EARGUMENT,
                "density_draw: latent %s is there for each row, and its draws cannot be listed",
                at->slot.name);
    if (!draw_one(w, at->kept, drawn))
        return false;
    gb_node x[] = {drawn[0], gb_num(w->d->tape, 0)};
    if (!w->d->part[i].is_free) {
        x[0] = gb_transform_inverse(reach, drawn[0]);
        if (gb_dist_ok(at->kept->q))
            x[1] = gb_density_slope(&at->slot, x[0], drawn[0]);
        if (!at_draws(w, 2, x))
            return false;
    }
    put(w, at->kept->value, drawn[0]);
    w->row[i] = row_of(x[0]);
    w->log_q = gb_add(w->log_q, gb_add(drawn[1], x[1]));
    return gb_node_ok(w->row[i]);
}

/* Adds the free numbers of the parts of a block from i on: they are pieces of its vector. */
static bool add_block(drawing *w, size_t i, const gb_placed *vector)
{
    const gb_density *const d = w->d;
    gb_node drawn[2];
    if (!draw_one(w, vector->kept, drawn))
        return false;
    put(w, vector->kept->value, drawn[0]);
    w->log_q = gb_add(w->log_q, drawn[1]);
    for (size_t k = i; k < i + vector->kept->parts; k++) {
        gb_node value = d->placed[k].kept->value;
        if (!at_draws(w, 1, &value))
            return false;
        put(w, d->placed[k].kept->value, value);
        w->row[k] = gb_density_piece(gb_widen(drawn[0], GB_SAMPLES), d->part[k].first - d->part[i].first,
                                     d->part[k].count, gb_shape((int64_t)d->part[k].count));
    }
    return gb_error(d->tape) == GB_OK;
}

void gb_density_all_draws(gb_density *d, gb_node root[2])
{
    drawing w = {
        .d = d, .noise = stream_of(d->tape), .from = places_of(d), .to = places_of(d), .row = places_of(d)};
    bool good = w.from && w.to && w.row;
    root[0] = root[1] = (gb_node){0};
    w.log_q = gb_num(d->tape, 0);
    for (size_t i = 0; good && i < d->parts;) {
        const gb_placed *const vector = d->placed[i].vector;
        good = vector ? add_block(&w, i, vector) : add_single(&w, i);
        i += vector ? vector->kept->parts : 1;
    }
    if (good) {
        root[0] = joined(d, w.row);
        root[1] = gb_widen(w.log_q, GB_SAMPLES);
    }
}

/* ---- nodes of the user's ---- */

gb_program *gb_density_program(gb_density *d, gb_node_list nodes)
{
    if (!d || gb_error(d->tape) != GB_OK)
        return NULL;
    if (nodes.count > 0 && !nodes.node) {
        gb_fail(d->tape, GB_EARGUMENT, "density_program: %zu nodes are given, but the list is NULL",
                nodes.count);
        return NULL;
    }
    gb_node *const to = places_of(d), *const root = gb_tape_keep(d->tape, (nodes.count + 1) * sizeof *root);
    for (size_t i = 0; to && i < d->places; i++)
        to[i] = d->placed[i].value;
    if (!to || !root || !gb_density_place(d, d->places, to, nodes.count, nodes.node, true, root))
        return NULL;
    for (size_t i = 0; i < nodes.count; i++)
        root[i] = gb_widen(root[i], GB_SAMPLES);
    gb_program *const program = gb_compile(d->tape, gb_roots_of(nodes.count, root), gb_no_update);
    gb_program_tolerate(program, d);
    return program;
}
