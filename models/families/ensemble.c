/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ensemble of points: sample i of a run has member i. */
#include "models/families/name_impl.h"
#include "models/families/start_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"

/* Members lie along the first axis, so that each has a start of its own. */
static gb_node point(const gb_slot *slot, const void *bytes)
{
    const gb_ensemble_options *const options = bytes;
    const gb_shape all = gb_shape_join(gb_shape((int64_t)options->members), slot->free);
    const gb_node members = gb_slot_location(slot, "members", all, gb_start_of(options));
    const gb_node x = gb_named(gb_hide(members, GB_SAMPLES), slot->name);
    return gb_transform_ok(slot->reach) ? gb_transform_forward(slot->reach, x) : x;
}

static gb_node member(const gb_slot *slot, const void *bytes, gb_node u)
{
    const gb_ensemble_options *const options = bytes;
    char name[GB_PART_NAME];
    if (!gb_joined_name(slot->tape, slot->name, ".", "members", name))
        return (gb_node){0};
    const gb_node last = gb_num(slot->tape, options->members - 1), /* u may be rounded to 1 */
        which = gb_to_int(gb_min(gb_floor(gb_scale(u, options->members)), last));
    const gb_node x = gb_gather(gb_variable_named(slot->tape, name), 0, which);
    return gb_transform_ok(slot->reach) ? gb_transform_forward(slot->reach, x) : x;
}

static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    (void)slot;
    const gb_ensemble_options *const options = bytes;
    *to = (gb_family_start){.location = options->location};
    return gb_start_is_even(gb_start_of(options));
}

static const gb_domain members_domain = {.size = sizeof(gb_domain),
                                         .name = "members",
                                         .must_be = "a whole number above 0",
                                         .low = 1,
                                         .high = INT32_MAX,
                                         .whole = true};

static const gb_option table[] = {
    GB_FAMILY_PLACE_ROWS(gb_ensemble_options),
    GB_OPTION_ARGUMENT(gb_ensemble_options, members, &members_domain, "points, one for each sample"),
    {0}};

const gb_family_type gb_ensemble_family_type = {
    .size = sizeof(gb_family_type),
    .name = "ensemble",
    .formula = "several points, one for each sample",
    .cite = "Lakshminarayanan, Pritzel and Blundell 2017",
    .options = table,
    .option_bytes = sizeof(gb_ensemble_options),
    .point = point,
    .start = start,
    .member = member,
};

gb_family gb_ensemble_with(gb_shape shape, const gb_ensemble_options *options)
{
    return gb_family_of(&gb_ensemble_family_type, shape, options);
}
