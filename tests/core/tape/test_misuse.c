/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong to record: the code and the words of each rejection. */
#include "support/close.h"

#include "support/misuse.h"

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/list.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

/* ---- nodes ---- */

MISUSE(foreign_node, GB_ENODE, "add: an argument belongs to another tape; record it on this one",
       gb_add(w->scalar, w->foreign))
MISUSE(old_node, GB_ENODE, "add: an argument was recorded before gb_tape_reset; record it again",
       gb_add(w->vector, w->old))
MISUSE(only_old_node, GB_ENODE, "exp: an argument was recorded before gb_tape_reset", gb_exp(w->old))
MISUSE(inert_node, GB_ENODE, "mul: an argument is no node (was it ever recorded?)",
       gb_mul(w->vector, (gb_node){0}))
MISUSE(inert_part, GB_ENODE, "is no node", gb_concat(2, (gb_node[]){w->vector, {0}}, 0))
MISUSE(slice_of_an_old_node, GB_ENODE, "slice: an argument was recorded before gb_tape_reset",
       gb_slice(w->old, 0, 0, 1))
MISUSE(concat_of_an_old_node, GB_ENODE, "concat: an argument was recorded before gb_tape_reset",
       gb_concat(2, (gb_node[]){w->old, w->vector}, 0))
MISUSE(hide_of_an_old_node, GB_ENODE, "hide: an argument was recorded before gb_tape_reset",
       gb_hide(w->old, w->site))
MISUSE(select_of_an_old_node, GB_ENODE, "select: an argument was recorded before gb_tape_reset",
       gb_select(w->old, w->site, 0))
MISUSE(others_than_an_old_node, GB_ENODE, "leave_one_out_mean: an argument was recorded before gb_tape_reset",
       gb_leave_one_out_mean(w->old, GB_SAMPLES))
MISUSE(sum_along_an_axis_of_an_old_node, GB_ENODE, "sum: an argument was recorded before gb_tape_reset",
       gb_sum_along(w->old, gb_axis(0)))
MISUSE(too_few_arguments, GB_EARGUMENT, "add: takes 2 arguments, not 1",
       gb_apply(NULL, gb_op_find("add"), 1, &w->vector, NULL, 0))

MISUSE_BY(later_node, GB_ENODE, "neg: an argument")
{
    gb_node later = gb_exp(w->scalar);
    later.id += 1000;
    assert_false(gb_node_ok(gb_neg(later)));
}

/* ---- shapes ---- */

MISUSE(sizes_that_do_not_broadcast, GB_ESHAPE, "add: (2×3) and (2) do not broadcast",
       gb_add(w->matrix, gb_zeros(w->t, gb_shape(2))))
MISUSE(matmul_of_sizes_that_differ, GB_ESHAPE, "matmul: (2×3) · (4×5): inner sizes 3 and 4 differ",
       gb_matmul(w->matrix, gb_zeros(w->t, gb_shape(4, 5))))
MISUSE(matmul_of_a_scalar, GB_ESHAPE, "matmul: a scalar () has no axis to multiply over; use gb_mul",
       gb_matmul(w->matrix, w->scalar))
MISUSE(dot_of_matrices, GB_ESHAPE, "dot: (2×3) and (2×3) are not both vectors; use gb_matmul",
       gb_dot(w->matrix, w->matrix))
MISUSE(affine_of_sizes_that_differ, GB_ESHAPE, "(3) · (2×3)", gb_affine(w->vector, w->matrix, w->vector))
MISUSE(seven_axes, GB_ELIMIT, "constant : the shape is invalid: rank 0 to 6",
       gb_zeros(w->t, gb_shape(1, 1, 1, 1, 1, 1, 1)))
MISUSE(seven_axes_of_a_variable, GB_ELIMIT, "variable x: the shape is invalid: rank 0 to 6",
       gb_variable(w->t, "x", gb_shape(1, 1, 1, 1, 1, 1, 1), gb_fill(0)))
MISUSE(negative_size, GB_ELIMIT, "no negative size", gb_variable(w->t, "x", gb_shape(2, -1), gb_fill(0)))
MISUSE(size_that_overflows, GB_ELIMIT, "no overflow", gb_zeros(w->t, gb_shape(1 << 30, 1 << 30, 1 << 30)))
MISUSE(size_that_overflows_when_broadcast, GB_ESHAPE,
       "add: (1099511627776×1) and (1099511627776) do not broadcast",
       gb_add(gb_zeros(w->t, gb_shape(INT64_C(1) << 40, 1)), gb_zeros(w->t, gb_shape(INT64_C(1) << 40))))
