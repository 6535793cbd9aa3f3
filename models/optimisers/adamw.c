/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/optimisers/adam_impl.h"
#include "ops/elementwise.h"

static gb_node update(const gb_update_step *to)
{
    const gb_adamw_options *const o = to->options;
    const gb_node decayed = gb_mul(gb_scale(to->rate, o->decay), to->variable);
    return gb_sub(to->variable, gb_add(gb_adam_step(to, o->beta1, o->beta2, o->epsilon), decayed));
}

static const gb_option table[] = {
    GB_OPTIMISER_ROWS(gb_adamw_options, 1e-3),
    GB_OPTION_NUMBER(gb_adamw_options, beta1, 0.9, &gb_decay_domain, "decay of the mean of gradients"),
    GB_OPTION_NUMBER(gb_adamw_options, beta2, 0.999, &gb_decay_domain, "decay of the mean of their squares"),
    GB_OPTION_NUMBER(gb_adamw_options, epsilon, 1e-8, GB_POSITIVE, "added to the root"),
    GB_OPTION_NUMBER(gb_adamw_options, decay, 1e-2, GB_POSITIVE, "weight decay of each variable, towards 0"),
    {0}};

const gb_optimiser_type gb_adamw_optimiser_type = {
    .size = sizeof(gb_optimiser_type),
    .name = "adamw",
    .cite = "Loshchilov and Hutter 2019",
    .formula = "x - lr (m / (sqrt v + epsilon) + decay x), m and v the corrected moving means of g and g^2",
    .options = table,
    .option_bytes = sizeof(gb_adamw_options),
    .update = update,
};

gb_optimiser gb_adamw_with(const gb_adamw_options *options)
{
    return gb_optimiser_of(&gb_adamw_optimiser_type, options);
}
