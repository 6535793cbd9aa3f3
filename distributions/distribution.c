/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/distribution.h"

#include <string.h>

#include "core/op.h"
#include "core/program.h"
#include "ops/control.h"

/* ---- checking parameters ---- */

static bool value_fits(gb_tape *tape, const gb_dist_type *type, size_t which, double value)
{
    const gb_param *param = &type->param[which];
    if (param->domain->holds(value))
        return true;
    gb_fail(tape, GB_EARGUMENT, "%s: %s is %g, and must be %s", type->name, param->name, value,
            param->domain->must_be);
    return false;
}

/* Every element of an array constant. */
static bool elements_fit(const gb_dist_type *type, size_t which, gb_node constant)
{
    const gb_memory memory = gb_tape_memory(constant.tape);
    const size_t count = gb_value_count(constant);
    double *const values = gb_memory_resize(&memory, NULL, (count + 1) * sizeof *values);
    bool fits = values && gb_read(constant, values, count) == GB_OK;
    if (!values)
        gb_fail(constant.tape, GB_ENOMEM, "%s: out of memory", type->name);
    for (size_t i = 0; fits && i < count; i++)
        fits = value_fits(constant.tape, type, which, values[i]);
    gb_memory_release(&memory, values);
    return fits;
}

static bool domain_fits(const gb_dist_type *type, size_t which, gb_node param)
{
    double value;
    if (gb_is_uniform(param, &value))
        return value_fits(param.tape, type, which, value);
    return strcmp(gb_node_op(param), "constant") != 0 || elements_fit(type, which, param);
}

static bool param_fits(const gb_dist *d, size_t which, gb_node param, gb_shape *shape)
{
    const char *const name = d->type->param[which].name;
    const gb_shape before = *shape;
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    if (!gb_node_ok(param) || param.tape != d->tape)
        gb_fail(d->tape, GB_ENODE, "%s: %s is not a usable node of this tape", d->type->name, name);
    else if (gb_node_type(param) != GB_TYPE_REAL)
        gb_fail(d->tape, GB_ETYPE, "%s: %s is not real (gb_to_real makes it so)", d->type->name, name);
    else if (!gb_shape_broadcast(before, gb_node_shape(param), shape))
        gb_fail(d->tape, GB_ESHAPE, "%s: %s has shape %s, which does not broadcast with %s", d->type->name,
                name, gb_shape_text(gb_node_shape(param), a), gb_shape_text(before, b));
    else
        return domain_fits(d->type, which, param);
    return false;
}

static size_t param_count(const gb_dist_type *type)
{
    size_t count = 0;
    while (count < GB_MAX_PARAMS && type->param[count].name)
        count++;
    return count;
}

gb_dist gb_dist_new(const gb_dist_type *type, const gb_node *param)
{
    gb_dist d = {.type = type};
    gb_shape shape = gb_shape();
    const size_t count = param_count(type);
    for (size_t i = 0; i < count && !d.tape; i++)
        d.tape = param[i].tape;
    if (!d.tape || gb_error(d.tape) != GB_OK)
        return (gb_dist){0};
    for (size_t i = 0; i < count; i++) {
        if (!param_fits(&d, i, param[i], &shape))
            return (gb_dist){0};
        d.param[i] = param[i];
    }
    return d;
}

/* ---- asking ---- */

bool gb_dist_ok(gb_dist d)
{
    return d.type && gb_node_ok(d.param[0]);
}

gb_shape gb_dist_shape(gb_dist d)
{
    gb_shape shape = gb_shape();
    if (!gb_dist_ok(d))
        return (gb_shape){.rank = -1};
    for (size_t i = 0; i < param_count(d.type); i++)
        gb_shape_broadcast(shape, gb_node_shape(d.param[i]), &shape);
    return shape;
}

gb_axes gb_dist_axes(gb_dist d)
{
    gb_axes axes = 0;
    for (size_t i = 0; gb_dist_ok(d) && i < param_count(d.type); i++)
        axes |= gb_node_axes(d.param[i]);
    return axes;
}

static gb_node lacks(const gb_dist *d, const char *what)
{
    gb_fail(d->tape, GB_EARGUMENT, "%s: there is no %s", d->type->name, what);
    return (gb_node){0};
}

gb_node gb_log_prob(gb_dist d, gb_node x)
{
    return gb_dist_ok(d) ? d.type->log_prob(&d, x) : (gb_node){0};
}

static gb_source source(gb_dist d, gb_noise noise, gb_axes axes)
{
    return (gb_source){.noise = noise, .shape = gb_dist_shape(d), .axes = axes | gb_dist_axes(d)};
}

gb_node gb_sample(gb_dist d, gb_noise noise, gb_axes axes)
{
    if (!gb_dist_ok(d))
        return (gb_node){0};
    const gb_source from = source(d, noise, axes);
    return gb_stop(GB_HAS(d.type, sample) ? d.type->sample(&d, &from) : d.type->rsample(&d, &from));
}

gb_node gb_rsample(gb_dist d, gb_noise noise, gb_axes axes)
{
    if (!gb_dist_ok(d))
        return (gb_node){0};
    const gb_source from = source(d, noise, axes);
    return GB_HAS(d.type, rsample) ? d.type->rsample(&d, &from) : lacks(&d, "reparameterised sampler");
}

gb_node gb_dist_mean(gb_dist d)
{
    if (!gb_dist_ok(d))
        return (gb_node){0};
    return GB_HAS(d.type, mean) ? d.type->mean(&d) : lacks(&d, "mean in closed form");
}

gb_node gb_dist_variance(gb_dist d)
{
    if (!gb_dist_ok(d))
        return (gb_node){0};
    return GB_HAS(d.type, variance) ? d.type->variance(&d) : lacks(&d, "variance in closed form");
}

gb_node gb_entropy(gb_dist d)
{
    if (!gb_dist_ok(d))
        return (gb_node){0};
    return GB_HAS(d.type, entropy) ? d.type->entropy(&d) : lacks(&d, "entropy in closed form");
}
