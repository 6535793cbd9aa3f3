/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Independent normals of each row, whose location and scale are outputs of the user's network (Kingma and
 * Welling 2014; Rezende, Mohamed and Wierstra 2014). Outputs of 0 are the start that the options say. */
#include <math.h>

#include "distributions/list.h"
#include "models/family.h"
#include "ops/array.h"
#include "ops/elementwise.h"

/* Output number `part` of each free number. */
static gb_node output(const gb_slot *slot, gb_node outputs, int64_t part)
{
    const int64_t n = gb_slot_count(slot);
    return gb_reshape(gb_slice(outputs, -1, part * n, (part + 1) * n), slot->free);
}

static gb_node scale_of(gb_node x, const gb_amortised_options *o)
{
    return o->map == GB_SCALE_EXP ? gb_scale(gb_exp(x), o->scale)
                                  : gb_softplus(gb_shift(x, o->scale + log(-expm1(-o->scale))));
}

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    const gb_amortised_options *const o = bytes;
    char shape[GB_SHAPE_TEXT];
    if (!o->network) {
        gb_fail(slot->tape, GB_EARGUMENT,
                "latent %s: amortised was given no .network, a function that returns the parameters of q",
                slot->name);
        return (gb_dist){0};
    }
    const gb_node outputs = o->network(slot, o->user);
    const int64_t n = gb_slot_count(slot);
    if (!gb_node_ok(outputs) || outputs.tape != slot->tape) {
        gb_fail(slot->tape, GB_EARGUMENT, "latent %s: the network of amortised returned no node of this tape",
                slot->name);
        return (gb_dist){0};
    }
    if (!gb_shape_same(gb_node_shape(outputs), gb_shape(2 * n))) {
        gb_fail(slot->tape, GB_ESHAPE,
                "latent %s: the network of amortised returned the shape %s, not (%lld): all locations, then "
                "all scales, of its %lld free numbers",
                slot->name, gb_shape_text(gb_node_shape(outputs), shape), (long long)(2 * n), (long long)n);
        return (gb_dist){0};
    }
    const gb_node location = gb_shift(output(slot, outputs, 0), o->location);
    return gb_slot_reached(slot, gb_normal(location, scale_of(output(slot, outputs, 1), o)));
}

static const gb_option table[] = {
    GB_OPTION_NUMBER(gb_amortised_options, location, 0, GB_REAL, "location where the network returns 0"),
    GB_FAMILY_SCALE_ROWS(gb_amortised_options),
    GB_OPTION_OTHER(gb_amortised_options, network, "a function that returns locations and scales"),
    GB_OPTION_OTHER(gb_amortised_options, user, "a pointer that is passed to it"),
    {0}};

const gb_family_type gb_amortised_family_type = {
    .size = sizeof(gb_family_type),
    .name = "amortised",
    .formula = "independent normals, with parameters by a network of the row",
    .options = table,
    .option_bytes = sizeof(gb_amortised_options),
    .posterior = posterior,
};

gb_family gb_amortised_with(gb_shape shape, const gb_amortised_options *options)
{
    return gb_family_of(&gb_amortised_family_type, shape, options);
}
