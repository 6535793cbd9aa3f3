/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/reach.h"

#include <string.h>

#include "distributions/distribution.h"
#include "estimators/first_order.h"
#include "ops/elementwise.h"
#include "ops/list.h"
#include "ops/reduce.h"

/* How a node depends on the draw. */
typedef enum reached { NOT_REACHED, EACH_ROW_BY_ITS_OWN, REACHED } reached;

/* How a node is linear in its arguments. */
typedef enum linear {
    NOT_LINEAR,
    SUM_OF_ARGUMENTS,
    DIFFERENCE,
    NEGATIVE,
    PRODUCT,
    QUOTIENT,
    SUM_OVER_AXES,
    FENCED,
    INJECTED
} linear;

typedef struct walk {
    gb_node draw;
    uint32_t low, high;     /* ids of draw and cost */
    unsigned char *reached; /* [id − low] */
    bool *is_sum;           /* [id − low]: the node is to be split */
    uint32_t *place;        /* [id − low]: of such a node in `parts` */
    gb_reach *parts;        /* few, so the memory of a walk is small and stays in the process */
} walk;

static gb_node at(const walk *w, uint32_t id)
{
    gb_node node = w->draw;
    node.id = id;
    return node;
}

static reached reached_of(const walk *w, gb_node node)
{
    return node.id < w->low ? NOT_REACHED : (reached)w->reached[node.id - w->low];
}

/* ---- forwards: what depends on the draw ---- */

static reached reach_through(const walk *w, gb_node node)
{
    reached most = NOT_REACHED;
    for (size_t i = 0; i < gb_node_arguments(node); i++) {
        const reached of_argument = reached_of(w, gb_node_argument(node, i));
        most = of_argument > most ? of_argument : most;
    }
    return most == EACH_ROW_BY_ITS_OWN && !(gb_node_axes(node) & GB_ROWS) ? REACHED : most;
}

static void mark_reached(const walk *w, gb_node draw)
{
    w->reached[0] = gb_node_axes(draw) & GB_ROWS ? EACH_ROW_BY_ITS_OWN : REACHED;
    for (uint32_t id = w->low + 1; id <= w->high; id++)
        w->reached[id - w->low] = (unsigned char)reach_through(w, at(w, id));
}

/* ---- backwards: which nodes are sums ---- */

static linear linear_of(const walk *w, gb_node node)
{
    static const struct {
        const char *op;
        linear how;
    } known[] = {
        {"add", SUM_OF_ARGUMENTS}, {"total", SUM_OF_ARGUMENTS}, {"sub", DIFFERENCE}, {"neg", NEGATIVE},
        {"mul", PRODUCT},          {"chain", PRODUCT},          {"div", QUOTIENT},   {"sum", SUM_OVER_AXES},
        {"inject", INJECTED},      {"inject_score", INJECTED}};
    linear how = gb_is_fence(node) ? FENCED : NOT_LINEAR;
    for (size_t i = 0; i < sizeof known / sizeof *known && how == NOT_LINEAR; i++)
        how = gb_node_is(node, known[i].op) ? known[i].how : NOT_LINEAR;
    const bool first = gb_node_arguments(node) > 0 && reached_of(w, gb_node_argument(node, 0));
    const bool second = gb_node_arguments(node) > 1 && reached_of(w, gb_node_argument(node, 1));
    if ((how == PRODUCT && first && second) || (how == QUOTIENT && second))
        return NOT_LINEAR;
    return how;
}

/* The number of arguments that are split. What is injected stays as it is: taken apart too, a chain of draws
 * would take cubic time. */
static size_t taken_apart(gb_node node, linear how)
{
    return how == INJECTED || how == FENCED ? 1 : gb_node_arguments(node);
}

/* Marks the nodes to be split. Returns whether the cost can be separated at all. */
static bool mark_sums(const walk *w, gb_node cost)
{
    bool useful = false;
    w->is_sum[cost.id - w->low] = true;
    for (uint32_t id = w->high; id > w->low; id--) {
        const gb_node node = at(w, id);
        if (!w->is_sum[id - w->low])
            continue;
        const linear how = linear_of(w, node);
        w->is_sum[id - w->low] = how != NOT_LINEAR && reached_of(w, node);
        for (size_t i = 0; w->is_sum[id - w->low] && i < taken_apart(node, how); i++) {
            const gb_node argument = gb_node_argument(node, i);
            const reached how_far = reached_of(w, argument);
            if (how_far)
                w->is_sum[argument.id - w->low] = true;
            useful |= !how_far && (how == SUM_OF_ARGUMENTS || how == DIFFERENCE);
            useful |=
                how == SUM_OVER_AXES && how_far == EACH_ROW_BY_ITS_OWN && reached_of(w, node) == REACHED;
        }
    }
    w->is_sum[0] = false;
    return useful;
}

/* ---- forwards: the parts ---- */

