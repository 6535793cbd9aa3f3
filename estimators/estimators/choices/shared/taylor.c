/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/choices/shared/taylor_impl.h"

#include "estimators/learn.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

const gb_domain gb_multiplier_domain = {.size = sizeof(gb_domain),
                                        .name = "multiplier",
                                        .must_be = "from -1000 to 1000",
                                        .low = -1e3,
                                        .high = 1e3};

gb_node gb_site_multiplier(const gb_site *site, const char *name, double value, bool is_learned)
{
    return is_learned ? gb_site_variable(site, name, gb_shape(), value) : gb_num(site->q.tape, value);
}

gb_node gb_site_others(gb_node x, const char *who)
{
    return gb_if_others(gb_leave_one_out_mean(gb_widen(x, gb_node_axes(x) | GB_SAMPLES), GB_SAMPLES),
                        GB_SAMPLES, who);
}

gb_taylor gb_site_taylor(const gb_site *site, gb_node cost, const char *who)
{
    const gb_node slope = gb_site_others(gb_gradient_of_sum(cost, site->values), who);
    const gb_node off = gb_sub(gb_stop(site->values), gb_stop(gb_dist_mean(site->q)));
    return (gb_taylor){.slope = slope, .linear = gb_site_sum(site, gb_mul(slope, off))};
}
