/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/optimiser.h"
#include "ops/elementwise.h"

/* 1 − βᵗ, without cancellation. */
static gb_node correction(double beta, gb_node step)
{
    return gb_neg(gb_expm1(gb_scale(step, log(beta))));
}

static gb_node moving_mean(gb_node before, gb_node now, double beta)
{
    return gb_add(gb_scale(before, beta), gb_scale(now, 1 - beta));
}

static gb_updates update(const gb_update_step *to)
{
    const gb_adam_options *const o = to->options;
    const gb_node first = gb_update_memory(to, "first"), second = gb_update_memory(to, "second");
    const gb_node rate = o->rate.tape ? o->rate : gb_num(to->variable.tape, o->lr);

    const gb_node m = moving_mean(first, to->gradient, o->beta1);
    const gb_node v = moving_mean(second, gb_square(to->gradient), o->beta2);
    const gb_node direction = gb_div(m, correction(o->beta1, to->step));
    const gb_node size = gb_shift(gb_sqrt(gb_div(v, correction(o->beta2, to->step))), o->epsilon);
    const gb_node next = gb_sub(to->variable, gb_mul(rate, gb_div(direction, size)));

    const gb_updates moments = gb_updates_join(gb_assign(first, m), gb_assign(second, v));
    return gb_updates_join(moments, gb_assign(to->variable, next));
}

const gb_optimiser_type gb_adam_type = {
    .size = sizeof(gb_optimiser_type),
    .name = "adam",
    .cite = "Kingma and Ba 2015",
    .formula = "x - lr m / (sqrt v + epsilon), m and v the corrected moving means of g and g^2",
    .update = update,
};

gb_optimiser gb_adam_with(gb_adam_options options)
{
    options.lr = options.lr == 0 ? 1e-3 : options.lr;
    options.beta1 = options.beta1 == 0 ? 0.9 : options.beta1;
    options.beta2 = options.beta2 == 0 ? 0.999 : options.beta2;
    options.epsilon = options.epsilon == 0 ? 1e-8 : options.epsilon;
    return gb_optimiser_of(&gb_adam_type, &options, sizeof options);
}
