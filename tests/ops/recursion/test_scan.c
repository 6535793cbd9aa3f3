/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gb_scan against the same steps recorded one by one: values, and gradients up to the third. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/recursion.h"
#include "ops/reduce.h"
#include "ops/scan.h"
#include "support/counted_memory.h"

/* ---- models ---- */

enum { MOST_STATES = 3, MOST_INPUTS = 3, PARAMETERS = 12 };

/* The parameters, variables or draws of them, and pieces of a step that several models have. */
typedef struct world {
    gb_tape *t;
    gb_node parameter; /* (12) */
    int64_t steps;
    gb_scan_function *inner; /* of a model that nests */
    int64_t inner_recompute;
} world;

static gb_node number(const world *w, int64_t which)
{
    return gb_at(w->parameter, which);
}

static gb_node part(const world *w, int64_t from, gb_shape shape)
{
    return gb_reshape(gb_slice(w->parameter, 0, from, from + (int64_t)gb_shape_count(shape)), shape);
}

/* h ← omega + alpha (y − mu)² + beta h; the output is the log density of y. */
static void garch(gb_scan_step *s)
{
    const world *const w = s->user;
    const gb_node residual = gb_sub(s->input[0], number(w, 3)), h = s->state[0];
    s->output[0] = gb_scale(gb_add(gb_log(h), gb_div(gb_square(residual), h)), -0.5);
    s->next[0] = gb_add(gb_add(gb_exp(number(w, 0)), gb_mul(gb_sigmoid(number(w, 1)), gb_square(residual))),
                        gb_mul(gb_sigmoid(number(w, 2)), h));
}

/* e ← y − mu − phi y' − theta e; y' is a state. */
static void arma(gb_scan_step *s)
{
    const world *const w = s->user;
    const gb_node e = gb_sub(gb_sub(s->input[0], number(w, 0)),
                             gb_add(gb_mul(number(w, 1), s->state[0]), gb_mul(number(w, 2), s->state[1])));
    s->next[0] = s->input[0];
    s->next[1] = e;
    s->output[0] = gb_square(e);
}

/* The forward pass of a hidden Markov model with three states, of which symbols (integers) are seen. */
static void markov(gb_scan_step *s)
{
    const world *const w = s->user;
    const gb_node step = gb_log_softmax(part(w, 0, gb_shape(3, 3)), 1);
    const gb_node seen = gb_gather(gb_log_softmax(part(w, 6, gb_shape(3, 2)), 1), 1, s->input[0]);
    s->next[0] = gb_add(gb_logsumexp_along(gb_add(gb_expand(s->state[0], 1), step), gb_axis(0)), seen);
    s->output[0] = gb_logsumexp(s->next[0]);
}

/* h ← tanh(W h + U x), a vector, and a matrix that gathers h hᵀ. */
static void network(gb_scan_step *s)
{
    const world *const w = s->user;
    const gb_node inside = gb_add(gb_matmul(part(w, 0, gb_shape(2, 2)), gb_expand(s->state[0], 1)),
                                  gb_matmul(part(w, 4, gb_shape(2, 3)), gb_expand(s->input[0], 1)));
    s->next[0] = gb_tanh(gb_reshape(inside, gb_shape(2)));
    s->next[1] = gb_add(gb_scale(s->state[1], 0.5), gb_outer(s->next[0], s->state[0]));
    s->output[0] = gb_mul(s->next[0], gb_sum(s->state[1]));
    s->output[1] = gb_sum(s->input[0]);
}

/* Jumps, products with the index, and a state that only ends. */
static void odd(gb_scan_step *s)
{
    const world *const w = s->user;
    const gb_node x = s->state[0], even = gb_less(gb_sin(s->index), gb_num(s->tape, 0));
    s->next[0] = gb_where(even, gb_mul(gb_sin(x), number(w, 0)),
                          gb_sub(gb_exp(gb_neg(gb_square(x))), gb_mul(number(w, 1), s->input[0])));
    s->next[1] = gb_add(s->state[1], gb_mul(gb_shift(s->index, 1), x));
}

/* Nothing is as it usually is: the state does not depend on the state, or does not change, or is a
 * constant. */
static void idle(gb_scan_step *s)
{
    const world *const w = s->user;
    s->next[0] = gb_mul(s->input[0], number(w, 0));
    s->next[1] = s->state[1];
    s->next[2] = gb_num(s->tape, 2);
    s->output[0] = s->state[0];
    s->output[1] = gb_mul(s->state[1], gb_num(s->tape, 3));
    s->output[2] = number(w, 1);
    s->output[3] = gb_mul(s->state[2], s->state[1]);
}

