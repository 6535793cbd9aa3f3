/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a distribution: its parameters are checked here, and nowhere else.
 *
 * A constant is read and judged at once. What is computed is held to its domain in every run (ops/hold.h), unless
 * it cannot be outside, by what it is made of. */
#include <math.h>
#include <string.h>

#include "core/op.h"
#include "core/program.h"
#include "distributions/distribution.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/hold.h"
#include "ops/reduce.h"

const gb_param *gb_dist_params(const gb_dist *d, size_t *count)
{
    const gb_param *const params = d->alternative ? d->type->alternative : d->type->param;
    *count = 0;
    while (*count < GB_MAX_PARAMS && params[*count].name)
        ++*count;
    return params;
}

/* ---- constants ---- */

/* value NULL: it is no single number. */
static bool refuse(const gb_dist *d, const gb_param *param, const double *value, const char *must_be)
{
    char text[256];
    gb_hold_text((gb_hold_words){d->type->name, param->name, must_be, 0}, value, text, sizeof text);
    gb_fail(d->tape, GB_EARGUMENT, "%s", text);
    return false;
}

static bool is_constant(gb_node node)
{
    return gb_is_uniform(node, NULL) || strcmp(gb_node_op(node), "constant") == 0;
}

/* All elements of a constant, in memory of the tape; NULL, with the error, where there is none left. */
static double *read_constant(gb_node constant, size_t *count)
{
    const gb_memory memory = gb_tape_memory(constant.tape);
    double number;
    *count = gb_shape_count(gb_node_shape(constant));
    double *const values = gb_memory_resize(&memory, NULL, (*count + 1) * sizeof *values);
    const bool uniform = gb_is_uniform(constant, &number);
    for (size_t i = 0; values && uniform && i < *count; i++)
        values[i] = number;
    if (values && (uniform || gb_read(constant, values, *count) == GB_OK))
        return values;
    if (!values)
        gb_fail(constant.tape, GB_ENOMEM, "%s: out of memory", gb_node_op(constant));
    gb_memory_release(&memory, values);
    return NULL;
}

static bool elements_fit(const gb_dist *d, const gb_param *param, gb_node constant)
{
    const gb_memory memory = gb_tape_memory(d->tape);
    size_t count, bad = 0;
    double *const values = read_constant(constant, &count);
    if (!values)
        return false;
    while (bad < count && gb_domain_holds(param->domain, values[bad]))
        bad++;
    if (bad < count)
        refuse(d, param, &values[bad], param->domain->must_be);
    gb_memory_release(&memory, values);
    return bad == count;
}

/* The same constant on another tape. */
static gb_node copy_constant(gb_node constant, gb_tape *to)
{
    const gb_memory memory = gb_tape_memory(constant.tape);
    size_t count;
    double *const values = read_constant(constant, &count);
    const gb_node copy =
        values ? gb_constant(to, gb_node_shape(constant), gb_values_from(values, count)) : (gb_node){0};
    gb_memory_release(&memory, values);
    return copy;
}

/* A tape for a moment, on which conditions are evaluated: the user's own may have run, and then evaluates nothing
 * any more. NULL, with the error, where there is no memory. */
static gb_tape *scratch_tape(gb_tape *like)
{
    gb_tape *const scratch =
        gb_tape_new(.real = gb_tape_real(like), .threads = 1, .memory = gb_tape_memory(like));
    if (!scratch)
        gb_fail(like, GB_ENOMEM, "out of memory");
    return scratch;
}

/* Whether a condition is false everywhere; if not, the error says so. Ends the tape of the condition. */
static bool holds_on_scratch(const gb_dist *d, const gb_param *param, gb_tape *scratch, gb_node outside,
                             const double *value, const char *must_be)
{
    bool holds = true;
    if (gb_node_ok(outside)) {
        const gb_node any = gb_sum(gb_to_real(outside));
        holds = gb_value(any) == 0;
        if (!holds && gb_error(scratch) == GB_OK)
            refuse(d, param, value, must_be);
    }
    if (gb_error(scratch) != GB_OK) {
        gb_fail(d->tape, gb_error(scratch), "%s: %s", d->type->name, gb_error_text(scratch));
        holds = false;
    }
    gb_tape_free(scratch);
    return holds;
}

static bool event_fits(const gb_dist *d, const gb_param *param, gb_node constant)
{
    if (!param->domain->outside)
        return true;
    gb_tape *const scratch = scratch_tape(d->tape);
    if (!scratch)
        return false;
    const gb_node copy = copy_constant(constant, scratch);
    return holds_on_scratch(d, param, scratch, param->domain->outside(copy), NULL, param->domain->must_be);
}

/* Every parameter is a constant. */
static bool all_constant(const gb_dist *d, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_constant(d->param[i]))
            return false;
    return true;
}

static bool constants_relate(const gb_dist *d, const gb_param *params, size_t count)
{
    const gb_relation *const relation = &d->type->relation;
    double value;
    gb_tape *const scratch = scratch_tape(d->tape);
    if (!scratch)
        return false;
    gb_dist copy = *d;
    copy.tape = scratch;
    for (size_t i = 0; i < count; i++)
        copy.param[i] = copy_constant(d->param[i], scratch);
    const bool one = gb_is_uniform(d->param[relation->which], &value);
    return holds_on_scratch(d, &params[relation->which], scratch, relation->outside(&copy),
                            one ? &value : NULL, relation->must_be);
}

/* ---- what is computed ---- */

