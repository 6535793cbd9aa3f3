/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors, triangular systems and parts of matrices: against plain loops, NaN, gradients, rejections. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/misuse.h"

/* A number between −1 and 1 that looks random. */
static double number(size_t i)
{
    return fmod(sin((double)i * 12.9898 + 1) * 43758.5453, 1);
}

static double *numbers(size_t count)
{
    double *x = calloc(count + 1, sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = number(i);
    return x;
}

static double *read_all(gb_node node)
{
    const size_t count = gb_value_count(node);
    double *values = calloc(count + 1, sizeof *values);
    if (gb_read(node, values, count) != GB_OK)
        fail_msg("%s", gb_error_text(node.tape));
    return values;
}

/* ---- parts ---- */

TEST(parts_of_matrices_are_where_they_should_be)
{
    const gb_node m = gb_variable(t, "m", gb_shape(2, 3), GB_VALUES(1, 2, 3, 4, 5, 6)),
                  s = gb_variable(t, "s", gb_shape(2, 2, 2), GB_VALUES(1, 2, 3, 4, 5, 6, 7, 8)),
                  v = gb_variable(t, "v", gb_shape(2), GB_VALUES(7, 8));
    assert_values(gb_matrix_transpose(m), 1, 4, 2, 5, 3, 6);
    assert_values(gb_diagonal(s), 1, 4, 5, 8);
    assert_values(gb_diagonal(gb_flip(s, -1)), 2, 3, 6, 7);
    assert_values(gb_diag(v), 7, 0, 0, 8);
    assert_values(gb_diag(gb_diagonal(s)), 1, 0, 0, 4, 5, 0, 0, 8);
    assert_values(gb_tril(m, 0), 1, 0, 0, 4, 5, 0);
    assert_values(gb_tril(m, 1), 1, 2, 0, 4, 5, 6);
    assert_values(gb_tril(m, -1), 0, 0, 0, 4, 0, 0);
    assert_values(gb_triu(m, 0), 1, 2, 3, 0, 5, 6);
    assert_values(gb_triu(m, 1), 0, 2, 3, 0, 0, 6);
    assert_values(gb_triu(m, -5), 1, 2, 3, 4, 5, 6);
    assert_values(gb_outer(v, gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 3))), 7, 14, 21, 8, 16, 24);
    assert_fine(t);
}

TEST(a_nan_in_the_other_triangle_does_not_matter)
{
    const gb_node a = gb_variable(t, "a", gb_shape(2, 2), GB_VALUES(4, NAN, 2, 5));
    assert_values(gb_tril(a, 0), 4, 0, 2, 5);
    assert_values(gb_grad(gb_sum(gb_tril(a, 0)), a), 1, 0, 1, 1);
    assert_values(gb_cholesky(a), 2, 0, 1, 2);
    assert_values(gb_triangular_solve_vector(a, gb_constant(t, gb_shape(2), GB_VALUES(8, 14))), 2, 2);
}

/* ---- Cholesky ---- */

/* m mᵀ + n I, `count` of them. */
static gb_node definite(gb_tape *t, int64_t count, int64_t n)
{
    double *values = numbers((size_t)(count * n * n));
    const gb_node m =
        gb_variable(t, "m", gb_shape(count, n, n), gb_values_of(values, (size_t)(count * n * n)));
    free(values);
    return gb_add(gb_matmul(m, m, .transpose_b = true), gb_scale(gb_eye(t, n), (double)n));
}

TEST(a_factor_times_its_transpose_is_the_matrix)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 33, 64, 65, 120, 203};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s], count = n > 60 ? 1 : 3;
        gb_tape *const tape = test_tape();
        const gb_node a = definite(tape, count, n), l = gb_cholesky(a);
        gb_program *p = gb_compile(tape, gb_roots(a, l), gb_no_update);
        assert_int_equal(gb_run(p), GB_OK);
        double *should = read_all(a), *is = read_all(l);
        for (int64_t m = 0; m < count; m++)
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) {
                    const double *one = is + m * n * n;
                    double sum = 0;
                    for (int64_t k = 0; k < n; k++)
                        sum += one[i * n + k] * one[j * n + k];
                    const double *of = should + m * n * n, scale = sqrt(of[i * n + i] * of[j * n + j]);
                    assert_true(fabs(sum - of[i * n + j]) <= DBL_EPSILON * (double)(n + 2) * scale);
                    assert_true(j <= i || one[i * n + j] == 0);
                }
        free(should);
        free(is);
    }
}

