/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a plan leaves out, shares and fuses, what gradients cost, and what can be seen of it. */
#include "support/close.h"

#include <stdio.h>

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/workload.h"

static gb_plan_facts look(gb_node root)
{
    gb_plan_facts facts = {0};
    assert_int_equal(gb_program_plan(gb_compile(root.tape, gb_roots(root), gb_no_update), &facts), GB_OK);
    return facts;
}

TEST(what_no_root_needs_is_left_out)
{
    const gb_node x = gb_variable(t, "x", gb_shape(5), gb_fill(1)), y = gb_exp(x);
    const gb_plan_facts before = look(y);
    gb_sum(gb_log(gb_tanh(y)));
    gb_grad(gb_sum(gb_square(y)), x);
    const gb_plan_facts after = look(y);
    assert_int_equal(before.nodes, 1);
    assert_int_equal(after.nodes, 1);
    assert_int_equal(after.instructions, before.instructions);
}

TEST(what_is_recorded_twice_is_computed_once)
{
    const gb_node x = gb_variable(t, "x", gb_shape(5), gb_fill(1)),
                  y = gb_variable(t, "y", gb_shape(5), gb_fill(2));
    const gb_node once = gb_logaddexp(gb_exp(x), gb_add(x, y));
    const gb_node twice =
        gb_add(gb_logaddexp(gb_exp(x), gb_add(x, y)), gb_logaddexp(gb_add(y, x), gb_exp(x)));
    assert_int_equal(look(once).nodes, 3);
    assert_int_equal(look(twice).nodes, 4);
    const gb_noise z = gb_stream(t, "z");
    const gb_node draws = gb_add(gb_normal_noise(z, gb_shape(5), 0), gb_normal_noise(z, gb_shape(5), 0));
    assert_int_equal(look(draws).nodes, 3); /* two draws are two */
}

TEST(neighbours_are_fused_and_need_no_memory_between_them)
{
    const gb_node x = gb_variable(t, "x", gb_shape(100000), gb_fill(1));
    gb_node y = x;
    for (int i = 0; i < 10; i++)
        y = gb_tanh(gb_scale(y, 1.5));
    const gb_plan_facts facts = look(gb_sum(y));
    assert_int_equal(facts.groups, 1);
    assert_true(facts.instructions <= 3);
    assert_true(facts.bytes < 100000);
}

TEST(buffers_are_used_again)
{
    enum { COUNT = 100000 };
    gb_node y = gb_variable(t, "x", gb_shape(100, COUNT / 100), gb_fill(1));
    for (int i = 0; i < 20; i++) /* a maximum that all depends on: nothing can be fused across it */
        y = gb_exp(gb_sub(y, gb_maximum(y)));
    assert_true(look(gb_sum(y)).bytes < 4 * COUNT * sizeof(double));
}

TEST(what_never_changes_is_computed_once)
{
    gb_node c = gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 3));
    for (int i = 0; i < 50; i++)
        c = gb_tanh(c);
    const gb_node x = gb_variable(t, "x", gb_shape(3), gb_fill(1));
    assert_true(look(gb_sum(gb_mul(c, x))).instructions <= 3);
}

/* ---- what gradients cost ---- */

static size_t slices_length(size_t count, size_t *gradient)
{
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node x = gb_variable(t, "x", gb_shape((int64_t)count), gb_fill(0.5));
    gb_node sum = gb_num(t, 0);
    for (size_t i = 0; i < count; i++)
        sum = gb_add(sum, gb_mul(gb_slice(x, 0, (int64_t)i, (int64_t)i + 1), gb_num(t, (double)i)));
    sum = gb_sum(sum);
    const size_t before = gb_tape_length(t);
    const gb_node g = gb_grad(sum, x);
    *gradient = gb_tape_length(t) - before;
    const gb_plan_facts facts = look(g);
    assert_true(facts.nodes < 2 * count);    /* the parts, and one that puts them together … */
    assert_true(facts.bytes < 2000 * count); /* … with no array of `count` for each */
    double *values = calloc(count, sizeof *values);
    assert_int_equal(gb_read(g, values, count), GB_OK);
    for (size_t i = 0; i < count; i++)
        assert_close(values[i], (double)i, 0);
    free(values);
    gb_tape_free(t);
    return before;
}

