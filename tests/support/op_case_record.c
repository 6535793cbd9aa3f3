/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a case: arguments, the operation, and what is to be differentiated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/op_case_impl.h"

/* ---- numbers ---- */

static uint64_t next_random(op_case *c)
{
    uint64_t x = c->random += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int64_t between(op_case *c, int64_t low, int64_t high)
{
    return low + (int64_t)(next_random(c) % (uint64_t)(high - low + 1));
}

/* A multiple of 1/16 up to ±1, never 0. */
static double direction(op_case *c)
{
    return (double)between(c, 1, 16) / (next_random(c) & 1 ? 16 : -16);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Values on a grid of steps of 1/128, moved by a sixth of a step for each argument, which keeps them apart from each
 * other, and from all multiples of 1/128, further than differences reach. They differ from each other, if there are
 * not too many. */
static void draw_values(op_case *c, double low, double high, size_t count, double *values)
{
    enum { STEPS = 128, TURNS = 6 };
    const double offset = (double)(c->arguments % (TURNS - 1) + 1) / TURNS;
    const int64_t first = (int64_t)ceil(low * STEPS), places = (int64_t)floor(high * STEPS) - first;
    const int64_t start = between(c, 0, places - 1);
    int64_t stride = between(c, 1, places - 1);
    while (common_divisor(stride, places) != 1) /* so that none comes twice before all did */
        stride++;
    for (size_t i = 0; i < count; i++) {
        const int64_t place = (start + (int64_t)(i % (size_t)places) * stride) % places;
        values[i] =
            (double)(float)(((double)(first + place) + offset) / STEPS); /* the same on a float tape */
    }
}

/* ---- arguments ---- */

static op_variable *add_variable(op_case *c, gb_shape shape, double low, double high)
{
    char name[32];
    if (c->variables == VARIABLES)
        return NULL;
    op_variable *v = &c->variable[c->variables];
    v->count = gb_shape_count(shape);
    v->value = calloc(3 * v->count + 1, sizeof *v->value);
    v->u = v->value + v->count;
    v->w = v->u + v->count;
    draw_values(c, low, high, v->count, v->value);
    for (size_t i = 0; i < v->count; i++) {
        v->u[i] = direction(c);
        v->w[i] = direction(c);
    }
    snprintf(name, sizeof name, "x%zu", c->variables++);
    v->node = gb_variable(c->tape, name, shape, gb_values_from(v->value, v->count));
    return v;
}

/* A variable with some of the hidden axes, which lie before or behind each other in memory. Where the rank does not
 * allow for so many axes, the visible ones are one, and reshaped. */
static gb_node hidden_variable(op_case *c, gb_shape shape, unsigned set, double low, double high)
{
    const bool backwards = next_random(c) & 1;
    gb_shape whole = {0};
    for (int i = 0; i < 3; i++) {
        const int at = backwards ? 2 - i : i;
        if (set >> at & 1u)
            whole.size[whole.rank++] = c->size[at];
    }
    const bool flat = whole.rank + shape.rank > GB_MAX_RANK;
    if (flat)
        whole.size[whole.rank++] = (int64_t)gb_shape_count(shape);
    for (int i = 0; i < shape.rank && !flat; i++)
        whole.size[whole.rank++] = shape.size[i];
    const op_variable *v = add_variable(c, whole, low, high);
    gb_node x = v ? v->node : (gb_node){0};
    for (int i = 0; i < 3; i++) {
        const int at = backwards ? 2 - i : i;
        if (set >> at & 1u)
            x = gb_hide(x, c->axis[at]);
    }
    c->rows_used |= set >> 2 & 1u;
    return flat ? gb_reshape(x, shape) : x;
}

static gb_node draw_real(gb_example *e, gb_shape shape, double low, double high)
{
    op_case *c = (op_case *)(void *)e;
    const unsigned turn = c->arguments < 3 ? c->number >> (3 * c->arguments) : (unsigned)next_random(c);
    const gb_node x = hidden_variable(c, shape, turn & 7u, low, high);
    c->arguments++;
    return x;
}

static gb_node draw_truth(gb_example *e, gb_shape shape)
{
    return gb_less(draw_real(e, shape, -1, 1), gb_num(e->tape, 0));
}

static gb_node draw_ints(gb_example *e, gb_shape shape, int64_t low, int64_t high)
{
    int64_t *values = calloc(gb_shape_count(shape) + 1, sizeof *values);
    for (size_t i = 0; i < gb_shape_count(shape); i++)
        values[i] = between((op_case *)(void *)e, low, high);
    const gb_node node = gb_ints(e->tape, shape, values);
    free(values);
    return node;
}

static int64_t draw_integer(gb_example *e, int64_t low, int64_t high)
{
    return between((op_case *)(void *)e, low, high);
}

static gb_axes draw_axis(gb_example *e)
{
    op_case *c = (op_case *)(void *)e;
    const unsigned first = (unsigned)next_random(c) % 3;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned at = (first + i) % 3;
        if (c->size[at] >= 2) {
            c->rows_used |= at == 2;
            return c->axis[at];
        }
    }
    return gb_site_axis(c->tape, "another site", 2);
}

/* One size in eight is the smallest, so that empty axes and axes of one place are not rare. */
static gb_shape draw_shape(gb_example *e, int min_rank, int max_rank, int64_t low, int64_t high)
{
    op_case *c = (op_case *)(void *)e;
    gb_shape shape = {.rank = (int)between(c, min_rank, max_rank)};
    for (int i = 0; i < shape.rank; i++)
        shape.size[i] = next_random(c) % 8 ? between(c, low < high && low < 1 ? 1 : low, high) : low;
    return shape;
}

/* ---- the operation ---- */

/* Part of a shape: leading axes left out, others of size 1. */
static gb_shape broadcastable(op_case *c, gb_shape whole)
{
    const int dropped = next_random(c) % 3 ? 0 : (int)between(c, 0, whole.rank);
    gb_shape part = {.rank = whole.rank - dropped};
    for (int i = 0; i < part.rank; i++)
        part.size[i] = next_random(c) % 4 ? whole.size[i + dropped] : 1;
    return part;
}

static bool has_domain(const gb_op *op)
{
    return op->form == GB_FORM_ELEMENTWISE && op->domain[0].low < op->domain[0].high;
}

bool op_case_possible(const gb_op *op)
{
    return op->example || has_domain(op);
}

/* An elementwise operation of any number of arguments has one domain for all of them. */
static gb_node record_elementwise(op_case *c)
{
    const gb_op *op = c->op;
    gb_node arg[5];
    const size_t count = op->variadic ? (size_t)between(c, 2, 5) : op->arguments;
    const gb_shape whole = draw_shape(&c->example, 0, 4, 0, 4);
    for (size_t i = 0; i < count; i++) {
        const size_t at = op->variadic ? 0 : i;
        arg[i] = draw_real(&c->example, broadcastable(c, whole), op->domain[at].low, op->domain[at].high);
    }
    return gb_apply(NULL, op, count, arg, NULL, 0);
}

/* One case in eight is large enough for several blocks and chunks. */
static void choose_sizes(op_case *c)
{
    const bool large = c->number % 8 == 5;
    c->size[0] = large ? 7 : between(c, 1, 3);
    c->size[1] = next_random(c) % 16 ? between(c, 1, 3) : 0;
    c->size[2] = large ? 40 : next_random(c) % 8 ? between(c, 1, 4) : 0;
}

void op_case_begin(op_case *c, const gb_op *op, unsigned number, gb_real real)
{
    *c = (op_case){.op = op, .number = number, .random = number};
    for (const char *at = op->name; *at; at++)
        c->random = c->random * 31 + (unsigned char)*at;
    choose_sizes(c);
    c->tape = gb_tape_new(.real = real, .threads = 1, .samples = c->size[0]);
    c->axis[0] = GB_SAMPLES;
    c->axis[1] = gb_site_axis(c->tape, "site", c->size[1]);
    c->axis[2] = GB_ROWS;
    c->rows = gb_input_rows(c->tape, "rows", gb_shape());
    double *zeros = calloc((size_t)c->size[2] + 1, sizeof *zeros);
    gb_feed(c->rows, zeros, c->size[2]);
    free(zeros);
    c->example = (gb_example){.tape = c->tape,
                              .real = draw_real,
                              .ints = draw_ints,
                              .truth = draw_truth,
                              .integer = draw_integer,
                              .axis = draw_axis,
                              .shape = draw_shape};
}

void op_case_end(op_case *c)
{
    for (size_t i = 0; i < c->variables; i++)
        free(c->variable[i].value);
    gb_tape_free(c->tape);
}

/* Σ over everything. Rows enter by an input of zeros, as a number of rows is fed and not known. */
static gb_node everything(op_case *c, gb_node x)
{
    const gb_node sum = gb_sum_over(gb_sum(x), gb_node_axes(x));
    return c->rows_used ? gb_add(sum, gb_sum_over(c->rows, GB_ROWS)) : sum;
}

static gb_node dot_with(op_case *c, const double *weights, gb_node x)
{
    return gb_sum(gb_mul(
        gb_constant(c->tape, gb_node_shape(x), gb_values_from(weights, gb_shape_count(gb_node_shape(x)))),
        x));
}

void op_case_record(op_case *c)
{
    gb_node y = c->op->example ? c->op->example(&c->example) : record_elementwise(c);
    gb_node x[VARIABLES], gradient[VARIABLES];
    unsigned set = 0;
    y = gb_to_real(y);
    for (unsigned i = 0; i < 3; i++)
        set |= (gb_node_axes(y) & c->axis[i] ? 1u : 0u) << i;
    if (next_random(c) % 2) /* weights that do not vary along all axes: neither does the adjoint of y then */
        set &= (unsigned)next_random(c);
    const gb_shape weights = next_random(c) % 2 ? gb_node_shape(y) : broadcastable(c, gb_node_shape(y));
    const gb_node weighted = gb_mul(hidden_variable(c, weights, set, -2, 2), y);
    c->total = everything(c, weighted);
    c->magnitude = everything(c, gb_abs(weighted));
    for (size_t i = 0; i < c->variables; i++)
        x[i] = c->variable[i].node;
    gb_grads(c->total, x, c->variables, gradient);
    c->directional = gb_num(c->tape, 0);
    for (size_t i = 0; i < c->variables; i++) {
        c->variable[i].gradient = gradient[i];
        c->directional = gb_add(c->directional, dot_with(c, c->variable[i].u, gradient[i]));
    }
    if (c->op->once_differentiable)
        return;
    gb_grads(c->directional, x, c->variables, gradient);
    for (size_t i = 0; i < c->variables; i++)
        c->variable[i].second = gradient[i];
}
