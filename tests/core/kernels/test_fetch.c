/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which arrays a loop fetches ahead, and when. */
#include "support/close.h"

#include "core/kernels/fetch_impl.h"
#include "core/run/plans_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { MOST = 200, BLOCKS = 3 };

static void no_kernel(const gb_block *block, size_t lines, size_t first)
{
    (void)block, (void)lines, (void)first;
}

/* Memory whose places stand for arrays: array i begins at array(i), and each has several blocks. */
static char memory[MOST][BLOCKS * GB_BLOCK_BYTES];

static void *array(size_t i)
{
    return memory[i];
}

/* `count` instructions. Instruction i reads array i % arrays and a temporary, and stores array i % arrays too
 * if it is odd. */
static void fill(gb_block *body, size_t count, size_t arrays)
{
    static char temporary[GB_BLOCK_BYTES];
    for (size_t i = 0; i < count; i++)
        body[i] = (gb_block){.kernel = no_kernel,
                             .out = i % 2 ? array(i % arrays) : temporary,
                             .in = {temporary, array(i % arrays)},
                             .moves = i % 2 ? 5 : 4};
}

/* Returns how many instructions stand between a fetch and the first that uses the array, in the block that is
 * fetched. `body` has the fetches; `count` are not fetches. */
static size_t lead_of(const gb_block *body, size_t length, size_t fetch, size_t count)
{
    size_t before = 0, member = 0;
    for (size_t i = 0; i < fetch; i++)
        before += body[i].kernel != gb_fetch_kernel;
    for (size_t i = 0; i < length; i++) {
        if (body[i].kernel == gb_fetch_kernel)
            continue;
        const char *const used = body[i].in[1], *const fetched = body[fetch].in[0];
        if (fetched == used)
            return member - before;
        if (fetched == used + GB_BLOCK_BYTES)
            return count + member - before;
        member++;
    }
    fail_msg("fetch %zu is of no array", fetch);
    return 0;
}

static void arrays_are_fetched(size_t count, size_t arrays, size_t fetched)
{
    gb_block before[MOST], body[MOST + GB_FETCH_MOST];
    fill(before, count, arrays);
    fill(body, count, arrays);
    const size_t length = gb_fetch_ahead(body, count), lead = count < GB_FETCH_LEAD ? count : GB_FETCH_LEAD;
    size_t fetches = 0;
    assert_int_equal(length, count + fetched);
    for (size_t i = 0; i < length; i++) {
        if (body[i].kernel != gb_fetch_kernel) {
            assert_memory_equal(&body[i], &before[i - fetches], sizeof body[i]);
            continue;
        }
        fetches++;
        assert_int_equal(body[i].moves, 2);
        assert_int_equal(lead_of(body, length, i, count), lead);
        for (size_t j = 0; j < i; j++)
            assert_true(body[j].kernel != gb_fetch_kernel || body[j].in[0] != body[i].in[0]);
    }
    assert_int_equal(fetches, fetched);
}

TEST(each_array_is_fetched_once_and_ahead)
{
    arrays_are_fetched(40, 40, 40);
    arrays_are_fetched(40, 10, 10); /* all of them in the block before */
    arrays_are_fetched(40, 20, 20); /* some in the same block */
    arrays_are_fetched(17, 17, 17);
    arrays_are_fetched(16, 16, 16);
    arrays_are_fetched(7, 6, 6);
}

TEST(few_arrays_are_not_fetched_and_of_many_the_first)
{
    arrays_are_fetched(40, GB_FETCH_LEAST, GB_FETCH_LEAST);
    arrays_are_fetched(40, GB_FETCH_LEAST - 1, 0);
    arrays_are_fetched(0, 1, 0);
    arrays_are_fetched(150, 150, GB_FETCH_MOST);
}

TEST(an_array_that_is_only_stored_is_fetched)
{
    gb_block body[8 + GB_FETCH_MOST];
    fill(body, 8, 8);
    body[3] = (gb_block){.kernel = no_kernel, .out = array(8), .moves = 1};
    assert_int_equal(gb_fetch_ahead(body, 8), 16);
    size_t found = 0;
    for (size_t i = 0; i < 16; i++)
        found += body[i].kernel == gb_fetch_kernel && body[i].in[0] == (char *)array(8) + GB_BLOCK_BYTES;
    assert_int_equal(found, 1);
}

/* ---- in plans ---- */

/* Whether the plan of Σ Σᵢ tanh xᵢ, and of one step of xᵢ <- tanh xᵢ if `is_assigned`, fetches; and whether a
 * run has the right value. */
static bool is_far(gb_tape *t, int count, int64_t elements, bool is_assigned)
{
    char name[16];
    gb_node sum = gb_num(t, 0);
    gb_updates steps = gb_no_update;
    double should = 0;
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "x%d", i);
        const gb_node x = gb_variable(t, name, gb_shape(elements), gb_fill(0.1 * i)), y = gb_tanh(x);
        sum = gb_add(sum, y);
        steps = is_assigned ? gb_updates_join(steps, gb_assign(x, y)) : steps;
        should += (double)elements * tanh(0.1 * i);
    }
    const gb_node root = gb_sum(sum);
    gb_program *const program = gb_compile(t, gb_roots(root), steps);
    assert_int_equal(gb_run(program), GB_OK);
    assert_close(gb_value(root), should, 1e4);
    const gb_plan *const plan = gb_plan_find(program);
    for (size_t i = 0; i < plan->code.count; i++)
        if (plan->code.at[i].kernel == gb_loop_kernel)
            return ((const gb_loop *)plan->code.at[i].extra)->is_far;
    fail_msg("the plan has no loop");
    return false;
}

/* 8 variables of 1.2 MB, which with their new values are 19 MB. */
TEST(plans_of_much_memory_fetch_ahead)
{
    enum { COUNT = 150001 };
    assert_true(is_far(t, 16, COUNT, false));
    assert_false(is_far(test_tape(.seed = 2), 8, COUNT, false));
    assert_true(is_far(test_tape(.seed = 3), 8, COUNT, true));
}
