/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that are set aside while others are looked at. */
#include "support/close.h"
#include "support/counted_memory.h"

#include "core/program.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

typedef struct looked {
    gb_node x, sum;
    gb_program *program;
} looked;

static looked sum_of_rows(gb_tape *t)
{
    looked l = {.x = gb_input_rows(t, "x", gb_shape())};
    l.sum = gb_sum_over(l.x, GB_ROWS);
    l.program = gb_compile(t, gb_roots(l.sum), gb_no_update);
    return l;
}

static double run(const looked *l)
{
    return gb_run(l->program) == GB_OK ? gb_value(l->sum) : (double)NAN;
}

TEST(rows_that_were_set_aside_are_there_again)
{
    const looked l = sum_of_rows(t);
    gb_feed(l.x, (const double[]){1, 2, 3}, 3);
    for (int i = 0; i < 3; i++) {
        gb_feeds *const training = gb_tape_set_feeds_aside(t);
        gb_feed(l.x, (const double[]){10, 20, 30, 40}, 4);
        assert_true(run(&l) == 100);
        gb_feeds_put_back(training);
        assert_true(run(&l) == 6);
    }
}

TEST(what_was_set_aside_last_is_put_back_first)
{
    static const double borrowed[] = {5, 7};
    const looked l = sum_of_rows(t);
    gb_feed_borrowed(l.x, borrowed, 2);
    gb_feeds *const first = gb_tape_set_feeds_aside(t);
    gb_feed(l.x, (const double[]){1}, 1);
    gb_feeds *const second = gb_tape_set_feeds_aside(t);
    gb_feed(l.x, (const double[]){100}, 1);
    assert_true(run(&l) == 100);
    gb_feeds_put_back(second);
    assert_true(run(&l) == 1);
    gb_feeds_put_back(first);
    assert_true(run(&l) == 12);
}

TEST(in_between_inputs_have_nothing)
{
    const looked l = sum_of_rows(t);
    gb_feed(l.x, (const double[]){1, 2, 3}, 3);
    gb_feeds *const training = gb_tape_set_feeds_aside(t);
    size_t bytes;
    assert_null(gb_input_data(l.x, &bytes));
    assert_int_not_equal(gb_run(l.program), GB_OK);
    assert_rejected(t, GB_EFEED, "input x was not fed");
    gb_feeds_put_back(training);
    assert_true(run(&l) == 6);
}

/* An input of one value is not set aside. */
TEST(inputs_without_rows_stay)
{
    const gb_node x = gb_input(t, "one", gb_shape());
    gb_feed(x, (const double[]){4}, 1);
    gb_program *const p = gb_compile(t, gb_roots(gb_square(x)), gb_no_update);
    gb_feeds *const aside = gb_tape_set_feeds_aside(t);
    assert_int_equal(gb_run(p), GB_OK);
    gb_feeds_put_back(aside);
    assert_int_equal(gb_run(p), GB_OK);
}

TEST(what_nobody_puts_back_ends_with_the_tape)
{
    const looked l = sum_of_rows(t);
    gb_feed(l.x, (const double[]){1, 2, 3}, 3);
    assert_non_null(gb_tape_set_feeds_aside(t));
    assert_null(gb_tape_set_feeds_aside(NULL));
    gb_feeds_put_back(NULL);
}

static gb_status set_aside(gb_tape *t, const void *what)
{
    (void)what;
    const looked l = sum_of_rows(t);
    gb_feed(l.x, (const double[]){1, 2, 3}, 3);
    gb_feeds *const training = gb_tape_set_feeds_aside(t);
    gb_feed(l.x, (const double[]){10, 20, 30, 40}, 4);
    gb_run(l.program);
    gb_feeds_put_back(training);
    return gb_error(t);
}

TEST(rows_set_aside_outlive_lack_of_memory)
{
    assert_outlives_lack_of_memory(set_aside, NULL, "feeds", 0, (gb_tape_options){0});
}
