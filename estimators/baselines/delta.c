/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The delta method: the second-order Taylor series of the cost around the mean of q. It depends on the draw,
 * but its expectation is known. The cost is evaluated at the mean once for each element: the gradient of
 * evaluation i gives row i of the Hessian. */
#include "estimators/estimator.h"
#include "estimators/first_order.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { MOST_ELEMENTS = 256 };

static int64_t elements_of(const gb_site *site)
{
    return (int64_t)gb_shape_count(gb_dist_shape(site->q));
}

static int64_t evaluations(const gb_site *site, const void *options)
{
    (void)options;
    const int64_t elements = elements_of(site);
    if (elements <= MOST_ELEMENTS)
        return elements;
    gb_fail(site->q.tape, GB_ELIMIT, "draw %s: the delta method takes at most %d numbers, not %lld",
            site->name, MOST_ELEMENTS, (long long)elements);
    return 0;
}

/* The mean, repeated once for each element. */
static gb_node values(const gb_site *site, const void *options, gb_node draw)
{
    (void)options;
    const gb_shape shape = gb_shape_join(gb_shape(elements_of(site)), gb_node_shape(draw));
    return gb_broadcast(gb_expand(gb_stop(gb_dist_mean(site->q)), 0), shape);
}

typedef struct taylor {
    gb_node cost, slope, hessian; /* at the mean: a number, (n), (n, n) */
} taylor;

static gb_node flat(gb_node x, int64_t rows, int64_t columns)
{
    return rows ? gb_reshape(x, gb_shape(rows, columns)) : gb_reshape(x, gb_shape(columns));
}

/* If the cost mixes rows, or particles, it depends on the draws of all of them, and its Hessian does not
 * split. */
static bool row_by_row(const gb_site *site)
{
    if (site->particles)
        gb_fail(site->q.tape, GB_EARGUMENT,
                "draw %s: the delta baseline needs a cost of one draw, and not a bound of several; vimco has "
                "a baseline for each",
                site->name);
    if (site->particles || !(site->axes & GB_ROWS) || site->per & GB_ROWS)
        return !site->particles;
    gb_fail(site->q.tape, GB_EARGUMENT,
            "draw %s: the delta baseline needs a cost that is a sum over rows, and this cost mixes rows; use "
            "gb_leave_one_out(), gb_moving_average() or gb_fitted()",
            site->name);
    return false;
}

/* The Hessian is a second gradient, also through the parameters of later draws. */
static bool has_hessian(const gb_site *site, gb_node costs)
{
    const gb_site *const later = gb_fenced_after(costs, site->draw);
    if (later)
        gb_fail(
            site->q.tape, GB_EARGUMENT,
            "draw %s: the delta baseline takes second gradients of the cost. Draw %s depends on this draw, "
            "and the gradient of its estimator %s cannot be differentiated (pathwise, score, enumerate and "
            "quadrature can); or take another baseline here: gb_leave_one_out(), gb_fitted()",
            site->name, later->name, later->estimator.type->name);
    return !later;
}

static taylor taylor_of(const gb_site *site, gb_node costs)
{
    const int64_t n = elements_of(site);
    const gb_node slopes = gb_gradient_of_sum(costs, site->values);
    const gb_node at_mean = flat(gb_slice(slopes, 0, 1, n + 1), n, n);
    const gb_node along = gb_mul(at_mean, gb_eye(costs.tape, n)); /* element i of evaluation i */
    const gb_node rows = gb_gradient_of_sum(along, site->values);
    return (taylor){.cost = gb_stop(gb_evaluation(costs, 1)),
                    .slope = gb_stop(gb_squeeze(gb_slice(at_mean, 0, 0, 1), 0)),
                    .hessian = gb_stop(flat(gb_slice(rows, 0, 1, n + 1), n, n))};
}

static gb_node value(const gb_site *site, const void *options, gb_node costs)
{
    const int64_t n = elements_of(site);
    if (!row_by_row(site) || !has_hessian(site, costs))
        return (gb_node){0};
    const taylor t = taylor_of(site, costs);
    const gb_node off = flat(gb_sub(gb_site_value(site, 0), gb_stop(gb_dist_mean(site->q))), 0, n);
    const gb_node turned = gb_sum_along(gb_mul(t.hessian, gb_expand(off, 0)), gb_axis(1));
    (void)options;
    return gb_add(t.cost, gb_sum(gb_mul(off, gb_add(t.slope, gb_scale(turned, 0.5)))));
}

/* E[value] for independent elements: f + g · (mean − m) + Σ H_ii (variance_i + (mean_i − m_i)²) / 2, expanded
 * at m. */
static gb_node expected(const gb_site *site, const void *options, gb_node costs)
{
    const int64_t n = elements_of(site);
    const taylor t = taylor_of(site, costs);
    const gb_node mean = flat(gb_dist_mean(site->q), 0, n), moved = gb_sub(mean, gb_stop(mean));
    const gb_node spread = flat(gb_dist_variance(site->q), 0, n);
    const gb_node turned = gb_sum_along(gb_mul(t.hessian, gb_expand(moved, 0)), gb_axis(1));
    const gb_node curved = gb_sum(gb_mul(gb_mul(t.hessian, gb_eye(costs.tape, n)), gb_expand(spread, 0)));
    (void)options;
    return gb_add(gb_sum(gb_mul(moved, gb_add(t.slope, gb_scale(turned, 0.5)))), gb_scale(curved, 0.5));
}

static const char *lacks(const gb_dist *q, const void *options)
{
    (void)options;
    if (gb_dist_discrete(*q) || gb_dist_event_shape(*q).rank > 0)
        return "density over independent numbers";
    if (!gb_dist_can(*q, GB_CAN_MEAN))
        return "mean in closed form";
    return gb_dist_can(*q, GB_CAN_VARIANCE) ? NULL : "variance in closed form";
}

const gb_baseline_type gb_delta_baseline_type = {
    .size = sizeof(gb_baseline_type),
    .name = "delta",
    .cite = "Paisley, Blei and Jordan 2012",
    .formula = "f + g (z - m) + (z - m) H (z - m) / 2 at the mean m, and the gradient of its expectation",
    .value = value,
    .expected = expected,
    .evaluations = evaluations,
    .values = values,
    .lacks = lacks,
};

gb_baseline gb_delta(void)
{
    return gb_baseline_of(&gb_delta_baseline_type, NULL);
}
