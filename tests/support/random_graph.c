/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/random_graph_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/array.h"
#include "ops/elementwise.h"

/* ---- chance ---- */

static uint32_t random_bits(graph *g)
{
    g->random = g->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(g->random >> 33);
}

size_t graph_below(graph *g, size_t end)
{
    return random_bits(g) % end;
}

double graph_real(graph *g)
{
    return (float)(random_bits(g) * 0x1p-30 - 1); /* a float, so that tapes of both types begin alike */
}

int64_t graph_between(graph *g, int64_t low, int64_t high)
{
    return low + (int64_t)graph_below(g, (size_t)(high - low + 1));
}

graph_value *graph_any(graph *g)
{
    return &g->value[graph_below(g, g->count)];
}

/* ---- values ---- */

bool graph_fits(const graph *g, gb_shape shape)
{
    return shape.rank >= 0 && gb_shape_count(shape) * graph_events(g) <= GRAPH_MOST;
}

graph_value *graph_new(graph *g, gb_node node, const char *how, const graph_value *a, const graph_value *b)
{
    graph_value *v = &g->value[g->count];
    if (!gb_node_ok(node))
        return NULL;
    *v = (graph_value){.node = node, .how = how, .count = gb_shape_count(gb_node_shape(node))};
    v->of[0] = a ? (size_t)(a - g->value) : 0;
    v->of[1] = b ? (size_t)(b - g->value) : 0;
    v->number = calloc(graph_events(g) * v->count + 1, sizeof *v->number);
    return v;
}

/* Keeps the value in the making, but for one near a kink or so large that differences would say little. */
static void keep(graph *g)
{
    graph_value *v = &g->value[g->count];
    bool large = false;
    v->square_norm = 0;
    for (size_t i = 0; v->number && i < graph_events(g) * v->count; i++) {
        large |= !(fabs(v->number[i]) < 100);
        v->square_norm += v->number[i] * v->number[i];
    }
    if (v->number && !g->kink && !large) {
        g->count++;
    } else {
        free(v->number);
        v->number = NULL;
    }
    g->kink = false;
}

/* ---- leaves ---- */

/* As many as `rank` sizes, less if the array would be too large. */
static gb_shape random_shape(graph *g, int rank)
{
    int64_t sizes[GB_MAX_RANK];
    for (int i = 0; i < rank; i++)
        sizes[i] = g->lengths[graph_below(g, 8)];
    while (!graph_fits(g, gb_shape_of(rank, sizes)))
        rank--;
    return gb_shape_of(rank, sizes);
}

