/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks: several latents with one posterior over all their free numbers. */
#include <string.h>

#include "distributions/distribution.h"
#include "distributions/families/composed/transformed_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "models/elbo/divergence_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "models/elbo/latent_impl.h"
#include "models/elbo/posterior_impl.h"
#include "models/families/name_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

typedef struct block {
    gb_elbo *e;
    const char *name;
    gb_family family;
    size_t count;
    const gb_latent_part *part;
    gb_slot *slot;  /* of each part */
    gb_slot of_all; /* of the vector */
} block;

/* ---- the slots ---- */

/* Returns BLOCK.NAME, kept by the tape; NULL: the error is on the tape. */
static const char *name_of(const block *b, size_t i)
{
    gb_tape *const tape = b->e->tape;
    const char *const own = b->part[i].name;
    char name[GB_PART_NAME];
    if (!own || !*own) {
        gb_fail(tape, GB_ENAME, "latent_block %s: part %zu has no name", b->name, i);
        return NULL;
    }
    for (size_t before = 0; before < i; before++)
        if (strcmp(b->part[before].name, own) == 0) {
            gb_fail(tape, GB_ENAME, "latent_block %s: parts %zu and %zu are both named %s", b->name, before,
                    i, own);
            return NULL;
        }
    return gb_joined_name(tape, b->name, ".", own, name) ? gb_tape_keep_text(tape, name) : NULL;
}

/* ---- supports between other parts ---- */

/* Returns the index of the part that an end is named after; −1: not among the earlier ones. */
static int64_t part_named(const block *b, size_t i, const char *name)
{
    for (size_t before = 0; before < i; before++)
        if (strcmp(b->part[before].name, name) == 0)
            return (int64_t)before;
    return -1;
}

static bool has_ends(const gb_latent_part *part)
{
    return part->above || part->below;
}

static bool end_fits(const block *b, size_t i, const char *end, const char *word)
{
    const gb_latent_part *const part = &b->part[i];
    gb_tape *const tape = b->e->tape;
    char own[GB_SHAPE_TEXT], other[GB_SHAPE_TEXT];
    gb_shape both;
    if (!end)
        return true;
    const int64_t of = part_named(b, i, end);
    if (of < 0)
        gb_fail(tape, GB_ENAME, "latent_block %s: %s is to be %s %s, which is no earlier part", b->name,
                part->name, word, end);
    else if (!gb_shape_broadcast(part->shape, b->part[of].shape, &both) || !gb_shape_same(both, part->shape))
        gb_fail(tape, GB_ESHAPE,
                "latent_block %s: %s is to be %s %s, whose shape %s does not broadcast to %s", b->name,
                part->name, word, end, gb_shape_text(b->part[of].shape, other),
                gb_shape_text(part->shape, own));
    else
        return true;
    return false;
}

static bool ends_fit(const block *b, size_t i)
{
    const gb_latent_part *const part = &b->part[i];
    if (!has_ends(part))
        return true;
    if (gb_dist_ok(part->prior) || part->support) {
        gb_fail(b->e->tape, GB_EARGUMENT,
                "latent_block %s: %s has .above or .below, and so takes no prior and no .support; gb_prior "
                "adds a prior",
                b->name, part->name);
        return false;
    }
    return end_fits(b, i, part->above, "above") && end_fits(b, i, part->below, "below");
}

/* Returns the transform onto the numbers between the values of other parts. */
static gb_transform between(const block *b, size_t i, const gb_node *draws)
{
    const gb_latent_part *const part = &b->part[i];
    gb_tape *const tape = b->e->tape;
    const gb_node low = part->above ? draws[part_named(b, i, part->above)] : (gb_node){0};
    const gb_node high = part->below ? draws[part_named(b, i, part->below)] : (gb_node){0};
    if (part->above && part->below)
        return gb_interval_transform(low, high);
    return gb_composed_transform(part->above ? gb_affine_transform(low, gb_num(tape, 1))
                                             : gb_affine_transform(high, gb_num(tape, -1)),
                                 gb_exponential_transform(tape));
}

/* ---- the slots ---- */

static bool part_fits(block *b, size_t i)
{
    const gb_latent_part *const part = &b->part[i];
    gb_tape *const tape = b->e->tape;
    const char *const name = name_of(b, i);
    gb_family family = b->family;
    family.shape = part->shape;
    if (!name || !gb_elbo_prior_fits(b->e, name, part->shape, part->prior) || !ends_fit(b, i) ||
        !gb_slot_of(tape, name, family, part->prior, &b->slot[i]))
        return false;
    if (gb_dist_ok(part->prior) || !part->support)
        return true;
    return gb_slot_reach(&b->slot[i], part->support);
}

