/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws, lists of all values, measure-valued derivatives, relaxations. */
#include "core/op.h"
#include "distributions/law/distribution_impl.h"
#include "ops/control.h"
#include "plugins/options/made_impl.h"

static gb_source source(const gb_dist *d, gb_noise noise, gb_axes axes)
{
    return (gb_source){.noise = noise, .shape = gb_dist_draw_shape(d), .axes = axes | gb_dist_hidden_axes(d)};
}

gb_node gb_sample(gb_dist d, gb_noise noise, gb_axes axes)
{
    if (!gb_dist_ok(d) || !gb_dist_is_of_tape(&d, noise.tape, "noise"))
        return (gb_node){0};
    const gb_source from = source(&d, noise, axes);
    const bool is_own = GB_HAS(d.type, sample);
    const gb_node drawn = is_own ? d.type->sample(&d, &from) : d.type->rsample(&d, &from);
    gb_plugin_made(d.tape, drawn, "sample", d.type->name, is_own ? "sample" : "rsample");
    return gb_stop(drawn);
}

gb_node gb_rsample(gb_dist d, gb_noise noise, gb_axes axes)
{
    if (!gb_dist_able(&d, GB_CAN_RSAMPLE) || !gb_dist_is_of_tape(&d, noise.tape, "noise"))
        return (gb_node){0};
    const gb_source from = source(&d, noise, axes);
    const gb_node drawn = d.type->rsample(&d, &from);
    gb_plugin_made(d.tape, drawn, "rsample", d.type->name, "rsample");
    return drawn;
}

gb_node gb_dist_enumerate(gb_dist d)
{
    return gb_dist_able(&d, GB_CAN_ENUMERATE) ? d.type->enumerate(&d) : (gb_node){0};
}

/* How many elements an event of a parameter has; 0 if there is no such parameter. */
static int64_t own_elements(const gb_dist *d, size_t which)
{
    size_t count;
    const gb_option *const params = gb_dist_params(d, &count);
    if (which >= count)
        return 0;
    return (int64_t)gb_shape_count(
        gb_last_axes(gb_node_shape(d->param[which]), params[which].domain->event_rank));
}

bool gb_dist_measure(gb_dist d, size_t which, int64_t element, gb_measure *measure)
{
    gb_measure none;
    measure = measure ? measure : &none;
    *measure = (gb_measure){0};
    if (!gb_dist_able(&d, GB_CAN_MEASURE) || element < 0 || element >= own_elements(&d, which))
        return false;
    const bool has = d.type->measure(&d, which, element, measure);
    if (!has)
        *measure = (gb_measure){0};
    return has;
}

gb_dist gb_dist_relaxed(gb_dist d, gb_node temperature)
{
    const bool can =
        gb_dist_able(&d, GB_CAN_RELAX) && gb_dist_is_of_tape(&d, temperature.tape, "temperature");
    return can ? d.type->relaxed(&d, temperature) : (gb_dist){0};
}