MISUSE(reshape_to_another_count, GB_ESHAPE, "reshape: (2×3) does not have as many elements as (4)",
       gb_reshape(w->matrix, gb_shape(4)))
MISUSE(broadcast_that_does_not_fit, GB_ESHAPE, "broadcast: (3) cannot be repeated to (3×2)",
       gb_broadcast(w->vector, gb_shape(3, 2)))
MISUSE(gather_beyond_rank_6, GB_ELIMIT, "gather: the shape is invalid: rank 0 to 6",
       gb_gather(gb_zeros(w->t, gb_shape(1, 1, 1, 1, 1)), 0,
                 gb_ints(w->t, gb_shape(1, 1, 1), (const int64_t[]){0})))

/* ---- axes ---- */

MISUSE(sum_along_an_axis_that_is_not_there, GB_ESHAPE, "sum: axis 2 is not one of shape (2×3)",
       gb_sum_along(w->matrix, gb_axis(2)))
MISUSE(sum_along_an_axis_before_the_first, GB_ESHAPE, "sum: axis -3 is not one of shape (2×3)",
       gb_sum_along(w->matrix, gb_axis(-3)))
MISUSE(mean_along_an_axis_twice, GB_ESHAPE, "mean: axis -1 is named twice for shape (2×3)",
       gb_mean_along(w->matrix, gb_axis(1, -1)))
MISUSE(sum_along_more_axes_than_there_can_be, GB_ESHAPE,
       "sum: ", gb_sum_along(w->matrix, gb_axis(0, 1, 2, 3, 4, 5, 6)))
MISUSE(softmax_along_no_axis, GB_ESHAPE, "softmax: axis 0 is not one of shape ()", gb_softmax(w->scalar, 0))
MISUSE(transpose_of_other_axes, GB_ESHAPE, "transpose: 1 axes were named, the argument has 2",
       gb_transpose(w->matrix, gb_axis(0)))
MISUSE(transpose_of_an_axis_twice, GB_ESHAPE, "transpose: axis 0 is named twice",
       gb_transpose(w->matrix, gb_axis(0, 0)))
MISUSE(slice_beyond_the_end, GB_ESHAPE, "slice: 1 to 4 by 1 is not within axis 1 of size 3",
       gb_slice(w->matrix, 1, 1, 4))
MISUSE(slice_backwards, GB_ESHAPE, "slice: 2 to 1 by 1 is not within", gb_slice(w->matrix, 1, 2, 1))
MISUSE(slice_with_step_0, GB_ESHAPE, "slice: 0 to 3 by 0 is not within", gb_slice_step(w->matrix, 1, 0, 3, 0))
MISUSE(slice_along_no_axis, GB_ESHAPE, "slice: axis 2 is not one of shape (2×3)",
       gb_slice(w->matrix, 2, 0, 1))
MISUSE(concat_of_other_sizes, GB_ESHAPE, "concat: (2×3) and (2×2) differ in an axis other than 0",
       gb_concat(2, (gb_node[]){w->matrix, gb_zeros(w->t, gb_shape(2, 2))}, 0))
MISUSE(concat_of_other_ranks, GB_ESHAPE, "concat: (2×3) and (3) differ",
       gb_concat(2, (gb_node[]){w->matrix, w->vector}, 0))
MISUSE(concat_along_no_axis, GB_ESHAPE, "concat: axis 0 is not one of shape ()",
       gb_concat(2, (gb_node[]){w->scalar, w->scalar}, 0))
MISUSE(maximum_of_nothing, GB_ESHAPE, "maximum: axis 0 is empty and has no maximum",
       gb_maximum(gb_zeros(w->t, gb_shape(0))))

MISUSE_BY(sum_of_axes_that_lie_apart, GB_ESHAPE, "sum: the axes are not neighbours in memory; gb_reduce")
{
    gb_reduce_over over;
    memset(&over, 0, sizeof over);
    over.visible = 1u << 0 | 1u << 2;
    const gb_node x = gb_broadcast(w->matrix, gb_shape(2, 2, 3));
    assert_false(gb_node_ok(gb_apply(NULL, &gb_sum_op, 1, &x, &over, sizeof over)));
}

/* ---- types ---- */

MISUSE(gather_by_reals, GB_ETYPE,
       "gather: argument 2 is not made of integers (gb_ints, gb_input_ints, gb_to_int)",
       gb_gather(w->vector, 0, w->vector))
MISUSE(gather_of_integers, GB_ETYPE, "gather: argument 1 is not real (gb_to_real makes it so)",
       gb_gather(w->ints, 0, w->ints))
