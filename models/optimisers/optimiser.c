/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimisers as values, and the learning rate. */
#include "models/optimisers/optimiser_impl.h"

#include "estimators/visit.h"
#include "ops/elementwise.h"

gb_optimiser gb_optimiser_of(const gb_optimiser_type *type, const void *options)
{
    return (gb_optimiser){.type = type, .options = gb_options_pack(type, options)};
}

bool gb_optimiser_same(const gb_optimiser *a, const gb_optimiser *b)
{
    return a->type == b->type && gb_options_same(&a->options, &b->options);
}

gb_node gb_optimiser_rate(const gb_update_step *to)
{
    const gb_optimiser_head *const head = to->options;
    const gb_node rate = head->rate.tape ? head->rate : gb_num(to->step.tape, head->lr);
    return gb_mul(rate, gb_schedule_factor(to->type->name, head->schedule, gb_shift(to->step, -1)));
}

static bool find_noise(void *context, gb_node node)
{
    gb_node *const found = context;
    if (gb_node_op(node)->form == GB_FORM_NOISE)
        *found = node;
    return true;
}

bool gb_optimiser_find_noise(gb_node loss, gb_node *noise)
{
    *noise = (gb_node){0};
    return gb_visit(loss, find_noise, noise) == GB_OK;
}
