/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which loops of a plan fetch their arrays ahead, and when. */
#include "support/close.h"

#include "core/run/plans_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { MANY = 16, FEW = 4, AHEAD = 16 };
static const int64_t far = 150001, near = 15000; /* elements of each of MANY arrays: 19 MB and 2 MB */

/* Σ tanh x₁ + tanh x₂ + … over `count` variables: as many arrays, and twice as many members. */
static const gb_plan *planned(gb_tape *t, int count, int64_t elements, double *is, double *should)
{
    char name[8];
    gb_node sum = {0};
    *should = 0;
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "x%d", i);
        const gb_node y = gb_tanh(gb_variable(t, name, gb_shape(elements), gb_fill(0.1 * i)));
        sum = i == 0 ? y : gb_add(sum, y);
        *should += (double)elements * tanh(0.1 * i);
    }
    const gb_node root = gb_sum(sum);
    gb_program *const program = gb_compile(t, gb_roots(root), gb_no_update);
    assert_int_equal(gb_run(program), GB_OK);
    *is = gb_value(root);
    return gb_plan_find(program);
}

static size_t fetches_of(const gb_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->bodies.count; i++)
        count += plan->bodies.at[i].kernel == gb_fetch_kernel;
    return count;
}

/* Returns the member of the only loop that first reads an address; `members` is how many it has. */
static size_t reader_of(const gb_plan *plan, const char *address, size_t *members)
{
    size_t reader = SIZE_MAX;
    *members = 0;
    for (size_t i = 0; i < plan->bodies.count; i++) {
        const gb_block *const at = &plan->bodies.at[i];
        for (unsigned a = 0; a < GB_MAX_BLOCK_ARGS && at->kernel != gb_fetch_kernel; a++)
            if (reader == SIZE_MAX && at->in[a] == address && at->moves >> (a + 1) & 1u)
                reader = *members;
        *members += at->kernel != gb_fetch_kernel;
    }
    return reader;
}

TEST(loops_over_many_far_arrays_fetch_each_once_and_ahead)
{
    double is, should;
    const gb_plan *const plan = planned(t, MANY, far, &is, &should);
    size_t before = 0, members, of_next_block = 0;
    assert_close(is, should, 1e4);
    assert_int_equal(fetches_of(plan), MANY);
    for (size_t i = 0; i < plan->bodies.count; i++) {
        const gb_block *const at = &plan->bodies.at[i];
        if (at->kernel != gb_fetch_kernel) {
            before++;
            continue;
        }
        const char *const address = at->in[0];
        const size_t here = reader_of(plan, address, &members),
                     next = reader_of(plan, address - GB_BLOCK_BYTES, &members);
        assert_true(at->moves == 2 && (here == SIZE_MAX) != (next == SIZE_MAX));
        assert_int_equal((here != SIZE_MAX ? here : next + members) - before, AHEAD);
        of_next_block += here == SIZE_MAX;
    }
    assert_true(of_next_block > 0 && of_next_block < MANY);
}

/* Fewer members than AHEAD: each array is fetched where it is used, for the next block. */
TEST(short_loops_fetch_a_block_ahead)
{
    double is, should;
    const gb_plan *const plan = planned(t, MANY / 2, 2 * far, &is, &should);
    assert_close(is, should, 1e4);
    assert_int_equal(fetches_of(plan), MANY / 2);
    size_t members, before = 0;
    for (size_t i = 0; i < plan->bodies.count; i++)
        if (plan->bodies.at[i].kernel == gb_fetch_kernel)
            assert_int_equal(
                reader_of(plan, (const char *)plan->bodies.at[i].in[0] - GB_BLOCK_BYTES, &members), before);
        else
            before++;
}

TEST(near_arrays_and_few_arrays_are_not_fetched)
{
    double is, should;
    assert_int_equal(fetches_of(planned(t, MANY, near, &is, &should)), 0);
    assert_int_equal(fetches_of(planned(test_tape(.seed = 2), FEW, 5 * far, &is, &should)), 0);
}
