/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/linear.h"

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/elementwise/composite_impl.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/products/linear_kernels_impl.h"
#include "ops/reduce.h"

static bool is_square(const gb_infer *infer)
{
    char text[GB_SHAPE_TEXT];
    const gb_shape shape = infer->arg_shape[0];
    if (shape.rank >= 2 && shape.size[shape.rank - 1] == shape.size[shape.rank - 2])
        return true;
    return gb_infer_fail(infer, GB_ESHAPE, "shape %s is not that of square matrices",
                         gb_shape_text(shape, text));
}

/* ---- Cholesky ---- */

static bool cholesky_infer(gb_infer *infer)
{
    return is_square(infer) && gb_infer_first(infer);
}

static void cholesky_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_cholesky_adjoint(v->value, v->gradient);
}

static gb_shape square_shape(gb_example *e)
{
    gb_shape shape = e->shape(e, 2, 4, 0, 3);
    shape.size[shape.rank - 2] = shape.size[shape.rank - 1];
    return shape;
}

/* m mᵀ + 2 I. */
static gb_node definite(gb_example *e)
{
    const gb_node m = e->real(e, square_shape(e), -1, 1);
    const gb_shape shape = gb_node_shape(m);
    return gb_add(gb_matmul(m, m, .transpose_b = true),
                  gb_scale(gb_eye(e->tape, shape.size[shape.rank - 1]), 2));
}

static gb_node cholesky_example(gb_example *e)
{
    return gb_cholesky(definite(e));
}

const gb_op gb_cholesky_op = {.size = sizeof(gb_op),
                              .name = "cholesky",
                              .formula = "the lower triangular L with L Lᵀ = a",
                              .form = GB_FORM_KERNEL,
                              .arguments = 1,
                              .infer = cholesky_infer,
                              .vjp = cholesky_vjp,
                              .prepare = gb_linear_prepare,
                              .run = gb_cholesky_run,
                              .workspace = gb_cholesky_workspace,
                              .example = cholesky_example};

gb_node gb_cholesky(gb_node a)
{
    return gb_apply(NULL, &gb_cholesky_op, 1, &a, NULL, 0);
}

/* ---- the adjoint of a = L Lᵀ ---- */

static bool cholesky_adjoint_infer(gb_infer *infer)
{
    char l[GB_SHAPE_TEXT], g[GB_SHAPE_TEXT];
    if (!is_square(infer))
        return false;
    if (!gb_shape_same(infer->arg_shape[0], infer->arg_shape[1]))
        return gb_infer_fail(infer, GB_ESHAPE, "the adjoint of a factor %s has the shape %s",
                             gb_shape_text(infer->arg_shape[0], l), gb_shape_text(infer->arg_shape[1], g));
    infer->shape = infer->arg_shape[0];
    return true;
}

/* The value is A = sym(L⁻ᵀ P L⁻¹) with P = Φ(Lᵀ G), where Φ keeps the lower triangle and halves the diagonal
 * (Murray 2016), and G is lower triangular. So with the symmetric part H of the adjoint of A, W = L⁻¹ H L⁻ᵀ
 * and F = Φ(W), the adjoint of G is L F, and that of L is G Fᵀ − 2 A H L⁻ᵀ; both of their lower triangles. */
static void cholesky_adjoint_vjp(const gb_vjp *v)
{
    const gb_node l = v->arg[0], g = gb_tril(v->arg[1], 0),
                  h = gb_scale(gb_add(v->gradient, gb_matrix_transpose(v->gradient)), 0.5),
                  right = gb_matrix_transpose(gb_triangular_solve(l, h)), /* H L⁻ᵀ */
        w = gb_triangular_solve(l, right), f = gb_sub(gb_tril(w, 0), gb_scale(gb_diag(gb_diagonal(w)), 0.5));
    if (v->wanted[0])
        v->adjoint[0] =
            gb_tril(gb_sub(gb_matmul(g, f, .transpose_b = true), gb_scale(gb_matmul(v->value, right), 2)), 0);
    if (v->wanted[1])
        v->adjoint[1] = gb_tril(gb_matmul(l, f), 0);
}

