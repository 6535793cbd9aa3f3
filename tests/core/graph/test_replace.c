/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part of a graph recorded again, with other nodes where it begins. */
#include "support/close.h"

#include "core/gradient.h"
#include "core/graph/replace_impl.h"
#include "core/replace.h"
#include "core/tape/input_impl.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/random_graph.h"

static gb_node replaced(gb_node from, gb_node to, gb_node root)
{
    gb_node result;
    gb_replaced(1, &from, &to, 1, &root, &result);
    return result;
}

TEST(a_function_at_another_node_has_the_bits_of_the_function_recorded_there)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(0.3, -1, 2)),
                  y = gb_variable(t, "y", gb_shape(3), GB_VALUES(7, 0.1, -0.4)),
                  a = gb_variable(t, "a", gb_shape(2, 3), GB_VALUES(1, 2, 3, 4, 5, 6));
    const gb_node f = gb_sum(gb_log(gb_matmul(a, gb_exp(x)))), g = gb_sum(gb_log(gb_matmul(a, gb_exp(y))));
    const gb_node there = replaced(x, y, f);
    gb_program *p = gb_compile(t, gb_roots(f, g, there), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    assert_true(gb_value(there) == gb_value(g));
    assert_true(gb_value(there) != gb_value(f));
}

/* Variables replaced by others with the same numbers: every value of a random graph keeps its numbers, and
 * none of the new values depends on the old variables. */
TEST(every_value_of_a_random_graph_can_be_recorded_again)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        graph g;
        graph_begin(&g, seed, GB_DOUBLE);
        gb_node to[GRAPH_VARIABLES], root[GRAPH_VALUES + 1], again[GRAPH_VALUES + 1];
        char name[8], why[GRAPH_TEXT];
        for (int i = 0; i < GRAPH_VARIABLES; i++) {
            const gb_shape shape = gb_node_shape(g.variable[i]);
            snprintf(name, sizeof name, "to%d", i);
            to[i] = gb_variable(g.tape, name, shape, gb_values_of(g.start[i], gb_shape_count(shape)));
        }
        for (size_t i = 0; i < g.count; i++)
            root[i] = g.value[i].node;
        if (gb_replaced(GRAPH_VARIABLES, g.variable, to, g.count, root, again) != GB_OK)
            fail_msg("seed %d: %s", (int)seed, gb_error_text(g.tape));
        for (int i = 0; i < GRAPH_VARIABLES; i++)
            gb_set(g.variable[i], gb_fill(1e300));
        for (size_t i = 0; i < g.count; i++)
            g.value[i].node = again[i];
        assert_int_equal(gb_run(gb_compile(g.tape, gb_roots_of(g.count, again), gb_no_update)), GB_OK);
        for (size_t i = 0; i < g.count; i++)
            if (!graph_value_is_right(&g, i, 1e-12, why))
                fail_msg("seed %d: %s", (int)seed, why);
        graph_end(&g);
    }
}

TEST(what_depends_on_nothing_replaced_is_shared_and_what_no_root_needs_is_not_recorded)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1)),
                  y = gb_variable(t, "y", gb_shape(), gb_fill(2));
    const gb_node apart = gb_exp(gb_sin(y)), unused = gb_exp(x), sum = gb_add(x, apart);
    const size_t before = gb_tape_length(t);
    const gb_node from[] = {x}, to[] = {y}, root[] = {sum, apart, x, y};
    gb_node result[4];
    assert_int_equal(gb_replaced(1, from, to, 4, root, result), GB_OK);
    assert_int_equal(gb_tape_length(t), before + 1);
    assert_true(gb_node_same(gb_node_argument(result[0], 1), apart));
    assert_true(gb_node_same(result[1], apart));
    assert_true(gb_node_same(result[2], y));
    assert_true(gb_node_same(result[3], y));
    assert_true(gb_node_ok(unused));
}

TEST(nodes_can_change_places_and_one_that_depends_on_another_is_replaced_all_the_same)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1)),
                  y = gb_variable(t, "y", gb_shape(), gb_fill(2)), twice = gb_scale(x, 2),
                  three = gb_num(t, 3);
    const gb_node swap[] = {x, y}, with[] = {y, x}, deep[] = {x, twice}, by[] = {y, three};
    const gb_node root = gb_sub(x, y), both = gb_add(x, gb_mul(twice, twice));
    gb_node swapped, cut;
    assert_int_equal(gb_replaced(2, swap, with, 1, &root, &swapped), GB_OK);
    assert_int_equal(gb_replaced(2, deep, by, 1, &both, &cut), GB_OK);
    assert_int_equal(gb_run(gb_compile(t, gb_roots(swapped, cut), gb_no_update)), GB_OK);
    assert_values(swapped, 1);
    assert_values(cut, 11);
}