TEST(a_factor_in_float_is_that_in_double_rounded_once)
{
    enum { N = 20 };
    double *values = numbers(N * N);
    for (int i = 0; i < N * N; i++)
        values[i] = (double)(float)(i % (N + 1) == 0 ? N + values[i] : values[i] / 4);
    double *found[2];
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_tape *const tape = test_tape(.real = (gb_real)real);
        found[real] = read_all(gb_cholesky(gb_constant(tape, gb_shape(N, N), gb_values_of(values, N * N))));
    }
    for (int i = 0; i < N * N; i++)
        assert_true((double)(float)found[0][i] == found[1][i]);
    free(found[0]);
    free(found[1]);
    free(values);
}

TEST(of_what_is_not_positive_definite_all_is_nan_and_the_run_is_rejected_by_name)
{
    const gb_node a =
        gb_variable(t, "a", gb_shape(5, 2, 2),
                    GB_VALUES(1, 2, 2, 1, 4, 2, 2, 5, 0, 0, 0, 1, 1, 0, NAN, 1, INFINITY, 0, 0, 1));
    const gb_node l = gb_cholesky(a);
    assert_values(l, NAN, NAN, NAN, NAN, 2, 0, 1, 2, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
                  NAN);
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(1));
    gb_set(a, gb_fill(1));
    gb_program *p = gb_compile(t, (gb_node_list){0}, gb_assign(w, gb_sum(gb_diagonal(l))));
    assert_int_equal(gb_run(p), GB_ENONFINITE);
    assert_rejected(t, GB_ENONFINITE, "cholesky");
}

TEST(the_gradient_of_a_factor_is_symmetric_and_right_for_symmetric_changes)
{
    const gb_node a = gb_variable(t, "a", gb_shape(2, 2), GB_VALUES(4, 2, 2, 5));
    const gb_node g = gb_grad(gb_log_det(a), a);
    assert_values(gb_log_det(a), log(16));
    assert_values(g, 5. / 16, -2. / 16, -2. / 16, 4. / 16); /* the inverse */
    assert_fine(t);
}

/* sym(L⁻ᵀ P L⁻¹), where P is the lower triangle of Lᵀ G with half its diagonal (Murray 2016). */
static gb_node adjoint_by_solves(gb_node l, gb_node g)
{
    const gb_node product = gb_matmul(l, gb_tril(g, 0), .transpose_a = true),
                  p = gb_sub(gb_tril(product, 0), gb_scale(gb_diag(gb_diagonal(product)), 0.5)),
                  left = gb_matrix_transpose(gb_triangular_solve(l, p, .transpose = true)),
                  m = gb_triangular_solve(l, left, .transpose = true);
    return gb_scale(gb_add(m, gb_matrix_transpose(m)), 0.5);
}

TEST(the_adjoint_of_a_factor_is_that_by_two_solves)
{
    static const int64_t sizes[] = {1, 4, 6, 64, 67, 203};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s];
        gb_tape *const tape = test_tape();
        double *values = numbers((size_t)(n * n));
        const gb_node l = gb_cholesky(definite(tape, 1, n)),
                      g = gb_variable(tape, "g", gb_shape(1, n, n), gb_values_of(values, (size_t)(n * n))),
                      adjoint = gb_cholesky_adjoint(l, g),
                      off = gb_maximum(gb_abs(gb_sub(adjoint, adjoint_by_solves(l, g))));
        assert_true(gb_value(off) <= 16 * DBL_EPSILON);
        assert_fine(tape);
        free(values);
    }
}

