/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gauss–Hermite quadrature: the expectation as a weighted sum over nodes, which depend on the parameters. For
 * a batch of n numbers the nodes form a grid. */
#include "estimators/estimators/shared/grid_impl.h"
#include "estimators/estimators/shared/standard_impl.h"
#include "estimators/hermite.h"
#include "estimators/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/scan.h"

enum { WEIGHTS };

static int64_t nodes_of(const gb_site *site)
{
    return (int64_t)((const gb_quadrature_options *)site->options)->nodes;
}

static int64_t evaluations(const gb_site *site)
{
    return gb_grid_size(site, nodes_of(site), (int64_t)gb_shape_count(gb_shape_of_normals(&site->q)));
}

static gb_node draw(gb_site *site)
{
    double node[GB_HERMITE_MOST], weight[GB_HERMITE_MOST];
    gb_tape *const tape = site->q.tape;
    const int64_t nodes = nodes_of(site);
    gb_hermite_rule((int)nodes, node, weight);
    const gb_node x = gb_constant(tape, gb_shape(nodes), gb_values_of(node, (size_t)nodes));
    const gb_node w = gb_constant(tape, gb_shape(nodes), gb_values_of(weight, (size_t)nodes));
    const gb_shape shape = gb_shape_of_normals(&site->q);
    const int64_t count = (int64_t)gb_shape_count(shape);
    const gb_node places = gb_grid_places(site, site->evaluations, nodes, shape);
    const gb_node each = gb_reshape(gb_gather(w, 0, places), gb_shape(site->evaluations, count));
    site->kept[WEIGHTS] = gb_prod_along(each, gb_axis(1));
    return gb_draw_of_normals(&site->q, gb_gather(x, 0, places));
}

static gb_node weights(const gb_site *site)
{
    return site->kept[WEIGHTS];
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    return gb_sum(gb_chain(weights(site), costs));
}

static const char *lacks(const gb_dist *q, const void *options)
{
    (void)options;
    return gb_is_of_normals(q) ? NULL : "way to make it of normals";
}

static const gb_domain nodes = {.size = sizeof(gb_domain),
                                .name = "nodes",
                                .must_be = "a whole number from 1 to 256",
                                .low = 1,
                                .high = GB_HERMITE_MOST,
                                .whole = true};

static const gb_option table[] = {
    GB_OPTION_NUMBER(gb_quadrature_options, nodes, 64, &nodes, "nodes for each number"), {0}};

const gb_estimator_type gb_quadrature_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "quadrature",
    .cite = "Golub and Welsch 1969",
    .formula = "d of the sum of w f(g(theta, x)) over nodes x; exact for polynomials",
    .needs = GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SEPARATE_ROWS | GB_NEEDS_SMOOTH_COST,
    .lacks = lacks,
    .expansion = GB_WEIGHTS,
    .evaluations = evaluations,
    .draw = draw,
    .combine = combine,
    .weights = weights,
    .options = table,
    .option_bytes = sizeof(gb_quadrature_options),
};

gb_estimator gb_quadrature_with(const gb_quadrature_options *options)
{
    return gb_estimator_of(&gb_quadrature_estimator_type, options);
}
