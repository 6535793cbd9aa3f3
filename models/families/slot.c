/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slots: how the free numbers of a family reach the support of the prior. */
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "models/family.h"

/* Removes an innermost transform that maps the real line onto itself. Inert if nothing is left. */
static gb_transform shortened(gb_transform t)
{
    if (t.type == &gb_affine_transform_type)
        return (gb_transform){0};
    if (t.type == &gb_composed_transform_type && !shortened(*t.inner).type)
        return shortened(*t.outer);
    return t;
}

static bool shape_is_free(gb_slot *slot)
{
    slot->free = slot->shape;
    if (gb_transform_ok(slot->reach))
        slot->free = gb_transform_inverse_shape(slot->reach, slot->shape);
    char text[GB_SHAPE_TEXT];
    if (slot->free.rank >= 0)
        return true;
    gb_fail(slot->tape, GB_ESHAPE, "latent %s: the shape %s is impossible for draws of the prior (%s)",
            slot->name, gb_shape_text(slot->shape, text), gb_transform_to(slot->reach)->must_be);
    return false;
}

bool gb_slot_reach(gb_slot *slot, const gb_domain *support)
{
    const gb_transform reach = support->reach ? support->reach(slot->tape) : (gb_transform){0};
    slot->is_reachable = gb_transform_ok(reach);
    slot->reach = slot->is_reachable ? shortened(reach) : reach;
    if (!slot->is_reachable)
        gb_fail(slot->tape, GB_EARGUMENT, "latent %s: no transform reaches the support (%s)", slot->name,
                support->must_be);
    return slot->is_reachable && shape_is_free(slot);
}

static bool prior_is_reached(gb_slot *slot, gb_family family, gb_dist prior)
{
    const gb_transform reach = gb_dist_reach(prior);
    slot->is_reachable = gb_transform_ok(reach);
    slot->reach = slot->is_reachable ? shortened(reach) : reach;
    if (!slot->is_reachable && !family.type->any_support)
        gb_fail(slot->tape, GB_EARGUMENT,
                "latent %s: no transform reaches the support of the prior (%s), as %s needs; "
                "gb_posterior_of(q) takes any",
                slot->name, prior.type->name, family.type->name);
    return gb_error(slot->tape) == GB_OK;
}

bool gb_slot_of(gb_tape *tape, const char *name, gb_family family, gb_dist prior, gb_slot *slot)
{
    *slot = (gb_slot){
        .size = sizeof *slot, .tape = tape, .name = name, .shape = family.shape, .is_reachable = true};
    if (!tape || gb_error(tape) != GB_OK)
        return false;
    if (!family.type)
        gb_fail(tape, GB_EARGUMENT, "latent %s: no posterior family was given (gb_mean_field(shape) …)",
                name);
    else if (family.type == &gb_given_family_type && family.shape.rank < 0)
        gb_fail(tape, GB_EARGUMENT, "latent %s: gb_posterior_of was given no distribution", name);
    else if (family.shape.rank < 0)
        gb_fail(tape, GB_ESHAPE,
                "latent %s: %s was given no shape (gb_shape() is one number, gb_shape(3) three)", name,
                family.type->name);
    else
        return (!gb_dist_ok(prior) || prior_is_reached(slot, family, prior)) && shape_is_free(slot);
    return false;
}

int64_t gb_slot_count(const gb_slot *slot)
{
    return (int64_t)gb_shape_count(slot->free);
}

static gb_dist in_shape(const gb_slot *slot, gb_dist q)
{
    const bool is_vector = gb_dist_event_shape(q).rank == 1 && gb_dist_batch_shape(q).rank == 0;
    if (!is_vector || gb_shape_same(gb_dist_shape(q), slot->free))
        return q;
    return gb_transformed(q, gb_reshaped_transform(q.tape, slot->free));
}

gb_dist gb_slot_reached(const gb_slot *slot, gb_dist of_free)
{
    const gb_dist q = in_shape(slot, of_free);
    if (!gb_dist_ok(q) || !gb_transform_ok(slot->reach))
        return q;
    if (slot->reach.type == &gb_exponential_transform_type && q.type == &gb_normal_type)
        return gb_lognormal(q.param[0], q.param[1]); /* the same distribution, with closed forms */
    return gb_transformed(q, slot->reach);
}