gb_node gb_reach_sum(gb_node a, gb_node b)
{
    return !gb_node_ok(a) ? b : !gb_node_ok(b) ? a : gb_add(a, b);
}

static gb_reach parts_of(const walk *w, gb_node node)
{
    if (!reached_of(w, node))
        return (gb_reach){.rest = node};
    const uint32_t at = node.id - w->low;
    return w->is_sum[at] ? w->parts[w->place[at]] : (gb_reach){.whole = node};
}

/* Returns the parts of one argument of `node`. If rows were summed and then broadcast again, they are no
 * longer separate. */
static gb_reach parts_in(const walk *w, gb_node node, size_t argument)
{
    gb_reach parts = parts_of(w, gb_node_argument(node, argument));
    if (!gb_node_ok(parts.rows) || !(gb_node_axes(node) & GB_ROWS))
        return parts;
    parts.whole = gb_reach_sum(parts.whole, gb_sum_over(parts.rows, GB_ROWS));
    parts.rows = (gb_node){0};
    return parts;
}

/* Broadcasts each part to the shape of the node, since the arguments of a sum broadcast. */
static void broaden(gb_reach *parts, gb_node node)
{
    gb_node *const all[] = {&parts->rest, &parts->whole, &parts->rows};
    for (size_t i = 0; i < 3; i++)
        if (gb_node_ok(*all[i]))
            *all[i] = gb_broadcast_to(*all[i], gb_node_shape(node));
}

static gb_node summed(gb_node x, const gb_reduce_over *over, gb_axes hidden)
{
    int axes[GB_MAX_RANK], count = 0;
    for (int i = 0; i < GB_MAX_RANK; i++)
        if (over->visible >> i & 1u)
            axes[count++] = i;
    if (count > 0)
        x = gb_sum_along(x, gb_axis_of(count, axes));
    return hidden ? gb_sum_over(x, hidden) : x;
}

static gb_reach sum_over_axes(const walk *w, gb_node node, gb_reach of)
{
    const gb_reduce_over *const over = gb_node_attributes(node);
    gb_reach parts = {0};
    if (gb_node_ok(of.rest))
        parts.rest = summed(of.rest, over, over->hidden);
    if (gb_node_ok(of.rows))
        parts.rows = summed(of.rows, over, over->hidden & ~GB_ROWS);
    if (!gb_node_ok(of.whole))
        return parts;
    const reached argument = reached_of(w, gb_node_argument(node, 0));
    if ((over->hidden & GB_ROWS) && argument == EACH_ROW_BY_ITS_OWN)
        parts.rows = gb_reach_sum(parts.rows, summed(of.whole, over, over->hidden & ~GB_ROWS));
    else
        parts.whole = summed(of.whole, over, over->hidden);
    return parts;
}

typedef gb_node binary(gb_node a, gb_node b);

/* Applies a linear map to each part. */
static gb_reach mapped(gb_reach of, binary *map, gb_node by)
{
    return (gb_reach){.rest = gb_node_ok(of.rest) ? map(of.rest, by) : of.rest,
                      .whole = gb_node_ok(of.whole) ? map(of.whole, by) : of.whole,
                      .rows = gb_node_ok(of.rows) ? map(of.rows, by) : of.rows};
}

static gb_reach added(gb_reach a, gb_reach b)
{
    return (gb_reach){.rest = gb_reach_sum(a.rest, b.rest),
                      .whole = gb_reach_sum(a.whole, b.whole),
                      .rows = gb_reach_sum(a.rows, b.rows)};
}

static gb_node negative(gb_node x, gb_node by)
{
    (void)by;
    return gb_neg(x);
}

static gb_node chained(gb_node x, gb_node by)
{
    return gb_chain(by, x);
}

/* Splits a product. Exactly one of its factors is reached. */
static gb_reach product(const walk *w, gb_node node)
{
    const bool is_chain = gb_node_is(node, "chain");
    const gb_node first = gb_node_argument(node, 0), second = gb_node_argument(node, 1);
    return reached_of(w, first) ? mapped(parts_in(w, node, 0), is_chain ? gb_chain : gb_mul, second)
                                : mapped(parts_in(w, node, 1), is_chain ? chained : gb_mul, first);
}

static gb_reach sum(const walk *w, gb_node node)
{
    gb_reach parts = {0};
    for (size_t i = 0; i < gb_node_arguments(node); i++)
        parts = added(parts, parts_in(w, node, i));
    return parts;
}

/* Returns the operation of `like` with x as first argument. */
static gb_node with_first(gb_node x, gb_node like)
{
    const gb_op *const op = gb_node_op(like);
    const size_t count = gb_node_arguments(like);
    gb_node arg[1 + GB_MAX_PARAMS] = {x};
    for (size_t i = 1; i < count; i++)
        arg[i] = gb_node_argument(like, i);
    return gb_apply(NULL, op, count, arg, gb_node_attributes(like), op->attribute_bytes);
}

