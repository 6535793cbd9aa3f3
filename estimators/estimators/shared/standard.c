/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/shared/standard_impl.h"

#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/arrange.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"

static bool is_of_numbers(const gb_dist *q)
{
    return q->type == &gb_normal_type || q->type == &gb_lognormal_type;
}

static bool wraps(const gb_dist *q)
{
    return (q->type == &gb_transformed_type || q->type == &gb_independent_type) && q->base;
}

bool gb_is_of_normals(const gb_dist *q)
{
    return wraps(q) ? gb_is_of_normals(q->base) : is_of_numbers(q) || q->type == &gb_multivariate_normal_type;
}

gb_shape gb_shape_of_normals(const gb_dist *q)
{
    return wraps(q) ? gb_shape_of_normals(q->base) : gb_dist_shape(*q);
}

static gb_node drawn_of(const gb_dist *q, gb_node x)
{
    const gb_node loc = q->param[0], scale = q->param[1];
    if (q->type == &gb_multivariate_normal_type)
        return gb_add(loc, gb_squeeze(gb_matmul(scale, gb_expand(x, -1)), -1));
    return gb_add(loc, gb_mul(scale, x));
}

gb_node gb_draw_of_normals(const gb_dist *q, gb_node x)
{
    if (q->type == &gb_independent_type)
        return gb_draw_of_normals(q->base, x);
    if (q->type == &gb_transformed_type) {
        const gb_node inner = gb_draw_of_normals(q->base, x);
        return gb_drawn(q, gb_transform_forward(*q->transform, inner), inner);
    }
    if (q->type != &gb_lognormal_type)
        return gb_drawn(q, drawn_of(q, x), x);
    gb_dist of_log = *q; /* its own density asks for that of the logarithm */
    of_log.type = &gb_normal_type;
    const gb_node normal = gb_draw_of_normals(&of_log, x);
    return gb_drawn(q, gb_exp(normal), normal);
}
