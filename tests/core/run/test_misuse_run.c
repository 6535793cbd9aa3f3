/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wrong requests for gradients, programs, inputs and values: the code and the words of each rejection. */
#include "support/close.h"

#include "support/misuse.h"

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_program *look(gb_node root)
{
    return gb_compile(root.tape, gb_roots(root), gb_no_update);
}

/* A call that returns the code of the tape's error. */
#define FAILS(name, code, words, call)                                                                       \
    MISUSE_BY(name, code, words)                                                                             \
    {                                                                                                        \
        assert_int_equal(call, code);                                                                        \
    }
#define NO_PROGRAM(name, code, words, call)                                                                  \
    MISUSE_BY(name, code, words)                                                                             \
    {                                                                                                        \
        assert_null(call);                                                                                   \
    }
#define NO_UPDATES(name, code, words, call)                                                                  \
    MISUSE_BY(name, code, words)                                                                             \
    {                                                                                                        \
        const gb_updates none = call;                                                                        \
        assert_true(!none.tape && !none.last);                                                               \
    }

/* ---- gradients ---- */

static double half(double x, double y, double z)
{
    (void)y, (void)z;
    return x / 2;
}

static void half_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_scale(v->gradient, 0.5);
}

#define HALF                                                                                                 \
    .size = sizeof(gb_op), .formula = "x / 2", .form = GB_FORM_ELEMENTWISE, .arguments = 1, .lane = half
static const gb_op once_op = {HALF, .name = "half_once", .vjp = half_vjp, .once_differentiable = true},
                   never_op = {HALF, .name = "half_never"};

static gb_node outside_op(const gb_op *op, gb_node x)
{
    return gb_apply(NULL, op, 1, &x, NULL, 0);
}

MISUSE(gradient_of_a_matrix, GB_EGRADIENT,
       "gradient: only a scalar has one, but variable has shape (2×3); sum or average it",
       gb_grad(w->matrix, w->matrix))
MISUSE(gradient_of_one_element, GB_EGRADIENT, "slice has shape (1)",
       gb_grad(gb_slice(w->vector, 0, 0, 1), w->vector))
MISUSE(gradient_of_samples, GB_EGRADIENT,
       "sum has one value for each of: samples; sum or average over them first",
       gb_grad(gb_sum(gb_mul(w->hidden, w->vector)), w->vector))
MISUSE(gradient_of_a_draw, GB_EGRADIENT,
       "sum depends on a draw outside an expectation; take the gradient of the",
       gb_grad(gb_sum(gb_mul(gb_open_draw(w->vector), w->vector)), w->vector))
MISUSE(gradient_of_a_boolean, GB_EGRADIENT, "gradient: less is not real and has none",
       gb_grad(gb_less(w->scalar, gb_num(w->t, 1)), w->scalar))
MISUSE(gradient_with_respect_to_a_foreign_node, GB_ENODE, "gradient: an argument belongs to another tape",
       gb_grad(gb_sum(w->vector), w->foreign))
MISUSE(gradient_with_respect_to_a_number, GB_EGRADIENT, "gradient: x is a constant; make it a variable",
       gb_grad(w->scalar, gb_num(w->t, 2)))
MISUSE(gradient_with_respect_to_an_array_of_numbers, GB_EGRADIENT, "make it a variable",
       gb_grad(gb_sum(w->vector), gb_constant(w->t, gb_shape(3), GB_VALUES(1, 2, 3))))
MISUSE(gradient_with_respect_to_zeros, GB_EGRADIENT, "gradient: x is a constant; make it a variable",
       gb_grad(gb_sum(w->vector), gb_zeros(w->t, gb_shape(3))))
MISUSE(gradient_of_an_old_node, GB_ENODE, "gradient: an argument was recorded before gb_tape_reset",
       gb_grad(w->old, w->vector))
MISUSE(gradient_of_no_derivative, GB_EGRADIENT, "gradient: half_never has no derivative (gb_stop keeps",
       gb_grad(gb_sum(outside_op(&never_op, w->vector)), w->vector))

MISUSE_BY(one_of_several_gradients, GB_ENODE, "gradient: an argument is no node")
{
    gb_node gradients[2] = {w->vector, w->vector};
    assert_int_equal(gb_grads(gb_sum(w->vector), (gb_node[]){w->vector, {0}}, 2, gradients), GB_ENODE);
    assert_false(gb_node_ok(gradients[0]) || gb_node_ok(gradients[1]));
}

MISUSE_BY(second_gradient_of_once, GB_EGRADIENT, "gradient: half_once can be differentiated once only")
{
    const gb_node y = gb_sum(gb_square(outside_op(&once_op, w->vector)));
    const gb_node first = gb_grad(y, w->vector);
    assert_fine(w->t);
    assert_values(first, 0.5, 1, 1.5);
    assert_false(gb_node_ok(gb_grad(gb_sum(first), w->vector)));
}

/* ---- assigns and programs ---- */