/* ---- triangular systems ---- */

static double triangle_at(const double *l, int64_t n, int64_t i, int64_t j, bool transpose, bool upper)
{
    const int64_t row = transpose ? j : i, column = transpose ? i : j;
    return (upper ? column >= row : column <= row) ? l[row * n + column] : 0;
}

/* Two systems with `columns` right-hand sides each; all four triangles, in double and float. */
static void solve_systems(int64_t n, int64_t columns)
{
    double *values = numbers((size_t)(n * n)), *right = numbers((size_t)(2 * n * columns));
    for (int64_t i = 0; i < n * n; i++)
        values[i] = i % (n + 1) == 0 ? 3 + values[i] : 10 * values[i] / (double)n;
    for (int way = 0; way < 8; way++) {
        const bool transpose = way & 1, upper = way & 2, single = way & 4;
        gb_tape *const tape = test_tape(.real = single ? GB_FLOAT : GB_DOUBLE);
        const gb_node l = gb_constant(tape, gb_shape(n, n), gb_values_of(values, (size_t)(n * n))),
                      b = gb_constant(tape, gb_shape(2, n, columns),
                                      gb_values_of(right, (size_t)(2 * n * columns)));
        double *is = read_all(gb_triangular_solve(l, b, .transpose = transpose, .upper = upper));
        for (int64_t m = 0; m < 2; m++)
            for (int64_t i = 0; i < n; i++)
                for (int64_t c = 0; c < columns; c++) {
                    double sum = 0;
                    for (int64_t j = 0; j < n; j++)
                        sum += triangle_at(values, n, i, j, transpose, upper) * is[(m * n + j) * columns + c];
                    assert_true(fabs(sum - right[(m * n + i) * columns + c]) <=
                                32 * (single ? (double)FLT_EPSILON : DBL_EPSILON));
                }
        free(is);
    }
    free(values);
    free(right);
}

/* 129: one more than threads take at a time, so that one column is left. */
TEST(a_solution_solves_the_system_whichever_way_the_triangle_lies)
{
    solve_systems(1, 1);
    solve_systems(11, 3);
    solve_systems(5, 1);
    solve_systems(150, 1);
    solve_systems(70, 131);
    solve_systems(129, 129);
}

TEST(vectors_are_solved_for_as_columns)
{
    const gb_node l = gb_constant(t, gb_shape(2, 2), GB_VALUES(2, 9, 1, 4)),
                  b = gb_constant(t, gb_shape(2, 2), GB_VALUES(2, 9, 4, 6));
    assert_values(gb_triangular_solve_vector(l, b), 1, 2, 2, 1);
    assert_values(gb_triangular_solve_vector(l, b, .transpose = true), -0.125, 2.25, 1.25, 1.5);
    assert_values(gb_quadratic_form(l, b), 5, 5);
    assert_values(gb_triangular_log_det(gb_neg(l)), log(8));
    assert_int_equal(gb_value_count(gb_triangular_solve(gb_eye(t, 0), gb_zeros(t, gb_shape(0, 3)))), 0);
    assert_values(gb_log_det(gb_eye(t, 0)), 0);
    assert_fine(t);
}

TEST(a_singular_triangle_is_rejected_by_name)
{
    const gb_node l = gb_variable(t, "l", gb_shape(2, 2), GB_VALUES(1, 0, 1, 0)),
                  w = gb_variable(t, "w", gb_shape(2), gb_fill(1));
    gb_program *p = gb_compile(t, (gb_node_list){0},
                               gb_assign(w, gb_triangular_solve_vector(l, gb_add(w, gb_arange(t, 2)))));
    assert_int_equal(gb_run(p), GB_ENONFINITE);
    assert_rejected(t, GB_ENONFINITE, "triangular_solve");
}

