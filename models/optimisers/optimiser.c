/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of optimisers: defaults, checks, and the learning rate. */
#include "models/optimisers/optimiser_impl.h"

#include <string.h>

#include "ops/elementwise.h"

gb_optimiser gb_optimiser_of(const gb_optimiser_type *type, const void *options)
{
    return (gb_optimiser){.type = type, .options = gb_options_pack(type, options)};
}

bool gb_optimiser_same(const gb_optimiser *a, const gb_optimiser *b)
{
    return a->type == b->type && gb_options_same(&a->options, &b->options);
}

static bool rate_is_right(const gb_optimiser_type *type, gb_node rate, gb_tape *tape)
{
    char text[GB_SHAPE_TEXT];
    double value;
    if (!rate.tape)
        return true;
    if (rate.tape != tape || !gb_node_ok(rate))
        gb_fail(tape, GB_ENODE, "%s: rate is not a usable node of this tape", type->name);
    else if (gb_node_type(rate) != GB_TYPE_REAL || gb_node_shape(rate).rank != 0 || gb_node_axes(rate) != 0)
        gb_fail(tape, GB_ESHAPE, "%s: rate has the shape %s%s, and must be one real number", type->name,
                gb_shape_text(gb_node_shape(rate), text), gb_node_axes(rate) ? " and hidden axes" : "");
    else if (gb_is_uniform(rate, &value) && !gb_domain_holds(GB_NON_NEGATIVE, value))
        gb_fail(tape, GB_EARGUMENT, "%s: rate is %g, and must be %s", type->name, value,
                GB_NON_NEGATIVE->must_be);
    return gb_error(tape) == GB_OK;
}

/* The table must begin with the rows of the head: otherwise options would be read at wrong places. */
static bool has_head(const gb_optimiser_type *type)
{
    return GB_HAS(type, options) && type->options->name && strcmp(type->options->name, "lr") == 0 &&
           type->option_bytes >= sizeof(gb_optimiser_head);
}

bool gb_optimiser_is_right(const gb_optimiser *optimiser, gb_tape *tape)
{
    gb_option_block block;
    const gb_optimiser_type *const type = optimiser->type;
    if (!has_head(type)) {
        gb_fail(tape, GB_EARGUMENT, "%s: the table of its options must begin with GB_OPTIMISER_ROWS",
                type->name);
        return false;
    }
    const gb_optimiser_head *const head =
        gb_options_use(tape, "minimise", NULL, type, &optimiser->options, &block);
    return head && rate_is_right(type, head->rate, tape);
}

gb_node gb_optimiser_rate(const gb_update_step *to)
{
    const gb_optimiser_head *const head = to->options;
    const gb_node rate = head->rate.tape ? head->rate : gb_num(to->step.tape, head->lr);
    return gb_mul(rate, gb_schedule_factor(to->type->name, head->schedule, gb_shift(to->step, -1)));
}
