/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posterior families with one slot spoilt. */
#include <math.h>

#include "distributions/list.h"
#include "distributions/transforms.h"
#include "kit/check_family.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "tests/faults/kits/kits_impl.h"

static const gb_family_type *good;
static gb_family_type bad;

static bool judge(const kit_fault *fault, gb_report *report)
{
    good = fault->good;
    bad = *good;
    fault->spoil(&bad);
    return gb_check_family(gb_family_of(&bad, gb_shape(), NULL), .report = report);
}

/* ---- independent normals ---- */

typedef struct own_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
} own_options;

static gb_node location(const gb_slot *slot, const own_options *o)
{
    return gb_slot_location(slot, "location", slot->free, (gb_start){o->location, o->spread, o->locations});
}

static gb_node scale(const gb_slot *slot, const own_options *o)
{
    return gb_slot_scale(slot, "scale", slot->free, o->scale, o->map);
}

static gb_dist plain(const gb_slot *slot, const void *options)
{
    return gb_slot_reached(slot, gb_normal(location(slot, options), scale(slot, options)));
}

static bool start(const gb_slot *slot, const void *options, gb_family_start *to)
{
    const own_options *const o = options;
    (void)slot;
    *to = (gb_family_start){.location = o->location, .scale = o->scale};
    return o->spread == 0 && !o->locations.tape;
}

static const gb_option table[] = {GB_FAMILY_PLACE_ROWS(own_options), GB_FAMILY_SCALE_ROWS(own_options), {0}};

static const gb_family_type normals = {.size = sizeof(gb_family_type),
                                       .name = "normals",
                                       .formula = "independent normals",
                                       .options = table,
                                       .option_bytes = sizeof(own_options),
                                       .posterior = plain,
                                       .start = start};

#define POSTERIOR(name, ...)                                                                                 \
    static gb_dist name##_posterior(const gb_slot *slot, const void *options)                                \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_family_type, it->posterior = name##_posterior)
POSTERIOR(location_is_stopped,
          gb_slot_reached(slot, gb_normal(gb_stop(location(slot, options)), scale(slot, options))))
POSTERIOR(scale_is_stopped,
          gb_slot_reached(slot, gb_normal(location(slot, options), gb_stop(scale(slot, options)))))
POSTERIOR(half_of_location_is_stopped,
          gb_slot_reached(slot, gb_normal(gb_add(gb_scale(location(slot, options), 0.5),
                                                 gb_stop(gb_scale(gb_part_variable(slot->tape, slot->name,
                                                                                   "second", slot->free, 0),
                                                                  0.5))),
                                          scale(slot, options))))
POSTERIOR(map_is_forgotten, gb_normal(location(slot, options), scale(slot, options)))
POSTERIOR(location_is_off,
          gb_slot_reached(slot, gb_normal(gb_shift(location(slot, options), 0.1), scale(slot, options))))
POSTERIOR(scale_is_twice,
          gb_slot_reached(slot, gb_normal(location(slot, options), gb_scale(scale(slot, options), 2))))
POSTERIOR(one_scale_for_all,
          gb_slot_reached(slot, gb_normal(gb_broadcast(gb_part_variable(slot->tape, slot->name, "location",
                                                                        gb_shape(), 0),
                                                       slot->free),
                                          gb_square(scale(slot, options)))))
POSTERIOR(other_names,
          gb_slot_reached(slot, gb_normal(gb_part_variable(slot->tape, "mine", "location", slot->free, 0),
                                          scale(slot, options))))
POSTERIOR(shape_is_lost,
          gb_slot_reached(slot, gb_normal(gb_part_variable(slot->tape, slot->name, "location",
                                                           gb_shape_join(gb_shape(1), slot->free), 0),
                                          scale(slot, options))))
POSTERIOR(mapped_by_softplus, gb_shape_same(slot->shape, slot->free)
                                  ? gb_transformed(gb_normal(location(slot, options), scale(slot, options)),
                                                   gb_softplus_transform(slot->tape))
                                  : plain(slot, options))

POSTERIOR(location_is_clamped,
          gb_slot_reached(slot, gb_normal(gb_clip(location(slot, options), -1, 1), scale(slot, options))))
POSTERIOR(scale_is_clamped,
          gb_slot_reached(slot, gb_normal(location(slot, options), gb_clip(scale(slot, options), 0, 0.25))))
