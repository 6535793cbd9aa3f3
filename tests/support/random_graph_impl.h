/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What random_graph.c grows a graph with, and random_graph_ops.c and random_graph_moves.c offer. */
#ifndef GREBE_TESTS_RANDOM_GRAPH_IMPL_H
#define GREBE_TESTS_RANDOM_GRAPH_IMPL_H

#include "support/random_graph.h"

/* Adds one operation on values that there are, or finds that it cannot and adds nothing. */
typedef void graph_step(graph *g);
graph_step graph_unary, graph_binary, graph_reduce, graph_matmul;
graph_step graph_reshape, graph_transpose, graph_slice, graph_broadcast, graph_gather, graph_concat,
    graph_select, graph_reveal, graph_hide;

enum { GRAPH_MOST = 20000 }; /* numbers of a value */

/* Numbers closer than this may change places in a difference. */
#define GRAPH_APART 1e-3

/* The next value, whose numbers are to be filled in; NULL where the node was rejected. */
graph_value *graph_new(graph *g, gb_node node, const char *how, const graph_value *a, const graph_value *b);

graph_value *graph_any(graph *g);
int64_t graph_between(graph *g, int64_t low, int64_t high); /* both included */
bool graph_fits(const graph *g, gb_shape shape);

/* How many combinations of places along hidden axes there are. */
static inline size_t graph_events(const graph *g)
{
    return (size_t)(g->size[0] * g->size[1] * g->size[2]);
}

/* The numbers of one event. */
static inline double *graph_event(const graph *g, const graph_value *v, const int64_t at[3])
{
    return v->number + (size_t)((at[0] * g->size[1] + at[1]) * g->size[2] + at[2]) * v->count;
}

/* Steps to the next event; false after the last. Begin with zeros. */
static inline bool graph_next(const graph *g, int64_t at[3])
{
    for (int i = 2; i >= 0; i--) {
        if (++at[i] < g->size[i])
            return true;
        at[i] = 0;
    }
    return false;
}

/* Where element `index` of an array is along its axes, and back. */
static inline void graph_place_of(gb_shape shape, size_t index, int64_t at[GB_MAX_RANK])
{
    for (int i = shape.rank - 1; i >= 0; i--) {
        at[i] = (int64_t)(index % (size_t)shape.size[i]);
        index /= (size_t)shape.size[i];
    }
}

static inline size_t graph_index_of(gb_shape shape, const int64_t at[GB_MAX_RANK])
{
    size_t index = 0;
    for (int i = 0; i < shape.rank; i++)
        index = index * (size_t)shape.size[i] + (size_t)at[i];
    return index;
}

/* The same for an array that is broadcast to the shape in which `at` counts `rank` axes. */
static inline size_t graph_broadcast_index(gb_shape shape, const int64_t at[GB_MAX_RANK], int rank)
{
    int64_t own[GB_MAX_RANK];
    for (int i = 0; i < shape.rank; i++)
        own[i] = shape.size[i] == 1 ? 0 : at[i + rank - shape.rank];
    return graph_index_of(shape, own);
}

#endif
