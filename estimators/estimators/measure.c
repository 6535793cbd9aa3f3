/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measure-valued: the derivative of a density is a multiple of the difference of two densities. Each element
 * of each parameter has two *probes*, one draw from each density. A probe replaces one part of the draw; the
 * rest stays the same. */
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static int64_t count_of(gb_shape shape)
{
    return (int64_t)gb_shape_count(shape);
}

static size_t params_of(const gb_site *site)
{
    size_t count;
    gb_dist_params(&site->q, &count);
    return count;
}

/* Constants need no derivative, so they need no probe. */
static bool is_probed(const gb_site *site, size_t which)
{
    return !gb_is_constant(site->q.param[which]);
}

/* Returns the shape of the parameter for one event: that of a vector of logits; () for a number. */
static gb_shape own_shape(const gb_site *site, size_t which)
{
    size_t count;
    const gb_shape shape = gb_node_shape(site->q.param[which]);
    const int rank = gb_dist_params(&site->q, &count)[which].domain->event_rank;
    return shape.rank < rank ? shape : gb_shape_of(rank, shape.size + shape.rank - rank);
}

static int64_t own_elements(const gb_site *site, size_t which)
{
    return count_of(own_shape(site, which));
}

static int64_t evaluations(const gb_site *site)
{
    const int64_t batch = count_of(gb_dist_batch_shape(site->q));
    int64_t total = 1;
    for (size_t which = 0; which < params_of(site); which++)
        total += is_probed(site, which) ? 2 * batch * own_elements(site, which) : 0;
    return total;
}

/* Returns, for each element of the batch, the draw with this element replaced by `probe`: (batch) + the shape
 * of a draw. */
static gb_node in_each(const gb_site *site, gb_node draw, gb_node probe)
{
    const gb_shape batch = gb_dist_batch_shape(site->q), shape = gb_dist_shape(site->q);
    const int64_t n = count_of(batch);
    const gb_node probes = gb_expand(gb_broadcast(probe, shape), 0);
    if (n == 1)
        return probes;
    const gb_node number = gb_arange(draw.tape, n);
    const gb_node place = gb_add_axes(gb_reshape(number, batch), shape.rank - batch.rank);
    const gb_node is_it = gb_equal(gb_add_axes(number, shape.rank), gb_expand(place, 0));
    return gb_where(is_it, probes, gb_expand(draw, 0));
}

/* Draws from the two measures; both draws use the same noise if the type can do so. */
static bool probe(const gb_site *site, size_t which, int64_t element, gb_node *plus, gb_node *minus)
{
    const gb_dist *const q = &site->q;
    gb_measure measure;
    if (gb_dist_can(*q, GB_CAN_COUPLE)) {
        const gb_source from = {.noise = site->noise, .shape = gb_dist_shape(*q), .axes = site->axes};
        return q->type->couple(q, which, element, &from, plus, minus);
    }
    if (!gb_dist_measure(*q, which, element, &measure))
        return false;
    *plus = gb_sample(measure.plus, site->noise, site->axes);
    *minus = gb_sample(measure.minus, site->noise, site->axes);
    return true;
}

static gb_node reject(const gb_site *site, size_t which)
{
    size_t count;
    gb_fail(site->q.tape, GB_EARGUMENT,
            "draw %s: measure: the derivative of %s in %s is not a difference of known measures; make it a "
            "constant, or use another estimator",
            site->name, site->q.type->name, gb_dist_params(&site->q, &count)[which].name);
    return (gb_node){0};
}

/* Of constants alone there are no probes, so the draw has no axis of them. */
static gb_node draw(gb_site *site)
{
    const gb_node z = gb_sample(site->q, site->noise, site->axes);
    gb_node values = site->evaluations > 1 ? gb_expand(z, 0) : z, plus, minus;
    for (size_t which = 0; which < params_of(site); which++) {
        const int64_t elements = is_probed(site, which) ? own_elements(site, which) : 0;
        for (int64_t element = 0; element < elements; element++) {
            if (!probe(site, which, element, &plus, &minus))
                return reject(site, which);
            const gb_node all[] = {values, in_each(site, z, plus), in_each(site, z, minus)};
            values = gb_concat(3, all, 0);
        }
    }
    return gb_stop(values);
}

/* Returns one element of the parameter, for each element of the batch. */
static gb_node element_of(const gb_site *site, size_t which, int64_t element)
{
    const gb_shape batch = gb_dist_batch_shape(site->q);
    const gb_shape all = gb_shape_join(batch, own_shape(site, which));
    const gb_shape flat = gb_shape_join(batch, gb_shape(own_elements(site, which)));
    const gb_node elements = gb_reshape(gb_broadcast(site->q.param[which], all), flat);
    return gb_squeeze(gb_slice(elements, -1, element, element + 1), -1);
}

static gb_node block(const gb_site *site, gb_node costs, int64_t first)
{
    const gb_shape batch = gb_dist_batch_shape(site->q);
    return gb_reshape(gb_slice(costs, 0, first, first + count_of(batch)), batch);
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const int64_t batch = count_of(gb_dist_batch_shape(site->q));
    gb_node sum = site->evaluations > 1 ? gb_evaluation(costs, 0) : costs;
    int64_t first = 1;
    for (size_t which = 0; which < params_of(site); which++) {
        const int64_t elements = is_probed(site, which) ? own_elements(site, which) : 0;
        for (int64_t element = 0; element < elements; element++, first += 2 * batch) {
            gb_measure measure;
            if (!gb_dist_measure(site->q, which, element, &measure))
                return reject(site, which);
            const gb_node difference = gb_sub(block(site, costs, first), block(site, costs, first + batch));
            sum = gb_inject(sum, element_of(site, which, element), gb_mul(measure.coefficient, difference));
        }
    }
    return sum;
}

const gb_estimator_type gb_measure_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "measure",
    .cite = "Pflug 1989; Heidergott and Vazquez-Abad 2000",
    .formula = "c (f(z+) - f(z-)) for each element of each parameter",
    .needs = GB_NEEDS(GB_CAN_MEASURE) | GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SEPARATE_ROWS,
    .expansion = GB_PROBES,
    .evaluations = evaluations,
    .first_order = true,
    .drops_own_path = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_measure_valued(void)
{
    return gb_estimator_of(&gb_measure_estimator_type, NULL);
}