static gb_node cholesky_adjoint_example(gb_example *e)
{
    const gb_node l = gb_cholesky(definite(e));
    return gb_cholesky_adjoint(l, e->real(e, gb_node_shape(l), -1, 1));
}

const gb_op gb_cholesky_adjoint_op = {.size = sizeof(gb_op),
                                      .name = "cholesky_adjoint",
                                      .formula = "the adjoint of a = L Lᵀ, from that of L",
                                      .form = GB_FORM_KERNEL,
                                      .arguments = 2,
                                      .infer = cholesky_adjoint_infer,
                                      .vjp = cholesky_adjoint_vjp,
                                      .prepare = gb_linear_prepare,
                                      .run = gb_cholesky_adjoint_run,
                                      .workspace = gb_cholesky_adjoint_workspace,
                                      .example = cholesky_adjoint_example};

gb_node gb_cholesky_adjoint(gb_node l, gb_node gradient)
{
    return gb_apply(NULL, &gb_cholesky_adjoint_op, 2, (const gb_node[]){l, gradient}, NULL, 0);
}

/* ---- triangular systems ---- */

static bool triangular_solve_infer(gb_infer *infer)
{
    char l_text[GB_SHAPE_TEXT], b_text[GB_SHAPE_TEXT];
    const gb_shape l = infer->arg_shape[0], b = infer->arg_shape[1];
    if (!is_square(infer))
        return false;
    if (b.rank < 2 || b.size[b.rank - 2] != l.size[l.rank - 1])
        return gb_infer_fail(infer, GB_ESHAPE, "%s x = %s: the right-hand side has another number of rows",
                             gb_shape_text(l, l_text), gb_shape_text(b, b_text));
    gb_shape leading;
    if (!gb_shape_broadcast(gb_shape_of(l.rank - 2, l.size), gb_shape_of(b.rank - 2, b.size), &leading))
        return gb_infer_fail(infer, GB_ESHAPE, "%s x = %s: the leading axes do not broadcast",
                             gb_shape_text(l, l_text), gb_shape_text(b, b_text));
    leading.size[leading.rank++] = b.size[b.rank - 2];
    leading.size[leading.rank++] = b.size[b.rank - 1];
    infer->shape = gb_shape_of(leading.rank, leading.size);
    return true;
}

extern const gb_op gb_triangular_solve_op;

static gb_node solve(gb_node l, gb_node b, bool transpose, bool upper)
{
    const gb_triangle triangle = {.transpose = transpose, .upper = upper};
    return gb_apply(NULL, &gb_triangular_solve_op, 2, (const gb_node[]){l, b}, &triangle, sizeof triangle);
}

/* With T for l or lᵀ: b̄ = T⁻ᵀ x̄ and T̄ = −b̄ xᵀ, of which only the triangle of l is kept. The product sums
 * over hidden axes that l lacks. */
static void triangular_solve_vjp(const gb_vjp *v)
{
    const gb_triangle *t = v->attributes;
    const gb_node l = v->arg[0], x = v->value, b = solve(l, v->gradient, !t->transpose, t->upper);
    v->adjoint[1] = b;
    if (!v->wanted[0])
        return;
    const gb_axes summed = gb_node_axes(x) & ~gb_node_axes(l);
    const gb_node product = gb_neg(
        gb_matmul(t->transpose ? x : b, t->transpose ? b : x, .transpose_b = true, .sum_over = summed));
    v->adjoint[0] = t->upper ? gb_triu(product, 0) : gb_tril(product, 0);
}

/* Returns leading axes for an argument: as they are, or fewer, or of size 1. */
static gb_shape part_of(gb_example *e, gb_shape shape)
{
    gb_shape part = {0};
    const int dropped = e->integer(e, 0, 3) ? 0 : (int)e->integer(e, 0, shape.rank - 2);
    for (int i = dropped; i < shape.rank; i++)
        part.size[part.rank++] = i < shape.rank - 2 && e->integer(e, 0, 3) == 0 ? 1 : shape.size[i];
    return part;
}