TEST(the_gradient_of_ten_thousand_slices_is_linear)
{
    size_t few_gradient, many_gradient;
    const size_t few = slices_length(1000, &few_gradient), many = slices_length(10000, &many_gradient);
    assert_true(many_gradient < 10 * few_gradient + 100);
    assert_true(few_gradient < 8 * few && many_gradient < 8 * many);
}

TEST(a_gradient_costs_a_few_times_its_value)
{
    const gb_node x = gb_variable(t, "x", gb_shape(8), gb_fill(0.5));
    gb_node y = x;
    for (int i = 0; i < 1000; i++) /* each value is used twice: paths double, nodes must not */
        y = gb_sub(gb_mul(y, y), gb_tanh(y));
    const size_t before = gb_tape_length(t);
    const gb_node g = gb_grad(gb_sum(y), x);
    assert_true(gb_tape_length(t) - before < 12 * before);
    assert_true(look(g).nodes < 12 * before);
}

/* ---- looking inside ---- */

static char *text_of(gb_program *program, const gb_tape *tape, gb_dump_format format)
{
    FILE *file = tmpfile();
    assert_int_equal(program ? gb_program_dump(program, format, file) : gb_tape_dump(tape, format, file),
                     GB_OK);
    const size_t size = (size_t)ftell(file);
    char *text = calloc(size + 1, 1);
    rewind(file);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    return text;
}

static void assert_contains(char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("no \"%s\" in\n%s", words, text);
}

TEST(tapes_and_plans_can_be_read)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(1, 2)),
                  y = gb_named(gb_sum(gb_exp(x)), "a \"root\"");
    const gb_node g = gb_grad(y, x);
    gb_program *p = gb_compile(t, gb_roots(y, g), gb_assign(x, gb_sub(x, g)));
    char *text = text_of(NULL, t, GB_DUMP_TEXT);
    assert_contains(text, "variable        (2) = 1, …  \"x\"");
    assert_contains(text, "adjoint of sum 2");
    free(text);
    text = text_of(NULL, t, GB_DUMP_GRAPHVIZ);
    assert_contains(text, "digraph tape {");
    assert_contains(text, "a \\\"root\\\"");
    assert_contains(text, "n0 -> n1;");
    free(text);
    text = text_of(p, NULL, GB_DUMP_TEXT);
    assert_contains(text, "plan for 1 samples");
    assert_contains(text, "new value of x");
    free(text);
    gb_run(p);
    text = text_of(p, NULL, GB_DUMP_GRAPHVIZ);
    assert_contains(text, "digraph plan {");
    assert_contains(text, "= 10.1");
    free(text);
}

TEST(a_large_plan_can_be_drawn, .samples = 3)
{
    workload w;
    workload_record(&w, t, 10, 4, 20);
    workload_feed(&w);
    for (int format = 0; format < 2; format++) {
        free(text_of(NULL, t, format ? GB_DUMP_GRAPHVIZ : GB_DUMP_TEXT));
        free(text_of(w.train, NULL, format ? GB_DUMP_GRAPHVIZ : GB_DUMP_TEXT));
    }
}

/* Runs along the last two axes have 15 elements, and a block ends within one. */
TEST(strided_loads_of_few_elements_go_on_where_a_block_ended)
{
    enum { N = 300 };
    static const double factor[] = {1, -2, 0.5};
    double a[N * 5], sum[N * 15];
    for (int i = 0; i < N * 5; i++)
        a[i] = i + 0.25;
    const gb_node x = gb_variable(t, "x", gb_shape(N, 1, 5), gb_values_of(a, N * 5)),
                  y = gb_variable(t, "y", gb_shape(3, 1), gb_values_of(factor, 3)),
                  z = gb_variable(t, "z", gb_shape(3, 0, 2), gb_fill(0));
    const gb_node all = gb_mul(x, y), few = gb_mul(gb_slice(x, 0, 7, 9), y),
                  none = gb_add(z, gb_variable(t, "one", gb_shape(1, 2), GB_VALUES(1, 2)));
    assert_int_equal(gb_run(gb_compile(t, gb_roots(all, few, none), gb_no_update)), GB_OK);
    gb_read(all, sum, N * 15);
    for (int i = 0; i < N * 15; i++)
        assert_true(sum[i] == a[i / 15 * 5 + i % 5] * factor[i / 5 % 3]);
    gb_read(few, sum, 30);
    for (int i = 0; i < 30; i++)
        assert_true(sum[i] == a[(7 + i / 15) * 5 + i % 5] * factor[i / 5 % 3]);
}