TEST(hidden_axes_are_found_anew, .samples = 3)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), gb_fill(1)),
                  points = gb_input_points(t, "p", gb_shape(2));
    const gb_node there = replaced(x, points, gb_sum(gb_square(x)));
    assert_int_equal(gb_node_axes(there), GB_SAMPLES);
    assert_int_equal(gb_feed(points, (const double[]){1, 2, 3, 4, 5, 6}, 3), GB_OK);
    assert_int_equal(gb_run(gb_compile(t, gb_roots(there), gb_no_update)), GB_OK);
    assert_values(there, 5, 25, 61);
}

TEST(points_are_as_many_as_the_samples, .samples = 3)
{
    const gb_node points = gb_input_points(t, "p", gb_shape(2)), again = gb_input_points(t, "p", gb_shape());
    gb_program *p = gb_compile(t, gb_roots(gb_exp(points), again), gb_no_update);
    assert_int_equal(gb_run(p), GB_EFEED);
    gb_forgive(t);
    gb_feed(points, (const double[]){1, 2, 3, 4}, 2);
    gb_feed(again, (const double[]){1, 2, 3}, 3);
    assert_int_equal(gb_run(p), GB_EFEED);
    assert_non_null(strstr(gb_error_text(t), "run: input p was fed 2 points, but there are 3 samples"));
    gb_forgive(t);
    gb_program_set_samples(p, 2);
    gb_feed(again, (const double[]){1, 2}, 2);
    assert_int_equal(gb_run(p), GB_OK);
}

TEST(a_sum_over_an_axis_that_is_no_longer_there_counts_the_value_for_each_place)
{
    const gb_node rows = gb_input_rows(t, "rows", gb_shape()),
                  x = gb_variable(t, "x", gb_shape(), gb_fill(2)), own = gb_exp(rows),
                  other = gb_sum_over(gb_square(rows), GB_ROWS);
    const gb_node sum = gb_sum_over(gb_square(own), GB_ROWS);
    const gb_node there = replaced(own, x, sum);
    assert_int_equal(gb_feed(rows, (const double[]){1, 1, 2}, 3), GB_OK);
    assert_int_equal(gb_run(gb_compile(t, gb_roots(there, other), gb_no_update)), GB_OK);
    assert_values(there, 12);
}

TEST(axes_of_a_sum_need_not_stay_neighbours, .samples = 2)
{
    const gb_axes site = gb_site_axis(t, "site", 3);
    const gb_node rows = gb_input_rows(t, "rows", gb_shape()),
                  z = gb_normal_noise(gb_stream(t, "z"), gb_shape(), GB_SAMPLES),
                  x = gb_add(rows, gb_scale(z, 0)), other = gb_add(x, gb_axis_index(t, site));
    const gb_node there = replaced(x, other, gb_sum_over(gb_square(x), GB_SAMPLES | GB_ROWS));
    assert_int_equal(gb_node_axes(there), site);
    const gb_node seen = gb_reveal(there, site);
    assert_int_equal(gb_feed(rows, (const double[]){1, 2}, 2), GB_OK);
    assert_int_equal(gb_run(gb_compile(t, gb_roots(seen), gb_no_update)), GB_OK);
    assert_values(seen, 10, 26, 50);
}

TEST(gradients_lead_through_the_new_nodes)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1)),
                  y = gb_variable(t, "y", gb_shape(), gb_fill(3));
    const gb_node f = gb_mul(gb_stop(gb_square(x)), gb_log(x));
    const gb_node there = replaced(x, y, f), slope = gb_grad(there, y), own = gb_grad(there, x);
    assert_int_equal(gb_run(gb_compile(t, gb_roots(slope, own), gb_no_update)), GB_OK);
    assert_values(slope, 3); /* y² · 1/y */
    assert_values(own, 0);
}

TEST(a_gradient_can_be_recorded_again_too)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3)),
                  y = gb_variable(t, "y", gb_shape(3), GB_VALUES(2, 0, 1));
    const gb_node slope = gb_grad(gb_sum(gb_exp(gb_mul(x, x))), x), there = replaced(x, y, slope);
    assert_int_equal(gb_run(gb_compile(t, gb_roots(there), gb_no_update)), GB_OK);
    double g[3];
    assert_int_equal(gb_read(there, g, 3), GB_OK);
    assert_close(g[0], 4 * exp(4), 4);
    assert_close(g[1], 0, 4);
    assert_close(g[2], 2 * exp(1), 4);
}

