/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table that rows share: gather by an index that is fed, and its gradient, which sums over the rows. */

#include "core/gradient.h"
#include "core/program.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/close.h"

typedef struct embedding {
    gb_tape *t;
    gb_node table, index, weight, loss;
} embedding;

/* Σ over rows of w Σ table[index]². */
static embedding embedding_new(int64_t places, int64_t width)
{
    embedding e = {.t = test_tape()};
    e.table = gb_variable(e.t, "table", gb_shape(places, width), gb_fill(1));
    e.index = gb_input_rows_ints(e.t, "index", gb_shape());
    e.weight = gb_input_rows(e.t, "weight", gb_shape());
    const gb_node row = gb_gather(e.table, 0, e.index);
    e.loss = gb_sum_over(gb_mul(e.weight, gb_sum(gb_square(row))), GB_ROWS);
    return e;
}

TEST(rows_that_share_a_place_add_up_in_its_gradient)
{
    embedding e = embedding_new(4, 2);
    gb_set(e.table, GB_VALUES(1, 2, 3, 4, 5, 6, 7, 8));
    gb_feed_ints(e.index, (const int64_t[]){2, 0, 2}, 3);
    gb_feed(e.weight, (const double[]){1, 10, 100}, 3);
    const gb_node first = gb_grad(e.loss, e.table), second = gb_grad(gb_sum(first), e.table);
    assert_values(first, 20, 40, 0, 0, 1010, 1212, 0, 0);
    assert_values(second, 20, 20, 0, 0, 202, 202, 0, 0);
}

TEST(the_gradient_is_one_table_and_not_one_for_each_row)
{
    enum { PLACES = 2000, WIDTH = 16, ROWS = 200 };
    embedding e = embedding_new(PLACES, WIDTH);
    int64_t index[ROWS];
    double weight[ROWS];
    for (int i = 0; i < ROWS; i++) {
        index[i] = i % 7;
        weight[i] = 1;
    }
    gb_feed_ints(e.index, index, ROWS);
    gb_feed(e.weight, weight, ROWS);
    gb_program *p = gb_compile(e.t, gb_roots(gb_grad(e.loss, e.table)), gb_no_update);
    gb_plan_facts facts;
    assert_int_equal(gb_program_plan(p, &facts), GB_OK);
    assert_true(facts.bytes < 4 * PLACES * WIDTH * sizeof(double));
}

TEST(an_index_that_is_fed_out_of_range_stops_the_run_by_name)
{
    embedding e = embedding_new(4, 2);
    const gb_node step = gb_sub(e.table, gb_grad(e.loss, e.table));
    gb_program *p = gb_compile(e.t, gb_roots(e.loss), gb_assign(e.table, step));
    gb_feed_ints(e.index, (const int64_t[]){2, 9}, 2);
    gb_feed(e.weight, (const double[]){1, 1}, 2);
    assert_int_equal(gb_run(p), GB_ENONFINITE);
    assert_non_null(strstr(gb_error_text(e.t), "made by gather"));
    gb_forgive(e.t);
    assert_values(e.table, 1, 1, 1, 1, 1, 1, 1, 1);
}
