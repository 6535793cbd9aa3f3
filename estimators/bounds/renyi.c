/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rényi's bound: log mean exp (1 − α) l / (1 − α). With v the normalised weights of (1 − α) l, its slopes are
 * v, and its bends (1 − α) v (1 − v). */
#include <math.h>

#include "estimators/bound.h"
#include "estimators/bounds/particles_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const gb_renyi_options *of(const void *options)
{
    return options;
}

static int64_t particles(const void *options)
{
    return of(options)->draws;
}

/* 1 − α; 0 if α is so near 1 that the quotient would lose its digits: that is the ELBO. */
static double power_of(const void *options)
{
    const double power = 1 - of(options)->alpha;
    return fabs(power) < 1e-6 ? 0 : power;
}

static gb_node value(const void *options, gb_node l)
{
    const double power = power_of(options);
    if (power == 0)
        return gb_mean_along(l, gb_axis(0));
    const gb_node log_sum = gb_logsumexp_along(gb_scale(l, power), gb_axis(0));
    return gb_scale(gb_shift(log_sum, -log((double)gb_node_shape(l).size[0])), 1 / power);
}

static gb_node value_instead(const void *options, gb_node l, gb_node instead)
{
    const double power = power_of(options), count = (double)gb_node_shape(l).size[0];
    if (power == 0)
        return gb_add(gb_mean(l), gb_scale(gb_sub(instead, l), 1 / count));
    const gb_node sum = gb_log_sum_of_two(gb_log_sum_of_others(gb_scale(l, power)), gb_scale(instead, power));
    return gb_scale(gb_shift(sum, -log(count)), 1 / power);
}

static gb_node bend(const void *options, gb_node l)
{
    const double power = power_of(options);
    const gb_node v = gb_softmax(gb_scale(l, power), 0);
    return gb_scale(gb_mul(v, gb_shift(gb_neg(v), 1)), power);
}

static bool is_safe(const void *options)
{
    return of(options)->alpha >= 0;
}

static const gb_domain order = {
    .size = sizeof(gb_domain), .name = "order", .must_be = "from -100 to 100", .low = -100, .high = 100};

static const gb_option table[] = {
    GB_OPTION_NUMBER(gb_renyi_options, alpha, 0.5, &order, "order of the divergence"),
    GB_OPTION_WHOLE(gb_renyi_options, draws, 5, &gb_particles_domain, "particles for each sample"),
    {0}};

const gb_bound_type gb_renyi_bound_type = {
    .size = sizeof(gb_bound_type),
    .name = "renyi",
    .cite = "Li and Turner 2016",
    .formula = "E log mean exp((1 - alpha) l) / (1 - alpha)",
    .caution = "for alpha < 0 its mean may be on either side of log Z",
    .options = table,
    .option_bytes = sizeof(gb_renyi_options),
    .particles = particles,
    .value = value,
    .is_safe = is_safe,
    .bend = bend,
    .value_instead = value_instead,
};

gb_bound gb_renyi_with(const gb_renyi_options *options)
{
    return gb_bound_of(&gb_renyi_bound_type, options);
}
