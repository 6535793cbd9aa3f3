/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/shared/held_impl.h"

#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"

static bool wraps(const gb_dist *d)
{
    return (d->type == &gb_independent_type || d->type == &gb_transformed_type) && d->base;
}

static bool has_loc_and_scale(const gb_dist *d)
{
    static const gb_dist_type *const types[] = {&gb_normal_type, &gb_laplace_type, &gb_logistic_type,
                                                &gb_cauchy_type, &gb_gumbel_type};
    bool is_one = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        is_one |= d->type == types[i];
    return is_one;
}

static bool has_density_and_cdf(const gb_dist *d)
{
    return gb_dist_can(*d, GB_CAN_CDF) && gb_dist_event_shape(*d).rank == 0 && !gb_dist_discrete(*d) &&
           !GB_HAS(d->type, atoms) && d->type != &gb_point_mass_type;
}

bool gb_can_hold_noise(const gb_dist *d)
{
    if (gb_dist_moving_support(*d))
        return false;
    if (wraps(d))
        return gb_can_hold_noise(d->base);
    return d->type == &gb_multivariate_normal_type || has_loc_and_scale(d) || has_density_and_cdf(d);
}

static gb_node of_vectors(const gb_dist *d, gb_node z)
{
    const gb_node loc = d->param[0], root = gb_tril(d->param[1], 0);
    const gb_node noise = gb_stop(gb_triangular_solve_vector(root, gb_sub(z, loc)));
    return gb_add(loc, gb_squeeze(gb_matmul(root, gb_expand(noise, -1)), -1));
}

/* A draw at a fixed rank F(z) moves by −∂F / density. */
static gb_node by_rank(const gb_dist *d, gb_node z)
{
    return gb_inject(z, gb_cdf(*d, z), gb_neg(gb_exp(gb_neg(gb_log_prob(*d, z)))));
}

gb_node gb_at_held_noise(const gb_dist *d, gb_node draw)
{
    const gb_node z = gb_stop(draw);
    if (d->type == &gb_independent_type)
        return gb_at_held_noise(d->base, z);
    if (d->type == &gb_transformed_type) {
        const gb_node inner = gb_at_held_noise(d->base, gb_transform_inverse(*d->transform, z));
        return gb_transform_forward(*d->transform, inner);
    }
    if (d->type == &gb_multivariate_normal_type)
        return of_vectors(d, z);
    if (!has_loc_and_scale(d))
        return by_rank(d, z);
    const gb_node noise = gb_stop(gb_div(gb_sub(z, d->param[0]), d->param[1]));
    return gb_add(d->param[0], gb_mul(d->param[1], noise));
}
