/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations of random graphs that compute: elementwise ones, reductions, products. */
#include "support/random_graph_impl.h"

#include <math.h>
#include <string.h>

#include "ops/elementwise.h"
#include "ops/list.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

/* ---- elementwise ---- */

enum { TANH, NEG, HALF_SQUARE, SIGMOID, BELL, SHRINK, ABS, UNARY_COUNT };
static const char *const unary_names[UNARY_COUNT] = {"tanh",     "neg",    "square / 2", "sigmoid",
                                                     "exp(-x²)", "x / 16", "abs + 1/4"};

static double unary_number(size_t which, double x)
{
    switch (which) {
    case TANH: return tanh(x);
    case NEG: return -x;
    case HALF_SQUARE: return x * x / 2;
    case SIGMOID: return 1 / (1 + exp(-x));
    case BELL: return exp(-x * x);
    case SHRINK: return x / 16;
    default: return fabs(x) + 0.25;
    }
}

static gb_node unary_node(size_t which, gb_node x)
{
    switch (which) {
    case TANH: return gb_tanh(x);
    case NEG: return gb_neg(x);
    case HALF_SQUARE: return gb_scale(gb_square(x), 0.5);
    case SIGMOID: return gb_sigmoid(x);
    case BELL: return gb_exp(gb_neg(gb_square(x)));
    case SHRINK: return gb_scale(x, 1. / 16);
    default: return gb_shift(gb_abs(x), 0.25);
    }
}

void graph_unary(graph *g)
{
    const graph_value *x = graph_any(g);
    const size_t which = graph_below(g, UNARY_COUNT);
    const graph_value *y = graph_new(g, unary_node(which, x->node), unary_names[which], x, NULL);
    for (size_t i = 0; y && i < graph_events(g) * x->count; i++) {
        y->number[i] = unary_number(which, x->number[i]);
        g->kink |= which == ABS && fabs(x->number[i]) < GRAPH_APART;
    }
}

enum { ADD, MUL, WHERE, BINARY_COUNT };

static gb_node binary_node(size_t which, gb_node x, gb_node y)
{
    if (which == WHERE)
        return gb_where(gb_less(x, y), x, gb_scale(y, 0.5));
    return which == ADD ? gb_add(x, y) : gb_mul(x, y);
}

static double binary_number(size_t which, double x, double y)
{
    if (which == WHERE)
        return x < y ? x : 0.5 * y;
    return which == ADD ? x + y : x * y;
}

void graph_binary(graph *g)
{
    static const char *const names[BINARY_COUNT] = {"add", "mul", "where"};
    const graph_value *x = graph_any(g), *y = graph_any(g);
    const gb_shape a = gb_node_shape(x->node), b = gb_node_shape(y->node);
    const size_t which = graph_below(g, BINARY_COUNT);
    gb_shape shape;
    if (!gb_shape_broadcast(a, b, &shape) || !graph_fits(g, shape))
        return;
    const graph_value *z = graph_new(g, binary_node(which, x->node, y->node), names[which], x, y);
    int64_t event[3] = {0}, at[GB_MAX_RANK];
    do {
        for (size_t i = 0; z && i < z->count; i++) {
            graph_place_of(shape, i, at);
            const double p = graph_event(g, x, event)[graph_broadcast_index(a, at, shape.rank)],
                         q = graph_event(g, y, event)[graph_broadcast_index(b, at, shape.rank)];
            graph_event(g, z, event)[i] = binary_number(which, p, q);
            g->kink |= which == WHERE && fabs(p - q) < GRAPH_APART;
        }
    } while (graph_next(g, event));
}

/* ---- reductions ---- */

/* Any of the axes that x has. */
static gb_reduce_over random_axes(graph *g, const graph_value *x)
{
    gb_reduce_over over;
    memset(&over, 0, sizeof over);
    for (int i = 0; i < gb_node_shape(x->node).rank; i++)
        over.visible |= (uint32_t)graph_below(g, 2) << i;
    const bool hidden = graph_below(g, 2);
    for (int i = 0; i < 3; i++)
        if (hidden && graph_below(g, 2))
            over.hidden |= gb_node_axes(x->node) & g->axis[i];
    return over;
}

