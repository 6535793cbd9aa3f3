/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of parameters: first single elements, then whole vectors and matrices, then the relation between
 * parameters.
 *
 * A constant is checked at recording. A computed parameter is held to its domain in every run (ops/hold.h),
 * unless its known range shows that it cannot leave the domain. */
#include "distributions/domains/parameters_impl.h"

#include <math.h>

#include "core/op.h"
#include "core/program.h"
#include "ops/elementwise.h"
#include "ops/hold.h"
#include "ops/list.h"
#include "ops/reduce.h"

/* ---- constants ---- */

/* Records the error. `value` is NULL if the fault is not a single number. */
static bool reject(const gb_parameters *p, size_t which, const double *value, const char *must_be)
{
    char text[256];
    gb_hold_text((gb_hold_words){p->who, p->param[which].name, must_be, 0}, value, text, sizeof text);
    gb_fail(p->tape, GB_EARGUMENT, "%s", text);
    return false;
}

static bool is_constant(gb_node node)
{
    return gb_is_uniform(node, NULL) || gb_node_is(node, "constant");
}

/* A float tape stores 1e-60 as 0: it is that which must lie in the domain. */
static double as_stored(const gb_tape *tape, double value)
{
    return gb_tape_real(tape) == GB_FLOAT ? (double)(float)value : value;
}

/* All elements of a constant, or of a node on a scratch tape. The memory is the tape's; NULL, with an error,
 * if there is none left. */
static double *read_all(gb_node node, size_t *count)
{
    const gb_memory memory = gb_tape_memory(node.tape);
    double number;
    *count = gb_shape_count(gb_node_shape(node));
    double *const values = gb_memory_resize(&memory, NULL, (*count + 1) * sizeof *values);
    const bool uniform = gb_is_uniform(node, &number);
    for (size_t i = 0; values && uniform && i < *count; i++)
        values[i] = number;
    if (values && (uniform || gb_read(node, values, *count) == GB_OK))
        return values;
    if (!values)
        gb_fail(node.tape, GB_ENOMEM, "%s: out of memory", gb_node_op_name(node));
    gb_memory_release(&memory, values);
    return NULL;
}

static bool elements_fit(const gb_parameters *p, size_t which)
{
    const gb_memory memory = gb_tape_memory(p->tape);
    const gb_domain *const domain = p->param[which].domain;
    size_t count, bad = 0;
    double *const values = read_all(p->node[which], &count);
    if (!values)
        return false;
    while (bad < count && gb_domain_holds(domain, values[bad]))
        bad++;
    if (bad < count)
        reject(p, which, &values[bad], domain->must_be);
    gb_memory_release(&memory, values);
    return bad == count;
}

/* ---- conditions on constants ---- */

/* A tape to evaluate conditions on: the user's own may have run, and then evaluates nothing any more. NULL,
 * with an error, if there is no memory. */
static gb_tape *scratch_tape(gb_tape *like)
{
    gb_tape *const scratch =
        gb_tape_new(.real = gb_tape_real(like), .threads = 1, .memory = gb_tape_memory(like));
    if (!scratch)
        gb_fail(like, GB_ENOMEM, "out of memory");
    return scratch;
}

/* Frees the scratch tape. An error on it becomes an error here. */
static bool end_scratch(const gb_parameters *p, gb_tape *scratch)
{
    const bool good = gb_error(scratch) == GB_OK;
    if (!good)
        gb_fail(p->tape, gb_error(scratch), "%s: %s", p->who, gb_error_text(scratch));
    gb_tape_free(scratch);
    return good;
}

static gb_node copy_constant(gb_node constant, gb_tape *to)
{
    const gb_memory memory = gb_tape_memory(constant.tape);
    size_t count;
    double *const values = read_all(constant, &count);
    const gb_node copy =
        values ? gb_constant(to, gb_node_shape(constant), gb_values_of(values, count)) : (gb_node){0};
    gb_memory_release(&memory, values);
    return copy;
}

/* The first value for which the condition is true; returns false if there is none. */
static bool find_outside(gb_node outside, gb_node copy, double *value)
{
    const gb_memory memory = gb_tape_memory(copy.tape);
    size_t count = 0, values_count, at = 0;
    gb_shape all = gb_node_shape(outside);
    gb_shape_broadcast(all, gb_node_shape(copy), &all);
    double *const is_outside = read_all(gb_broadcast_to(gb_to_real(outside), all), &count);
    double *const values = read_all(gb_broadcast_to(copy, all), &values_count);
    while (is_outside && at < count && is_outside[at] == 0)
        at++;
    const bool found = values && is_outside && at < count;
    if (found)
        *value = values[at];
    gb_memory_release(&memory, is_outside);
    gb_memory_release(&memory, values);
    return found;
}

static bool event_fits(const gb_parameters *p, size_t which)
{
    const gb_domain *const domain = p->param[which].domain;
    if (!domain->outside)
        return true;
    gb_tape *const scratch = scratch_tape(p->tape);
    if (!scratch)
        return false;
    const gb_node outside = domain->outside(copy_constant(p->node[which], scratch));
    if (gb_node_ok(outside) && gb_value(gb_sum(gb_to_real(outside))) > 0)
        reject(p, which, NULL, domain->must_be);
    return end_scratch(p, scratch) && gb_error(p->tape) == GB_OK;
}

static bool all_constant(const gb_parameters *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (!is_constant(p->node[i]))
            return false;
    return true;
}