NO_UPDATES(assign_to_a_result, GB_EARGUMENT, "assign: only a variable can be assigned, not a result of exp",
           gb_assign(gb_exp(w->vector), w->vector))
NO_UPDATES(assign_to_an_input, GB_EARGUMENT, "assign: only a variable can be assigned, not a result of input",
           gb_assign(w->input, gb_num(w->t, 1)))
NO_UPDATES(assign_another_shape, GB_ESHAPE, "assign: vector has shape (3), its value (2×3)",
           gb_assign(w->vector, w->matrix))
NO_UPDATES(assign_samples, GB_ESHAPE, "assign: the value for vector has one element for each of: samples",
           gb_assign(w->vector, w->hidden))
NO_UPDATES(assign_booleans, GB_ETYPE, "assign: the value for vector is not real (gb_to_real makes it so)",
           gb_assign(w->vector, w->truth))
NO_UPDATES(assign_a_foreign_value, GB_ENODE, "assign: an argument belongs to another tape",
           gb_assign(w->scalar, w->foreign))
NO_UPDATES(assign_an_inert_value, GB_ENODE, "assign: an argument is no node",
           gb_assign(w->scalar, (gb_node){0}))

NO_PROGRAM(assign_twice, GB_EPROGRAM, "compile: variable scalar is assigned twice in one program",
           gb_compile(w->t, gb_roots(w->vector),
                      gb_updates_join(gb_assign(w->scalar, gb_num(w->t, 1)),
                                      gb_assign(w->scalar, gb_num(w->t, 2)))))
NO_PROGRAM(root_that_is_inert, GB_ESHAPE, "do not broadcast", look(gb_add(w->vector, w->input)))
NO_PROGRAM(root_of_another_tape, GB_ENODE, "compile: an argument belongs to another tape",
           gb_compile(w->t, gb_roots(w->vector, w->foreign), gb_no_update))
NO_PROGRAM(roots_without_a_list, GB_EARGUMENT, "compile: 2 roots are given, but the list is NULL",
           gb_compile(w->t, (gb_node_list){.count = 2}, gb_no_update))
NO_PROGRAM(assigns_of_another_tape, GB_EPROGRAM, "compile: the assigns belong to another tape",
           gb_compile(w->t, gb_roots(w->vector), (gb_updates){.tape = w->foreign.tape}))

MISUSE_BY(assigns_of_a_reset_tape, GB_EPROGRAM,
          "compile: the assigns were made before gb_tape_reset; make them again")
{
    const gb_updates updates = gb_assign(w->vector, gb_scale(w->vector, 2));
    gb_tape_reset(w->t);
    assert_null(gb_compile(w->t, (gb_node_list){0}, updates));
}

MISUSE_BY(assigns_of_a_reset_tape_in_a_join, GB_EPROGRAM,
          "join: the assigns were made before gb_tape_reset; make them again")
{
    const gb_updates old = gb_assign(w->vector, gb_scale(w->vector, 2));
    gb_tape_reset(w->t);
    const gb_node x = gb_variable(w->t, "scalar", gb_shape(), gb_fill(0));
    const gb_updates joined = gb_updates_join(gb_assign(x, gb_exp(x)), old);
    assert_null(joined.tape);
    assert_null(joined.last);
}

MISUSE_BY(program_of_a_reset_tape, GB_EPROGRAM,
          "run: the program was compiled before gb_tape_reset; compile it again")
{
    gb_program *p = look(w->vector);
    gb_tape_reset(w->t);
    assert_int_equal(gb_run(p), GB_EPROGRAM);
}

MISUSE_BY(samples_of_a_program_of_a_reset_tape, GB_EPROGRAM, "set_samples: the program was compiled before")
{
    gb_program *p = look(w->vector);
    gb_tape_reset(w->t);
    assert_int_equal(gb_program_set_samples(p, 2), GB_EPROGRAM);
}

FAILS(no_samples, GB_EARGUMENT, "set_samples: 0 samples are not possible",
      gb_program_set_samples(look(w->hidden), 0))
FAILS(samples_beyond_32_bits, GB_EARGUMENT, "set_samples: 4294967296 samples are not possible",
      gb_program_set_samples(look(w->hidden), INT64_C(1) << 32))
/* Saved after such a run, the step would be rejected when it is loaded. */
MISUSE_BY(run_at_the_last_step, GB_ELIMIT, "run: step 9223372036854775807 is the last there is")
{
    gb_program *const p = look(w->vector);
    assert_int_equal(gb_program_set_step(p, INT64_MAX - 1), GB_OK);
    assert_int_equal(gb_run(p), GB_OK);
    assert_int_equal(gb_run(p), GB_ELIMIT);
    assert_true(gb_program_step(p) == INT64_MAX);
}
FAILS(step_beyond_63_bits, GB_EARGUMENT, "set_step: a step must be below 2^63",
      gb_program_set_step(look(w->hidden), UINT64_C(1) << 63))

