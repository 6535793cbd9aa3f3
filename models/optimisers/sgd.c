/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/optimiser.h"
#include "ops/elementwise.h"

static gb_node direction(const gb_update_step *to, const gb_sgd_options *o)
{
    if (o->momentum == 0)
        return to->gradient;
    const gb_node before = gb_update_memory(to, "velocity");
    const gb_node v = gb_update_remember(to, before, gb_add(gb_scale(before, o->momentum), to->gradient));
    return o->nesterov ? gb_add(to->gradient, gb_scale(v, o->momentum)) : v;
}

static gb_node update(const gb_update_step *to)
{
    const gb_sgd_options *const o = to->options;
    if (o->nesterov && o->momentum == 0) {
        gb_fail(to->variable.tape, GB_EARGUMENT,
                "sgd: nesterov is true and momentum is 0; set momentum above 0");
        return (gb_node){0};
    }
    return gb_sub(to->variable, gb_mul(to->rate, direction(to, o)));
}

static const gb_option table[] = {
    GB_OPTIMISER_ROWS(gb_sgd_options, 1e-2),
    GB_OPTION_NUMBER(gb_sgd_options, momentum, 0, &gb_decay_domain, "fraction of the last step that is kept"),
    GB_OPTION_FLAG(gb_sgd_options, nesterov, "Nesterov momentum"),
    {0}};

const gb_optimiser_type gb_sgd_optimiser_type = {
    .size = sizeof(gb_optimiser_type),
    .name = "sgd",
    .cite = "Robbins and Monro 1951; momentum: Polyak 1964; Nesterov 1983",
    .formula = "x - lr v, v = momentum v + g; nesterov: x - lr (g + momentum v)",
    .options = table,
    .option_bytes = sizeof(gb_sgd_options),
    .update = update,
};

gb_optimiser gb_sgd_with(const gb_sgd_options *options)
{
    return gb_optimiser_of(&gb_sgd_optimiser_type, options);
}