POSTERIOR(location_is_shared,
          gb_slot_reached(slot, gb_normal(gb_broadcast(gb_part_variable(slot->tape, slot->name, "location",
                                                                        gb_shape(), 0),
                                                       slot->free),
                                          scale(slot, options))))

static bool start_near(const gb_slot *slot, const void *options, gb_family_start *to)
{
    start(slot, options, to);
    to->is_near = true;
    return true;
}
SPOIL(falsely_near, gb_family_type, it->start = start_near)
SPOIL(takes_any_support, gb_family_type, it->any_support = true)

/* An option that is not used: another takes its place. */
static gb_dist asked_for(const gb_slot *slot, gb_start place, double scale_, gb_scale_map map)
{
    return gb_slot_reached(slot, gb_normal(gb_slot_location(slot, "location", slot->free, place),
                                           gb_slot_scale(slot, "scale", slot->free, scale_, map)));
}

#define UNUSED(name, ...)                                                                                    \
    static gb_dist name##_posterior(const gb_slot *slot, const void *options)                                \
    {                                                                                                        \
        const own_options *const o = options;                                                                \
        return asked_for(slot, __VA_ARGS__);                                                                 \
    }                                                                                                        \
    SPOIL(name, gb_family_type, it->posterior = name##_posterior, it->start = NULL)
UNUSED(location_is_unused, (gb_start){0, o->spread, o->locations}, o->scale, o->map)
UNUSED(spread_is_unused, (gb_start){o->location, 0, o->locations}, o->scale, o->map)
UNUSED(spread_is_a_variance, (gb_start){o->location, sqrt(o->spread), o->locations}, o->scale, o->map)
UNUSED(locations_are_unused, (gb_start){.location = o->location, .spread = o->spread}, o->scale, o->map)
UNUSED(scale_is_unused, (gb_start){o->location, o->spread, o->locations}, 0.3, o->map)
UNUSED(map_is_unused, (gb_start){o->location, o->spread, o->locations}, o->scale, GB_SCALE_SOFTPLUS)
UNUSED(maps_are_exchanged, (gb_start){o->location, o->spread, o->locations}, o->scale,
       o->map == GB_SCALE_EXP ? GB_SCALE_SOFTPLUS : GB_SCALE_EXP)
POSTERIOR(location_is_kept_near,
          gb_slot_reached(slot, gb_normal(gb_clip(location(slot, options), -100, 100), scale(slot, options))))

static unsigned records;
static gb_dist renamed_posterior(const gb_slot *slot, const void *options)
{
    char part[32];
    snprintf(part, sizeof part, "location%u", records++);
    return gb_slot_reached(
        slot, gb_normal(gb_part_variable(slot->tape, slot->name, part, slot->free, 0), scale(slot, options)));
}
SPOIL(names_change, gb_family_type, it->posterior = renamed_posterior)

static gb_dist silent_posterior(const gb_slot *slot, const void *options)
{
    (void)options;
    gb_fail(slot->tape, GB_EARGUMENT, "no");
    return (gb_dist){0};
}
SPOIL(rejects_without_a_name, gb_family_type, it->posterior = silent_posterior)

static bool start_elsewhere(const gb_slot *slot, const void *options, gb_family_start *to)
{
    start(slot, options, to);
    to->location += 0.3;
    return true;
}
SPOIL(start_is_off, gb_family_type, it->start = start_elsewhere)

static bool start_wide(const gb_slot *slot, const void *options, gb_family_start *to)
{
    start(slot, options, to);
    to->scale *= 2;
    return true;
}
SPOIL(start_is_wide, gb_family_type, it->start = start_wide)

SPOIL(no_posterior, gb_family_type, it->posterior = NULL)
SPOIL(no_name, gb_family_type, it->name = "")
SPOIL(table_is_short, gb_family_type, it->option_bytes = 4)

/* ---- points ---- */

static gb_node stopped_point(const gb_slot *slot, const void *options)
{
    return gb_stop(good->point(slot, options));
}
SPOIL(point_is_stopped, gb_family_type, it->point = stopped_point)

static gb_node moved_point(const gb_slot *slot, const void *options)
{
    return gb_scale(good->point(slot, options), 1.1);
}
SPOIL(point_is_off, gb_family_type, it->point = moved_point)

static gb_node raw_point(const gb_slot *slot, const void *options)
{
    (void)options;
    return gb_part_variable(slot->tape, slot->name, "location", slot->shape, 0);
}
SPOIL(point_is_not_mapped, gb_family_type, it->point = raw_point)

/* ---- a family with an option of its own ---- */

typedef struct wide_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
    bool wide;
} wide_options;

