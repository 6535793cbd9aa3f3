/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/optimisers/natural_normal_impl.h"
#include "models/optimisers/optimiser_impl.h"
#include "ops/elementwise.h"

/* For losses with noise. The eigenvalues of ρ H are then below 0.45, so I + ρ H is definite by far. */
static const double usual_trust = 0.05;

static gb_node rejected(const gb_update_step *to, bool is_low_rank)
{
    if (is_low_rank)
        gb_fail(
            to->variable.tape, GB_EARGUMENT,
            "natural: %s belongs to a normal of low rank, for which no step is known: many factors W have "
            "the same W W'. Use gb_full_rank or gb_mean_field, gb_adam(), .metric, or .others: the factor of "
            "the rate for its plain gradient",
            to->name);
    else
        gb_fail(
            to->variable.tape, GB_EARGUMENT,
            "natural: %s has no metric: it does not belong to a normal NAME.location, NAME.raw_scale or "
            "log_scale, and NAME.lower for full rank. Give .metric, or .others: the factor of the rate for "
            "its plain gradient",
            to->name);
    return (gb_node){0};
}

static gb_node moved(const gb_update_step *to, gb_node gradient)
{
    return gb_sub(to->variable, gb_mul(to->rate, gradient));
}

/* Without draws the gradient is exact, and so is the step in a conjugate model, however long. */
static double trust_of(const gb_update_step *to)
{
    const gb_natural_options *const o = to->options;
    gb_node noise;
    if (o->trust > 0)
        return o->trust;
    return gb_optimiser_find_noise(to->loss, &noise) && noise.tape ? usual_trust : (double)INFINITY;
}

static gb_node update(const gb_update_step *to)
{
    const gb_natural_options *const o = to->options;
    gb_tape *const tape = to->variable.tape;
    const gb_node by_metric = o->metric ? o->metric(to, o->user) : (gb_node){0};
    if (gb_error(tape) != GB_OK || gb_node_ok(by_metric))
        return moved(to, by_metric);
    gb_normal_parts parts = {0};
    const bool is_normal = gb_normal_parts_of(to, &parts);
    parts.trust = trust_of(to);
    if (is_normal && !parts.is_low_rank)
        return gb_normal_step(to, &parts);
    return o->others > 0 ? moved(to, gb_scale(to->gradient, o->others)) : rejected(to, parts.is_low_rank);
}

static const gb_option table[] = {
    GB_OPTIMISER_ROWS(gb_natural_options, 1e-2),
    GB_OPTION_NUMBER(gb_natural_options, others, 0, GB_NON_NEGATIVE,
                     "factor of the rate for variables without a metric; 0: they are rejected"),
    GB_OPTION_NUMBER(gb_natural_options, trust, 0, GB_NON_NEGATIVE,
                     "largest KL(q_new ‖ q) of a step; 0: usual, and any if the loss has no noise"),
    GB_OPTION_OTHER(gb_natural_options, metric, "a function with further metrics"),
    GB_OPTION_OTHER(gb_natural_options, user, "a pointer that is passed to it"),
    {0}};

const gb_optimiser_type gb_natural_optimiser_type = {
    .size = sizeof(gb_optimiser_type),
    .name = "natural",
    .cite = "Amari 1998; Khan and Rue 2023",
    .formula = "P + 2 lr dL/dS of a normal's precision P and covariance S, then m - lr S g of its mean",
    .options = table,
    .option_bytes = sizeof(gb_natural_options),
    .update = update,
};

gb_optimiser gb_natural_with(const gb_natural_options *options)
{
    return gb_optimiser_of(&gb_natural_optimiser_type, options);
}
