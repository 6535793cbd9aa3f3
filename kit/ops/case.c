/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/ops/case_impl.h"

#include <math.h>

#include "ops/array.h"
#include "ops/elementwise.h"

/* ---- numbers ---- */

uint64_t gb_op_case_random(gb_op_case *c)
{
    uint64_t x = c->random += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Returns `low` if the interval is empty. */
static int64_t between(gb_op_case *c, int64_t low, int64_t high)
{
    const uint64_t random = gb_op_case_random(c);
    return low < high ? low + (int64_t)(random % (uint64_t)(high - low + 1)) : low;
}

/* Returns a multiple of 1/16 up to ±1, never 0. */
static double direction(gb_op_case *c)
{
    return (double)between(c, 1, 16) / (gb_op_case_random(c) & 1 ? 16 : -16);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Draws values on a grid of steps of 1/128, moved by a sixth of a step for each argument. So values of
 * different arguments, and multiples of 1/128, are further apart than the steps of differences. Values of one
 * argument differ, unless there are too many. */
static void draw_values(gb_op_case *c, double low, double high, size_t count, double *values)
{
    enum { STEPS = 128, TURNS = 6 };
    const double offset = (double)(c->arguments % (TURNS - 1) + 1) / TURNS;
    const int64_t first = (int64_t)ceil(low * STEPS), room = (int64_t)floor(high * STEPS) - first;
    const int64_t places = room > 1 ? room : 2; /* a narrow interval may hold fewer */
    const int64_t start = between(c, 0, places - 1);
    int64_t stride = between(c, 1, places - 1);
    while (common_divisor(stride, places) != 1) /* each place occurs before any repeats */
        stride++;
    for (size_t i = 0; i < count; i++) {
        const int64_t place = (start + (int64_t)(i % (size_t)places) * stride) % places;
        values[i] =
            (double)(float)(((double)(first + place) + offset) / STEPS); /* the same on a float tape */
    }
}

/* ---- arguments ---- */

static gb_node add_variable(gb_op_case *c, gb_shape shape, double low, double high)
{
    char name[32];
    if (c->variables == GB_CASE_VARIABLES) {
        gb_fail(c->tape, GB_ELIMIT, "%s: its example draws more than %d arguments", c->op->name,
                GB_CASE_ARGUMENTS);
        return (gb_node){0};
    }
    gb_case_variable *v = &c->variable[c->variables];
    const size_t count = gb_shape_count(shape);
    double *values = gb_tape_keep(c->tape, (4 * count + 1) * sizeof *values);
    if (!values)
        return (gb_node){0};
    *v = (gb_case_variable){.count = count,
                            .value = values,
                            .u = values + count,
                            .w = values + 2 * count,
                            .moved = values + 3 * count};
    draw_values(c, low, high, count, v->value);
    for (size_t i = 0; i < count && !c->wide; i++) {
        v->u[i] = direction(c);
        v->w[i] = direction(c);
    }
    snprintf(name, sizeof name, "x%zu", c->variables++);
    return v->node = gb_variable(c->tape, name, shape, gb_values_of(v->value, count));
}

/* Returns a variable with some of the hidden axes, which lie before or behind each other in memory. If the
 * rank does not allow for so many axes, the visible ones become one, and are reshaped. */
gb_node gb_op_case_variable(gb_op_case *c, gb_shape shape, unsigned set, double low, double high)
{
    const bool backwards = gb_op_case_random(c) & 1;
    gb_shape whole = {0};
    for (int i = 0; i < GB_CASE_AXES; i++) {
        const int at = backwards ? GB_CASE_AXES - 1 - i : i;
        if (set >> at & 1u)
            whole.size[whole.rank++] = c->size[at];
    }
    const bool flat = whole.rank + shape.rank > GB_MAX_RANK;
    if (flat)
        whole.size[whole.rank++] = (int64_t)gb_shape_count(shape);
    for (int i = 0; i < shape.rank && !flat; i++)
        whole.size[whole.rank++] = shape.size[i];
    gb_node x = add_variable(c, whole, low, high);
    for (int i = 0; i < GB_CASE_AXES; i++) {
        const int at = backwards ? GB_CASE_AXES - 1 - i : i;
        if (set >> at & 1u)
            x = gb_hide(x, c->axis[at]);
    }
    c->rows_used |= set >> 2 & 1u;
    return flat ? gb_reshape(x, shape) : x;
}

static gb_node argument_again(gb_op_case *c)
{
    if (c->arguments == GB_CASE_ARGUMENTS)
        return (gb_node){0};
    const gb_case_argument *argument = &c->argument[c->arguments++];
    c->random = argument->random_after;
    return c->pass(c, argument->node);
}

/* Marks what the kit itself records; returns the former mark, which the caller restores. */
static bool mark_draws(gb_op_case *c, bool draws)
{
    const bool before = c->draws && *c->draws;
    if (c->draws)
        *c->draws = draws;
    return before;
}

static gb_node draw_real(gb_example *e, gb_shape shape, double low, double high)
{
    gb_op_case *c = (gb_op_case *)(void *)e;
    if (c->pass)
        return argument_again(c);
    const bool before = mark_draws(c, true);
    const unsigned turn =
        c->arguments < 3 ? c->number >> (GB_CASE_AXES * c->arguments) : (unsigned)gb_op_case_random(c);
    const gb_node x = gb_op_case_variable(c, shape, turn & 7u, low, high);
    if (c->arguments < GB_CASE_ARGUMENTS)
        c->argument[c->arguments++] = (gb_case_argument){.node = x, .random_after = c->random};
    mark_draws(c, before);
    return x;
}

static gb_node draw_truth(gb_example *e, gb_shape shape)
{
    return gb_less(draw_real(e, shape, -1, 1), gb_num(e->tape, 0));
}

static gb_node draw_ints(gb_example *e, gb_shape shape, int64_t low, int64_t high)
{
    gb_op_case *c = (gb_op_case *)(void *)e;
    const bool before = mark_draws(c, true);
    int64_t *values = gb_tape_keep(e->tape, (gb_shape_count(shape) + 1) * sizeof *values);
    for (size_t i = 0; values && i < gb_shape_count(shape); i++)
        values[i] = between(c, low, high);
    const gb_node node = values ? gb_ints(e->tape, shape, values) : (gb_node){0};
    mark_draws(c, before);
    return node;
}

static int64_t draw_integer(gb_example *e, int64_t low, int64_t high)
{
    return between((gb_op_case *)(void *)e, low, high);
}

static gb_axes draw_axis(gb_example *e)
{
    gb_op_case *c = (gb_op_case *)(void *)e;
    const unsigned first = (unsigned)gb_op_case_random(c) % GB_CASE_AXES;
    for (unsigned i = 0; i < GB_CASE_AXES; i++) {
        const unsigned at = (first + i) % GB_CASE_AXES;
        if (c->size[at] >= 2) {
            c->rows_used |= at == 2;
            c->mixed |= c->axis[at];
            return c->axis[at];
        }
    }
    if (!c->other_site)
        c->other_site = gb_site_axis(c->tape, "another site", 2);
    c->mixed |= c->other_site;
    return c->other_site;
}

/* One size in eight is the smallest, so that empty axes and axes of one place are not rare. */
static gb_shape draw_shape(gb_example *e, int min_rank, int max_rank, int64_t low, int64_t high)
{
    gb_op_case *c = (gb_op_case *)(void *)e;
    gb_shape shape = {.rank = (int)between(c, min_rank, c->wide ? min_rank : max_rank)};
    for (int i = 0; i < shape.rank; i++)
        shape.size[i] =
            gb_op_case_random(c) % 8 || c->wide ? between(c, low < high && low < 1 ? 1 : low, high) : low;
    return shape;
}

/* ---- the tape ---- */

enum { MOST_ROWS = 1000 };

/* One case in eight is large enough for several blocks and chunks; a wide one is large enough for threads. */
static void choose_sizes(gb_op_case *c)
{
    const bool large = c->number % 8 == 5;
    c->size[0] = large ? 7 : between(c, 1, 3);
    c->size[1] = gb_op_case_random(c) % 16 ? between(c, 1, 3) : 0;
    c->size[2] = large ? 40 : gb_op_case_random(c) % 8 ? between(c, 1, 4) : 0;
    if (c->wide) {
        c->size[0] = 11;
        c->size[1] = 3;
        c->size[2] = MOST_ROWS;
    }
    for (unsigned i = 0; i < GB_CASE_AXES; i++)
        c->place[i] = c->size[i] > 0 ? (int64_t)(c->number / 16 + i) % c->size[i] : 0;
}

static void start(gb_op_case *c)
{
    const double zeros[MOST_ROWS] = {0};
    c->random = c->number + 0x632be59bd9b4e019u * c->kit->seed;
    for (const char *at = c->op->name; *at; at++)
        c->random = c->random * 31 + (unsigned char)*at;
    choose_sizes(c);
    gb_tape_set_samples(c->tape, c->size[0]);
    c->axis[0] = GB_SAMPLES;
    c->axis[1] = gb_site_axis(c->tape, "site", c->size[1]);
    c->axis[2] = GB_ROWS;
    c->rows = gb_input_rows(c->tape, "rows", gb_shape());
    gb_feed(c->rows, zeros, c->size[2]);
    c->example = (gb_example){.tape = c->tape,
                              .real = draw_real,
                              .ints = draw_ints,
                              .truth = draw_truth,
                              .integer = draw_integer,
                              .axis = draw_axis,
                              .shape = draw_shape};
    c->random_at_start = c->random;
}

void gb_op_case_begin(gb_op_case *c, gb_op_check *check, gb_case_setup setup)
{
    *c = (gb_op_case){
        .check = check, .kit = &check->kit, .op = check->op, .number = setup.number, .wide = setup.wide};
    gb_kit_label(c->kit, "case %u", c->number);
    c->tape =
        gb_tape_new(.real = setup.real, .threads = setup.threads ? setup.threads : 1, .seed = check->kit.seed,
                    .memory = setup.memory.resize ? setup.memory : check->kit.memory);
    start(c);
}

void gb_op_case_restart(gb_op_case *c)
{
    gb_tape_reset(c->tape);
    *c = (gb_op_case){
        .check = c->check, .kit = c->kit, .op = c->op, .number = c->number, .wide = c->wide, .tape = c->tape};
    start(c);
}

void gb_op_case_end(gb_op_case *c)
{
    gb_tape_free(c->tape);
}

bool gb_op_case_fine(gb_op_case *c)
{
    return gb_kit_recorded(c->kit, GB_ON_RECORDED, c->tape);
}

gb_program *gb_op_case_run(gb_op_case *c, size_t count, const gb_node *roots)
{
    gb_program *program = gb_compile(c->tape, (gb_node_list){.count = count, .node = roots}, gb_no_update);
    gb_program_set_step(program, 0);
    return gb_run(program) == GB_OK ? program : NULL;
}
