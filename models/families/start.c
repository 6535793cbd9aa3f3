/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the variables of a family start. */
#include "models/families/start_impl.h"

#include <math.h>
#include <stdio.h>

#include "core/program.h"
#include "models/families/name_impl.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

/* Adds normal noise, whose values are known while recording. It comes from a separate tape, seeded with the
 * key of a stream of this tape. */
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
        variable = gb_variable(slot->tape, name, shape, gb_values_of(values, count));
    gb_memory_release(&memory, values);
    return variable;
}

/* Returns a variable that starts at the values of a constant. */
static gb_node variable_like(const gb_slot *slot, const char *name, gb_shape shape, gb_node each)
{
    gb_tape *const tape = slot->tape;
    if (each.tape != tape || !gb_is_constant(each)) {
        gb_fail(tape, GB_EARGUMENT,
                "%s: .locations must be a constant of this tape: gb_constant(tape, shape, values)", name);
        return (gb_node){0};
    }
    const size_t count = gb_value_count(each);
    const gb_memory memory = gb_tape_memory(tape);
    double *const values = gb_memory_resize(&memory, NULL, (count + 1) * sizeof *values);
    gb_node variable = {0};
    if (!values)
        gb_fail(tape, GB_ENOMEM, "%s: out of memory", name);
    else if (gb_read(each, values, count) == GB_OK)
        variable = gb_variable(tape, name, shape, gb_values_of(values, count));
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
    if (start.each.tape)
        return variable_like(slot, name, shape, start.each);
    return start.spread > 0 ? noisy_variable(slot, name, shape, start)
                            : gb_variable(slot->tape, name, shape, gb_fill(start.location));
}

/* Returns the start of a scale; NaN, after an error, if it is invalid. */
static double start_scale(const gb_slot *slot, double scale)
{
    const double start = scale == 0 ? 0.1 : scale;
    if (gb_domain_holds(GB_POSITIVE, start))
        return start;
    gb_fail(slot->tape, GB_EARGUMENT, "latent %s: starts at scale %g, which must be %s", slot->name, start,
            GB_POSITIVE->must_be);
    return (double)NAN;
}

const char *const gb_scale_maps[8] = {"softplus", "exp", NULL};

/* Returns x with softplus(x) = y, for y > 0, without overflow. */
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
    const double start = start_scale(slot, scale);
    const bool is_log = map == GB_SCALE_EXP;
    char name[GB_PART_NAME];
    if (isnan(start) || !map_is_known(slot, map) ||
        !gb_joined_name(slot->tape, is_log ? "log" : "raw", "_", part, name))
        return (gb_node){0};
    const gb_node x =
        gb_part_variable(slot->tape, slot->name, name, shape, is_log ? log(start) : inverse_softplus(start));
    return is_log ? gb_exp(x) : gb_softplus(x);
}