MISUSE(gather_of_booleans, GB_ETYPE, "gather: argument 1 is not real (gb_to_real makes it so)",
       gb_gather(w->truth, 0, w->ints))
MISUSE(scatter_of_integers, GB_ETYPE, "scatter_add: argument 1 is not real (gb_to_real makes it so)",
       gb_scatter_add(w->ints, 0, w->ints, 4))
MISUSE(scatter_of_booleans, GB_ETYPE, "scatter_add: argument 1 is not real (gb_to_real makes it so)",
       gb_scatter_add(w->truth, 0, w->ints, 4))
MISUSE(gather_out_of_range, GB_EARGUMENT, "gather: index 3 is not below the axis' size 3",
       gb_gather(w->vector, 0, gb_ints(w->t, gb_shape(2), (const int64_t[]){0, 3})))
MISUSE(gather_below_range, GB_EARGUMENT, "gather: index -1 is not below the axis' size 3",
       gb_gather(w->vector, 0, gb_ints(w->t, gb_shape(), (const int64_t[]){-1})))
MISUSE(scatter_of_another_shape, GB_ESHAPE,
       "scatter_add: (3) does not have the shape (2) of the index from axis 0",
       gb_scatter_add(w->vector, 0, gb_ints(w->t, gb_shape(2), (const int64_t[]){0, 1}), 4))
MISUSE(where_without_a_condition, GB_ETYPE, "where: argument 1 is not boolean (a comparison",
       gb_where(w->vector, w->vector, w->vector))
MISUSE(where_of_two_types, GB_ETYPE, "where: arguments 2 and 3 must have the same type",
       gb_where(w->truth, w->vector, w->truth))
MISUSE(exp_of_integers, GB_ETYPE, "exp: argument 1 is not real (gb_to_real makes it so)", gb_exp(w->ints))
MISUSE(sum_of_booleans, GB_ETYPE, "sum: argument 1 is not real (gb_to_real makes it so)", gb_sum(w->truth))
MISUSE(comparison_of_booleans, GB_ETYPE, "less: argument 1 is not real", gb_less(w->truth, w->vector))
MISUSE(not_of_a_real, GB_ETYPE, "not: argument 1 is not boolean", gb_not(w->vector))
MISUSE(product_of_integers, GB_ETYPE, "matmul: argument 2 is not real", gb_matmul(w->matrix, w->ints))
MISUSE(clip_between_nothing, GB_EARGUMENT, "clip: low 1 is not below high 0", gb_clip(w->vector, 1, 0))
MISUSE(clip_at_nan, GB_EARGUMENT, "clip: low nan is not below high 0", gb_clip(w->vector, (double)NAN, 0))

/* ---- hidden axes ---- */

MISUSE(hide_a_scalar, GB_ESHAPE, "hide: a scalar has no axis to hide", gb_hide(w->scalar, GB_SAMPLES))
MISUSE(hide_another_size, GB_ESHAPE, "hide: the first axis has size 2, the hidden one 3",
       gb_hide(w->matrix, w->site))
MISUSE(hide_twice, GB_ESHAPE, "hide: the argument has that hidden axis already",
       gb_hide(w->hidden, GB_SAMPLES))
MISUSE(hide_two_axes, GB_EARGUMENT, "hide: one hidden axis is needed",
       gb_hide(w->matrix, GB_SAMPLES | GB_ROWS))
MISUSE(reveal_samples, GB_ESHAPE, "reveal: only a site's axis that the argument varies along",
       gb_reveal(w->hidden, GB_SAMPLES))
MISUSE(select_a_negative_place, GB_EARGUMENT, "select: place -1 is negative",
       gb_select(w->hidden, GB_SAMPLES, -1))
MISUSE(select_beyond_a_site, GB_EARGUMENT, "select: place 3 is not below the axis' size 3",
       gb_select(gb_hide(w->vector, w->site), w->site, 3))
MISUSE(others_along_no_axis, GB_ESHAPE, "leave_one_out_mean: the argument does not vary along",
       gb_leave_one_out_mean(w->vector, GB_SAMPLES))
MISUSE(size_of_two_axes, GB_EARGUMENT, "axis_size: one hidden axis of this tape is needed",
       gb_axis_size(w->t, GB_SAMPLES | GB_ROWS))
MISUSE(index_of_no_axis, GB_EARGUMENT, "axis_index: one hidden axis of this tape is needed",
       gb_axis_index(w->t, (gb_axes)1 << 30))
MISUSE(steps_within_rows, GB_EARGUMENT, "steps_within: that is no axis of steps",
       (gb_tape_steps_within(w->t, GB_ROWS), (gb_node){0}))