static bool constants_relate(const gb_parameters *p)
{
    gb_node copy[GB_MAX_PARAMS] = {{0}};
    double value;
    gb_tape *const scratch = scratch_tape(p->tape);
    if (!scratch)
        return false;
    for (size_t i = 0; i < p->count; i++)
        copy[i] = copy_constant(p->node[i], scratch);
    const gb_node outside = p->relation->outside(copy);
    if (gb_node_ok(outside) && find_outside(outside, copy[p->relation->which], &value))
        reject(p, p->relation->which, &value, p->relation->must_be);
    return end_scratch(p, scratch) && gb_error(p->tape) == GB_OK;
}

/* ---- what is computed ---- */

/* Whether the domain holds all numbers of a range. Underflow is not considered. */
static bool covers(const gb_domain *domain, gb_range range)
{
    const bool low = range.low > domain->low || (range.low == domain->low && (!domain->above || range.above));
    const bool high = range.high < domain->high ||
                      (range.high == domain->high && (!domain->below || range.below)) ||
                      (isinf(domain->high) && range.low >= 0);
    const bool zero = range.low < 0 ? range.high >= 0 : range.low == 0 && !range.above;
    return low && high && !domain->whole && !(domain->no_zero && zero);
}

/* event_rank: 0 if `outside` concerns single elements, else the rank of the events that it concerns. */
static gb_node held(const gb_parameters *p, size_t which, gb_node outside, const char *must_be,
                    int event_rank)
{
    const gb_node node = p->node[which];
    return gb_node_ok(outside)
               ? gb_hold(node, gb_add_axes(outside, event_rank),
                         (gb_hold_words){p->who, p->param[which].name, must_be, event_rank > 0})
               : node;
}

static void hold_to_domain(const gb_parameters *p, size_t which)
{
    const gb_domain *const domain = p->param[which].domain;
    gb_node *const node = &p->node[which];
    if (!covers(domain, gb_node_range(*node)))
        *node = held(p, which, gb_domain_elements_outside(domain, *node), domain->must_be, 0);
    if (domain->outside)
        *node = held(p, which, domain->outside(*node), domain->must_be, domain->event_rank);
}

/* The parameter is broadcast to one element for each relation. */
static void hold_to_relation(const gb_parameters *p)
{
    const size_t which = p->relation->which;
    gb_node *const node = &p->node[which];
    const gb_node outside = p->relation->outside(p->node);
    gb_shape all;
    if (gb_shape_broadcast(gb_node_shape(outside), gb_node_shape(*node), &all))
        *node = gb_widen(gb_broadcast_to(*node, all), gb_node_axes(outside));
    *node = held(p, which, outside, p->relation->must_be, 0);
}

/* ---- one parameter ---- */

static bool usable(const gb_parameters *p, size_t which)
{
    char text[GB_SHAPE_TEXT];
    const gb_node node = p->node[which];
    const char *const name = p->param[which].name;
    const int rank = p->param[which].domain->event_rank;
    const gb_shape shape = gb_node_shape(node);
    if (!gb_node_ok(node) || node.tape != p->tape)
        gb_fail(p->tape, GB_ENODE, "%s: %s is not a usable node of this tape", p->who, name);
    else if (gb_node_type(node) != GB_TYPE_REAL)
        gb_fail(p->tape, GB_ETYPE, "%s: %s is not real (gb_to_real makes it so)", p->who, name);
    else if (shape.rank < rank)
        gb_fail(p->tape, GB_ESHAPE, "%s: %s has shape %s, and must have at least %d %s", p->who, name,
                gb_shape_text(shape, text), rank, rank == 1 ? "axis" : "axes");
    else if (p->param[which].domain->square && shape.size[shape.rank - 1] != shape.size[shape.rank - 2])
        gb_fail(p->tape, GB_ESHAPE, "%s: %s has shape %s, and must be square", p->who, name,
                gb_shape_text(shape, text));
    else
        return true;
    return false;
}

static bool fits_domain(const gb_parameters *p, size_t which)
{
    const gb_domain *const domain = p->param[which].domain;
    double value;
    if (gb_is_uniform(p->node[which], &value)) {
        if (gb_domain_holds(domain, value))
            value = as_stored(p->tape, value);
        if (!gb_domain_holds(domain, value))
            return reject(p, which, &value, domain->must_be);
    }
    if (is_constant(p->node[which]))
        return elements_fit(p, which) && event_fits(p, which);
    hold_to_domain(p, which);
    return gb_error(p->tape) == GB_OK;
}

/* ---- all of them ---- */

static bool batches_fit(const gb_parameters *p)
{
    gb_shape batch = gb_shape();
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    for (size_t i = 0; i < p->count; i++) {
        const gb_shape shape = gb_node_shape(p->node[i]), before = batch;
        const gb_shape own = gb_shape_of(shape.rank - p->param[i].domain->event_rank, shape.size);
        if (gb_shape_broadcast(before, own, &batch))
            continue;
        gb_fail(p->tape, GB_ESHAPE, "%s: %s has shape %s, which does not broadcast with %s", p->who,
                p->param[i].name, gb_shape_text(shape, a), gb_shape_text(before, b));
        return false;
    }
    return true;
}

bool gb_parameters_fit(const gb_parameters *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (!usable(p, i) || !fits_domain(p, i))
            return false;
    if (!batches_fit(p))
        return false;
    if (!p->relation)
        return true;
    if (all_constant(p))
        return constants_relate(p);
    hold_to_relation(p);
    return gb_error(p->tape) == GB_OK;
}
