/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mean and standard deviation over the draws, element by element. Estimators evaluate costs at other values
 * than the draw only for gradients. Here only the draw counts, or the weighted values in its place. */
#include "core/op.h"
#include "estimators/expect.h"
#include "estimators/expectation/fold_impl.h"
#include "estimators/expectation/needs_impl.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static bool has_weights(const gb_site *site, gb_node x)
{
    gb_tape *const tape = site->q.tape;
    if (!GB_HAS(site->estimator.type, weights))
        gb_fail(tape, GB_EARGUMENT, "draws: %s of draw %s does not have the weights of its values",
                site->estimator.type->name, site->name);
    else if (gb_node_axes(site->draw) & ~gb_node_axes(x) & GB_ROWS)
        gb_fail(
            tape, GB_ESHAPE,
            "draws: draw %s varies over rows, and the node does not; %s needs a node that varies over rows",
            site->name, site->estimator.type->name);
    else
        return true;
    return false;
}

/* Returns Σ weight · x over the values of a site. */
static gb_node weighted(const own_site *own, gb_node x)
{
    gb_site site = own->site;
    if (!has_weights(&site, x))
        return (gb_node){0};
    site.per = GB_SAMPLES | (gb_node_axes(x) & GB_ROWS);
    const gb_node each = gb_reveal(gb_widen(x, gb_node_axes(x) | site.axis), site.axis);
    const gb_node weights = gb_add_axes(site.estimator.type->weights(&site), gb_node_shape(x).rank);
    return gb_sum_along(gb_chain(weights, each), gb_axis(0));
}

static gb_node at_draws(gb_expect *e, gb_node x)
{
    for (own_site *own = e->last; own && gb_node_ok(x); own = gb_site_before(own)) {
        if (own->reached && own->site.axis && gb_site_is_weighted(own))
            x = weighted(own, x);
        else if (gb_node_axes(x) & own->site.axis)
            x = gb_select(x, own->site.axis, 0);
    }
    return x;
}

static gb_node mean_of(gb_expect *e, gb_node x)
{
    if (!gb_node_ok(x) || !gb_mark_sites(e, x) || !gb_values_have_needs(e, x))
        return (gb_node){0};
    const gb_node each = at_draws(e, gb_without_evaluations(e, x));
    return gb_stop(gb_close_draws(gb_mean_over(each, GB_SAMPLES | e->particles)));
}

static bool is_real(const gb_expect *e, gb_node x)
{
    if (!e || gb_error(e->tape) != GB_OK)
        return false;
    if (!gb_node_ok(x) || x.tape != e->tape)
        gb_fail(e->tape, GB_ENODE, "draws: this is not a usable node of the expectation's tape");
    else if (gb_node_type(x) != GB_TYPE_REAL)
        gb_fail(e->tape, GB_ETYPE, "draws: this is not real (gb_to_real makes it so)");
    else
        return true;
    return false;
}

gb_node gb_mean_of_draws(gb_expect *e, gb_node x)
{
    return is_real(e, x) ? mean_of(e, x) : (gb_node){0};
}

gb_node gb_sd_of_draws(gb_expect *e, gb_node x)
{
    if (!is_real(e, x))
        return (gb_node){0};
    return gb_sqrt(mean_of(e, gb_square(gb_sub(x, mean_of(e, x)))));
}
