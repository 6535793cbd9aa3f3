/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same distribution for each element of a larger batch. */
#include "core/op.h"
#include "distributions/law/distribution_impl.h"

/* `first`, followed by the axes of `all` from number `inside` on. */
static gb_shape with_last_axes(gb_shape first, gb_shape all, int inside)
{
    for (int i = inside; i < all.rank && first.rank < GB_MAX_RANK; i++)
        first.size[first.rank++] = all.size[i];
    return first;
}

static gb_shape batch_of(const gb_dist *d)
{
    gb_shape batch, event;
    gb_dist_shapes(d, &batch, &event);
    return batch;
}

/* A wrapper has the batch of its base without some last axes. */
static bool expand_base(gb_dist *d, gb_shape batch)
{
    gb_dist *const base = gb_tape_keep(d->tape, sizeof *base);
    if (!base)
        return false;
    *base = gb_dist_expand(*d->base, with_last_axes(batch, gb_dist_batch_shape(*d->base), batch_of(d).rank));
    d->base = base;
    return gb_dist_ok(*base);
}

/* It is enough to expand one parameter, because the others broadcast. */
static bool expand_parameter(gb_dist *d, gb_shape batch)
{
    size_t count;
    const gb_option *const params = gb_dist_params(d, &count);
    if (count == 0)
        return false;
    const int own = params->domain->event_rank;
    const gb_shape shape = gb_node_shape(d->param[0]);
    d->param[0] = gb_broadcast_to(d->param[0], with_last_axes(batch, shape, shape.rank - own));
    return gb_node_ok(d->param[0]);
}

gb_dist gb_dist_expand(gb_dist d, gb_shape batch)
{
    if (!gb_dist_ok(d))
        return d;
    gb_shape both;
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    const gb_shape own = batch_of(&d);
    if (gb_shape_same(own, batch))
        return d;
    const bool fits = gb_shape_broadcast(own, batch, &both) && gb_shape_same(both, batch);
    gb_dist all = d;
    if (fits && (d.base ? expand_base(&all, batch) : expand_parameter(&all, batch)) &&
        gb_shape_same(batch_of(&all), batch))
        return all;
    gb_fail(d.tape, GB_ESHAPE, "%s: a batch of shape %s does not expand to %s", d.type->name,
            gb_shape_text(own, a), gb_shape_text(batch, b));
    return (gb_dist){0};
}
