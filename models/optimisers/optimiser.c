/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An optimiser's options: defaults, checks, and the learning rate. */
#include "models/optimisers/optimiser_impl.h"

#include <string.h>

#include "ops/elementwise.h"

static void fill_in(double *option, double fallback)
{
    if (*option == 0)
        *option = fallback;
}

gb_optimiser gb_optimiser_of(const gb_optimiser_type *type, const void *options, size_t bytes)
{
    gb_optimiser optimiser = {.type = bytes <= GB_OPTIMISER_OPTIONS ? type : NULL};
    if (!optimiser.type)
        return optimiser;
    if (bytes > 0)
        memcpy(optimiser.options.bytes, options, bytes);
    fill_in(&((gb_optimiser_head *)(void *)&optimiser.options)->lr, type->lr);
    for (const gb_optimiser_option *o = type->options; o && o->name; o++)
        fill_in((double *)(void *)(optimiser.options.bytes + o->offset), o->fallback);
    return optimiser;
}

static bool same_schedule(const gb_schedule *a, const gb_schedule *b)
{
    bool same = a->type == b->type && a->warm_up == b->warm_up;
    for (int i = 0; i < GB_SCHEDULE_NUMBERS; i++)
        same &= a->number[i] == b->number[i];
    return same;
}

static bool same_bytes(const gb_optimiser *a, const gb_optimiser *b, size_t offset, size_t bytes)
{
    return memcmp(a->options.bytes + offset, b->options.bytes + offset, bytes) == 0;
}

/* Compares what the type lists: bytes of padding may differ. */
bool gb_optimiser_same(const gb_optimiser *a, const gb_optimiser *b)
{
    const gb_optimiser_head *const x = (const void *)a->options.bytes, *const y =
                                                                           (const void *)b->options.bytes;
    const gb_optimiser_type *const type = a->type;
    if (type != b->type || !type)
        return type == b->type;
    for (const gb_optimiser_option *o = type->options; o && o->name; o++)
        if (!same_bytes(a, b, o->offset, sizeof(double)))
            return false;
    for (const gb_optimiser_field *f = type->fields; f && f->bytes > 0; f++)
        if (!same_bytes(a, b, f->offset, f->bytes))
            return false;
    return x->lr == y->lr && x->rate.tape == y->rate.tape &&
           (!x->rate.tape || gb_node_same(x->rate, y->rate)) && same_schedule(&x->schedule, &y->schedule);
}

static bool number_is_right(const gb_optimiser_type *type, const char *name, double value,
                            const gb_domain *domain, gb_tape *tape)
{
    if (gb_domain_holds(domain, value))
        return true;
    gb_fail(tape, GB_EARGUMENT, "%s: %s is %g, and must be %s", type->name, name, value, domain->must_be);
    return false;
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
    else if (gb_is_uniform(rate, &value))
        return number_is_right(type, "rate", value, GB_NON_NEGATIVE, tape);
    return gb_error(tape) == GB_OK;
}

bool gb_optimiser_is_right(const gb_optimiser *optimiser, gb_tape *tape)
{
    const gb_optimiser_type *const type = optimiser->type;
    const gb_optimiser_head *const head = (const void *)optimiser->options.bytes;
    if (!number_is_right(type, "lr", head->lr, GB_POSITIVE, tape) || !rate_is_right(type, head->rate, tape))
        return false;
    for (const gb_optimiser_option *o = type->options; o && o->name; o++) {
        const double *const value = (const void *)(optimiser->options.bytes + o->offset);
        if (!number_is_right(type, o->name, *value, o->domain, tape))
            return false;
    }
    return true;
}

gb_node gb_optimiser_rate(const gb_optimiser *optimiser, gb_node step)
{
    const gb_optimiser_head *const head = (const void *)optimiser->options.bytes;
    const gb_node rate = head->rate.tape ? head->rate : gb_num(step.tape, head->lr);
    return gb_mul(rate, gb_scheduled(optimiser->type->name, head->schedule, gb_shift(step, -1)));
}
