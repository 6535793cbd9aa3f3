/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NULL where an array or a place is needed, and shapes that nobody has filled in: the code and the words. */
#include "support/close.h"

#include <string.h>

#include "core/gradient.h"
#include "core/noise.h"
#include "core/op.h"
#include "core/program.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/blas.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/list.h"
#include "ops/reduce.h"
#include "support/misuse.h"

#define FAILS(name, code, words, call)                                                                       \
    MISUSE_BY(name, code, words)                                                                             \
    {                                                                                                        \
        assert_int_equal(call, code);                                                                        \
    }
#define REFUSES(name, code, words, call)                                                                     \
    MISUSE_BY(name, code, words)                                                                             \
    {                                                                                                        \
        assert_false(call);                                                                                  \
    }

/* ---- arrays that are not there ---- */

FAILS(gradients_of_no_list, GB_EARGUMENT, "grads: the list of 3 nodes is NULL",
      gb_grads(w->scalar, NULL, 3, (gb_node[3]){{0}}))
FAILS(gradients_into_no_list, GB_EARGUMENT, "grads: the list of 1 gradients is NULL",
      gb_grads(w->scalar, &w->vector, 1, NULL))
MISUSE(axes_of_no_list, GB_ESHAPE, "sum: more axes than an array can have",
       gb_sum_along(w->matrix, gb_axis_of(2, NULL)))
MISUSE(sizes_of_no_list, GB_ELIMIT, "the shape is invalid", gb_zeros(w->t, gb_shape_of(2, NULL)))
MISUSE(arguments_of_no_list, GB_EARGUMENT, "exp: the list of arguments is NULL",
       gb_apply(w->t, gb_op_find("exp"), 1, NULL, NULL, 0))
MISUSE(terms_of_no_list, GB_EARGUMENT, "total: the list of arguments is NULL", gb_total(w->t, 1, NULL))
MISUSE(no_operation, GB_EARGUMENT, "apply: the operation is NULL",
       gb_apply(w->t, NULL, 1, &w->vector, NULL, 0))
MISUSE(inputs_of_no_list, GB_EARGUMENT, "continuous: the list of inputs is NULL",
       gb_continuous_in(w->vector, 2, NULL))
MISUSE(no_operation_with_inputs, GB_EARGUMENT, "with_vjp: the operation is NULL",
       gb_with_vjp(NULL, w->vector, 0, NULL, NULL, 0))

TEST(parts_of_no_list_are_no_node)
{
    assert_false(gb_node_ok(gb_concat(2, NULL, 0)));
    assert_false(gb_node_ok(gb_stack(2, NULL, 0)));
    assert_fine(t);
}

/* ---- places that are not there ---- */

static gb_program *look(gb_node root)
{
    return gb_compile(root.tape, gb_roots(root), gb_no_update);
}

FAILS(facts_nowhere, GB_EARGUMENT, "program_plan: the place for the facts is NULL",
      gb_program_plan(look(w->vector), NULL))
FAILS(a_fingerprint_nowhere, GB_EARGUMENT, "program_fingerprint: the place for it is NULL",
      gb_program_fingerprint(look(w->vector), NULL))
REFUSES(a_key_nowhere, GB_EARGUMENT, "noise_key: the place for the key is NULL",
        gb_noise_key(gb_stream(w->t, "key"), NULL))
REFUSES(no_function_to_release_by, GB_EARGUMENT, "tape_own: the function is NULL", gb_tape_own(w->t, NULL, w))
REFUSES(no_text_to_keep, GB_EARGUMENT, "tape_keep_text: the text is NULL", gb_tape_keep_text(w->t, NULL))

TEST(what_nobody_asks_for_is_not_stored)
{
    const gb_node ints = gb_ints(t, gb_shape(2), (const int64_t[]){3, 4});
    gb_variable(t, "x", gb_shape(), gb_fill(0));
    assert_true(gb_constant_int(ints, 1, NULL));
    assert_false(gb_constant_int(ints, 2, NULL));
    assert_int_equal(gb_tape_variables(t, NULL, 5), 1);
    assert_false(gb_is_hidden(ints, NULL));
    assert_int_equal(gb_blas_look(NULL), gb_blas_look(&(gb_blas_facts){0}));
    assert_false(gb_node_is(ints, NULL));
    assert_fine(t);
}

/* ---- shapes that nobody has filled in ---- */

static gb_shape wild(int which)
{
    gb_shape shape = {.rank = 2, .size = {-3, 4}};
    if (which == 1)
        shape.size[0] = shape.size[1] = (int64_t)1 << 40;
    if (which >= 2)
        memset(&shape, which == 2 ? 0x7f : 0x80, sizeof shape);
    return shape;
}

TEST(a_rank_or_a_size_that_no_shape_has_is_rejected)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), gb_fill(0));
    for (int i = 0; i < 4; i++) {
        const gb_shape shape = wild(i);
        char text[GB_SHAPE_TEXT];
        gb_shape copy;
        gb_zeros(t, shape);
        assert_rejected(t, GB_ELIMIT, "the shape is invalid");
        gb_input_rows(t, "input", shape);
        assert_rejected(t, GB_ELIMIT, "the shape is invalid");
        gb_ints(t, shape, (const int64_t[]){1});
        assert_rejected(t, GB_ELIMIT, "the shape is invalid");
        gb_reshape(x, shape);
        assert_rejected(t, GB_ELIMIT, "the shape is invalid");
        assert_false(gb_node_ok(gb_broadcast(x, shape)));
        gb_forgive(t);
        assert_false(gb_node_ok(gb_sum_to(x, shape, 0)));
        gb_forgive(t);
        assert_false(
            gb_node_ok(gb_normal_noise(gb_stream(t, i ? i > 1 ? i > 2 ? "d" : "c" : "b" : "a"), shape, 0)));
        gb_forgive(t);
        assert_true(strlen(gb_shape_text(shape, text)) < GB_SHAPE_TEXT);
        assert_false(gb_shape_broadcast(gb_shape(2), shape, &copy));
        gb_shape_copy(&copy, shape);
        if (i >= 2) {
            assert_int_equal(copy.rank < 0, true);
            assert_int_equal(gb_shape_count(shape), 0);
            assert_int_equal(gb_shape_size(shape, 0), 0);
            assert_int_equal(gb_shape_join(shape, gb_shape()).rank, -1);
        }
    }
}
