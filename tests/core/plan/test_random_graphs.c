/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random graphs: all values against plain loops, gradients against
 * differences, whichever programs keep them. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/random_graph.h"

/* Differences go along a random direction. Each term of the loss is about 1, each derivative too. */
#define STEP 1e-5
enum { GRAPHS = 600, TERMS = 8 };

typedef struct study {
    graph g;
    gb_node loss, gradient[GRAPH_VARIABLES];
    gb_program *some,
        *all; /* one keeps some values, the loss and its gradients; the other all, and assigns */
    gb_node root[GRAPH_VALUES + 1 + GRAPH_VARIABLES];
    size_t kept[GRAPH_VALUES], kept_count; /* by the first */
} study;

/* Σ over the latest values v of Σ v² / (1 + Σ v²), with the numbers below the line. */
static gb_node loss_of(const graph *g)
{
    gb_node loss = gb_num(g->tape, 0);
    for (size_t i = g->count > TERMS ? g->count - TERMS : 0; i < g->count; i++) {
        const gb_node square = gb_sum(gb_square(g->value[i].node));
        const gb_node sum = gb_sum_over(square, g->axis[0] | g->axis[1] | g->axis[2]);
        loss = gb_add(loss, gb_scale(sum, 1 / (1 + g->value[i].square_norm)));
    }
    return loss;
}

static void begin(study *s, uint64_t seed, gb_real real)
{
    graph *const g = &s->g;
    graph_begin(g, seed, real);
    s->loss = loss_of(g);
    gb_grads(s->loss, g->variable, GRAPH_VARIABLES, s->gradient);
    s->kept_count = 0;
    for (size_t i = 0; i < g->count; i++)
        if (graph_below(g, 4) == 0 || i + 1 == g->count)
            s->kept[s->kept_count++] = i;
    size_t roots = 0;
    for (size_t i = 0; i < s->kept_count; i++)
        s->root[roots++] = g->value[s->kept[i]].node;
    s->root[roots++] = s->loss;
    for (int i = 0; i < GRAPH_VARIABLES; i++)
        s->root[roots++] = s->gradient[i];
    s->some = gb_compile(g->tape, (gb_node_list){roots, s->root}, gb_no_update);
    for (size_t i = 0; i < g->count; i++)
        s->root[i] = g->value[i].node;
    const gb_updates same = gb_assign(g->variable[0], g->variable[0]);
    s->all = gb_compile(g->tape, (gb_node_list){g->count, s->root}, same);
    if (gb_error(g->tape) != GB_OK)
        fail_msg("graph %d: %s", (int)seed, gb_error_text(g->tape));
}

/* ---- values ---- */

static void values_are_right(study *s, uint64_t seed, double tolerance)
{
    char why[GRAPH_TEXT];
    assert_int_equal(gb_run(s->some), GB_OK);
    for (size_t i = 0; i < s->kept_count; i++)
        if (!graph_value_is_right(&s->g, s->kept[i], tolerance, why))
            fail_msg("graph %d, some values: %s", (int)seed, why);
    assert_int_equal(gb_run(s->all), GB_OK);
    for (size_t i = 0; i < s->g.count; i++)
        if (!graph_value_is_right(&s->g, i, tolerance, why))
            fail_msg("graph %d, all values: %s", (int)seed, why);
}

/* ---- gradients ---- */

static double *gradient_of(const study *s, int variable, size_t *count)
{
    *count = gb_shape_count(gb_node_shape(s->g.variable[variable]));
    double *gradient = calloc(*count + 1, sizeof *gradient);
    assert_int_equal(gb_read(s->gradient[variable], gradient, *count), GB_OK);
    return gradient;
}

/* The loss where the variables have moved by `step` along a direction. */
static double loss_at(study *s, double *const direction[GRAPH_VARIABLES], double step)
{
    const graph *const g = &s->g;
    for (int v = 0; v < GRAPH_VARIABLES; v++) {
        const size_t count = gb_shape_count(gb_node_shape(g->variable[v]));
        double *moved = calloc(count + 1, sizeof *moved);
        for (size_t i = 0; i < count; i++)
            moved[i] = g->start[v][i] + step * direction[v][i];
        assert_int_equal(gb_set(g->variable[v], gb_values_of(moved, count)), GB_OK);
        free(moved);
    }
    assert_int_equal(gb_run(s->some), GB_OK);
    return gb_value(s->loss);
}

static void gradients_are_right(study *s, uint64_t seed)
{
    double *direction[GRAPH_VARIABLES], slope = 0, magnitude = 0;
    for (int v = 0; v < GRAPH_VARIABLES; v++) {
        size_t count;
        double *gradient = gradient_of(s, v, &count);
        direction[v] = calloc(count + 1, sizeof *direction[v]);
        for (size_t i = 0; i < count; i++) {
            direction[v][i] = graph_real(&s->g);
            slope += gradient[i] * direction[v][i];
            magnitude += fabs(gradient[i] * direction[v][i]);
        }
        free(gradient);
    }
    const double difference = (loss_at(s, direction, STEP) - loss_at(s, direction, -STEP)) / (2 * STEP);
    if (!(fabs(difference - slope) <= 1e-6 * magnitude + 1e-8))
        fail_msg("graph %d: the slope is %.12g, differences give %.12g", (int)seed, slope, difference);
    for (int v = 0; v < GRAPH_VARIABLES; v++)
        free(direction[v]);
}

TEST(random_graphs_have_the_values_and_the_gradients_they_should)
{
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        study s;
        begin(&s, seed, GB_DOUBLE);
        values_are_right(&s, seed, 1e-11);
        gradients_are_right(&s, seed);
        graph_end(&s.g);
    }
}

/* ---- the same on float tapes ---- */

static void singles_have_the_gradient_of_doubles(const study *single, const study *wide, uint64_t seed)
{
    for (int v = 0; v < GRAPH_VARIABLES; v++) {
        size_t count;
        double *is = gradient_of(single, v, &count), *should = gradient_of(wide, v, &count), largest = 0;
        for (size_t i = 0; i < count; i++)
            largest = fmax(largest, fabs(should[i]));
        for (size_t i = 0; i < count; i++)
            if (!(fabs(is[i] - should[i]) <= 1e-3 * (largest + 1)))
                fail_msg("graph %d: derivative %zu by variable %d is %.9g, not %.9g", (int)seed, i, v, is[i],
                         should[i]);
        free(is);
        free(should);
    }
}

TEST(random_graphs_of_singles_are_those_of_doubles)
{
    for (uint64_t seed = 1; seed <= GRAPHS; seed += 3) {
        study single, wide;
        begin(&single, seed, GB_FLOAT);
        begin(&wide, seed, GB_DOUBLE);
        values_are_right(&single, seed, 1e-4);
        assert_int_equal(gb_run(single.some), GB_OK);
        assert_int_equal(gb_run(wide.some), GB_OK);
        singles_have_the_gradient_of_doubles(&single, &wide, seed);
        graph_end(&single.g);
        graph_end(&wide.g);
    }
}
