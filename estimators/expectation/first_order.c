/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The adjoint that leaves a fence has the parameters as arguments, so that each gradient of it depends on
 * them. The vjp of that adjoint rejects gradients in the parameters. */
#include "estimators/first_order.h"

#include "core/op.h"
#include "estimators/visit.h"

typedef struct fence_attributes {
    const gb_site *site;
} fence_attributes;

static void reject_parameters(const gb_vjp *v)
{
    const gb_site *const site = ((const fence_attributes *)v->attributes)->site;
    v->adjoint[0] = v->gradient;
    for (size_t i = 1; i < v->count; i++)
        if (v->wanted[i])
            gb_fail(
                v->tape, GB_EGRADIENT,
                "gradient: the gradient of %s for draw %s cannot be differentiated in the parameters of the "
                "draw (pathwise, score, enumerate and quadrature can)",
                site->estimator.type->name, site->name);
}

/* Arguments: an adjoint, and the parameters. */
static const gb_op first_gradient_op = {.size = sizeof(gb_op),
                                        .name = "first_gradient",
                                        .formula =
                                            "x, an adjoint that has no gradient in the other arguments",
                                        .form = GB_FORM_ALIAS,
                                        .variadic = true,
                                        .attribute_bytes = sizeof(fence_attributes),
                                        .infer = gb_infer_first,
                                        .vjp = reject_parameters};

static void fence_vjp(const gb_vjp *v)
{
    gb_node arg[1 + GB_MAX_PARAMS] = {v->gradient};
    for (size_t i = 1; i < v->count; i++)
        arg[i] = v->arg[i];
    v->adjoint[0] =
        gb_apply(NULL, &first_gradient_op, v->count, arg, v->attributes, sizeof(fence_attributes));
}

/* Arguments: the cost, and the parameters. */
static const gb_op fence_op = {.size = sizeof(gb_op),
                               .name = "fence",
                               .formula = "x, whose gradient has none in the other arguments",
                               .form = GB_FORM_ALIAS,
                               .variadic = true,
                               .attribute_bytes = sizeof(fence_attributes),
                               .infer = gb_infer_first,
                               .vjp = fence_vjp};

gb_node gb_site_fenced(const gb_site *site, gb_node cost)
{
    const fence_attributes attributes = {.site = site};
    gb_node arg[1 + GB_MAX_PARAMS] = {cost};
    size_t params, count = 1;
    gb_dist_params(&site->q, &params);
    for (size_t i = 0; i < params; i++)
        if (gb_node_type(site->q.param[i]) == GB_TYPE_REAL && !gb_is_constant(site->q.param[i]))
            arg[count++] = site->q.param[i];
    return count > 1 ? gb_apply(NULL, &fence_op, count, arg, &attributes, sizeof attributes) : cost;
}

bool gb_is_fence(gb_node node)
{
    return gb_node_op(node) == &fence_op;
}

typedef struct sought_fence {
    gb_node draw;
    const gb_site *site;
} sought_fence;

static bool find_fence(void *context, gb_node node)
{
    sought_fence *const sought = context;
    for (size_t i = 1; !sought->site && gb_is_fence(node) && i < gb_node_arguments(node); i++)
        if (gb_node_depends(gb_node_argument(node, i), sought->draw))
            sought->site = ((const fence_attributes *)gb_node_attributes(node))->site;
    return !sought->site;
}

const gb_site *gb_fenced_after(gb_node cost, gb_node draw)
{
    sought_fence sought = {.draw = draw};
    return gb_visit(cost, find_fence, &sought) == GB_OK ? sought.site : NULL;
}