/* Rows that share a factor: its gradient is added up over them, in the product. */
TEST(the_gradient_of_a_shared_factor_is_one_matrix)
{
    enum { N = 24, ROWS = 300 };
    double *values = numbers(ROWS * N);
    const gb_node l = gb_variable(t, "l", gb_shape(N, N), gb_fill(0.1));
    const gb_node rows = gb_input_rows(t, "rows", gb_shape(N));
    const gb_node factor = gb_add(gb_tril(l, -1), gb_eye(t, N));
    const gb_node loss = gb_sum_over(gb_quadratic_form(factor, rows), GB_ROWS), g = gb_grad(loss, l);
    gb_feed(rows, values, ROWS);
    gb_program *p = gb_compile(t, gb_roots(g, loss), gb_no_update);
    gb_plan_facts facts;
    assert_int_equal(gb_program_plan(p, &facts), GB_OK);
    assert_true(facts.bytes < (size_t)8 * N * N * ROWS / 2);
    assert_int_equal(gb_run(p), GB_OK);
    double *is = read_all(g);
    const double before = gb_value(loss), step = 1e-6;
    double *moved = calloc(N * N, sizeof *moved);
    for (int i = 0; i < N * N; i++)
        moved[i] = 0.1;
    moved[5 * N + 2] += step;
    gb_set(l, gb_values_of(moved, N * N));
    gb_run(p);
    assert_true(fabs((gb_value(loss) - before) / step - is[5 * N + 2]) < 1e-4 * fabs(is[5 * N + 2]));
    free(moved);
    free(is);
    free(values);
}

TEST(products_are_summed_over_hidden_axes_on_request)
{
    const gb_node rows = gb_input_rows(t, "rows", gb_shape(1, 2));
    const gb_node sum = gb_matmul(rows, rows, .transpose_a = true, .sum_over = GB_ROWS);
    gb_feed(rows, (const double[]){1, 2, 3, 4}, 2);
    assert_int_equal(gb_node_axes(sum), 0);
    assert_values(sum, 10, 14, 14, 20);
    gb_matmul(rows, gb_eye(t, 2), .sum_over = GB_ROWS);
    assert_rejected(t, GB_ESHAPE, "an argument lacks a hidden axis that is to be summed over");
}

/* ---- threads ---- */

/* The sum of both results, so that the order of threads would show. */
static double *factors(int threads, gb_real real)
{
    gb_tape *t = gb_tape_new(.threads = threads, .real = real);
    const gb_node a = definite(t, 50, 30), l = gb_cholesky(a);
    double *const is = read_all(gb_triangular_solve(l, a, .transpose = true));
    gb_tape_free(t);
    return is;
}

/* Of one matrix, which threads share. */
static double *factor_of_one(int threads)
{
    gb_tape *t = gb_tape_new(.threads = threads);
    const gb_node a = definite(t, 1, 300), l = gb_cholesky(a);
    double *const is = read_all(gb_triangular_solve(l, gb_cholesky_adjoint(l, a), .transpose = true));
    gb_tape_free(t);
    return is;
}

TEST(what_threads_share_of_one_matrix_changes_no_bit)
{
    double *one = factor_of_one(1), *two = factor_of_one(2), *three = factor_of_one(3);
    assert_memory_equal(one, two, 300 * 300 * sizeof *one);
    assert_memory_equal(one, three, 300 * 300 * sizeof *one);
    free(one);
    free(two);
    free(three);
}

TEST(results_do_not_depend_on_threads)
{
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        double *one = factors(1, (gb_real)real), *three = factors(3, (gb_real)real);
        assert_memory_equal(one, three, 50 * 30 * 30 * sizeof *one);
        free(one);
        free(three);
    }
}

/* ---- misuse ---- */

MISUSE(factor_of_a_rectangle, GB_ESHAPE, "cholesky: shape (2×3) is not that of square matrices",
       gb_cholesky(w->matrix))
MISUSE(factor_of_a_vector, GB_ESHAPE, "cholesky: shape (3) is not that of square matrices",
       gb_cholesky(w->vector))