/* The injected term a · l has the value 0. It is a part of its own, reached if `l` or `a` is. */
static gb_reach injected(const walk *w, gb_node node)
{
    gb_reach parts = parts_in(w, node, 0);
    const bool is_reached =
        reached_of(w, gb_node_argument(node, 1)) || reached_of(w, gb_node_argument(node, 2));
    if (gb_node_ok(parts.whole))
        parts.whole = with_first(parts.whole, node);
    else if (!gb_node_ok(parts.rest))
        parts.whole = node, parts.rows = (gb_node){0};
    else if (is_reached)
        parts.whole = with_first(gb_num(node.tape, 0), node);
    else
        parts.rest = with_first(parts.rest, node);
    return parts;
}

/* Returns whether a sum has nothing that would be split off, so that it stays the node that it is. */
static bool is_one_part(const walk *w, gb_node node, linear how)
{
    if (how == SUM_OVER_AXES)
        return false;
    const bool has_factors = how == PRODUCT || how == QUOTIENT;
    for (size_t i = 0; i < taken_apart(node, how); i++) {
        const gb_node argument = gb_node_argument(node, i);
        const gb_reach of = parts_of(w, argument);
        const bool is_factor = has_factors && !reached_of(w, argument);
        if (!is_factor && (gb_node_ok(of.rest) || gb_node_ok(of.rows)))
            return false;
    }
    return true;
}

static gb_reach take_apart(const walk *w, gb_node node)
{
    const linear how = linear_of(w, node);
    gb_reach parts = {0};
    if (is_one_part(w, node, how))
        return (gb_reach){.whole = node};
    switch (how) {
    case SUM_OF_ARGUMENTS: parts = sum(w, node); break;
    case DIFFERENCE: parts = added(parts_in(w, node, 0), mapped(parts_in(w, node, 1), negative, node)); break;
    case NEGATIVE: parts = mapped(parts_in(w, node, 0), negative, node); break;
    case PRODUCT: parts = product(w, node); break;
    case QUOTIENT: parts = mapped(parts_in(w, node, 0), gb_div, gb_node_argument(node, 1)); break;
    case SUM_OVER_AXES: return sum_over_axes(w, node, parts_in(w, node, 0));
    case FENCED: parts = mapped(parts_in(w, node, 0), with_first, node); break;
    case INJECTED: parts = injected(w, node); break;
    case NOT_LINEAR: break;
    }
    broaden(&parts, node);
    return parts;
}

/* Splits the cost, from its innermost sums outwards. */
static bool split(walk *w, const gb_memory *memory, gb_node cost, gb_reach *reach)
{
    uint32_t sums = 0;
    for (uint32_t i = 0; i <= w->high - w->low; i++)
        if (w->is_sum[i])
            w->place[i] = sums++;
    w->parts = gb_memory_resize(memory, NULL, sums * sizeof *w->parts + 1);
    for (uint32_t id = w->low + 1; w->parts && id <= w->high; id++)
        if (w->is_sum[id - w->low])
            w->parts[w->place[id - w->low]] = take_apart(w, at(w, id));
    const bool good = w->parts != NULL;
    if (good)
        *reach = parts_of(w, cost);
    gb_memory_release(memory, w->parts);
    return good;
}

bool gb_reach_of(gb_node cost, gb_node draw, gb_reach *reach)
{
    gb_tape *const tape = cost.tape;
    if (!reach)
        return gb_fail(tape, GB_EARGUMENT, "reach_of: the place for the terms is NULL") == GB_OK;
    *reach = (gb_reach){.rest = cost};
    if (!gb_node_ok(cost) || !gb_node_ok(draw) || cost.id < draw.id)
        return gb_error(tape) == GB_OK;
    const gb_memory memory = gb_tape_memory(tape);
    const size_t count = (size_t)cost.id - draw.id + 1;
    walk w = {.draw = draw, .low = draw.id, .high = cost.id};
    w.place = gb_memory_resize(&memory, NULL, count * (sizeof *w.place + sizeof *w.is_sum + 1));
    if (!w.place)
        return gb_fail(tape, GB_ENOMEM, "expected: out of memory") == GB_OK;
    memset(w.place, 0, count * (sizeof *w.place + sizeof *w.is_sum + 1));
    w.is_sum = (bool *)(w.place + count);
    w.reached = (unsigned char *)(w.is_sum + count);
    mark_reached(&w, draw);
    if (reached_of(&w, cost))
        *reach = (gb_reach){.whole = cost};
    if (reached_of(&w, cost) && mark_sums(&w, cost) && !split(&w, &memory, cost, reach))
        gb_fail(tape, GB_ENOMEM, "expected: out of memory");
    gb_memory_release(&memory, w.place);
    return gb_error(tape) == GB_OK;
}