MISUSE(steps_within_samples, GB_EARGUMENT, "steps_within: that is no axis of steps",
       (gb_tape_steps_within(w->t, GB_SAMPLES), (gb_node){0}))
MISUSE(steps_within_a_site, GB_EARGUMENT, "steps_within: that is no axis of steps",
       (gb_tape_steps_within(w->t, w->site), (gb_node){0}))
MISUSE(noise_along_no_axis, GB_EARGUMENT, "normal_noise: the result has a hidden axis that this tape lacks",
       gb_normal_noise(gb_stream(w->t, "z"), gb_shape(), (gb_axes)1 << 30))

MISUSE_BY(eleven_hidden_axes, GB_ELIMIT, "add: a node cannot have more than 10 hidden axes")
{
    gb_node x = w->scalar;
    for (int i = 0; i < 11; i++)
        x = gb_add(x, gb_axis_index(w->t, gb_site_axis(w->t, "another", 2)));
    assert_false(gb_node_ok(x));
}

MISUSE_BY(site_axis_of_negative_size, GB_ELIMIT, "site axis negative: a size of -1 is not possible")
{
    assert_int_equal(gb_site_axis(w->t, "negative", -1), 0);
}

/* ---- names ---- */

MISUSE(variable_without_a_name, GB_ENAME, "variable: a name is required",
       gb_variable(w->t, NULL, gb_shape(), gb_fill(0)))
MISUSE(variable_with_an_empty_name, GB_ENAME, "variable: a name is required",
       gb_variable(w->t, "", gb_shape(), gb_fill(0)))
MISUSE(variable_of_a_name_that_there_is, GB_ENAME,
       "variable vector: there is a variable of that name already",
       gb_variable(w->t, "vector", gb_shape(3), gb_fill(0)))
MISUSE(variable_asked_for_by_a_name_that_is_none, GB_ENAME,
       "variable vectro: there is no variable of that name", gb_variable_named(w->t, "vectro"))
MISUSE(variable_asked_for_that_was_before_the_reset, GB_ENAME,
       "variable old: there is no variable of that name", gb_variable_named(w->t, "old"))
MISUSE(variable_of_another_shape_than_before_the_reset, GB_ESHAPE,
       "its shape was (2) before the reset, and is (3) now",
       gb_variable(w->t, "old", gb_shape(3), gb_fill(0)))
MISUSE(variable_with_too_few_values, GB_ESHAPE, "variable x: shape (3) takes 3 values, 2 were given",
       gb_variable(w->t, "x", gb_shape(3), GB_VALUES(1, 2)))
MISUSE(variable_with_values_at_null, GB_EARGUMENT, "variable x: a pointer to 3 values is NULL",
       gb_variable(w->t, "x", gb_shape(3), gb_values_of(NULL, 3)))
MISUSE(constant_with_values_at_null, GB_EARGUMENT, "a pointer to 3 values is NULL",
       gb_constant(w->t, gb_shape(3), gb_values_of(NULL, 3)))
MISUSE(constant_with_too_many_values, GB_ESHAPE, "shape (1) takes 1 values, 2 were given",
       gb_constant(w->t, gb_shape(1), GB_VALUES(1, 2)))
MISUSE(integers_without_values, GB_EARGUMENT, "ints: no values were given", gb_ints(w->t, gb_shape(1), NULL))
MISUSE(input_without_a_name, GB_ENAME, "input: a name is required", gb_input_rows(w->t, NULL, gb_shape()))
MISUSE(input_of_a_name_that_there_is, GB_ENAME, "input rows: there is an input of that name already",
       gb_input_ints(w->t, "rows", gb_shape()))

MISUSE_BY(stream_without_a_name, GB_ENAME, "stream: a name is required")
{
    assert_null(gb_stream(w->t, "").tape);
}

MISUSE_BY(stream_of_a_name_that_there_is, GB_ENAME,
          "stream noise: there is a stream of that name already, and a second one")
{
    assert_false(gb_node_ok(gb_normal_noise(gb_stream(w->t, "noise"), gb_shape(), 0)));
}

MISUSE_BY(stream_from_before_the_reset, GB_ENODE,
          "noise: the stream was made before gb_tape_reset; make it again")
{
    const gb_noise noise = gb_stream(w->t, "z");
    gb_tape_reset(w->t);
    assert_false(gb_node_ok(gb_uniform_noise(noise, gb_shape(), 0)));
}

MISUSE_BY(site_axis_without_a_name, GB_ENAME, "site axis: a name is required")
{
    assert_int_equal(gb_site_axis(w->t, NULL, 2), 0);
}
