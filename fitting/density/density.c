/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From an ELBO to its log joint density: the latents become functions of z, and the terms are recorded again
 * at them. */
#include <math.h>

#include "core/tape/input_impl.h"
#include "estimators/estimator.h"
#include "fitting/density/density_impl.h"
#include "fitting/density/function_impl.h"
#include "models/elbo/elbo_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- which latents ---- */

static bool is_vector(const gb_kept *kept)
{
    return kept->parts > 0;
}

/* The number of rows, if all of them are in one batch; else 0. */
static int64_t rows_of(const gb_density *d)
{
    const gb_batches *const data = d->options.data;
    const double all = d->elbo->options.data_size;
    const bool is_one = !data || (gb_batches_count(data) == 1 && (double)gb_batches_rows(data) == all);
    return is_one && all == floor(all) && all < 0x1p53 ? (int64_t)all : 0;
}

static bool has_density(const gb_density *d, const gb_kept *kept)
{
    const char *const name = kept->slot.name;
    if (kept->family.type == &gb_dropout_family_type)
        gb_fail(d->tape, GB_EARGUMENT,
                "density: latent %s is drawn by dropout, which has no density over its weights", name);
    else if (gb_dist_ok(kept->prior) && gb_dist_discrete(kept->prior))
        gb_fail(d->tape, GB_EARGUMENT,
                "density: latent %s is discrete (%s), and has no free numbers; sum it out of the model", name,
                kept->prior.type->name);
    else if (gb_node_ok(kept->weight))
        gb_fail(d->tape, GB_EARGUMENT,
                "density: rows of latent %s have weights, so each stands for several latents, which are one "
                "here: repeat the rows instead",
                name);
    else if (gb_kept_is_of_rows(kept) && rows_of(d) == 0)
        gb_fail(d->tape, GB_EARGUMENT,
                "density: latent %s is there for each row, so all .data_size rows must be in one batch: "
                "gb_batches_new without .batch",
                name);
    else if (gb_kept_is_of_rows(kept) && (gb_transform_axes(kept->slot.reach) & GB_ROWS))
        gb_fail(
            d->tape, GB_EARGUMENT,
            "density: latent %s is there for each row, with a support of its own in each; take a latent of "
            "real numbers, and map it in the model",
            name);
    else
        return true;
    return false;
}

/* Finds the reach: of the prior's support; without prior, of q's, if q was given. */
static bool find_reach(const gb_density *d, gb_placed *at)
{
    const gb_kept *const kept = at->kept;
    at->slot = kept->slot;
    if (!gb_dist_ok(kept->prior) && kept->family.type == &gb_given_family_type &&
        !gb_slot_of(d->tape, kept->slot.name, kept->family, kept->q, &at->slot))
        return false;
    at->slot.name = kept->slot.name;
    at->of_rows = gb_kept_is_of_rows(kept);
    if (at->of_rows) {
        at->slot.shape = gb_shape_join(gb_shape(rows_of(d)), at->slot.shape);
        at->slot.free = gb_shape_join(gb_shape(rows_of(d)), at->slot.free);
    }
    if (at->slot.is_reachable && at->slot.shape.rank >= 0 && at->slot.free.rank >= 0)
        return true;
    gb_fail(d->tape, GB_EARGUMENT,
            "density: no transform of real numbers reaches the support of latent %s (%s)", at->slot.name,
            gb_dist_ok(kept->prior) ? kept->prior.type->name : kept->q.type->name);
    return false;
}

/* ---- the latents at the points ---- */

gb_node gb_density_piece(gb_node vector, size_t first, size_t count, gb_shape shape)
{
    return gb_reshape(gb_slice(vector, -1, (int64_t)first, (int64_t)(first + count)), shape);
}

gb_node gb_density_hidden(const gb_placed *at, gb_node value)
{
    return at->of_rows ? gb_hide(value, GB_ROWS) : value;
}

bool gb_density_place(const gb_density *d, size_t places, const gb_node *to, size_t count,
                      const gb_node *node, bool with_draws, gb_node *replaced)
{
    gb_node *const from = gb_tape_keep(d->tape, (places + 1) * sizeof *from);
    if (!from)
        return false;
    for (size_t i = 0; i < places; i++)
        from[i] = d->placed[i].kept->value;
    return gb_elbo_replaced(d->elbo, places, from, to, count, node, with_draws, replaced);
}

/* Places at the points nodes that depend on latents before number `places`. */
static bool at_points(const gb_density *d, size_t places, size_t count, gb_node *node)
{
    gb_node *const to = gb_tape_keep(d->tape, (places + 1) * sizeof *to);
    if (!to)
        return false;
    for (size_t i = 0; i < places; i++)
        to[i] = d->placed[i].value;
    return gb_density_place(d, places, to, count, node, false, node);
}

