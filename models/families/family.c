/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What families share: slots, starts, and the list. */
#include "models/families/family_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/program.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

gb_family gb_row_by_row(gb_family family)
{
    family.row_by_row = true;
    return family;
}

gb_family gb_family_of(const gb_family_type *type, gb_shape shape, const void *options, size_t bytes)
{
    gb_family family = {.type = bytes <= GB_FAMILY_OPTIONS ? type : NULL, .shape = shape};
    if (family.type && bytes > 0)
        memcpy(family.options.bytes, options, bytes);
    return family;
}

/* ---- slots ---- */

/* Without what maps the real line onto itself, innermost: there is nothing to reach. Inert if nothing is left. */
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
    gb_fail(slot->tape, GB_ESHAPE, "latent %s: the shape %s is none for draws of the prior (%s)", slot->name,
            gb_shape_text(slot->shape, text), gb_transform_to(slot->reach)->must_be);
    return false;
}

bool gb_slot_reach(gb_slot *slot, const gb_domain *support)
{
    const gb_transform reach = support->reach ? support->reach(slot->tape) : (gb_transform){0};
    slot->is_reachable = gb_transform_ok(reach);
    slot->reach = slot->is_reachable ? shortened(reach) : reach;
    if (!slot->is_reachable)
        gb_fail(slot->tape, GB_EARGUMENT, "latent %s: no transform reaches what must be %s", slot->name,
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

bool gb_slot_for(gb_tape *tape, const char *name, gb_family family, gb_dist prior, gb_slot *slot)
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
    if (!is_vector || gb_shape_equal(gb_dist_shape(q), slot->free))
        return q;
    return gb_transformed(q, gb_reshaped_transform(q.tape, slot->free));
}

gb_dist gb_slot_reached(const gb_slot *slot, gb_dist of_free)
{
    const gb_dist q = in_shape(slot, of_free);
    if (!gb_dist_ok(q) || !gb_transform_ok(slot->reach))
        return q;
    if (slot->reach.type == &gb_exponential_transform_type && q.type == &gb_normal_type)
        return gb_lognormal(q.param[0], q.param[1]); /* the same law, with closed forms */
    return gb_transformed(q, slot->reach);
}

/* ---- where variables start ---- */

bool gb_joined_name(gb_tape *tape, const char *first, const char *between, const char *last,
                    char name[GB_PART_NAME])
{
    const int length = snprintf(name, GB_PART_NAME, "%s%s%s", first, between, last);
    if (length >= 0 && length < GB_PART_NAME)
        return true;
    gb_fail(tape, GB_ENAME, "variable %.40s… %s%.40s: the name is too long", first, between, last);
    return false;
}

gb_node gb_part_variable(gb_tape *tape, const char *owner, const char *part, gb_shape shape, double start)
{
    char name[GB_PART_NAME];
    return gb_joined_name(tape, owner, ".", part, name) ? gb_variable(tape, name, shape, gb_fill(start))
                                                        : (gb_node){0};
}

/* Normal noise, known while recording: from a tape of its own, whose seed is the key of a stream of this one. */
static bool add_noise(const gb_slot *slot, const char *stream, double spread, size_t count, double *values)
{
    uint64_t key;
    if (!gb_noise_key(gb_stream(slot->tape, stream), &key))
        return false;
    gb_tape *const apart = gb_tape_new(.seed = key, .threads = 1, .memory = gb_tape_memory(slot->tape));
    double *const noise = gb_tape_keep(apart, (count + 1) * sizeof *noise);
    const gb_shape shape = gb_shape((int64_t)count);
    const bool good =
        noise && gb_read(gb_normal_noise(gb_stream(apart, "start"), shape, 0), noise, count) == GB_OK;
    for (size_t i = 0; good && i < count; i++)
        values[i] += spread * noise[i];
    gb_tape_free(apart);
    if (!good)
        gb_fail(slot->tape, GB_ENOMEM, "%s: out of memory", stream);
    return good;
}

static gb_node noisy_variable(const gb_slot *slot, const char *name, gb_shape shape, gb_start start)
{
    char stream[GB_PART_NAME + 8];
    const size_t count = gb_shape_count(shape);
    const gb_memory memory = gb_tape_memory(slot->tape);
    double *const values = gb_memory_resize(&memory, NULL, (count + 1) * sizeof *values);
    gb_node variable = {0};
    snprintf(stream, sizeof stream, "%s.start", name);
    for (size_t i = 0; values && i < count; i++)
        values[i] = start.location;
    if (!values)
        gb_fail(slot->tape, GB_ENOMEM, "%s: out of memory", stream);
    else if (add_noise(slot, stream, start.spread, count, values))
        variable = gb_variable(slot->tape, name, shape, gb_values_from(values, count));
    gb_memory_release(&memory, values);
    return variable;
}

gb_node gb_slot_location(const gb_slot *slot, const char *part, gb_shape shape, gb_start start)
{
    char name[GB_PART_NAME];
    if (!gb_joined_name(slot->tape, slot->name, part ? "." : "", part ? part : "", name))
        return (gb_node){0};
    if (!isfinite(start.location) || !isfinite(start.spread) || start.spread < 0) {
        gb_fail(slot->tape, GB_EARGUMENT,
                "%s: starts at location %g and spread %g, which must be finite, the latter not negative",
                name, start.location, start.spread);
        return (gb_node){0};
    }
    if (start.each.data)
        return gb_variable(slot->tape, name, shape, start.each);
    return start.spread > 0 ? noisy_variable(slot, name, shape, start)
                            : gb_variable(slot->tape, name, shape, gb_fill(start.location));
}

double gb_start_scale(const gb_slot *slot, double scale)
{
    const double start = gb_scale_or_usual(scale);
    if (gb_domain_holds(GB_POSITIVE, start))
        return start;
    gb_fail(slot->tape, GB_EARGUMENT, "latent %s: starts at scale %g, which must be %s", slot->name, start,
            GB_POSITIVE->must_be);
    return (double)NAN;
}

/* x with softplus(x) = y, for y > 0; does not overflow. */
static double inverse_softplus(double y)
{
    return y + log(-expm1(-y));
}

static bool map_is_known(const gb_slot *slot, gb_scale_map map)
{
    if (map == GB_SCALE_SOFTPLUS || map == GB_SCALE_EXP)
        return true;
    gb_fail(slot->tape, GB_EARGUMENT, "latent %s: .map is %d, and must be GB_SCALE_SOFTPLUS or GB_SCALE_EXP",
            slot->name, (int)map);
    return false;
}

gb_node gb_slot_scale(const gb_slot *slot, const char *part, gb_shape shape, double scale, gb_scale_map map)
{
    const double start = gb_start_scale(slot, scale);
    const bool is_log = map == GB_SCALE_EXP;
    char name[GB_PART_NAME];
    if (isnan(start) || !map_is_known(slot, map) ||
        !gb_joined_name(slot->tape, is_log ? "log" : "raw", "_", part, name))
        return (gb_node){0};
    const gb_node x =
        gb_part_variable(slot->tape, slot->name, name, shape, is_log ? log(start) : inverse_softplus(start));
    return is_log ? gb_exp(x) : gb_softplus(x);
}

/* ---- the list ---- */

#define GB_FAMILY_ADDRESS(name) &gb_##name##_family_type,
static const gb_family_type *const types[] = {GB_FAMILY_LIST(GB_FAMILY_ADDRESS)};

const gb_family_type *const *gb_families(size_t *count)
{
    if (count)
        *count = sizeof types / sizeof *types;
    return types;
}

const gb_family_type *gb_family_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}