/* Runs of 1 to 20 elements; up to 128 elements of short ones are listed together. Blocks end within them, and
 * so do the axes before. */
TEST(several_short_runs_are_loaded_at_a_time)
{
    enum { OUTER = 3, NEXT = 150, MOST = 20 };
    static double a[OUTER * NEXT * MOST], read[OUTER * NEXT * MOST];
    for (int i = 0; i < OUTER * NEXT * MOST; i++)
        a[i] = i + 0.25;
    const gb_node x = gb_variable(t, "x", gb_shape(OUTER, NEXT, MOST), gb_values_of(a, OUTER * NEXT * MOST));
    for (int run = 1; run < MOST; run++) {
        gb_read(gb_neg(gb_slice(gb_slice(x, 2, 1, 1 + run), 1, 2, NEXT)), read,
                OUTER * (NEXT - 2) * (size_t)run);
        for (int i = 0; i < OUTER * (NEXT - 2) * run; i++) {
            const int outer = i / run / (NEXT - 2), next = 2 + i / run % (NEXT - 2), last = 1 + i % run;
            assert_true(read[i] == -a[(outer * NEXT + next) * MOST + last]);
        }
    }
}

/* Sums over few elements, and of few columns. Chunks end within some. */
TEST(short_and_narrow_sums_are_those_of_a_loop)
{
    enum { OUTER = 701, MOST = 9 };
    static double a[OUTER * MOST * MOST], is[OUTER * MOST];
    for (int i = 0; i < OUTER * MOST * MOST; i++)
        a[i] = i % 97 - 40;
    for (int reduced = 1; reduced < 4; reduced++)
        for (int inner = 1; inner <= MOST; inner++) {
            const size_t count = (size_t)(OUTER * reduced * inner);
            gb_tape *const tape = test_tape();
            const gb_node x = gb_variable(tape, "x", gb_shape(OUTER, reduced, inner), gb_values_of(a, count)),
                          v = gb_neg(x);
            for (int what = 0; what < 2; what++) {
                const gb_node y = what ? gb_maximum_along(v, gb_axis(1)) : gb_sum_along(v, gb_axis(1));
                gb_read(y, is, (size_t)(OUTER * inner));
                for (int i = 0; i < OUTER * inner; i++) {
                    const double *const from = a + i / inner * reduced * inner + i % inner;
                    double should = what ? -from[0] : 0;
                    for (int k = 0; k < reduced; k++)
                        should = what ? fmax(should, -from[k * inner]) : should - from[k * inner];
                    assert_true(is[i] == should);
                }
            }
        }
}

TEST(small_sums_join_what_large_ones_do)
{
    double a[60], wide[60 * 40];
    for (int i = 0; i < 60; i++)
        for (int k = 0; k < 40; k++)
            wide[40 * i + k] = a[i] = 1 / (i + 3.);
    const gb_node x = gb_variable(t, "x", gb_shape(4, 5, 3), gb_values_of(a, 60)),
                  y = gb_variable(t, "y", gb_shape(4, 5, 3, 40), gb_values_of(wide, 60 * 40));
    for (int axis = 0; axis < 3; axis++) {
        const gb_node few = gb_sum_along(gb_exp(x), gb_axis(axis)),
                      many = gb_sum_along(gb_exp(y), gb_axis(axis)),
                      most = gb_maximum_along(gb_sin(x), gb_axis(axis)),
                      mosts = gb_maximum_along(gb_sin(y), gb_axis(axis));
        double is[60], should[60 * 40];
        const size_t count = 60 / (size_t)gb_node_shape(x).size[axis];
        for (int what = 0; what < 2; what++) {
            const gb_node small = what ? most : few, large = what ? mosts : many;
            assert_int_equal(gb_run(gb_compile(t, gb_roots(small, large), gb_no_update)), GB_OK);
            gb_read(small, is, count);
            gb_read(large, should, 40 * count);
            for (size_t i = 0; i < count; i++)
                assert_close(is[i], should[40 * i], 2);
        }
    }
}
