/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables that have no values yet, as those of a model whose file is still to be loaded. */
#include "support/close.h"

#include <stdio.h>

#include "core/assign.h"
#include "core/program.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const char words[] = "variable w has no value yet: gb_checkpoint_load, after the recording, loads it";

/* w awaits its values; v does not. */
static gb_node awaiting(gb_tape *t)
{
    gb_tape_set_awaiting(t, true);
    const gb_node w = gb_variable(t, "w", gb_shape(2), GB_VALUES(1, 2));
    gb_tape_set_awaiting(t, false);
    return w;
}

static gb_node other(gb_tape *t)
{
    return gb_variable(t, "v", gb_shape(2), GB_VALUES(3, 4));
}

TEST(a_run_needs_the_values_of_its_variables)
{
    const gb_node w = awaiting(t), v = other(t), sum = gb_sum(w), known = gb_sum(v);
    gb_program *const needs = gb_compile(t, gb_roots(sum), gb_no_update), *const does_not =
                                                                              gb_compile(t, gb_roots(known),
                                                                                         gb_no_update);
    assert_int_equal(gb_run(does_not), GB_OK);
    assert_close(gb_value(known), 7, 0);
    assert_int_equal(gb_run(needs), GB_EREAD);
    assert_rejected(t, GB_EREAD, words);
    gb_forgive(t);
    assert_int_equal(gb_set(w, GB_VALUES(5, 6)), GB_OK);
    assert_int_equal(gb_run(needs), GB_OK);
    assert_close(gb_value(sum), 11, 0);
}

TEST(reading_needs_them_too)
{
    const gb_node w = awaiting(t), twice = gb_scale(w, 2);
    double value[2];
    assert_int_equal(gb_value_count(w), 2);
    assert_int_equal(gb_value_count(twice), 2);
    assert_fine(t);
    assert_int_equal(gb_read(w, value, 2), GB_EREAD);
    assert_rejected(t, GB_EREAD, words);
    gb_forgive(t);
    assert_int_equal(gb_read(twice, value, 2), GB_EREAD);
    gb_forgive(t);
    assert_null(gb_variable_data(w));
    assert_rejected(t, GB_EREAD, words);
    gb_forgive(t);
    value[0] = 7;
    value[1] = 8;
    assert_int_equal(gb_set_data(w, value), GB_OK);
    assert_int_equal(gb_read(twice, value, 2), GB_OK);
    assert_close(value[1], 16, 0);
}

/* A run may give a value without needing one. */
TEST(an_assign_gives_a_value)
{
    const gb_node w = awaiting(t), v = other(t);
    gb_program *const program = gb_compile(t, gb_roots(gb_sum(v)), gb_assign(w, gb_scale(v, 10)));
    double value[2];
    assert_int_equal(gb_run(program), GB_OK);
    assert_int_equal(gb_read(w, value, 2), GB_OK);
    assert_close(value[0], 30, 0);
}

TEST(values_from_before_a_reset_stay)
{
    other(t);
    assert_fine(t);
    gb_tape_reset(t);
    gb_tape_set_awaiting(t, true);
    const gb_node v = other(t);
    gb_tape_set_awaiting(t, false);
    double value[2];
    assert_int_equal(gb_read(v, value, 2), GB_OK);
    assert_close(value[0], 3, 0);
    gb_tape_set_awaiting(NULL, true);
}