/* Returns any matrix with a diagonal far from 0. Its other triangle must not matter. */
static gb_node triangular(gb_example *e, gb_shape shape)
{
    return gb_add(e->real(e, shape, -0.5, 0.5), gb_scale(gb_eye(e->tape, shape.size[shape.rank - 1]), 1.5));
}

static gb_node triangular_solve_example(gb_example *e)
{
    const gb_shape square = square_shape(e);
    gb_shape right = square;
    right.size[right.rank - 1] = e->integer(e, 0, 3);
    const bool transpose = e->integer(e, 0, 1), upper = e->integer(e, 0, 1);
    const gb_node l = triangular(e, part_of(e, square));
    return solve(l, e->real(e, part_of(e, right), -1, 1), transpose, upper);
}

const gb_op gb_triangular_solve_op = {.size = sizeof(gb_op),
                                      .name = "triangular_solve",
                                      .attribute_bytes = sizeof(gb_triangle),
                                      .formula = "x with l x = b",
                                      .form = GB_FORM_KERNEL,
                                      .arguments = 2,
                                      .infer = triangular_solve_infer,
                                      .vjp = triangular_solve_vjp,
                                      .prepare = gb_linear_prepare,
                                      .run = gb_triangular_solve_run,
                                      .workspace = gb_triangular_solve_workspace,
                                      .example = triangular_solve_example};

gb_node gb_triangular_solve_with(gb_node l, gb_node b, const gb_triangular_solve_options *options)
{
    gb_triangular_solve_options own;
    if (!gb_options_take(l.tape, "triangular_solve", &own, sizeof own, options))
        return (gb_node){0};
    return solve(l, b, own.transpose, own.upper);
}

gb_node gb_triangular_solve_vector_with(gb_node l, gb_node b,
                                        const gb_triangular_solve_vector_options *options)
{
    if (!gb_node_check(b, "triangular_solve_vector"))
        return (gb_node){0};
    if (gb_node_shape(b).rank == 0) {
        gb_fail(b.tape, GB_ESHAPE, "triangular_solve_vector: the right-hand side () is no vector");
        return (gb_node){0};
    }
    return gb_squeeze(gb_triangular_solve_with(l, gb_expand(b, -1), options), -1);
}

/* ---- functions for multivariate densities ---- */

gb_node gb_triangular_log_det(gb_node l)
{
    return gb_sum_along(gb_log(gb_abs(gb_diagonal(l))), gb_axis(-1));
}

gb_node gb_log_det(gb_node a)
{
    return gb_scale(gb_triangular_log_det(gb_cholesky(a)), 2);
}

gb_node gb_quadratic_form(gb_node l, gb_node x)
{
    return gb_sum_along(gb_square(gb_triangular_solve_vector(l, x)), gb_axis(-1));
}

/* ---- for the conformance tests ---- */

static gb_node triangular_solve_vector_example(gb_example *e)
{
    const gb_shape square = square_shape(e);
    const gb_node l = triangular(e, square);
    return gb_triangular_solve_vector(l, e->real(e, gb_shape_of(square.rank - 1, square.size), -1, 1));
}

static gb_node triangular_log_det_example(gb_example *e)
{
    return gb_triangular_log_det(triangular(e, square_shape(e)));
}

static gb_node log_det_example(gb_example *e)
{
    return gb_log_det(definite(e));
}

static gb_node quadratic_form_example(gb_example *e)
{
    const gb_shape square = square_shape(e);
    const gb_node l = triangular(e, square);
    return gb_quadratic_form(l, e->real(e, gb_shape(square.size[square.rank - 1]), -1, 1));
}

GB_COMPOSITE(triangular_solve_vector, "x with l x = b, for vectors", triangular_solve_vector_example);
GB_COMPOSITE(triangular_log_det, "the sum of log |l_ii|", triangular_log_det_example);
GB_COMPOSITE(log_det, "log det a of a symmetric positive definite a", log_det_example);
GB_COMPOSITE(quadratic_form, "xᵀ (l lᵀ)⁻¹ x", quadratic_form_example);
