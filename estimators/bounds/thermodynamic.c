/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thermodynamic objective: log Z is the integral over β from 0 to 1 of the mean of l under
 * π_β ∝ q^(1 − β) p^β. The mean grows with β, so a left Riemann sum is below log Z. Particles of q have the
 * weights w^β under π_β. */
#include <math.h>

#include "estimators/bound.h"
#include "estimators/bounds/particles_impl.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const gb_thermodynamic_options *of(const void *options)
{
    return options;
}

static int64_t particles(const void *options)
{
    return of(options)->draws;
}

/* Place 0 is 0, place 1 is `lowest`, place `points` is 1. */
static double beta(const gb_thermodynamic_options *o, int64_t place)
{
    if (place == 0 || place == o->points)
        return place == 0 ? 0 : 1;
    return pow(o->lowest, (double)(o->points - place) / (double)(o->points - 1));
}

/* Returns the normalised weights at a place, times the width of the place. */
static gb_node weights(const gb_thermodynamic_options *o, gb_node l, int64_t place)
{
    const double low = beta(o, place), width = beta(o, place + 1) - low;
    return gb_scale(gb_softmax(gb_scale(l, low), 0), width);
}

static gb_node value(const void *options, gb_node l)
{
    gb_node sum = {0};
    for (int64_t i = 0; i < of(options)->points; i++) {
        const gb_node mean = gb_sum_along(gb_chain(weights(of(options), l, i), l), gb_axis(0));
        sum = i == 0 ? mean : gb_add(sum, mean);
    }
    return sum;
}

/* Σ width v (l − Σ v l) (β + (1 − β) K / (K − 1)): what the covariance of l and ∂ log π_β leaves for the
 * score of a particle, besides its slope. By K / (K − 1) it is without bias at β = 0. */
static gb_node signal(const void *options, gb_node l)
{
    const double count = (double)gb_node_shape(l).size[0], others = count > 1 ? count / (count - 1) : 1;
    gb_node sum = {0};
    for (int64_t i = 0; i < of(options)->points; i++) {
        const double low = beta(of(options), i), width = beta(of(options), i + 1) - low;
        const gb_node v = weights(of(options), l, i);
        const gb_node mean = gb_scale(gb_sum_along(gb_chain(v, l), gb_axis(0)), 1 / width);
        const gb_node part = gb_scale(gb_chain(v, gb_sub(l, mean)), low + (1 - low) * others);
        sum = i == 0 ? part : gb_add(sum, part);
    }
    return sum;
}

static const gb_domain points = {.size = sizeof(gb_domain),
                                 .name = "points",
                                 .must_be = "a whole number from 1 to 100",
                                 .low = 1,
                                 .high = 100,
                                 .whole = true};

static const gb_option table[] = {
    GB_OPTION_WHOLE(gb_thermodynamic_options, draws, 10, &gb_particles_domain, "particles for each sample"),
    GB_OPTION_WHOLE(gb_thermodynamic_options, points, 2, &points, "places of beta, 0 among them"),
    GB_OPTION_NUMBER(gb_thermodynamic_options, lowest, 0.1, GB_OPEN_UNIT, "the least beta above 0"),
    {0}};

const gb_bound_type gb_thermodynamic_bound_type = {
    .size = sizeof(gb_bound_type),
    .name = "thermodynamic",
    .cite = "Masrani, Le and Wood 2019",
    .formula = "left Riemann sum over beta of the mean of l with weights exp(beta l)",
    .caution = "its means are of few particles, so it may be on either side of log Z",
    .options = table,
    .option_bytes = sizeof(gb_thermodynamic_options),
    .particles = particles,
    .value = value,
    .signal = signal,
};

gb_bound gb_thermodynamic_with(const gb_thermodynamic_options *options)
{
    return gb_bound_of(&gb_thermodynamic_bound_type, options);
}
