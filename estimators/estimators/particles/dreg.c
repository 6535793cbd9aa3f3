/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Doubly reparameterised gradients. The gradient of a bound through log q at fixed draws is −Σ v_k ∂ log
 * q(z_k), a score, with v the slopes of the bound. Reparameterised once more, it is minus the mean of the
 * derivative of v_k along z_k: the bend of the bound times that of log w. What is left of the path is v −
 * bend; of the importance weighted bound, v². If log q has another weight than −1 in log w, its gradient has
 * it too. */
#include "estimators/estimators/particles/dreg_impl.h"

#include "estimators/bound.h"
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"

gb_node gb_slope_of_log(gb_dist law, gb_node draw)
{
    const gb_node z = gb_stop(draw);
    return gb_gradient_of_sum(gb_log_prob(law, z), z);
}

static gb_node draw(gb_site *site)
{
    return gb_rsample(site->q, site->noise, site->axes);
}

/* In the log weight log q is made of the noise, where it does not vary with the draw (gb_draw_log_prob); here
 * it is made of the draw. */
gb_node gb_slope_of_weight(const gb_site *site)
{
    const gb_node of_q = gb_mul(site->own_weight, gb_slope_of_log(site->q, site->values));
    const gb_node all = gb_gradient_of_sum(site->log_weight, site->values);
    return gb_stop(gb_add(gb_sub(all, gb_gradient_of_sum(site->own, site->values)), of_q));
}

static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_node bends = gb_site_bends(site), along = gb_slope_of_weight(site);
    const gb_axes rows = gb_node_axes(bends) & ~gb_node_axes(along) & GB_ROWS;
    if (rows) {
        gb_fail(cost.tape, GB_EARGUMENT,
                "draw %s: %s needs a draw for each row, where the bound is one for each row; this draw is "
                "one for all (pathwise and vimco fit)",
                site->name, site->estimator.type->name);
        return (gb_node){0};
    }
    const gb_node by = gb_add_axes(bends, gb_node_shape(along).rank);
    const gb_node along_draw = gb_mul(site->own_weight, gb_chain(by, along));
    return gb_site_inject(site, gb_site_stop_own_path(site, cost), site->values, along_draw);
}

const gb_estimator_type gb_dreg_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "dreg",
    .cite = "Tucker, Lawson, Gu and Maddison 2019; Bauer and Mnih 2021",
    .formula =
        "sum (v - v') dl/dz dz over the particles, v = dL/dl, v' = dv/dl, without d log q at fixed draws",
    .needs = GB_NEEDS(GB_CAN_RSAMPLE) | GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SMOOTH_COST |
             GB_NEEDS_OWN_LOG_PROB | GB_NEEDS_BOUND | GB_NEEDS_LATER_PATHS,
    .first_order = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_dreg(void)
{
    return gb_estimator_of(&gb_dreg_estimator_type, NULL);
}