/* States that only delay: the datum before, and the one before that, which comes first. */
static void delays(gb_scan_step *s)
{
    const world *const w = s->user;
    s->next[0] = s->state[1];
    s->next[1] = gb_mul(s->input[0], number(w, 2));
    s->next[2] = gb_tanh(gb_add(gb_mul(s->state[2], number(w, 0)), gb_mul(s->state[0], s->state[1])));
    s->output[0] = gb_add(gb_mul(s->next[2], s->state[0]), gb_square(s->next[1]));
}

/* Lines in a state of one number each, in many ways of writing; the output has a next state as it was
 * written. */
static void lines(gb_scan_step *s)
{
    const world *const w = s->user;
    const gb_node y = s->input[0], a = s->state[0], b = s->state[1], c = s->state[2];
    const gb_node sum = gb_add(number(w, 0), gb_add(gb_mul(number(w, 1), y), gb_mul(a, number(w, 2))));
    s->next[0] = gb_div(gb_sub(y, sum), gb_exp(number(w, 3)));
    s->next[1] = gb_add(gb_neg(gb_mul(b, gb_mul(number(w, 4), y))), gb_sub(gb_scale(b, 0.3), gb_shift(y, 2)));
    s->next[2] = gb_sub(gb_neg(gb_chain(c, number(w, 5))), gb_chain(c, gb_num(s->tape, 0.25)));
    s->output[0] = gb_mul(gb_square(s->next[0]), gb_add(s->next[1], c));
    s->output[1] = gb_sub(a, sum);
}

/* The same of vectors, and of one that is another's sum. */
static void vector_lines(gb_scan_step *s)
{
    const world *const w = s->user;
    s->next[0] = gb_sub(s->input[0], gb_mul(gb_shift(s->state[0], 1), part(w, 0, gb_shape(2))));
    s->next[1] = gb_add(s->state[1], number(w, 3));
    s->output[0] = gb_add(s->next[0], s->state[1]);
}

static void inner_step(gb_scan_step *s)
{
    const world *const w = s->user;
    s->next[0] = gb_add(gb_mul(gb_tanh(s->state[0]), number(w, 1)), s->input[0]);
    s->output[0] = gb_mul(s->next[0], s->state[0]);
}

static gb_scan_result unrolled(gb_tape *t, gb_scan_function *function, gb_node_list first,
                               const gb_scan_options *o);

/* A scan over the three numbers of the input within each step. */
static void nested(gb_scan_step *s)
{
    world *const w = s->user;
    const gb_scan_options o = {.size = sizeof o,
                               .inputs = gb_roots(gb_mul(s->input[0], gb_exp(gb_scale(s->state[0], 0.1)))),
                               .outputs = 1,
                               .recompute = w->inner_recompute,
                               .user = w};
    const gb_scan_result r = w->inner ? gb_scan_with(s->tape, inner_step, gb_roots(s->state[0]), &o)
                                      : unrolled(s->tape, inner_step, gb_roots(s->state[0]), &o);
    s->next[0] = gb_add(gb_scale(r.last[0], 0.5), number(w, 2));
    s->output[0] = gb_sum(r.output[0]);
}

typedef struct model {
    const char *name;
    gb_scan_function *function;
    size_t states, outputs;
    gb_shape state[MOST_STATES];
    size_t inputs;
    gb_shape input[MOST_INPUTS]; /* without the steps */
    bool symbols;                /* the input is of integers */
} model;

/* ---- one by one ---- */

static gb_node at_step(gb_node x, int axis, int64_t step)
{
    const gb_shape whole = gb_node_shape(x);
    int64_t sizes[GB_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < whole.rank; i++)
        if (i != axis)
            sizes[rank++] = whole.size[i];
    return gb_reshape(gb_slice(x, axis, step, step + 1), gb_shape_of(rank, sizes));
}

static gb_scan_result unrolled(gb_tape *t, gb_scan_function *function, gb_node_list first,
                               const gb_scan_options *o)
{
    enum { MOST_STEPS = 64 };
    gb_scan_result r = {0};
    gb_node now[GB_SCAN_MOST], next[GB_SCAN_MOST] = {0}, output[GB_SCAN_MOST] = {0}, input[GB_SCAN_MOST];
    gb_node part[4][MOST_STEPS];
    int64_t steps = o->inputs.count > 0 ? gb_node_shape(o->inputs.node[0]).size[o->axis] : o->steps;
    memcpy(now, first.node, first.count * sizeof *now);
    for (int64_t i = 0; i < steps; i++) {
        const int64_t step = o->reverse ? steps - 1 - i : i;
        for (size_t k = 0; k < o->inputs.count; k++)
            input[k] = at_step(o->inputs.node[k], o->axis, step);
        gb_scan_step s = {.tape = t,
                          .user = o->user,
                          .index = gb_num(t, (double)step),
                          .states = first.count,
                          .inputs = o->inputs.count,
                          .outputs = o->outputs,
                          .state = now,
                          .input = input,
                          .next = next,
                          .output = output};
        function(&s);
        memcpy(now, next, first.count * sizeof *now);
        for (size_t k = 0; k < o->outputs; k++)
            part[k][step] = gb_expand(output[k], 0);
    }
    memcpy(r.last, now, first.count * sizeof *now);
    for (size_t k = 0; k < o->outputs && steps > 0; k++)
        r.output[k] = gb_concat((size_t)steps, part[k], 0);
    return r;
}