gb_node gb_density_slope(const gb_slot *slot, gb_node free, gb_node value)
{
    gb_shape each = slot->free;
    each.rank -= gb_transform_from(slot->reach)->event_rank;
    return gb_per_sample(gb_broadcast(gb_transform_log_jacobian(slot->reach, free, value), each));
}

static void add(gb_density *d, gb_node term)
{
    d->log_p = gb_add(d->log_p, term);
}

/* Finds which numbers are those of part `i`. */
static bool count_part(gb_density *d, size_t i)
{
    gb_placed *const at = &d->placed[i];
    gb_density_part *const part = &d->part[i];
    if (!has_density(d, at->kept) || !find_reach(d, at))
        return false;
    const bool is_free = !gb_transform_ok(at->slot.reach), is_point = GB_HAS(at->kept->family.type, point);
    *part = (gb_density_part){.name = at->slot.name,
                              .shape = at->slot.shape,
                              .first_value = d->value_count,
                              .values = gb_shape_count(at->slot.shape),
                              .first = d->count,
                              .count = (size_t)gb_slot_count(&at->slot),
                              .is_point = is_point,
                              .is_free = is_free};
    d->count += part->count;
    d->value_count += part->values;
    return true;
}

/* Cuts the piece of part `i` out of z, maps it onto its support, and adds the logarithm of the slope. */
static bool place_part(gb_density *d, size_t i)
{
    gb_placed *const at = &d->placed[i];
    const gb_density_part *const part = &d->part[i];
    at->shown = at->free = gb_density_piece(d->points, part->first, part->count, at->slot.free);
    at->value = gb_density_hidden(at, at->shown);
    if (part->is_free)
        return gb_node_ok(at->value);
    gb_node placed[] = {gb_transform_forward(at->slot.reach, at->free), gb_num(d->tape, 0)};
    if (!part->is_point || !d->options.points_by_height)
        placed[1] = gb_density_slope(&at->slot, at->free, placed[0]);
    if (gb_transform_axes(at->slot.reach) && !at_points(d, i, 2, placed))
        return false;
    at->shown = gb_named(placed[0], part->name);
    at->value = gb_density_hidden(at, at->shown);
    add(d, placed[1]);
    return gb_node_ok(at->value);
}

/* The vector of a block is the free numbers of its parts, which are neighbours in z. */
static bool place_vector(gb_density *d, size_t i)
{
    gb_placed *const at = &d->placed[i];
    size_t last = 0;
    while (last < d->parts && d->placed[last].kept != at->kept->before)
        last++;
    const gb_density_part *const end = &d->part[last], *const begin = end + 1 - at->kept->parts;
    for (size_t k = 0; k < at->kept->parts; k++)
        d->placed[last - k].vector = at;
    at->slot = at->kept->slot;
    at->free = at->value =
        gb_density_piece(d->points, begin->first, end->first + end->count - begin->first, at->slot.free);
    return gb_node_ok(at->value);
}

/* Fills `placed` in the order of recording: parts first, then the vectors of blocks. */
static bool find_latents(gb_density *d)
{
    for (const gb_kept *kept = d->elbo->kept; kept; kept = kept->before) {
        d->places++;
        d->parts += !is_vector(kept);
    }
    if (d->parts == 0) {
        gb_fail(d->tape, GB_EARGUMENT, "density: the ELBO has no latents");
        return false;
    }
    d->placed = gb_tape_keep(d->tape, d->places * sizeof *d->placed);
    d->part = gb_tape_keep(d->tape, d->parts * sizeof *d->part);
    size_t part = d->parts, vector = d->places;
    for (const gb_kept *kept = d->elbo->kept; kept && d->placed && d->part; kept = kept->before)
        d->placed[is_vector(kept) ? --vector : --part].kept = kept;
    return d->placed && d->part;
}

static bool has_ensemble(const gb_density *d)
{
    const char *const name = gb_elbo_ensemble(d->elbo);
    if (name)
        gb_fail(
            d->tape, GB_EARGUMENT,
            "density: latent %s is an ensemble: several points, each trained from a start of its own, and "
            "not one vector; gb_predict_mean and gb_predict_sd are over its members, and gb_predictive "
            "predicts by all of them",
            name);
    return name;
}

static bool place_latents(gb_density *d)
{
    bool good = !has_ensemble(d) && find_latents(d);
    for (size_t i = 0; good && i < d->parts; i++)
        good = count_part(d, i);
    if (good && d->count == 0) {
        gb_fail(d->tape, GB_EARGUMENT, "density: the latents have no free numbers");
        return false;
    }
    if (good)
        d->points = gb_input_points(d->tape, "the points of a density", gb_shape((int64_t)d->count));
    for (size_t i = 0; good && i < d->parts; i++)
        good = place_part(d, i);
    for (size_t i = d->parts; good && i < d->places; i++)
        good = place_vector(d, i);
    return good;
}