/* Whether a domain has everything that is in a range, but for what underflows. */
static bool covers(const gb_domain *domain, gb_range range)
{
    const bool low = range.low > domain->low || (range.low == domain->low && (!domain->above || range.above));
    const bool high = range.high < domain->high ||
                      (range.high == domain->high && (!domain->below || range.below)) ||
                      (isinf(domain->high) && range.low >= 0);
    return low && high && !domain->whole && !domain->outside;
}

static gb_node held(gb_node param, gb_node outside, const gb_dist *d, const char *what, const char *must_be,
                    int event_rank)
{
    if (!gb_node_ok(outside))
        return param;
    return gb_hold(param, gb_add_axes(outside, event_rank),
                   (gb_hold_words){d->type->name, what, must_be, event_rank > 0});
}

/* ---- one parameter ---- */

static bool usable(const gb_dist *d, const gb_param *param, gb_node node)
{
    char text[GB_SHAPE_TEXT];
    if (!gb_node_ok(node) || node.tape != d->tape)
        gb_fail(d->tape, GB_ENODE, "%s: %s is not a usable node of this tape", d->type->name, param->name);
    else if (gb_node_type(node) != GB_TYPE_REAL)
        gb_fail(d->tape, GB_ETYPE, "%s: %s is not real (gb_to_real makes it so)", d->type->name, param->name);
    else if (gb_node_shape(node).rank < param->domain->event_rank)
        gb_fail(d->tape, GB_ESHAPE, "%s: %s has shape %s, and must have at least %d %s", d->type->name,
                param->name, gb_shape_text(gb_node_shape(node), text), param->domain->event_rank,
                param->domain->event_rank == 1 ? "axis" : "axes");
    else
        return true;
    return false;
}

static bool fit_domain(gb_dist *d, const gb_param *param, gb_node *node)
{
    double value;
    if (gb_is_uniform(*node, &value) && !gb_domain_holds(param->domain, value))
        return refuse(d, param, &value, param->domain->must_be);
    if (is_constant(*node))
        return elements_fit(d, param, *node) && event_fits(d, param, *node);
    if (!covers(param->domain, gb_known_range(*node)))
        *node = held(*node, gb_domain_outside(param->domain, *node), d, param->name, param->domain->must_be,
                     param->domain->event_rank);
    return gb_error(d->tape) == GB_OK;
}

/* What a parameter must be with respect to the others: it then has as many elements as there are relations. */
static bool fit_relation(gb_dist *d, const gb_param *params, size_t count)
{
    const gb_relation *const relation = &d->type->relation;
    gb_shape all;
    if (!relation->outside)
        return true;
    if (all_constant(d, count))
        return constants_relate(d, params, count);
    gb_node *const node = &d->param[relation->which];
    const gb_node outside = relation->outside(d);
    if (gb_shape_broadcast(gb_node_shape(outside), gb_node_shape(*node), &all))
        *node = gb_widen(gb_broadcast_to(*node, all), gb_node_axes(outside));
    *node = held(*node, outside, d, params[relation->which].name, relation->must_be, 0);
    return gb_error(d->tape) == GB_OK;
}

/* ---- all of them ---- */

static bool batches_fit(const gb_dist *d, const gb_param *params, size_t count)
{
    gb_shape batch = gb_shape();
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    for (size_t i = 0; i < count; i++) {
        const gb_shape shape = gb_node_shape(d->param[i]), before = batch;
        const gb_shape own = gb_shape_of(shape.rank - params[i].domain->event_rank, shape.size);
        if (gb_shape_broadcast(before, own, &batch))
            continue;
        gb_fail(d->tape, GB_ESHAPE, "%s: %s has shape %s, which does not broadcast with %s", d->type->name,
                params[i].name, gb_shape_text(shape, a), gb_shape_text(before, b));
        return false;
    }
    return true;
}

/* What is pointed to must live as long as the distribution. */
static bool keep_parts(gb_dist *d)
{
    if (d->base) {
        gb_dist *const kept = gb_tape_keep(d->tape, sizeof *kept);
        if (!kept)
            return false;
        *kept = *d->base;
        d->base = kept;
    }
    if (d->transform) {
        gb_transform *const kept = gb_tape_keep(d->tape, sizeof *kept);
        if (!kept)
            return false;
        *kept = *d->transform;
        d->transform = kept;
    }
    return true;
}

gb_dist gb_dist_checked(gb_dist d)
{
    size_t count;
    const gb_param *const params = gb_dist_params(&d, &count);
    for (size_t i = 0; i < count && !d.tape; i++)
        d.tape = d.param[i].tape;
    if (!d.tape || gb_error(d.tape) != GB_OK)
        return (gb_dist){0};
    for (size_t i = 0; i < count; i++)
        if (!usable(&d, &params[i], d.param[i]) || !fit_domain(&d, &params[i], &d.param[i]))
            return (gb_dist){0};
    if (!batches_fit(&d, params, count) || !fit_relation(&d, params, count))
        return (gb_dist){0};
    return keep_parts(&d) ? d : (gb_dist){0};
}

static gb_dist of_parameters(const gb_dist_type *type, const gb_node *param, bool alternative)
{
    gb_dist d = {.type = type, .alternative = alternative};
    size_t count;
    gb_dist_params(&d, &count);
    memcpy(d.param, param, count * sizeof *param);
    return gb_dist_checked(d);
}

gb_dist gb_dist_new(const gb_dist_type *type, const gb_node *param)
{
    return of_parameters(type, param, false);
}

gb_dist gb_dist_alternative(const gb_dist_type *type, const gb_node *param)
{
    return of_parameters(type, param, true);
}