static bool parts_fit(block *b)
{
    int64_t numbers = 0;
    char text[GB_SHAPE_TEXT];
    b->slot = gb_tape_keep(b->e->tape, (b->count + 1) * sizeof *b->slot);
    for (size_t i = 0; i < b->count; i++) {
        if (!b->slot || !part_fits(b, i))
            return false;
        numbers += gb_slot_count(&b->slot[i]);
    }
    const gb_shape given = b->family.shape;
    if (given.rank == 0)
        b->family.shape = gb_shape(numbers);
    if (numbers < 1)
        gb_fail(b->e->tape, GB_ESHAPE, "latent_block %s: its parts have no free numbers", b->name);
    else if (!gb_shape_same(b->family.shape, gb_shape(numbers)))
        gb_fail(b->e->tape, GB_ESHAPE,
                "latent_block %s: the family has shape %s, but its parts have %lld free numbers together; "
                "gb_shape() takes what there is",
                b->name, gb_shape_text(given, text), (long long)numbers);
    return b->slot && gb_slot_of(b->e->tape, b->name, b->family, (gb_dist){0}, &b->of_all);
}

/* ---- cutting ---- */

static gb_node piece_of(const gb_slot *slot, gb_node vector, int64_t at)
{
    return gb_reshape(gb_slice(vector, -1, at, at + gb_slot_count(slot)), slot->free);
}

/* Marks the transform as continuous: some have two branches, but all are smooth. */
static gb_node reached_from(const gb_slot *slot, gb_node piece)
{
    return gb_transform_ok(slot->reach)
               ? gb_continuous_in(gb_transform_forward(slot->reach, piece), 1, &piece)
               : piece;
}

static bool cut(const block *b, gb_node vector, gb_node *pieces, gb_node *draws)
{
    int64_t at = 0;
    for (size_t i = 0; i < b->count; i++) {
        gb_slot *const slot = &b->slot[i];
        pieces[i] = piece_of(slot, vector, at);
        at += gb_slot_count(slot);
        if (has_ends(&b->part[i]))
            slot->reach = between(b, i, draws);
        const gb_node reached = reached_from(slot, pieces[i]);
        draws[i] = gb_named(reached, slot->name);
        if (!gb_elbo_rows_fit(b->e, slot->name, gb_node_axes(draws[i]), gb_dist_axes(b->part[i].prior)))
            return false;
    }
    return gb_error(b->e->tape) == GB_OK;
}

/* A bound of several draws keeps the rows of its log weights. */
static gb_node summed(const block *b, gb_node x)
{
    return gb_elbo_has_particles(b->e) ? gb_sum(x) : gb_per_sample(x);
}

/* A slope that is the same for all events is counted for each event. */
static gb_node log_jacobian(const block *b, const gb_slot *slot, gb_node piece, gb_node draw)
{
    const gb_transform reach = slot->reach;
    const gb_node inputs[] = {piece, draw};
    gb_shape each = gb_node_shape(piece);
    each.rank -= gb_transform_from(reach)->event_rank;
    const gb_node slope = gb_continuous_in(gb_transform_log_jacobian(reach, piece, draw), 2, inputs);
    return summed(b, gb_broadcast(slope, each));
}

/* Returns log p of the pieces, as a density of the free numbers. */
static gb_node log_prior(const block *b, const gb_node *pieces, const gb_node *draws)
{
    gb_node sum = gb_num(b->e->tape, 0);
    for (size_t i = 0; i < b->count; i++) {
        if (gb_dist_ok(b->part[i].prior))
            sum = gb_add(sum, summed(b, gb_log_prob(b->part[i].prior, draws[i])));
        if (gb_transform_ok(b->slot[i].reach))
            sum = gb_add(sum, log_jacobian(b, &b->slot[i], pieces[i], draws[i]));
    }
    return sum;
}

/* ---- one prior of all ---- */

/* Returns the prior of each number of a part. Inert unless the numbers are free numbers and independent. */
static gb_dist of_each(const block *b, size_t i)
{
    gb_dist d = b->part[i].prior;
    while (d.type == &gb_independent_type && d.base)
        d = *d.base;
    const bool is_single = gb_dist_ok(d) && !d.base && !gb_transform_ok(b->slot[i].reach) &&
                           gb_dist_event_shape(d).rank == 0 && !d.alternative;
    return is_single ? d : (gb_dist){0};
}

