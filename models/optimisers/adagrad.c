/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/optimiser.h"
#include "ops/elementwise.h"

static gb_node update(const gb_update_step *to)
{
    const gb_adagrad_options *const o = to->options;
    const gb_node before = gb_update_memory(to, "squares");
    const gb_node squares = gb_update_remember(to, before, gb_add(before, gb_square(to->gradient)));
    const gb_node size = gb_shift(gb_sqrt(squares), o->epsilon);
    return gb_sub(to->variable, gb_mul(to->rate, gb_div(to->gradient, size)));
}

static const gb_option table[] = {
    GB_OPTIMISER_ROWS(gb_adagrad_options, 1e-2),
    GB_OPTION_NUMBER(gb_adagrad_options, epsilon, 1e-10, GB_POSITIVE, "added to the root"),
    {0}};

const gb_optimiser_type gb_adagrad_optimiser_type = {
    .size = sizeof(gb_optimiser_type),
    .name = "adagrad",
    .cite = "Duchi, Hazan and Singer 2011",
    .formula = "x - lr g / (sqrt(sum g^2) + epsilon)",
    .options = table,
    .option_bytes = sizeof(gb_adagrad_options),
    .update = update,
};

gb_optimiser gb_adagrad_with(const gb_adagrad_options *options)
{
    return gb_optimiser_of(&gb_adagrad_optimiser_type, options);
}