/* ---- comparing ---- */

typedef struct setting {
    const char *name;
    int64_t steps;
    bool reverse, samples, rows;
    int64_t recompute;
} setting;

/* What a scan and its derivatives are: sums of all results with weights, gradients in the parameters and in
 * the real input. */
enum { ORDERS = 3 };
typedef struct found {
    double value, first[PARAMETERS], second[PARAMETERS], third[PARAMETERS];
    double of_input[64], of_start[8];
} found;

/* 1, 1.7, 2.4 …, so that no result hides another. */
static gb_node weighted(gb_node x, double seed)
{
    double weight[256];
    const gb_shape shape = gb_node_shape(x);
    const size_t count = gb_shape_count(shape);
    assert_true(count <= 256);
    for (size_t i = 0; i < count; i++)
        weight[i] = cos(seed + 0.7 * (double)i);
    if (count == 0)
        return gb_num(x.tape, 0);
    return gb_sum(gb_mul(x, gb_constant(x.tape, shape, gb_values_of(weight, count))));
}

static gb_node everything(gb_scan_result r, const model *m)
{
    gb_node sum = gb_num(r.last[0].tape, 0);
    for (size_t i = 0; i < m->states; i++)
        sum = gb_add(sum, weighted(r.last[i], (double)i));
    for (size_t i = 0; i < m->outputs; i++)
        if (gb_node_ok(r.output[i]))
            sum = gb_add(sum, weighted(r.output[i], 10 + (double)i));
    return sum;
}

static gb_node numbers(gb_tape *t, const char *name, gb_shape shape, double seed)
{
    double value[256];
    const size_t count = gb_shape_count(shape);
    assert_true(count <= 256);
    for (size_t i = 0; i < count; i++)
        value[i] = 0.5 * sin(seed + 1.3 * (double)i);
    return name ? gb_variable(t, name, shape, gb_values_of(value, count))
                : gb_constant(t, shape, gb_values_of(value, count));
}

static found find(const model *m, const setting *how, gb_real real, bool by_scan, int *last_recorded)
{
    found f = {0};
    gb_tape *const t = test_tape(.real = real, .samples = 3);
    const gb_node parameter = numbers(t, "parameter", gb_shape(PARAMETERS), 1);
    world w = {.t = t, .parameter = parameter, .steps = how->steps, .inner = by_scan ? inner_step : NULL};
    w.inner_recompute = how->recompute > 0 ? 2 : 0;
    if (how->samples)
        w.parameter = gb_add(parameter, gb_scale(gb_axis_index(t, GB_SAMPLES), 0.1));
    gb_node input[MOST_INPUTS], first[MOST_STATES], seen = {0};
    for (size_t i = 0; i < m->inputs; i++) {
        const gb_shape shape = gb_shape_join(gb_shape(how->steps), m->input[i]);
        const int64_t symbols[64] = {0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0};
        if (m->symbols)
            input[i] = gb_ints(t, shape, symbols);
        else
            input[i] = seen = numbers(t, "input", shape, 2);
        if (how->rows) {
            const gb_node row = gb_input_rows(t, "row", gb_shape());
            gb_feed(row, (const double[]){0.1, -0.2}, 2);
            if (!m->symbols)
                input[i] = gb_add(input[i], row);
            else
                w.parameter = gb_add(w.parameter, row);
        }
    }
    for (size_t i = 0; i < m->states; i++) {
        const char *const names[] = {"a", "b", "c"};
        first[i] = gb_exp(numbers(t, names[i], m->state[i], 3 + (double)i));
    }
    const gb_scan_options o = {.size = sizeof o,
                               .inputs = gb_roots_of(m->inputs, input),
                               .outputs = m->outputs,
                               .steps = m->inputs ? 0 : how->steps,
                               .reverse = how->reverse,
                               .recompute = how->recompute,
                               .user = &w};
    const gb_scan_result r = by_scan ? gb_scan_with(t, m->function, gb_roots_of(m->states, first), &o)
                                     : unrolled(t, m->function, gb_roots_of(m->states, first), &o);
    assert_fine(t);
    gb_node value = everything(r, m);
    if (gb_node_axes(value))
        value = gb_sum_over(gb_sin(value), gb_node_axes(value));
    const gb_node g1 = gb_grad(value, parameter);
    const gb_node g2 = gb_grad(weighted(gb_square(g1), 0.3), parameter);
    const gb_node g3 = gb_grad(weighted(g2, 0.9), parameter);
    const gb_node start = gb_variable_named(t, "a"), gs = gb_grad(value, start);
    const gb_node gi = gb_node_ok(seen) ? gb_grad(value, seen) : gb_num(t, 0);
    assert_fine(t);
    gb_program *const p = gb_compile(t, gb_roots(value, g1, g2, g3, gi, gs), gb_no_update);
    if (gb_run(p) != GB_OK)
        fail_msg("%s, %s: %s", m->name, how->name, gb_error_text(t));
    f.value = gb_value(value);
    gb_read(g1, f.first, PARAMETERS);
    gb_read(g2, f.second, PARAMETERS);
    gb_read(g3, f.third, PARAMETERS);
    gb_read(gs, f.of_start, gb_shape_count(m->state[0]));
    gb_read(gi, f.of_input, gb_value_count(gi));
    assert_fine(t);
    if (last_recorded)
        *last_recorded = (int)gb_tape_length(t);
    return f;
}

