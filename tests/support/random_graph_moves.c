/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations of random graphs that move elements about. */
#include "support/random_graph_impl.h"

#include <stdlib.h>
#include <string.h>

#include "ops/array.h"
#include "ops/reduce.h"

/* ---- within an event: element i of y is element source(i) of x ---- */

typedef struct move {
    gb_shape from, to;
    int axis;
    int64_t begin, step;  /* of a slice */
    const int64_t *index; /* of a gather */
    int index_rank;
} move;

typedef size_t move_source(const move *m, const int64_t at[GB_MAX_RANK], size_t i);

static void fill(const graph *g, const graph_value *x, const graph_value *y, move m, move_source *source)
{
    int64_t event[3] = {0}, at[GB_MAX_RANK];
    m.from = gb_node_shape(x->node);
    m.to = gb_node_shape(y->node);
    do {
        for (size_t i = 0; i < y->count; i++) {
            graph_place_of(m.to, i, at);
            graph_event(g, y, event)[i] = graph_event(g, x, event)[source(&m, at, i)];
        }
    } while (graph_next(g, event));
}

static size_t same_element(const move *m, const int64_t at[GB_MAX_RANK], size_t i)
{
    (void)m, (void)at;
    return i;
}

void graph_reshape(graph *g)
{
    const graph_value *x = graph_any(g);
    const int64_t n = (int64_t)x->count;
    const gb_shape shapes[] = {gb_shape(n), gb_shape(1, n), gb_shape(n, 1), gb_shape(2, n / 2)};
    const gb_shape shape = shapes[graph_below(g, n % 2 ? 3 : 4)];
    const graph_value *y = graph_new(g, gb_reshape(x->node, shape), "reshape", x, NULL);
    if (y)
        fill(g, x, y, (move){0}, same_element);
}

static size_t with_axes_reversed(const move *m, const int64_t at[GB_MAX_RANK], size_t i)
{
    int64_t from[GB_MAX_RANK];
    (void)i;
    for (int axis = 0; axis < m->from.rank; axis++)
        from[axis] = at[m->from.rank - 1 - axis];
    return graph_index_of(m->from, from);
}

void graph_transpose(graph *g)
{
    const graph_value *x = graph_any(g);
    const graph_value *y = graph_new(g, gb_transpose(x->node, gb_axis()), "transpose", x, NULL);
    if (y)
        fill(g, x, y, (move){0}, with_axes_reversed);
}

static size_t of_a_slice(const move *m, const int64_t at[GB_MAX_RANK], size_t i)
{
    int64_t from[GB_MAX_RANK];
    (void)i;
    memcpy(from, at, sizeof from);
    from[m->axis] = m->begin + m->step * at[m->axis];
    return graph_index_of(m->from, from);
}

void graph_slice(graph *g)
{
    const graph_value *x = graph_any(g);
    const gb_shape shape = gb_node_shape(x->node);
    if (shape.rank == 0)
        return;
    const int axis = (int)graph_below(g, (size_t)shape.rank);
    const int64_t begin = graph_between(g, 0, shape.size[axis]),
                  end = graph_between(g, begin, shape.size[axis]), step = graph_between(g, 1, 2);
    const gb_node slice = gb_slice_step(x->node, axis, begin, end, step);
    const graph_value *y = graph_new(g, slice, "slice", x, NULL);
    if (y)
        fill(g, x, y, (move){.axis = axis, .begin = begin, .step = step}, of_a_slice);
}

static size_t of_the_repeated(const move *m, const int64_t at[GB_MAX_RANK], size_t i)
{
    (void)i;
    return graph_broadcast_index(m->from, at, m->to.rank);
}

/* One more axis in front, and longer ones where the size was 1. */
void graph_broadcast(graph *g)
{
    const graph_value *x = graph_any(g);
    const gb_shape shape = gb_node_shape(x->node);
    if (shape.rank > 3)
        return;
    int64_t sizes[GB_MAX_RANK] = {graph_between(g, 1, 3)};
    for (int i = 0; i < shape.rank; i++)
        sizes[i + 1] = shape.size[i] == 1 ? graph_between(g, 1, 4) : shape.size[i];
    const gb_shape to = gb_shape_of(shape.rank + 1, sizes);
    const graph_value *y =
        graph_fits(g, to) ? graph_new(g, gb_broadcast(x->node, to), "broadcast", x, NULL) : NULL;
    if (y)
        fill(g, x, y, (move){0}, of_the_repeated);
}

