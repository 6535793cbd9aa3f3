/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The importance weighted bound. Its slopes are the normalised weights v, and its bends v (1 − v). */
#include <math.h>

#include "estimators/bound.h"
#include "estimators/bounds/particles_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static int64_t particles(const void *options)
{
    const gb_iwae_options *const iwae = options;
    return iwae->draws;
}

static gb_node value(const void *options, gb_node l)
{
    (void)options;
    return gb_shift(gb_logsumexp_along(l, gb_axis(0)), -log((double)gb_node_shape(l).size[0]));
}

static gb_node value_instead(const void *options, gb_node l, gb_node instead)
{
    const double count = (double)gb_node_shape(l).size[0];
    (void)options;
    return gb_shift(gb_log_sum_of_two(gb_log_sum_of_others(l), instead), -log(count));
}

static gb_node bend(const void *options, gb_node l)
{
    const gb_node v = gb_softmax(l, 0);
    (void)options;
    return gb_mul(v, gb_shift(gb_neg(v), 1));
}

static const gb_option table[] = {
    GB_OPTION_WHOLE(gb_iwae_options, draws, 5, &gb_particles_domain, "particles for each sample"), {0}};

const gb_bound_type gb_iwae_bound_type = {
    .size = sizeof(gb_bound_type),
    .name = "iwae",
    .cite = "Burda, Grosse and Salakhutdinov 2016",
    .formula = "E log mean exp l",
    .options = table,
    .option_bytes = sizeof(gb_iwae_options),
    .particles = particles,
    .value = value,
    .bend = bend,
    .value_instead = value_instead,
};

gb_bound gb_iwae_with(const gb_iwae_options *options)
{
    return gb_bound_of(&gb_iwae_bound_type, options);
}
