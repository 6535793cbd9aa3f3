/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/close.h"

#include "support/misuse.h"

#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static world new_world(gb_tape *t, gb_tape *other)
{
    world w = {.t = t};
    w.old = gb_variable(w.t, "old", gb_shape(2), gb_fill(1));
    gb_tape_reset(w.t);
    w.matrix = gb_variable(w.t, "matrix", gb_shape(2, 3), GB_VALUES(1, 2, 3, 4, 5, 6));
    w.vector = gb_variable(w.t, "vector", gb_shape(3), GB_VALUES(1, 2, 3));
    w.scalar = gb_variable(w.t, "scalar", gb_shape(), gb_fill(7));
    w.input = gb_input(w.t, "input", gb_shape(2));
    w.rows = gb_input_rows(w.t, "rows", gb_shape());
    w.ints = gb_input_ints(w.t, "ints", gb_shape(3));
    w.hidden = gb_normal_noise(gb_stream(w.t, "noise"), gb_shape(3), GB_SAMPLES);
    w.truth = gb_greater(w.vector, gb_num(w.t, 2));
    w.site = gb_site_axis(w.t, "site", 3);
    w.foreign = gb_num(other, 1);
    assert_fine(w.t);
    return w;
}

static void first_error_stays(const world *w)
{
    char first[1000];
    const gb_status code = gb_error(w->t);
    snprintf(first, sizeof first, "%s", gb_error_text(w->t));
    gb_fail(w->t, GB_ESYSTEM, "another error");
    const size_t length = gb_tape_length(w->t);
    assert_false(gb_node_ok(gb_add(w->vector, w->vector)));
    assert_false(gb_node_ok(gb_num(w->t, 1)));
    assert_null(gb_compile(w->t, gb_roots(w->vector), gb_no_update));
    assert_int_equal(gb_tape_length(w->t), length);
    assert_int_equal(gb_error(w->t), code);
    assert_string_equal(gb_error_text(w->t), first);
}

void misuse_is_rejected(gb_tape *t, const void *row)
{
    const misuse *const m = row;
    gb_tape *const other = test_tape();
    world w = new_world(t, other);
    m->commit(&w);
    if (gb_error(w.t) != m->code)
        fail_msg("the error is \"%s: %s\", not %s", gb_status_text(gb_error(w.t)), gb_error_text(w.t),
                 gb_status_text(m->code));
    if (!strstr(gb_error_text(w.t), m->words))
        fail_msg("the error is \"%s\", without \"%s\"", gb_error_text(w.t), m->words);
    first_error_stays(&w);
    gb_forgive(w.t);
    assert_string_equal(gb_error_text(w.t), "");
    if (gb_node_ok(w.vector))
        assert_true(gb_node_ok(gb_exp(w.vector)));
    gb_tape_reset(w.t); /* some misuses are of a reset tape, so all have another one here */
    const gb_node v = gb_variable(w.t, "vector", gb_shape(3), gb_fill(0));
    assert_values(gb_sum(v), 6);
    assert_fine(w.t);
    assert_fine(other);
}
