/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pooling: a reduction of each window, channel by channel. */
#include "ops/array.h"
#include "ops/elementwise/composite_impl.h"
#include "ops/patches.h"
#include "ops/reduce.h"

/* The windows of x, (…, p, elements of the window, channels). Next to each other, unless told otherwise. */
static gb_node windows_of(const char *who, gb_node x, gb_shape window, const gb_pool_maximum_options *given)
{
    gb_pool_maximum_options o;
    if (!gb_node_check(x, who) || !gb_options_take(x.tape, who, &o, sizeof o, given))
        return (gb_node){0};
    const gb_node flat = gb_patches(x, window, .stride = o.stride.rank > 0 ? o.stride : window);
    if (!gb_node_ok(flat))
        return flat;
    const gb_shape shape = gb_node_shape(flat);
    const int64_t channels = gb_shape_size(gb_node_shape(x), -1);
    const gb_shape places = gb_shape_of(shape.rank - 1, shape.size);
    return gb_reshape(flat, gb_shape_join(places, gb_shape((int64_t)gb_shape_count(window), channels)));
}

gb_node gb_pool_maximum_with(gb_node x, gb_shape window, const gb_pool_maximum_options *options)
{
    return gb_maximum_along(windows_of("pool_maximum", x, window, options), gb_axis(-2));
}

gb_node gb_pool_mean_with(gb_node x, gb_shape window, const gb_pool_mean_options *options)
{
    return gb_mean_along(windows_of("pool_mean", x, window, options), gb_axis(-2));
}

/* ---- for the kit ---- */

typedef struct pooling {
    gb_node x;
    gb_shape window, stride;
} pooling;

static pooling pooling_of(gb_example *e)
{
    const int64_t rows = e->integer(e, 2, 5), columns = e->integer(e, 2, 5), channels = e->integer(e, 1, 3),
                  stride = e->integer(e, 0, 2);
    return (pooling){.x = e->real(e, gb_shape(rows, columns, channels), -2, 2),
                     .window = gb_shape(e->integer(e, 1, 2), e->integer(e, 1, 2)),
                     .stride = stride > 0 ? gb_shape(stride) : gb_shape()};
}

static gb_node maximum_example(gb_example *e)
{
    const pooling p = pooling_of(e);
    return gb_pool_maximum(p.x, p.window, .stride = p.stride);
}

static gb_node mean_example(gb_example *e)
{
    const pooling p = pooling_of(e);
    return gb_pool_mean(p.x, p.window, .stride = p.stride);
}

GB_COMPOSITE(pool_maximum, "the maximum of each window of x, channel by channel", maximum_example);
GB_COMPOSITE(pool_mean, "the mean of each window of x, channel by channel", mean_example);