static gb_node in_a_row(const block *b, size_t i, gb_node param)
{
    return gb_reshape(gb_broadcast(param, b->slot[i].shape), gb_shape(gb_slot_count(&b->slot[i])));
}

/* Concatenates the priors of all parts. Inert if they are of different types. */
static gb_dist joined_prior(const block *b)
{
    const gb_dist_type *const type = of_each(b, 0).type;
    gb_node joined[GB_MAX_PARAMS] = {{0}};
    gb_node *const row = gb_tape_keep(b->e->tape, b->count * sizeof *row);
    for (size_t i = 0; i < b->count; i++)
        if (!type || of_each(b, i).type != type)
            return (gb_dist){0};
    for (size_t k = 0; row && type && k < GB_MAX_PARAMS && type->param[k].name; k++) {
        for (size_t i = 0; i < b->count; i++)
            row[i] = in_a_row(b, i, of_each(b, i).param[k]);
        joined[k] = gb_concat(b->count, row, -1);
    }
    return row ? gb_dist_of(type, joined) : (gb_dist){0};
}

/* ---- each part by itself ---- */

/* Returns the marginal distribution of each number of a part. Known only if q has normal numbers, mapped one
 * by one; else inert. */
static gb_dist part_posterior(const block *b, size_t i, const gb_dist *q, int64_t at)
{
    const gb_slot *const slot = &b->slot[i];
    const gb_transform reach = slot->reach;
    if (has_ends(&b->part[i]) || !gb_has_normal_numbers(q) ||
        (gb_transform_ok(reach) && gb_transform_from(reach)->event_rank > 0))
        return (gb_dist){0};
    const gb_shape all = gb_dist_shape(*q);
    const gb_node mean = piece_of(slot, gb_broadcast(gb_dist_mean(*q), all), at),
                  variance = piece_of(slot, gb_broadcast(gb_dist_variance(*q), all), at);
    return gb_slot_reached(slot, gb_normal(mean, gb_sqrt(variance)));
}

static bool has_some_prior(const block *b)
{
    for (size_t i = 0; i < b->count; i++)
        if (gb_dist_ok(b->part[i].prior))
            return true;
    return false;
}

static bool has_all_priors(const block *b)
{
    for (size_t i = 0; i < b->count; i++)
        if (!gb_dist_ok(b->part[i].prior))
            return false;
    return true;
}

static bool has_a_transform(const block *b)
{
    for (size_t i = 0; i < b->count; i++)
        if (gb_transform_ok(b->slot[i].reach))
            return true;
    return false;
}

static void note_parts(const block *b, const gb_dist *q, const gb_node *draws)
{
    int64_t at = 0;
    for (size_t i = 0; i < b->count; i++) {
        const gb_slot *const slot = &b->slot[i];
        gb_elbo_note_latent(b->e, slot->name,
                            q ? part_posterior(b, i, q, at) : gb_elbo_posterior_of_point(draws[i]),
                            q && !gb_dist_ok(b->part[i].prior));
        at += gb_slot_count(slot);
    }
}

/* `q` and `joined` are inert for a point. */
static void keep(const block *b, gb_dist q, gb_dist joined, gb_node vector, const gb_node *draws)
{
    for (size_t i = 0; i < b->count; i++)
        gb_elbo_keep(
            b->e,
            (gb_kept){.slot = b->slot[i], .family = b->family, .prior = b->part[i].prior, .value = draws[i]});
    gb_elbo_keep(b->e, (gb_kept){.slot = b->of_all,
                                 .family = b->family,
                                 .q = q,
                                 .value = vector,
                                 .parts = b->count,
                                 .joined = joined,
                                 .is_flat = !has_some_prior(b) && !has_a_transform(b)});
}

/* ---- the terms ---- */

static void add_point(const block *b, gb_node vector, const gb_node *draws)
{
    for (size_t i = 0; i < b->count; i++)
        if (gb_dist_ok(b->part[i].prior))
            gb_elbo_add_summed(b->e, GB_TERM_PRIOR, b->slot[i].name, gb_log_prob(b->part[i].prior, draws[i]));
    gb_elbo_note_latent(b->e, b->name, gb_elbo_posterior_of_point(vector), false);
    b->e->has_point = true;
}