/* ---- the terms ---- */

/* A term, before and after it is placed at the points: one number for each. */
typedef struct terms {
    size_t count;
    const char **name;
    gb_node *node;
} terms;

static void add_to(terms *all, const char *name, gb_node node)
{
    all->name[all->count] = name;
    all->node[all->count++] = node;
}

/* Priors, whose parameters may depend on other latents, at the points already; data and factors. */
static bool find_terms(const gb_density *d, terms *all)
{
    const size_t most = d->parts + d->elbo->count;
    all->name = gb_tape_keep(d->tape, (most + 1) * sizeof *all->name);
    all->node = gb_tape_keep(d->tape, (most + 1) * sizeof *all->node);
    if (!all->name || !all->node)
        return false;
    for (size_t i = 0; i < d->parts; i++) {
        const gb_dist prior = d->placed[i].kept->prior;
        if (gb_dist_ok(prior)) /* else flat */
            add_to(all, d->part[i].name, gb_per_sample(gb_log_prob(prior, d->placed[i].value)));
    }
    for (const gb_own_term *term = d->elbo->last; term; term = term->before)
        if (term->shown.kind == GB_TERM_DATA || term->shown.kind == GB_TERM_FACTOR)
            add_to(all, term->shown.name, term->each);
        else if (gb_node_ok(term->density))
            add_to(all, term->shown.name, term->density);
    return gb_error(d->tape) == GB_OK;
}

/* All together, so that what they share is recorded once. */
static bool add_terms(gb_density *d)
{
    terms all = {0};
    if (!find_terms(d, &all) || !at_points(d, d->places, all.count, all.node))
        return false;
    for (size_t i = 0; i < all.count; i++) {
        if (!gb_density_is_function(all.node[i], all.name[i]))
            return false;
        add(d, all.node[i]);
    }
    return gb_error(d->tape) == GB_OK;
}

/* Points do not depend on each other, so the gradient of the sum over them has that of each. */
static bool differentiate(gb_density *d)
{
    d->log_p = gb_widen(d->log_p, GB_SAMPLES);
    d->gradient = gb_grad(gb_sum_over(d->log_p, GB_SAMPLES), d->points);
    if (gb_error(d->tape) == GB_OK)
        d->gradient = gb_widen(d->gradient, GB_SAMPLES); /* a flat density */
    return gb_node_ok(d->gradient);
}

/* One that was recorded already, for a model that is the same now. Data may be freed, and other data may then
 * stand at their address. */
static gb_density *recorded(const gb_elbo *e, const gb_density_options *options)
{
    for (gb_density *d = e->density; d; d = d->before)
        if (!options->data && !d->options.data && d->terms == e->count && d->latest == e->kept &&
            d->options.part_of_data == options->part_of_data &&
            (!d->has_points || d->options.points_by_height == options->points_by_height))
            return d;
    return NULL;
}

static bool has_points(const gb_density *d)
{
    for (size_t i = 0; i < d->parts; i++)
        if (d->part[i].is_point)
            return true;
    return false;
}

gb_density *gb_density_new_with(gb_elbo *e, const gb_density_options *given)
{
    gb_density_options options;
    if (!e || gb_error(e->tape) != GB_OK ||
        !gb_options_take(e->tape, "density", &options, sizeof options, given))
        return NULL;
    if (options.data && gb_batches_tape(options.data) != e->tape) {
        gb_fail(e->tape, GB_EARGUMENT, "density: .data feeds another tape");
        return NULL;
    }
    gb_density *d = recorded(e, &options);
    if (d || !(d = gb_tape_keep(e->tape, sizeof *d)))
        return d;
    *d = (gb_density){.tape = e->tape, .elbo = e, .options = options, .terms = e->count, .latest = e->kept};
    d->log_p = gb_num(e->tape, 0);
    if (!place_latents(d) || !add_terms(d) || !differentiate(d))
        return NULL;
    d->has_points = has_points(d);
    d->before = e->density;
    e->density = d;
    return d;
}

/* ---- what it has ---- */

size_t gb_density_count(const gb_density *d)
{
    return d ? d->count : 0;
}

size_t gb_density_value_count(const gb_density *d)
{
    return d ? d->value_count : 0;
}

const gb_density_part *gb_density_parts(const gb_density *d, size_t *count)
{
    if (count)
        *count = d ? d->parts : 0;
    return d ? d->part : NULL;
}

gb_tape *gb_density_tape(const gb_density *d)
{
    return d ? d->tape : NULL;
}
