/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/shape.h"

#include <stdio.h>
#include <string.h>

static const int64_t LARGEST_COUNT = INT64_MAX / 64;

/* Returns −1 for any rank that no shape has: a struct that nobody has filled in may have one. */
static int rank_of(gb_shape shape)
{
    return shape.rank < 0 || shape.rank > GB_MAX_RANK ? -1 : shape.rank;
}

gb_shape gb_shape_of(int rank, const int64_t *sizes)
{
    const gb_shape invalid = {.rank = -1};
    gb_shape shape = {.rank = rank};
    if (rank < 0 || rank > GB_MAX_RANK || (rank > 0 && !sizes))
        return invalid;
    int64_t count = 1;
    for (int i = 0; i < rank; i++) {
        shape.size[i] = sizes[i];
        if (sizes[i] < 0 || (sizes[i] > 0 && count > LARGEST_COUNT / sizes[i]))
            return invalid;
        count *= sizes[i] > 0 ? sizes[i] : 1; /* an empty axis must not hide an overflow */
    }
    return shape;
}

void gb_shape_copy(gb_shape *to, gb_shape shape)
{
    memset(to, 0, sizeof *to);
    to->rank = rank_of(shape);
    for (int i = 0; i < to->rank; i++)
        to->size[i] = shape.size[i];
}

static int axis_from_front(gb_shape shape, int axis)
{
    const int rank = rank_of(shape), from_front = axis < 0 && rank > 0 ? axis + rank : axis;
    return from_front < rank ? from_front : -1;
}

int64_t gb_shape_size(gb_shape shape, int axis)
{
    const int at = axis_from_front(shape, axis);
    return at >= 0 ? shape.size[at] : 0;
}

gb_shape gb_shape_replace(gb_shape shape, int axis, int64_t size)
{
    const int at = axis_from_front(shape, axis);
    if (at >= 0)
        shape.size[at] = size;
    return shape;
}

gb_shape gb_shape_join(gb_shape a, gb_shape b)
{
    if (rank_of(a) < 0 || rank_of(b) < 0 || a.rank + b.rank > GB_MAX_RANK)
        return (gb_shape){.rank = -1};
    memcpy(a.size + a.rank, b.size, (size_t)b.rank * sizeof *b.size);
    a.rank += b.rank;
    return a;
}

size_t gb_shape_count(gb_shape shape)
{
    if (rank_of(shape) < 0)
        return 0;
    size_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= (size_t)shape.size[i];
    return count;
}

bool gb_shape_same(gb_shape a, gb_shape b)
{
    const int rank = rank_of(a);
    if (rank != rank_of(b))
        return false;
    for (int i = 0; i < rank; i++)
        if (a.size[i] != b.size[i])
            return false;
    return true;
}

bool gb_shape_broadcast(gb_shape a, gb_shape b, gb_shape *out)
{
    if (a.rank < b.rank) {
        const gb_shape longer = b;
        b = a;
        a = longer;
    }
    if (rank_of(a) < 0 || b.rank < 0)
        return false;
    const int shift = a.rank - b.rank;
    for (int i = 0; i < b.rank; i++) {
        int64_t *const size = &a.size[i + shift];
        if (*size == 1)
            *size = b.size[i];
        else if (b.size[i] != 1 && b.size[i] != *size)
            return false;
    }
    const gb_shape checked = gb_shape_of(a.rank, a.size);
    *out = checked;
    return checked.rank >= 0;
}

const char *gb_shape_text(gb_shape shape, char text[GB_SHAPE_TEXT])
{
    if (rank_of(shape) < 0)
        return strcpy(text, "(invalid)");
    size_t used = (size_t)snprintf(text, GB_SHAPE_TEXT, "(");
    for (int i = 0; i < shape.rank; i++)
        used += (size_t)snprintf(text + used, GB_SHAPE_TEXT - used, "%s%lld", i ? "×" : "",
                                 (long long)shape.size[i]);
    snprintf(text + used, GB_SHAPE_TEXT - used, ")");
    return text;
}

gb_axis_list gb_axis_of(int count, const int *axes)
{
    gb_axis_list list = {.count = count};
    if (count < 0 || count > GB_MAX_RANK || (count > 0 && !axes))
        return (gb_axis_list){.count = -1};
    for (int i = 0; i < count; i++)
        list.axis[i] = axes[i];
    return list;
}

int gb_axes_count(gb_axes axes)
{
    int count = 0; /* few have more than two */
    for (; axes; axes &= axes - 1)
        count++;
    return count;
}