static bool has_maximum(const graph_value *x, gb_reduce_over over)
{
    const gb_shape shape = gb_node_shape(x->node);
    for (int i = 0; i < shape.rank; i++)
        if ((over.visible >> i & 1u) && shape.size[i] == 0)
            return false;
    return true;
}

/* To where in `y` element `index` of an event of x goes: its event, and the element there. */
static double *reduced_place(const graph *g, const graph_value *x, const graph_value *y, gb_reduce_over over,
                             const int64_t event[3], size_t index)
{
    const gb_shape from = gb_node_shape(x->node);
    int64_t to[3], at[GB_MAX_RANK], rest[GB_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < 3; i++)
        to[i] = over.hidden & g->axis[i] ? 0 : event[i];
    graph_place_of(from, index, at);
    for (int i = 0; i < from.rank; i++)
        if (!(over.visible >> i & 1u))
            rest[rank++] = at[i];
    return graph_event(g, y, to) + graph_index_of(gb_node_shape(y->node), rest);
}

/* Equal ones are the same thing twice, repeated by a broadcast: they move together. */
static bool would_change_places(double x, double largest)
{
    return x != largest && largest - x < GRAPH_APART;
}

void graph_reduce(graph *g)
{
    const graph_value *x = graph_any(g);
    const gb_reduce_over over = random_axes(g, x);
    const bool maximum = graph_below(g, 3) == 0 && has_maximum(x, over);
    const gb_op *op = maximum ? gb_op_find("maximum") : &gb_sum_op;
    const graph_value *y = graph_new(g, gb_reduce(op, x->node, over), op->name, x, NULL);
    int64_t event[3] = {0};
    if (!y)
        return;
    for (size_t i = 0; i < graph_events(g) * y->count; i++)
        y->number[i] = maximum ? -INFINITY : 0;
    do {
        for (size_t i = 0; i < x->count; i++) {
            double *to = reduced_place(g, x, y, over, event, i);
            const double number = graph_event(g, x, event)[i];
            *to = maximum ? fmax(*to, number) : *to + number;
        }
    } while (graph_next(g, event));
    do { /* the same along the hidden axes that are gone */
        int64_t first[3];
        for (int i = 0; i < 3; i++)
            first[i] = over.hidden & g->axis[i] ? 0 : event[i];
        memmove(graph_event(g, y, event), graph_event(g, y, first), y->count * sizeof *y->number);
        for (size_t i = 0; maximum && i < x->count; i++)
            g->kink |=
                would_change_places(graph_event(g, x, event)[i], *reduced_place(g, x, y, over, event, i));
    } while (graph_next(g, event));
}

/* ---- products ---- */

/* A matrix whose rows, or columns, are as long as those of x. */
static const graph_value *other_factor(graph *g, int64_t inner, bool transposed)
{
    for (int tries = 0; tries < 10; tries++) {
        const graph_value *y = graph_any(g);
        const gb_shape shape = gb_node_shape(y->node);
        if (shape.rank == 2 && shape.size[transposed ? 1 : 0] == inner)
            return y;
    }
    return NULL;
}

/* Divided by a number, so that it does not grow. */
void graph_matmul(graph *g)
{
    const graph_value *x = graph_any(g);
    const gb_shape a = gb_node_shape(x->node);
    const bool transposed = graph_below(g, 2);
    if (a.rank != 2)
        return;
    const graph_value *y = other_factor(g, a.size[1], transposed);
    const int64_t m = a.size[0], inner = a.size[1];
    const int64_t n = y ? gb_node_shape(y->node).size[transposed ? 0 : 1] : 0;
    const double scale = 1 / (1 + (double)inner);
    if (!y || !graph_fits(g, gb_shape(m, n)) || !graph_fits(g, gb_shape(m, n, inner / 8)))
        return;
    const gb_node product = gb_matmul(x->node, y->node, .transpose_b = transposed);
    const graph_value *z = graph_new(g, gb_scale(product, scale), "matmul", x, y);
    int64_t event[3] = {0};
    do {
        const double *p = graph_event(g, x, event), *q = graph_event(g, y, event);
        for (int64_t i = 0; z && i < m * n; i++) {
            double sum = 0;
            for (int64_t k = 0; k < inner; k++)
                sum += p[i / n * inner + k] * q[transposed ? i % n * inner + k : k * n + i % n];
            graph_event(g, z, event)[i] = sum * scale;
        }
    } while (graph_next(g, event));
}