MISUSE(factor_of_integers, GB_ETYPE, "not real", gb_cholesky(gb_broadcast(w->ints, gb_shape(3, 3))))
MISUSE(log_det_of_a_rectangle, GB_ESHAPE, "cholesky: shape (2×3)", gb_log_det(w->matrix))
MISUSE(log_det_of_a_triangle_that_is_none, GB_ESHAPE, "diagonal: shape (3)", gb_triangular_log_det(w->vector))
MISUSE(solve_with_a_rectangle, GB_ESHAPE, "triangular_solve: shape (2×3) is not that of square matrices",
       gb_triangular_solve(w->matrix, w->matrix))
MISUSE(solve_for_other_rows, GB_ESHAPE, "(3×3) x = (2×3): the right-hand side has another number of rows",
       gb_triangular_solve(gb_eye(w->t, 3), w->matrix))
MISUSE(solve_for_a_vector_as_if_a_matrix, GB_ESHAPE, "(3×3) x = (3)",
       gb_triangular_solve(gb_eye(w->t, 3), w->vector))
MISUSE(solve_with_other_leading_axes, GB_ESHAPE, "(2×3×3) x = (3×3×1): the leading axes do not broadcast",
       gb_triangular_solve(gb_zeros(w->t, gb_shape(2, 3, 3)), gb_zeros(w->t, gb_shape(3, 3, 1))))
MISUSE(solve_for_integers, GB_ETYPE, "triangular_solve: argument 2 is not real",
       gb_triangular_solve_vector(gb_eye(w->t, 3), w->ints))
MISUSE(solve_for_a_scalar, GB_ESHAPE, "the right-hand side () is no vector",
       gb_triangular_solve_vector(gb_eye(w->t, 3), w->scalar))
MISUSE(solve_for_an_old_node, GB_ENODE, "triangular_solve_vector: an argument was recorded before",
       gb_triangular_solve_vector(gb_eye(w->t, 3), w->old))
MISUSE(quadratic_form_of_other_sizes, GB_ESHAPE, "(2×2) x = (3×1)",
       gb_quadratic_form(gb_eye(w->t, 2), w->vector))
MISUSE(diagonal_of_a_rectangle, GB_ESHAPE, "diagonal: shape (2×3) is not that of square matrices",
       gb_diagonal(w->matrix))
MISUSE(diag_of_a_scalar, GB_ESHAPE, "diag: an argument of shape () is no vector", gb_diag(w->scalar))
MISUSE(outer_of_a_scalar, GB_ESHAPE, "outer: an argument of shape () is no vector",
       gb_outer(w->vector, w->scalar))
MISUSE(tril_of_a_vector, GB_ESHAPE, "tril: an argument of shape (3) is no matrix", gb_tril(w->vector, 0))
MISUSE(triu_of_a_vector, GB_ESHAPE, "triu: an argument of shape (3) is no matrix", gb_triu(w->vector, 0))
MISUSE(diag_of_integers, GB_ETYPE, "diag: argument 1 is not real", gb_diag(w->ints))
MISUSE(tril_of_booleans, GB_ETYPE, "tril: argument 1 is not real",
       gb_tril(gb_broadcast(w->truth, gb_shape(3, 3)), 0))
MISUSE(transpose_of_a_vector, GB_ESHAPE, "matrix_transpose: an argument of shape (3) is no matrix",
       gb_matrix_transpose(w->vector))

/* ---- memory ---- */

static gb_status differentiate_log_det(gb_tape *t, const void *unused)
{
    (void)unused;
    const gb_node a = gb_variable(t, "a", gb_shape(2, 2), GB_VALUES(4, 2, 2, 5));
    const double value = gb_value(gb_sum(gb_grad(gb_log_det(a), a)));
    if (gb_error(t) == GB_OK)
        assert_near(value, 5. / 16, 1e-6);
    return gb_error(t);
}

TEST(without_memory_recording_and_planning_say_so)
{
    assert_outlives_lack_of_memory(differentiate_log_det, NULL, "log_det", 0,
                                   (gb_tape_options){.real = GB_FLOAT});
}
