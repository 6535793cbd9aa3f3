/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong to ask of gradients, programs, inputs and values: the code and the words of each refusal. */
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

#define REFUSED(name, call)                                                                                  \
    static void name(world *w)                                                                               \
    {                                                                                                        \
        assert_false(gb_node_ok(call));                                                                      \
    }
/* The call returns the code of the tape's error. */
#define FAILS(name, call)                                                                                    \
    static void name(world *w)                                                                               \
    {                                                                                                        \
        const gb_status status = (call);                                                                     \
        assert_int_not_equal(status, GB_OK);                                                                 \
        assert_int_equal(status, gb_error(w->t));                                                            \
    }
#define NO_PROGRAM(name, call)                                                                               \
    static void name(world *w)                                                                               \
    {                                                                                                        \
        assert_null(call);                                                                                   \
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

REFUSED(gradient_of_a_matrix, gb_grad(w->matrix, w->matrix))
REFUSED(gradient_of_one_element, gb_grad(gb_slice(w->vector, 0, 0, 1), w->vector))
REFUSED(gradient_of_samples, gb_grad(gb_sum(gb_mul(w->hidden, w->vector)), w->vector))
REFUSED(gradient_of_a_draw, gb_grad(gb_sum(gb_mul(gb_open_draw(w->vector), w->vector)), w->vector))
REFUSED(gradient_of_a_boolean, gb_grad(gb_less(w->scalar, gb_num(w->t, 1)), w->scalar))
REFUSED(gradient_with_respect_to_a_foreign_node, gb_grad(gb_sum(w->vector), w->foreign))
REFUSED(gradient_with_respect_to_a_number, gb_grad(w->scalar, gb_num(w->t, 2)))
REFUSED(gradient_with_respect_to_an_array_of_numbers,
        gb_grad(gb_sum(w->vector), gb_constant(w->t, gb_shape(3), GB_VALUES(1, 2, 3))))
REFUSED(gradient_with_respect_to_zeros, gb_grad(gb_sum(w->vector), gb_zeros(w->t, gb_shape(3))))
REFUSED(gradient_of_an_old_node, gb_grad(w->old, w->vector))
REFUSED(gradient_of_no_derivative, gb_grad(gb_sum(outside_op(&never_op, w->vector)), w->vector))

static void one_of_several_gradients(world *w)
{
    gb_node gradients[2] = {w->vector, w->vector};
    assert_int_equal(gb_grads(gb_sum(w->vector), (gb_node[]){w->vector, {0}}, 2, gradients), GB_ENODE);
    assert_false(gb_node_ok(gradients[0]) || gb_node_ok(gradients[1]));
}

static void second_gradient_of_once(world *w)
{
    const gb_node y = gb_sum(gb_square(outside_op(&once_op, w->vector)));
    const gb_node first = gb_grad(y, w->vector);
    assert_fine(w->t);
    assert_values(first, 0.5, 1, 1.5);
    assert_false(gb_node_ok(gb_grad(gb_sum(first), w->vector)));
}

/* ---- assigns and programs ---- */

static void assign(gb_node variable, gb_node value)
{
    const gb_updates none = gb_assign(variable, value);
    assert_null(none.tape);
    assert_null(none.last);
}

#define ASSIGN(name, variable, value)                                                                        \
    static void name(world *w)                                                                               \
    {                                                                                                        \
        assign(variable, value);                                                                             \
    }
ASSIGN(assign_to_a_result, gb_exp(w->vector), w->vector)
ASSIGN(assign_to_an_input, w->input, gb_num(w->t, 1))
ASSIGN(assign_another_shape, w->vector, w->matrix)
ASSIGN(assign_samples, w->vector, w->hidden)
ASSIGN(assign_booleans, w->vector, w->truth)
ASSIGN(assign_a_foreign_value, w->scalar, w->foreign)
ASSIGN(assign_an_inert_value, w->scalar, (gb_node){0})

NO_PROGRAM(assign_twice, gb_compile(w->t, gb_roots(w->vector),
                                    gb_updates_join(gb_assign(w->scalar, gb_num(w->t, 1)),
                                                    gb_assign(w->scalar, gb_num(w->t, 2)))))
NO_PROGRAM(root_that_is_inert, look(gb_add(w->vector, w->input)))
NO_PROGRAM(root_of_another_tape, gb_compile(w->t, gb_roots(w->vector, w->foreign), gb_no_update))
NO_PROGRAM(roots_without_a_list, gb_compile(w->t, (gb_node_list){.count = 2}, gb_no_update))
NO_PROGRAM(assigns_of_another_tape,
           gb_compile(w->t, gb_roots(w->vector), (gb_updates){.tape = w->foreign.tape}))

static void assigns_of_a_reset_tape(world *w)
{
    const gb_updates updates = gb_assign(w->vector, gb_scale(w->vector, 2));
    gb_tape_reset(w->t);
    assert_null(gb_compile(w->t, (gb_node_list){0}, updates));
}

static void assigns_of_a_reset_tape_in_a_join(world *w)
{
    const gb_updates old = gb_assign(w->vector, gb_scale(w->vector, 2));
    gb_tape_reset(w->t);
    const gb_node x = gb_variable(w->t, "scalar", gb_shape(), gb_fill(0));
    const gb_updates joined = gb_updates_join(gb_assign(x, gb_exp(x)), old);
    assert_null(joined.tape);
    assert_null(joined.last);
}

static void program_of_a_reset_tape(world *w)
{
    gb_program *p = look(w->vector);
    gb_tape_reset(w->t);
    assert_int_equal(gb_run(p), GB_EPROGRAM);
}

static void samples_of_a_program_of_a_reset_tape(world *w)
{
    gb_program *p = look(w->vector);
    gb_tape_reset(w->t);
    assert_int_equal(gb_program_set_samples(p, 2), GB_EPROGRAM);
}

FAILS(no_samples, gb_program_set_samples(look(w->hidden), 0))
FAILS(samples_beyond_32_bits, gb_program_set_samples(look(w->hidden), INT64_C(1) << 32))
FAILS(step_beyond_63_bits, gb_program_set_step(look(w->hidden), UINT64_C(1) << 63))

static void values_beyond_counting(world *w)
{
    const gb_node z = gb_normal_noise(gb_stream(w->t, "z"), gb_shape(1 << 30), GB_SAMPLES);
    gb_program *p = look(gb_sum_over(gb_sum(z), GB_SAMPLES));
    gb_program_set_samples(p, INT32_MAX);
    assert_int_equal(gb_run(p), GB_ELIMIT);
}

FAILS(place_that_is_not_there, gb_run(look(gb_select(w->hidden, GB_SAMPLES, 1))))
FAILS(hidden_samples_of_another_number, gb_run(look(gb_hide(w->vector, GB_SAMPLES))))

/* ---- inputs ---- */

static const double numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const int64_t integers[3] = {0, 1, 2};

FAILS(input_not_fed, gb_run(look(gb_exp(w->input))))
FAILS(rows_without_an_input, gb_run(look(gb_axis_size(w->t, GB_ROWS))))
FAILS(rows_for_an_input_without, gb_feed(w->input, numbers, 2))
FAILS(rows_below_0, gb_feed(w->rows, numbers, -1))
FAILS(feed_of_nothing, gb_feed(w->rows, NULL, 2))
FAILS(feed_of_a_variable, gb_feed(w->vector, numbers, 1))
FAILS(feed_of_a_result, gb_feed_borrowed(gb_exp(w->input), numbers, 1))
FAILS(integers_for_reals, gb_feed_ints(w->input, integers, 1))
FAILS(reals_for_integers, gb_feed(w->ints, numbers, 1))
FAILS(singles_for_integers, gb_feed_float(w->ints, (const float[]){1, 2, 3}, 1))

static void rows_that_differ(world *w)
{
    const gb_node more = gb_input_rows(w->t, "more", gb_shape());
    gb_program *p = look(gb_sum_over(gb_mul(w->rows, more), GB_ROWS));
    gb_feed(w->rows, numbers, 3);
    gb_feed(more, numbers, 2);
    assert_int_equal(gb_run(p), GB_EFEED);
}

/* ---- values ---- */

FAILS(set_of_a_result, gb_set(gb_exp(w->vector), gb_fill(1)))
FAILS(set_from_null, gb_set(w->vector, gb_values_of(NULL, 3)))
FAILS(set_of_too_many, gb_set(w->vector, GB_VALUES(1, 2, 3, 4)))
FAILS(read_of_another_count, gb_read(w->vector, (double[4]){0}, 4))
FAILS(read_to_nowhere, gb_read(w->vector, NULL, 3))
FAILS(print_of_an_old_node, gb_print(w->old, stdout))
FAILS(print_to_nowhere, gb_print(w->vector, NULL))
FAILS(dump_to_nowhere, gb_program_dump(look(gb_exp(w->vector)), GB_DUMP_TEXT, NULL))

static void dump_of_a_tape_to_nowhere(world *w)
{
    assert_int_equal(gb_tape_dump(w->t, GB_DUMP_TEXT, NULL), GB_EARGUMENT);
    gb_program_dump(NULL, GB_DUMP_TEXT, NULL);
    gb_print(w->vector, NULL);
}

static void value_of_a_vector(world *w)
{
    assert_true(isnan(gb_value(w->vector)));
}

static void read_of_what_no_program_kept(world *w)
{
    double values[3];
    const gb_node e = gb_exp(w->vector);
    gb_run(look(w->vector));
    assert_int_equal(gb_read(e, values, 3), GB_EREAD);
}

#define LINE(name, code, words)                                                                              \
    {                                                                                                        \
#name, name, code, words                                                                             \
    }
static const misuse misuses[] = {
    LINE(gradient_of_a_matrix, GB_EGRADIENT,
         "gradient: only a scalar has one, but variable has shape (2×3); sum or average it"),
    LINE(gradient_of_one_element, GB_EGRADIENT, "slice has shape (1)"),
    LINE(gradient_of_samples, GB_EGRADIENT,
         "sum has one value for each of: samples; sum or average over them first"),
    LINE(gradient_of_a_draw, GB_EGRADIENT,
         "sum depends on a draw outside an expectation; take the gradient of the"),
    LINE(gradient_of_a_boolean, GB_EGRADIENT, "gradient: less is not real and has none"),
    LINE(gradient_with_respect_to_a_foreign_node, GB_ENODE, "gradient: an argument belongs to another tape"),
    LINE(gradient_with_respect_to_a_number, GB_EGRADIENT, "gradient: x is a constant; make it a variable"),
    LINE(gradient_with_respect_to_an_array_of_numbers, GB_EGRADIENT, "make it a variable"),
    LINE(gradient_with_respect_to_zeros, GB_EGRADIENT, "gradient: x is a constant; make it a variable"),
    LINE(gradient_of_an_old_node, GB_ENODE, "gradient: an argument was recorded before gb_tape_reset"),
    LINE(gradient_of_no_derivative, GB_EGRADIENT, "gradient: half_never has no derivative (gb_stop keeps"),
    LINE(one_of_several_gradients, GB_ENODE, "gradient: an argument is no node"),
    LINE(second_gradient_of_once, GB_EGRADIENT, "gradient: half_once can be differentiated once only"),
    LINE(assign_to_a_result, GB_EARGUMENT, "assign: only a variable can be assigned, not a result of exp"),
    LINE(assign_to_an_input, GB_EARGUMENT, "assign: only a variable can be assigned, not a result of input"),
    LINE(assign_another_shape, GB_ESHAPE, "assign: vector has shape (3), its value (2×3)"),
    LINE(assign_samples, GB_ESHAPE, "assign: the value for vector has one element for each of: samples"),
    LINE(assign_booleans, GB_ETYPE, "assign: the value for vector is not real (gb_to_real makes it so)"),
    LINE(assign_a_foreign_value, GB_ENODE, "assign: an argument belongs to another tape"),
    LINE(assign_an_inert_value, GB_ENODE, "assign: an argument is no node"),
    LINE(assign_twice, GB_EPROGRAM, "compile: variable scalar is assigned twice in one program"),
    LINE(root_that_is_inert, GB_ESHAPE, "do not broadcast"),
    LINE(root_of_another_tape, GB_ENODE, "compile: an argument belongs to another tape"),
    LINE(roots_without_a_list, GB_EARGUMENT, "compile: 2 roots are given, but the list is NULL"),
    LINE(assigns_of_another_tape, GB_EPROGRAM, "compile: the assigns belong to another tape"),
    LINE(assigns_of_a_reset_tape, GB_EPROGRAM,
         "compile: the assigns were made before gb_tape_reset; make them again"),
    LINE(assigns_of_a_reset_tape_in_a_join, GB_EPROGRAM,
         "join: the assigns were made before gb_tape_reset; make them again"),
    LINE(program_of_a_reset_tape, GB_EPROGRAM,
         "run: the program was compiled before gb_tape_reset; compile it again"),
    LINE(samples_of_a_program_of_a_reset_tape, GB_EPROGRAM, "set_samples: the program was compiled before"),
    LINE(no_samples, GB_EARGUMENT, "set_samples: 0 samples are not possible"),
    LINE(samples_beyond_32_bits, GB_EARGUMENT, "set_samples: 4294967296 samples are not possible"),
    LINE(step_beyond_63_bits, GB_EARGUMENT, "set_step: a step must be below 2^63"),
    LINE(values_beyond_counting, GB_ELIMIT, "too many elements for these numbers of samples and rows"),
    LINE(place_that_is_not_there, GB_ESHAPE, "select"),
    LINE(hidden_samples_of_another_number, GB_ESHAPE, "hide"),
    LINE(input_not_fed, GB_EFEED, "run: input input was not fed"),
    LINE(rows_without_an_input, GB_EFEED,
         "run: axis_size has a value for each row, but no input with rows was fed"),
    LINE(rows_for_an_input_without, GB_EFEED,
         "feed: input input takes one value, not 2 rows (gb_input_rows makes"),
    LINE(rows_below_0, GB_EFEED, "feed: input rows cannot have -1 rows"),
    LINE(feed_of_nothing, GB_EFEED, "feed: no values were given for input rows"),
    LINE(feed_of_a_variable, GB_EFEED, "feed: variable vector is not an input"),
    LINE(feed_of_a_result, GB_EFEED, "feed: exp  is not an input"),
    LINE(integers_for_reals, GB_ETYPE, "feed: input input holds reals; use gb_feed"),
    LINE(reals_for_integers, GB_ETYPE, "feed: input ints holds integers; use gb_feed_ints"),
    LINE(singles_for_integers, GB_ETYPE, "feed: input ints holds integers"),
    LINE(rows_that_differ, GB_EFEED, "2"),
    LINE(set_of_a_result, GB_EARGUMENT, "set: exp is not a variable"),
    LINE(set_from_null, GB_EARGUMENT, "a pointer to 3 values is NULL"),
    LINE(set_of_too_many, GB_ESHAPE, "set vector: shape (3) takes 3 values, 4 were given"),
    LINE(read_of_another_count, GB_EREAD, "read: variable vector has 3 elements, not 4"),
    LINE(read_to_nowhere, GB_EARGUMENT, "read: the array for the values is NULL"),
    LINE(print_of_an_old_node, GB_ENODE, "print: an argument was recorded before gb_tape_reset"),
    LINE(print_to_nowhere, GB_EARGUMENT, "print: the file is NULL"),
    LINE(dump_to_nowhere, GB_EARGUMENT, "dump: the file is NULL"),
    LINE(dump_of_a_tape_to_nowhere, GB_EARGUMENT, "print: the file is NULL"),
    LINE(value_of_a_vector, GB_EREAD, "read: variable vector has 3 elements, not 1"),
    LINE(read_of_what_no_program_kept, GB_EREAD, "read: no program that has run keeps exp"),
};

MISUSES(misuses)