static gb_dist wide_posterior(const gb_slot *slot, const void *options)
{
    const wide_options *const o = options;
    return asked_for(slot, (gb_start){o->location, o->spread, o->locations}, (o->wide ? 2 : 1) * o->scale,
                     o->map);
}

static bool wide_start(const gb_slot *slot, const void *options, gb_family_start *to)
{
    const wide_options *const o = options;
    (void)slot;
    *to = (gb_family_start){.location = o->location, .scale = (o->wide ? 2 : 1) * o->scale};
    return o->spread == 0 && !o->locations.tape;
}

static const gb_option wide_table[] = {GB_FAMILY_PLACE_ROWS(wide_options),
                                       GB_FAMILY_SCALE_ROWS(wide_options),
                                       GB_OPTION_FLAG(wide_options, wide, "twice the scale"),
                                       {0}};
static const gb_family_type widened = {.size = sizeof(gb_family_type),
                                       .name = "widened",
                                       .formula = "independent normals of once or twice the scale",
                                       .options = wide_table,
                                       .option_bytes = sizeof(wide_options),
                                       .posterior = wide_posterior,
                                       .start = wide_start};
SPOIL(start_forgets_the_flag, gb_family_type, it->start = start)

#define ASKED "its options for the start do what they say"

static const kit_fault faults[] = {
    {"location is stopped", "is a gradient stopped?", &normals, location_is_stopped},
    {"scale is stopped", "is a gradient stopped?", &normals, scale_is_stopped},
    {"a part of location is stopped", LATER "is a gradient stopped?", &normals, half_of_location_is_stopped},
    {"the map is forgotten", LATER "draws lie in the support", &normals, map_is_forgotten},
    {"location is off by 0.1", "it starts where it says", &normals, location_is_off},
    {"scale is twice that", "it starts where it says", &normals, scale_is_twice},
    {"one location for all, scale squared", "it starts where it says", &normals, one_scale_for_all},
    {"variables have another owner", "named after the latent", &normals, other_names},
    {"the shape is lost", "draws have the requested shape", &normals, shape_is_lost},
    {"all supports are mapped by softplus", "it starts where it says", &normals, mapped_by_softplus},
    {"names change with each recording", LATER "a reset tape finds", &normals, names_change},
    {"it rejects without the latent's name", LATER "rejected with a message", &normals,
     rejects_without_a_name},
    {"its declared location is off", "it starts where it says", &normals, start_is_off},
    {"its declared scale is off", "it starts where it says", &normals, start_is_wide},
    {"location is clamped at 1", LATER "is it clamped?", &normals, location_is_clamped},
    {"scale is clamped at 0.25", LATER "is it clamped?", &normals, scale_is_clamped},
    {"one location for all", LATER "no variable moves the mean", &normals, location_is_shared},
    {"its start says that it is near", "it says .is_near, and", &normals, falsely_near},
    {"it says that it takes any support", "draws lie in the support", &normals, takes_any_support},
    {"its option location is unused", ASKED, &normals, location_is_unused},
    {"its option spread is unused", ASKED, &normals, spread_is_unused},
    {"its option spread is a variance", ASKED, &normals, spread_is_a_variance},
    {"its option locations is unused", ASKED, &normals, locations_are_unused},
    {"its option scale is unused", ASKED, &normals, scale_is_unused},
    {"its option map is unused", ASKED, &normals, map_is_unused},
    {"its maps are exchanged", ASKED, &normals, maps_are_exchanged},
    {"location is clamped at 100", "a location may be far away", &normals, location_is_kept_near},
    {"its start does not use a flag", "it starts where it says", &widened, start_forgets_the_flag},
    {"it has no posterior", "its struct is complete", &normals, no_posterior},
    {"it has no name", "its struct is complete", &normals, no_name},
    {"its options are too short", "its struct is complete", &normals, table_is_short},
    {"a point is stopped", "the gradient of E_q[f]", &gb_point_family_type, point_is_stopped},
    {"a point is off", LATER "draws lie in the support", &gb_point_family_type, point_is_off},
    {"a point is not mapped", LATER "draws lie in the support", &gb_point_family_type, point_is_not_mapped},
};
KIT_FAULTS(families, faults);
