/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimator.h"
#include "estimators/learn.h"
#include "estimators/visit.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static bool fits(const gb_site *site, gb_node b, gb_node cost)
{
    const gb_axes more = gb_node_axes(b) & ~gb_node_axes(cost);
    if (!gb_node_ok(b) || b.tape != cost.tape)
        gb_fail(cost.tape, GB_EARGUMENT, "draw %s: the learned baseline is not a node of this tape",
                site->name);
    else if (gb_node_shape(b).rank != 0 || more)
        gb_fail(cost.tape, GB_ESHAPE, "draw %s: the learned baseline must be one number for each sample%s",
                site->name, site->per & GB_ROWS ? " and row" : ", as its cost is (rows are not apart here)");
    else if (gb_node_depends(b, site->draw))
        gb_fail(cost.tape, GB_EARGUMENT,
                "draw %s: the learned baseline depends on the draw that it corrects, which would bias the "
                "gradient",
                site->name);
    else
        return true;
    return false;
}

/* A node that has nothing to learn is taken as it is. */
static gb_node value(const gb_site *site, const void *options, gb_node cost)
{
    const gb_node u = ((const gb_learned_baseline_options *)options)->node;
    if (!fits(site, u, cost))
        return (gb_node){0};
    gb_node variables[GB_LEARNED_MOST];
    const size_t count = gb_site_own_variables(site, u, variables);
    if (count == 0)
        return u;
    const gb_cost_scale unit = gb_site_cost_scale(site, cost);
    const gb_node b = gb_add(unit.mean, gb_mul(unit.deviation, u));
    const gb_node off = gb_mul(gb_sub(gb_stop(cost), b), unit.per_deviation);
    gb_site_lowers(site, gb_site_mean(site, gb_square(off)), count, variables);
    return b;
}

static const gb_option table[] = {{.name = "node",
                                   .form = GB_OPTION_IS_NODE,
                                   .offset = offsetof(gb_learned_baseline_options, node),
                                   .words = "a node",
                                   .is_argument = true},
                                  {0}};

const gb_baseline_type gb_learned_baseline_type = {
    .size = sizeof(gb_baseline_type),
    .name = "learned",
    .cite = "Mnih and Gregor 2014",
    .formula = "mean + deviation u, u a function of what was there before the draw, by least squares",
    .options = table,
    .option_bytes = sizeof(gb_learned_baseline_options),
    .value = value,
};

gb_baseline gb_learned_baseline(gb_node node)
{
    return gb_baseline_of(
        &gb_learned_baseline_type,
        &(gb_learned_baseline_options){.size = sizeof(gb_learned_baseline_options), .node = node});
}