static void assert_alike(const model *m, const setting *how, const char *what, size_t count, const double *is,
                         const double *should, double allowed)
{
    double scale = 1e-3;
    for (size_t i = 0; i < count; i++)
        scale = fabs(should[i]) > scale ? fabs(should[i]) : scale;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(is[i] - should[i]) <= allowed * scale))
            fail_msg("%s, %s: %s %zu is %.17g, and %.17g one by one", m->name, how->name, what, i, is[i],
                     should[i]);
}

static const model models[] = {
    {"garch", garch, 1, 1, {{0}}, 1, {{0}}, false},
    {"arma", arma, 2, 1, {{0}, {0}}, 1, {{0}}, false},
    {"hidden markov", markov, 1, 1, {{1, {3}}}, 1, {{0}}, true},
    {"network", network, 2, 2, {{1, {2}}, {2, {2, 2}}}, 1, {{1, {3}}}, false},
    {"odd", odd, 2, 0, {{0}, {0}}, 1, {{0}}, false},
    {"delays", delays, 3, 1, {{0}, {0}, {0}}, 1, {{0}}, false},
    {"lines", lines, 3, 2, {{0}, {0}, {0}}, 1, {{0}}, false},
    {"vector_lines", vector_lines, 2, 1, {{1, {2}}, {1, {2}}}, 1, {{1, {2}}}, false},
    {"idle", idle, 3, 4, {{0}, {0}, {0}}, 1, {{0}}, false},
    {"nested", nested, 1, 1, {{0}}, 1, {{1, {3}}}, false},
};

static const setting settings[] = {
    {"17 steps", 17, false, false, false, 0},
    {"9 steps in reverse", 9, true, false, false, 0},
    {"one step", 1, false, false, false, 0},
    {"no steps", 0, false, false, false, 0},
    {"8 steps, samples", 8, false, true, false, 0},
    {"5 steps, rows", 5, false, false, true, 0},
    {"3 steps in reverse, samples and rows", 3, true, true, true, 0},
    {"12 steps, recomputing 4", 12, false, false, false, 4},
    {"11 steps, recomputing 3", 11, false, false, false, 3},
    {"7 steps in reverse, recomputing 3, samples", 7, true, true, false, 3},
    {"6 steps, recomputing 2, samples and rows", 6, false, true, true, 2},
    {"2 steps, recomputing 1", 2, false, false, false, 1},
};

static void compare(const setting *how, gb_real real, double allowed)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const model *const m = &models[i];
        size_t inputs = m->symbols ? 0 : (size_t)how->steps * gb_shape_count(m->input[0]);
        const found is = find(m, how, real, true, NULL), should = find(m, how, real, false, NULL);
        assert_alike(m, how, "the value", 1, &is.value, &should.value, allowed);
        assert_alike(m, how, "gradient", PARAMETERS, is.first, should.first, allowed);
        assert_alike(m, how, "second derivative", PARAMETERS, is.second, should.second, 4 * allowed);
        assert_alike(m, how, "third derivative", PARAMETERS, is.third, should.third, 16 * allowed);
        assert_alike(m, how, "gradient of the input", inputs, is.of_input, should.of_input, allowed);
        assert_alike(m, how, "gradient of the first state", gb_shape_count(m->state[0]), is.of_start,
                     should.of_start, allowed);
    }
}

TEST_EACH(a_scan_equals_its_steps_one_by_one, settings)
{
    compare(row, GB_DOUBLE, 3e-13);
    compare(row, GB_FLOAT, 3e-4);
}