/* log q − log p is meaningless if one is a probability and the other a density. */
static bool can_be_sampled(const block *b, gb_dist q)
{
    const bool is_discrete = gb_dist_discrete(q);
    for (size_t i = 0; i < b->count; i++) {
        const gb_dist prior = b->part[i].prior;
        if (!gb_dist_ok(prior) || gb_dist_discrete(prior) == is_discrete)
            continue;
        gb_fail(
            b->e->tape, GB_EARGUMENT,
            "latent_block %s: KL cannot be sampled: the prior of %s (%s) has %s, and %s has %s; make it a "
            "latent of its own",
            b->name, b->part[i].name, prior.type->name, is_discrete ? "a density" : "probabilities",
            q.type->name, is_discrete ? "probabilities" : "a density");
        return false;
    }
    return true;
}

static void add_kl(const block *b, gb_dist q, gb_dist joined, gb_estimator estimator, gb_node vector,
                   const gb_node *pieces, const gb_node *draws)
{
    const bool is_flat = !has_some_prior(b);
    b->e->has_density |= !has_all_priors(b); /* a flat prior is a density that is not normalised */
    if (gb_dist_ok(joined))
        gb_elbo_add_kl(b->e, b->name, q, joined, vector, estimator, (gb_node){0});
    else if (is_flat && !has_a_transform(b))
        gb_elbo_add_entropy(b->e, b->name, q, vector, estimator, (gb_node){0});
    else if (b->e->options.kl == GB_KL_EXACT)
        gb_fail(
            b->e->tape, GB_EARGUMENT,
            "latent_block %s: there is no exact KL, as its priors are not all of one kind over real numbers; "
            "GB_KL_AUTO and GB_KL_SAMPLED average over draws",
            b->name);
    else if (can_be_sampled(b, q))
        gb_elbo_add_sampled(b->e, is_flat ? GB_TERM_ENTROPY : GB_TERM_KL, b->name, q,
                            log_prior(b, pieces, draws), vector);
}

static gb_node fill(block *b, gb_estimator estimator, gb_node *draws)
{
    gb_node *const pieces = gb_tape_keep(b->e->tape, b->count * sizeof *pieces);
    if (!pieces)
        return (gb_node){0};
    if (GB_HAS(b->family.type, point)) {
        const gb_node vector = gb_family_point(b->family, &b->of_all);
        if (cut(b, vector, pieces, draws)) {
            note_parts(b, NULL, draws);
            add_point(b, vector, draws);
            keep(b, (gb_dist){0}, (gb_dist){0}, vector, draws);
        }
        return vector;
    }
    const gb_dist q = gb_family_posterior(b->family, &b->of_all);
    if (gb_dist_ok(q))
        note_parts(b, &q, draws);
    const gb_node vector =
        gb_dist_ok(q) ? gb_elbo_draw(b->e, b->name, &b->family, q, estimator) : (gb_node){0};
    if (gb_dist_ok(q))
        gb_elbo_note_latent(b->e, b->name, q, false);
    if (!cut(b, vector, pieces, draws))
        return (gb_node){0};
    const gb_dist joined = joined_prior(b);
    add_kl(b, q, joined, estimator, vector, pieces, draws);
    keep(b, q, joined, vector, draws);
    return vector;
}

gb_node gb_latent_block(gb_elbo *e, const char *name, gb_family family, size_t count,
                        const gb_latent_part *parts, gb_estimator estimator, gb_node *draws)
{
    for (size_t i = 0; draws && i < count; i++)
        draws[i] = (gb_node){0};
    if (!gb_elbo_can_add(e, "latent_block", name))
        return (gb_node){0};
    block b = {.e = e, .name = name, .family = family, .count = count, .part = parts};
    gb_own_latent *const before = e->latents;
    const gb_kept *const kept = e->kept;
    if (count == 0 || !parts || !draws)
        gb_fail(e->tape, GB_EARGUMENT, "latent_block %s: no parts were given, or no room for their draws",
                name);
    else if (family.row_by_row && family.type && GB_HAS(family.type, point))
        gb_fail(e->tape, GB_EARGUMENT, "latent_block %s: a point has no draws that could be of rows", name);
    else if (parts_fit(&b)) {
        const gb_node vector = fill(&b, estimator, draws);
        if (gb_error(e->tape) == GB_OK)
            return vector;
        e->latents = before; /* the names become free again */
        e->kept = kept;
    }
    for (size_t i = 0; draws && i < count; i++)
        draws[i] = (gb_node){0};
    return (gb_node){0};
}