TEST(names_stay)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1)),
                  y = gb_variable(t, "y", gb_shape(), gb_fill(3));
    assert_string_equal(gb_node_name(replaced(x, y, gb_named(gb_exp(x), "growth"))), "growth");
}

TEST(a_draw_that_lies_between_is_rejected_by_name)
{
    const gb_node rate = gb_variable(t, "rate", gb_shape(), gb_fill(2)),
                  other = gb_variable(t, "o", gb_shape(), gb_fill(3));
    const gb_node count =
        gb_named(gb_poisson_noise(gb_stream(t, "counts"), gb_shape(), GB_SAMPLES, rate), "calls");
    const gb_node root = gb_square(count);
    gb_node result;
    assert_int_equal(gb_replaced(1, &rate, &other, 1, &root, &result), GB_EARGUMENT);
    assert_false(gb_node_ok(result));
    assert_non_null(strstr(gb_error_text(t), "draw calls lies between"));
    gb_forgive(t);
    gb_expect *e = gb_expect_new(t);
    const gb_node z = gb_draw(e, "z", gb_normal(rate, gb_num(t, 1)), gb_pathwise());
    assert_false(gb_node_ok(replaced(rate, other, gb_square(z))));
    assert_non_null(strstr(gb_error_text(t), "draw z lies between"));
    gb_forgive(t);
    assert_true(gb_node_ok(replaced(z, gb_widen(other, GB_SAMPLES), gb_square(z)))); /* itself replaced */
}

TEST(a_draw_that_is_asked_for_keeps_its_noise, .samples = 50)
{
    const gb_node rate = gb_variable(t, "rate", gb_shape(), gb_fill(20)),
                  same = gb_variable(t, "s", gb_shape(), gb_fill(20));
    const gb_node count = gb_poisson_noise(gb_stream(t, "counts"), gb_shape(), GB_SAMPLES, rate);
    gb_node again;
    assert_int_equal(gb_replaced_with_draws(1, &rate, &same, 1, &count, &again), GB_OK);
    double a[50], b[50];
    gb_program *p = gb_compile(t, gb_roots(count, again), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    assert_int_equal(gb_read_root(p, 0, a), GB_OK);
    assert_int_equal(gb_read_root(p, 1, b), GB_OK);
    assert_memory_equal(a, b, sizeof a);
}

TEST(what_cannot_be_replaced_is_rejected_in_words)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), gb_fill(1)),
                  y = gb_variable(t, "y", gb_shape(3), gb_fill(1)), one = gb_num(t, 1),
                  n = gb_ints(t, gb_shape(2), (const int64_t[]){1, 2}), root = gb_sum(x);
    static const struct {
        int from, to;
        const char *words;
    } wrong[] = {{0, 1, "variable x has shape (2), and what replaces it (3)"},
                 {0, 3, "shapes and types must be the same"},
                 {2, 2, "constant  is a constant"}};
    const gb_node node[] = {x, y, one, n};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(gb_node_ok(replaced(node[wrong[i].from], node[wrong[i].to], root)));
        if (!strstr(gb_error_text(t), wrong[i].words))
            fail_msg("%s", gb_error_text(t));
        gb_forgive(t);
    }
    gb_tape *other = test_tape(.seed = 1);
    assert_false(gb_node_ok(replaced(x, gb_variable(other, "z", gb_shape(2), gb_fill(0)), root)));
    assert_non_null(strstr(gb_error_text(t), "belongs to another tape"));
}

TEST(an_operation_that_does_not_take_its_new_arguments_is_named, .samples = 3)
{
    const gb_axes site = gb_site_axis(t, "site", 2);
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(1, 2)),
                  y = gb_variable(t, "y", gb_shape(2), gb_fill(0));
    const gb_node hidden = gb_named(gb_hide(x, site), "places"), root = gb_square(hidden);
    assert_false(gb_node_ok(replaced(x, gb_add(y, gb_axis_index(t, site)), root)));
    assert_non_null(strstr(gb_error_text(t), "replaced: places cannot be recorded again: hide: "));
}

static gb_status replace_some(gb_tape *t, const void *what)
{
    (void)what;
    const gb_node x = gb_variable(t, "x", gb_shape(2), gb_fill(1)),
                  y = gb_variable(t, "y", gb_shape(2), gb_fill(2));
    gb_node root = x;
    for (int i = 0; i < 20; i++)
        root = gb_add(gb_sin(root), x);
    gb_node result = {0};
    if (t)
        gb_replaced(1, &x, &y, 1, &root, &result);
    return gb_error(t);
}

TEST(replacing_outlives_lack_of_memory)
{
    assert_outlives_lack_of_memory(replace_some, NULL, "replaced", 0,
                                   (gb_tape_options){.size = sizeof(gb_tape_options), .threads = 1});
}