MISUSE_BY(values_beyond_counting, GB_ELIMIT, "too many elements for these numbers of samples and rows")
{
    const gb_node z = gb_normal_noise(gb_stream(w->t, "z"), gb_shape(1 << 30), GB_SAMPLES);
    gb_program *p = look(gb_sum_over(gb_sum(z), GB_SAMPLES));
    gb_program_set_samples(p, INT32_MAX);
    assert_int_equal(gb_run(p), GB_ELIMIT);
}

FAILS(place_that_is_not_there, GB_ESHAPE, "select", gb_run(look(gb_select(w->hidden, GB_SAMPLES, 1))))
FAILS(hidden_samples_of_another_number, GB_ESHAPE, "hide", gb_run(look(gb_hide(w->vector, GB_SAMPLES))))

/* ---- inputs ---- */

static const double numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const int64_t integers[3] = {0, 1, 2};

FAILS(input_not_fed, GB_EFEED, "run: input input was not fed", gb_run(look(gb_exp(w->input))))
FAILS(rows_without_an_input, GB_EFEED,
      "run: axis_size has a value for each row, but no input with rows was fed",
      gb_run(look(gb_axis_size(w->t, GB_ROWS))))
FAILS(rows_for_an_input_without, GB_EFEED,
      "feed: input input takes one value, not 2 rows (gb_input_rows makes", gb_feed(w->input, numbers, 2))
FAILS(rows_below_0, GB_EFEED, "feed: input rows cannot have -1 rows", gb_feed(w->rows, numbers, -1))
FAILS(feed_of_nothing, GB_EFEED, "feed: no values were given for input rows", gb_feed(w->rows, NULL, 2))
FAILS(feed_of_a_variable, GB_EFEED, "feed: variable vector is not an input", gb_feed(w->vector, numbers, 1))
FAILS(feed_of_a_result, GB_EFEED, "feed: exp  is not an input",
      gb_feed_borrowed(gb_exp(w->input), numbers, 1))
FAILS(integers_for_reals, GB_ETYPE, "feed: input input holds reals; use gb_feed",
      gb_feed_ints(w->input, integers, 1))
FAILS(reals_for_integers, GB_ETYPE, "feed: input ints holds integers; use gb_feed_ints",
      gb_feed(w->ints, numbers, 1))
FAILS(singles_for_integers, GB_ETYPE, "feed: input ints holds integers",
      gb_feed_float(w->ints, (const float[]){1, 2, 3}, 1))

MISUSE_BY(rows_that_differ, GB_EFEED, "2")
{
    const gb_node more = gb_input_rows(w->t, "more", gb_shape());
    gb_program *p = look(gb_sum_over(gb_mul(w->rows, more), GB_ROWS));
    gb_feed(w->rows, numbers, 3);
    gb_feed(more, numbers, 2);
    assert_int_equal(gb_run(p), GB_EFEED);
}

/* ---- values ---- */

FAILS(set_of_a_result, GB_EARGUMENT, "set: exp is not a variable", gb_set(gb_exp(w->vector), gb_fill(1)))
FAILS(set_from_null, GB_EARGUMENT, "a pointer to 3 values is NULL", gb_set(w->vector, gb_values_of(NULL, 3)))
FAILS(set_of_too_many, GB_ESHAPE, "set vector: shape (3) takes 3 values, 4 were given",
      gb_set(w->vector, GB_VALUES(1, 2, 3, 4)))
FAILS(read_of_another_count, GB_EREAD, "read: variable vector has 3 elements, not 4",
      gb_read(w->vector, (double[4]){0}, 4))
FAILS(read_to_nowhere, GB_EARGUMENT, "read: the array for the values is NULL", gb_read(w->vector, NULL, 3))
FAILS(print_of_an_old_node, GB_ENODE, "print: an argument was recorded before gb_tape_reset",
      gb_print(w->old, stdout))
FAILS(print_to_nowhere, GB_EARGUMENT, "print: the file is NULL", gb_print(w->vector, NULL))
FAILS(dump_to_nowhere, GB_EARGUMENT, "dump: the file is NULL",
      gb_program_dump(look(gb_exp(w->vector)), GB_DUMP_TEXT, NULL))

MISUSE_BY(dump_of_a_tape_to_nowhere, GB_EARGUMENT, "print: the file is NULL")
{
    assert_int_equal(gb_tape_dump(w->t, GB_DUMP_TEXT, NULL), GB_EARGUMENT);
    gb_program_dump(NULL, GB_DUMP_TEXT, NULL);
    gb_print(w->vector, NULL);
}

MISUSE_BY(value_of_a_vector, GB_EREAD, "read: variable vector has 3 elements, not 1")
{
    assert_true(isnan(gb_value(w->vector)));
}

MISUSE_BY(read_of_what_no_program_kept, GB_EREAD, "read: no program that has run keeps exp")
{
    double values[3];
    const gb_node e = gb_exp(w->vector);
    gb_run(look(w->vector));
    assert_int_equal(gb_read(e, values, 3), GB_EREAD);
}