static void add_variable(graph *g, int which, gb_shape shape)
{
    static const char *const names[GRAPH_VARIABLES] = {"x", "y", "z"};
    const size_t count = gb_shape_count(shape);
    double *start = calloc(count + 1, sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[i] = 1.5 * graph_real(g);
    g->start[which] = start;
    g->variable[which] = gb_variable(g->tape, names[which], shape, gb_values_of(start, count));
    const graph_value *v = graph_new(g, g->variable[which], "variable", NULL, NULL);
    for (size_t i = 0; v && i < graph_events(g) * count; i++)
        v->number[i] = start[i % count];
    keep(g);
}

static void add_input(graph *g)
{
    const gb_shape shape = random_shape(g, 1);
    const size_t count = gb_shape_count(shape) * (size_t)g->size[2];
    double *rows = calloc(count + 1, sizeof *rows);
    for (size_t i = 0; i < count; i++)
        rows[i] = graph_real(g);
    const gb_node input = gb_input_rows(g->tape, "rows", shape);
    gb_feed(input, rows, g->size[2]);
    const graph_value *v = graph_new(g, input, "input", NULL, NULL);
    for (size_t i = 0; v && i < graph_events(g) * v->count; i++)
        v->number[i] = rows[i % count];
    keep(g);
    free(rows);
}

static void add_axis_index(graph *g, int which, double scale)
{
    const gb_node index = gb_axis_index(g->tape, g->axis[which]);
    const graph_value *v = graph_new(g, gb_scale(index, scale), "places of an axis", NULL, NULL);
    int64_t at[3] = {0};
    do {
        if (v)
            *graph_event(g, v, at) = scale * (double)at[which];
    } while (graph_next(g, at));
    keep(g);
}

static void add_constant(graph *g)
{
    const gb_node constant = gb_broadcast(gb_num(g->tape, 0.75), gb_shape(3));
    const graph_value *v = graph_new(g, constant, "constant", NULL, NULL);
    for (size_t i = 0; v && i < 3 * graph_events(g); i++)
        v->number[i] = 0.75;
    keep(g);
}

/* ---- a graph ---- */

/* Small sizes mostly; some shapes, or the rows, are longer than a block of a plan. */
static void draw_sizes(graph *g)
{
    const size_t kind = graph_below(g, 4);
    for (int i = 0; i < 3; i++)
        g->size[i] = graph_between(g, 1, kind == 1 ? 2 : 3);
    for (int i = 0; i < 8; i++)
        g->lengths[i] = graph_below(g, 20) == 0 ? 0 : graph_between(g, 1, 3);
    if (kind == 1 || kind == 2)
        g->lengths[0] = g->lengths[1] = kind == 1 ? graph_between(g, 1000, 2500) : graph_between(g, 60, 130);
    if (kind == 3)
        g->size[2] = graph_between(g, 250, 600);
}

void graph_begin(graph *g, uint64_t seed, gb_real real)
{
    static graph_step *const steps[] = {
        graph_unary,  graph_unary,   graph_unary,   graph_binary,    graph_binary, graph_binary,
        graph_binary, graph_reshape, graph_reshape, graph_transpose, graph_slice,  graph_broadcast,
        graph_reduce, graph_reduce,  graph_reduce,  graph_gather,    graph_matmul, graph_concat,
        graph_select, graph_reveal,  graph_hide};
    *g = (graph){.random = seed * 7919 + 1};
    for (int i = 0; i < 4; i++)
        random_bits(g);
    draw_sizes(g);
    g->tape = gb_tape_new(.real = real, .threads = 1 + (int)(seed % 2), .samples = g->size[0]);
    g->axis[0] = GB_SAMPLES;
    g->axis[1] = gb_site_axis(g->tape, "site", g->size[1]);
    g->axis[2] = GB_ROWS;
    add_variable(g, 0, random_shape(g, 2));
    add_variable(g, 1, random_shape(g, 1));
    add_variable(g, 2, gb_shape(g->size[1], graph_between(g, 1, 3), 1)); /* its first axis fits the site's */
    add_input(g);
    add_axis_index(g, 0, 1);
    add_axis_index(g, 1, 0.25);
    add_constant(g);
    for (int tries = 0; g->count < GRAPH_VALUES && tries < 100 && gb_error(g->tape) == GB_OK; tries++) {
        steps[graph_below(g, sizeof steps / sizeof *steps)](g);
        keep(g);
    }
}

void graph_end(graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        free(g->value[i].number);
    for (int i = 0; i < GRAPH_VARIABLES; i++)
        free(g->start[i]);
    gb_tape_free(g->tape);
}

/* ---- judging ---- */

/* The numbers in the order in which the node's value is read: along its own hidden axes only. */
static size_t own_numbers(const graph *g, const graph_value *v, double *numbers)
{
    const gb_axes axes = gb_node_axes(v->node);
    size_t count = 0;
    int64_t at[3] = {0};
    do {
        bool own = true;
        for (int i = 0; i < 3; i++)
            own &= at[i] == 0 || (axes & g->axis[i]);
        if (own)
            memcpy(numbers + count, graph_event(g, v, at), v->count * sizeof *numbers);
        count += own ? v->count : 0;
    } while (graph_next(g, at));
    return count;
}

bool graph_value_is_right(const graph *g, size_t index, double tolerance, char why[GRAPH_TEXT])
{
    const graph_value *v = &g->value[index];
    const size_t most = graph_events(g) * v->count + 1;
    double *should = calloc(most, sizeof *should), *is = calloc(most, sizeof *is);
    const size_t count = own_numbers(g, v, should);
    bool right = gb_read(v->node, is, count) == GB_OK;
    if (!right)
        snprintf(why, GRAPH_TEXT, "value %zu (%s): %s", index, v->how, gb_error_text(g->tape));
    for (size_t i = 0; right && i < count; i++) {
        right = fabs(is[i] - should[i]) <= tolerance * fmax(1, fabs(should[i]));
        if (!right)
            snprintf(why, GRAPH_TEXT, "element %zu of value %zu (%s of %zu, %zu) is %.17g, not %.17g", i,
                     index, v->how, v->of[0], v->of[1], is[i], should[i]);
    }
    free(should);
    free(is);
    return right;
}
