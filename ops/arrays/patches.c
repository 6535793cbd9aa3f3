/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows are gathered by a constant index: all places of the spatial axes lie along one axis, and behind
 * them, for padding, a place of zeros. */
#include "ops/patches.h"

#include "ops/array.h"
#include "ops/elementwise/composite_impl.h"

enum { MOST_AXES = 4 };

typedef struct windows {
    gb_node x;
    int axes, lead; /* axes of the window, and axes of x before them */
    int64_t channels, size[MOST_AXES], window[MOST_AXES], stride[MOST_AXES], padding[MOST_AXES],
        dilation[MOST_AXES], count[MOST_AXES];
} windows;

/* ---- what was given ---- */

/* Stores one number for each axis. */
static bool numbers(const windows *w, const char *name, gb_shape given, int64_t fallback, int64_t least,
                    int64_t number[MOST_AXES])
{
    char text[GB_SHAPE_TEXT];
    if (given.rank < 0) {
        gb_fail(w->x.tape, GB_ESHAPE, "patches: %s has a number below 0", name);
        return false;
    }
    if (given.rank > 1 && given.rank != w->axes) {
        gb_fail(w->x.tape, GB_ESHAPE,
                "patches: %s has %d numbers, and the window %d axes; give one number, or one "
                "for each axis",
                name, given.rank, w->axes);
        return false;
    }
    for (int i = 0; i < w->axes; i++) {
        number[i] = given.rank == 0 ? fallback : given.size[given.rank == 1 ? 0 : i];
        if (number[i] < least || number[i] > INT32_MAX) {
            gb_fail(w->x.tape, GB_ESHAPE, "patches: %s is %s, and must be at least %lld", name,
                    gb_shape_text(given, text), (long long)least);
            return false;
        }
    }
    return true;
}

static bool windows_fit(windows *w, gb_shape window, const gb_patches_options *o)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    const gb_shape shape = gb_node_shape(w->x);
    w->axes = window.rank;
    w->lead = shape.rank - 1 - window.rank;
    if (w->axes < 1 || w->axes > MOST_AXES || w->lead < 0) {
        gb_fail(
            w->x.tape, GB_ESHAPE,
            "patches: the window %s does not fit x of shape %s: x needs an axis for each of the window's (1 "
            "to 4), then one of channels",
            gb_shape_text(window, a), gb_shape_text(shape, b));
        return false;
    }
    if (!numbers(w, "the window", window, 1, 1, w->window) ||
        !numbers(w, ".stride", o->stride, 1, 1, w->stride) ||
        !numbers(w, ".padding", o->padding, 0, 0, w->padding) ||
        !numbers(w, ".dilation", o->dilation, 1, 1, w->dilation))
        return false;
    w->channels = shape.size[shape.rank - 1];
    for (int i = 0; i < w->axes; i++) {
        w->size[i] = shape.size[w->lead + i];
        const int64_t room = w->size[i] + 2 * w->padding[i] - 1 - w->dilation[i] * (w->window[i] - 1);
        if (room < 0) {
            gb_fail(w->x.tape, GB_ESHAPE,
                    "patches: the window takes %lld places of axis %d of x, which has %lld with its padding",
                    (long long)(1 + w->dilation[i] * (w->window[i] - 1)), w->lead + i,
                    (long long)(w->size[i] + 2 * w->padding[i]));
            return false;
        }
        w->count[i] = 1 + room / w->stride[i];
    }
    return true;
}

/* ---- the index ---- */

static int64_t product(int count, const int64_t *of)
{
    int64_t all = 1;
    for (int i = 0; i < count; i++)
        all *= of[i];
    return all;
}

/* Returns the place of an element of a window, both as numbers; that of padding is behind all others. */
static int64_t source(const windows *w, int64_t window, int64_t element)
{
    int64_t place = 0, step = 1;
    for (int i = w->axes; i-- > 0; step *= w->size[i]) {
        const int64_t at =
            window % w->count[i] * w->stride[i] - w->padding[i] + element % w->window[i] * w->dilation[i];
        if (at < 0 || at >= w->size[i])
            return product(w->axes, w->size);
        place += at * step;
        window /= w->count[i];
        element /= w->window[i];
    }
    return place;
}

static gb_node index_of(const windows *w)
{
    const gb_memory memory = gb_tape_memory(w->x.tape);
    const int64_t counts = product(w->axes, w->count), elements = product(w->axes, w->window);
    int64_t *const index = gb_memory_resize(&memory, NULL, (size_t)(counts * elements) * sizeof *index + 1);
    gb_node node = {0};
    if (!index)
        gb_fail(w->x.tape, GB_ENOMEM, "patches: out of memory");
    for (int64_t i = 0; index && i < counts * elements; i++)
        index[i] = source(w, i / elements, i % elements);
    if (index)
        node = gb_ints(w->x.tape, gb_shape(counts * elements), index);
    gb_memory_release(&memory, index);
    return node;
}

/* ---- recording ---- */

/* The axes before those of the window, then `count` others. */
static gb_shape after_lead(const windows *w, int count, const int64_t *others)
{
    gb_shape shape = gb_node_shape(w->x);
    shape.rank = w->lead + count;
    for (int i = 0; i < count; i++)
        shape.size[w->lead + i] = others[i];
    return shape;
}

static bool is_padded(const windows *w)
{
    bool some = false;
    for (int i = 0; i < w->axes; i++)
        some |= w->padding[i] > 0;
    return some;
}

static gb_node gathered(const windows *w)
{
    const int64_t places = product(w->axes, w->size), flat[] = {places, w->channels},
                  zeros[] = {1, w->channels};
    gb_node x = gb_reshape(w->x, after_lead(w, 2, flat));
    if (is_padded(w))
        x = gb_concat(2, (const gb_node[]){x, gb_zeros(x.tape, after_lead(w, 2, zeros))}, w->lead);
    return gb_gather(x, w->lead, index_of(w));
}

gb_node gb_patches_with(gb_node x, gb_shape window, const gb_patches_options *options)
{
    gb_patches_options own;
    windows w = {.x = x};
    if (!gb_node_check(x, "patches") || !gb_options_take(x.tape, "patches", &own, sizeof own, options) ||
        !windows_fit(&w, window, &own))
        return (gb_node){0};
    int64_t sizes[MOST_AXES + 1];
    for (int i = 0; i < w.axes; i++)
        sizes[i] = w.count[i];
    sizes[w.axes] = product(w.axes, w.window) * w.channels;
    return gb_reshape(gathered(&w), after_lead(&w, w.axes + 1, sizes));
}

static gb_node patches_example(gb_example *e)
{
    const int axes = (int)e->integer(e, 1, 2), lead = (int)e->integer(e, 0, 1);
    gb_shape shape = e->shape(e, lead + axes + 1, lead + axes + 1, 1, 4),
             window = e->shape(e, axes, axes, 1, 2);
    const int64_t stride = e->integer(e, 1, 2), padding = e->integer(e, 0, 1), dilation = e->integer(e, 1, 2);
    for (int i = 0; i < axes; i++) /* large enough for the window */
        shape.size[lead + i] += dilation * (window.size[i] - 1);
    return gb_patches(e->real(e, shape, -2, 2), window, .stride = gb_shape(stride),
                      .padding = gb_shape(padding), .dilation = gb_shape(dilation));
}

GB_COMPOSITE(patches, "windows of x side by side, as vectors", patches_example);
