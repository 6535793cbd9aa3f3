/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/optimisers/adam_impl.h"
#include "ops/elementwise.h"

/* Returns 1 − βᵗ, without cancellation. */
static gb_node correction(double beta, gb_node step)
{
    return gb_neg(gb_expm1(gb_scale(step, log(beta))));
}

static gb_node moving_mean(const gb_update_step *to, const char *part, gb_node now, double beta)
{
    const gb_node before = gb_update_memory(to, part);
    return gb_update_remember(to, before, gb_add(gb_scale(before, beta), gb_scale(now, 1 - beta)));
}

gb_node gb_adam_step(const gb_update_step *to, double beta1, double beta2, double epsilon)
{
    const gb_node m = moving_mean(to, "first", to->gradient, beta1);
    const gb_node v = moving_mean(to, "second", gb_square(to->gradient), beta2);
    const gb_node per_v = gb_reciprocal(correction(beta2, to->step));
    const gb_node rate = gb_div(to->rate, correction(beta1, to->step));
    return gb_div(gb_mul(rate, m), gb_shift(gb_sqrt(gb_mul(per_v, v)), epsilon));
}

static gb_node update(const gb_update_step *to)
{
    const gb_adam_options *const o = to->options;
    return gb_sub(to->variable, gb_adam_step(to, o->beta1, o->beta2, o->epsilon));
}

static const gb_option table[] = {
    GB_OPTIMISER_ROWS(gb_adam_options, 1e-3),
    GB_OPTION_NUMBER(gb_adam_options, beta1, 0.9, &gb_decay_domain, "decay of the mean of gradients"),
    GB_OPTION_NUMBER(gb_adam_options, beta2, 0.999, &gb_decay_domain, "decay of the mean of their squares"),
    GB_OPTION_NUMBER(gb_adam_options, epsilon, 1e-8, GB_POSITIVE, "added to the root"),
    {0}};

#define ADAM(own_name)                                                                                       \
    {                                                                                                        \
        .size = sizeof(gb_optimiser_type), .name = own_name, .cite = "Kingma and Ba 2015",                   \
        .formula = "x - lr m / (sqrt v + epsilon), m and v the corrected moving means of g and g^2",         \
        .options = table, .option_bytes = sizeof(gb_adam_options), .update = update,                         \
    }
const gb_optimiser_type gb_adam_optimiser_type = ADAM("adam"), gb_ascent_optimiser_type = ADAM("ascent");

gb_optimiser gb_adam_with(const gb_adam_options *options)
{
    return gb_optimiser_of(&gb_adam_optimiser_type, options);
}
