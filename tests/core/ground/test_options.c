/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of callers that were compiled with another header: what they have counts, what they lack is 0. */
#include "support/close.h"

#include "core/options.h"
#include "core/tape.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/scan.h"

#include <stddef.h>

typedef struct options_before {
    size_t size;
    double first;
} options_before;

typedef struct options_now {
    size_t size;
    double first;
    bool second;
    double third;
} options_now;

static options_now filled(void)
{
    options_now own;
    memset(&own, 0xff, sizeof own);
    return own;
}

TEST(no_options_are_zeros)
{
    options_now own = filled();
    gb_options_copy(&own, sizeof own, NULL);
    assert_int_equal(own.size, sizeof own);
    assert_true(own.first == 0 && !own.second && own.third == 0);
}

TEST(those_of_an_old_program_are_completed)
{
    options_now own = filled();
    /* Bytes behind the caller's struct are not read. */
    const struct {
        options_before options;
        double beyond[2];
    } old = {.options = {.size = sizeof(options_before), .first = 2}, .beyond = {3, 4}};
    gb_options_copy(&own, sizeof own, &old.options);
    assert_int_equal(own.size, sizeof own);
    assert_true(own.first == 2 && !own.second && own.third == 0);
}

TEST(those_of_a_new_program_are_cut)
{
    struct {
        options_before own;
        double beyond;
    } here = {.beyond = 5};
    const options_now theirs = {.size = sizeof theirs, .first = 2};
    assert_true(gb_options_copy(&here.own, sizeof here.own, &theirs));
    assert_int_equal(here.own.size, sizeof here.own);
    assert_true(here.own.first == 2 && here.beyond == 5);
}

TEST(those_that_this_library_does_not_know_are_rejected)
{
    options_before own;
    const options_now theirs = {.size = sizeof theirs, .first = 2, .third = 3};
    assert_false(gb_options_copy(&own, sizeof own, &theirs));
    assert_true(own.first == 0);
    assert_int_equal(gb_options_look(&own, sizeof own), GB_OPTIONS_UNKNOWN); /* the copy is marked */
    const options_before huge = {.size = SIZE_MAX};
    assert_int_equal(gb_options_look(&huge, sizeof own), GB_OPTIONS_UNKNOWN);
    struct {
        options_before options;
        unsigned char beyond[8192];
    } long_one = {.options = {.size = sizeof long_one}}; /* no options struct is as long */
    assert_int_equal(gb_options_look(&long_one, sizeof own), GB_OPTIONS_UNKNOWN);
    const options_before none = {.first = 2};
    assert_false(gb_options_copy(&own, sizeof own, &none));
    assert_int_equal(gb_options_look(&own, sizeof own), GB_OPTIONS_NO_SIZE);
    assert_false(gb_options_take(t, "who", &own, sizeof own, &theirs));
    assert_rejected(t, GB_EARGUMENT, "who: the options struct sets members that this version");
}

TEST(a_tape_reads_no_more_than_it_is_given)
{
    gb_tape_options options = {.size = offsetof(gb_tape_options, samples), .seed = 7, .samples = 5};
    gb_tape *tape = gb_tape_new_with(&options);
    assert_int_equal(gb_tape_seed(tape), 7);
    assert_int_equal(gb_tape_samples(tape), 1);
    gb_tape_free(tape);
    tape = gb_tape_new_with(NULL);
    assert_int_equal(gb_tape_seed(tape), 0);
    gb_tape_free(tape);
}

TEST(calls_without_options_are_calls_with_none)
{
    const gb_node a = gb_constant(t, gb_shape(2, 2), GB_VALUES(1, 2, 0, 4));
    const gb_node b = gb_constant(t, gb_shape(2, 2), GB_VALUES(5, 6, 7, 8));
    const struct {
        gb_node is, should;
    } pairs[] = {{gb_matmul_with(a, b, NULL), gb_matmul(a, b)},
                 {gb_cumsum_with(a, 1, NULL), gb_cumsum(a, 1)},
                 {gb_triangular_solve_with(a, b, NULL), gb_triangular_solve(a, b)}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double is[4], should[4];
        assert_int_equal(gb_read(pairs[i].is, is, 4), GB_OK);
        assert_int_equal(gb_read(pairs[i].should, should, 4), GB_OK);
        assert_memory_equal(is, should, sizeof is);
    }
    /* A call may stand in a call: (a b)ᵀ with the sums of b before each element. */
    double product[4];
    const double should[] = {0, 19 * 5 + 28 * 7, 0, 22 * 5 + 32 * 7};
    gb_read(gb_matmul(gb_matmul(a, b), gb_cumsum(b, -1, .exclusive = true), .transpose_a = true), product, 4);
    assert_memory_equal(product, should, sizeof should);
}