static size_t by_index(const move *m, const int64_t at[GB_MAX_RANK], size_t i)
{
    int64_t from[GB_MAX_RANK];
    size_t which = 0;
    (void)i;
    for (int axis = 0; axis < m->axis; axis++)
        from[axis] = at[axis];
    for (int axis = m->axis + 1; axis < m->from.rank; axis++)
        from[axis] = at[axis + m->index_rank - 1];
    for (int axis = m->axis; axis < m->axis + m->index_rank; axis++)
        which = which * (size_t)m->to.size[axis] + (size_t)at[axis];
    from[m->axis] = m->index[which];
    return graph_index_of(m->from, from);
}

void graph_gather(graph *g)
{
    const graph_value *x = graph_any(g);
    const gb_shape shape = gb_node_shape(x->node);
    const int rank = (int)graph_below(g, 3);
    const int64_t sizes[2] = {graph_between(g, 1, 4), graph_between(g, 1, 3)};
    int64_t index[12];
    if (shape.rank == 0 || shape.rank > 3)
        return;
    const int axis = (int)graph_below(g, (size_t)shape.rank);
    const gb_shape index_shape = gb_shape_of(rank, sizes);
    if (shape.size[axis] == 0 || x->count * graph_events(g) > GRAPH_MOST / 12)
        return;
    for (int i = 0; i < 12; i++)
        index[i] = graph_between(g, 0, shape.size[axis] - 1);
    const gb_node gathered = gb_gather(x->node, axis, gb_ints(g->tape, index_shape, index));
    const graph_value *y = graph_new(g, gathered, "gather", x, NULL);
    if (y)
        fill(g, x, y, (move){.axis = axis, .index = index, .index_rank = rank}, by_index);
}

/* x, something of its shape, and x again. */
void graph_concat(graph *g)
{
    const graph_value *x = graph_any(g), *other = x;
    const gb_shape shape = gb_node_shape(x->node);
    if (shape.rank == 0 || 3 * x->count * graph_events(g) > GRAPH_MOST)
        return;
    for (int tries = 0; tries < 8 && other == x; tries++) {
        const graph_value *candidate = graph_any(g);
        if (gb_shape_same(gb_node_shape(candidate->node), shape))
            other = candidate;
    }
    const int axis = (int)graph_below(g, (size_t)shape.rank);
    const gb_node parts[3] = {x->node, other->node, x->node};
    const graph_value *y = graph_new(g, gb_concat(3, parts, axis), "concat", x, other);
    int64_t event[3] = {0}, at[GB_MAX_RANK];
    do {
        for (size_t i = 0; y && i < y->count; i++) {
            graph_place_of(gb_node_shape(y->node), i, at);
            const int64_t part = at[axis] / shape.size[axis];
            at[axis] %= shape.size[axis];
            graph_event(g, y, event)[i] =
                graph_event(g, part == 1 ? other : x, event)[graph_index_of(shape, at)];
        }
    } while (graph_next(g, event));
}

/* ---- between visible axes and the site's hidden one ---- */

void graph_select(graph *g)
{
    const graph_value *x = graph_any(g);
    const int64_t place = graph_between(g, 0, g->size[1] - 1);
    if (!(gb_node_axes(x->node) & g->axis[1]))
        return;
    const graph_value *y = graph_new(g, gb_select(x->node, g->axis[1], place), "select", x, NULL);
    int64_t event[3] = {0};
    do {
        const int64_t from[3] = {event[0], place, event[2]};
        if (y)
            memcpy(graph_event(g, y, event), graph_event(g, x, from), x->count * sizeof *y->number);
    } while (graph_next(g, event));
}

void graph_reveal(graph *g)
{
    const graph_value *x = graph_any(g);
    if (!(gb_node_axes(x->node) & g->axis[1]) || gb_node_shape(x->node).rank > 3 ||
        (size_t)g->size[1] * x->count * graph_events(g) > GRAPH_MOST)
        return;
    const graph_value *y = graph_new(g, gb_reveal(x->node, g->axis[1]), "reveal", x, NULL);
    int64_t event[3] = {0};
    do {
        for (int64_t place = 0; y && place < g->size[1]; place++) {
            const int64_t from[3] = {event[0], place, event[2]};
            memcpy(graph_event(g, y, event) + (size_t)place * x->count, graph_event(g, x, from),
                   x->count * sizeof *y->number);
        }
    } while (graph_next(g, event));
}

void graph_hide(graph *g)
{
    const graph_value *x = graph_any(g);
    const gb_shape shape = gb_node_shape(x->node);
    if ((gb_node_axes(x->node) & g->axis[1]) || shape.rank == 0 || shape.size[0] != g->size[1])
        return;
    const graph_value *y = graph_new(g, gb_hide(x->node, g->axis[1]), "hide", x, NULL);
    int64_t event[3] = {0};
    do {
        if (y)
            memcpy(graph_event(g, y, event), graph_event(g, x, event) + (size_t)event[1] * y->count,
                   y->count * sizeof *y->number);
    } while (graph_next(g, event));
}
