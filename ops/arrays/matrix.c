/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/matrix.h"

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/elementwise/composite_impl.h"

static bool has_rank(gb_node x, const char *who, int rank)
{
    char text[GB_SHAPE_TEXT];
    if (!gb_node_check(x, who))
        return false;
    if (gb_node_shape(x).rank >= rank)
        return true;
    gb_fail(x.tape, GB_ESHAPE, "%s: an argument of shape %s is no %s", who,
            gb_shape_text(gb_node_shape(x), text), rank == 2 ? "matrix" : "vector");
    return false;
}

static bool is_real(gb_node x, const char *who, int rank)
{
    if (!has_rank(x, who, rank))
        return false;
    if (gb_node_type(x) != GB_TYPE_REAL)
        gb_fail(x.tape, GB_ETYPE, "%s: argument 1 is not real (gb_to_real makes it so)", who);
    return gb_node_type(x) == GB_TYPE_REAL;
}

/* ---- transpose ---- */

gb_node gb_matrix_transpose(gb_node a)
{
    if (!has_rank(a, "matrix_transpose", 2))
        return (gb_node){0};
    gb_axis_list order = {.count = gb_node_shape(a).rank};
    for (int i = 0; i < order.count; i++)
        order.axis[i] = i;
    order.axis[order.count - 2] = order.count - 1;
    order.axis[order.count - 1] = order.count - 2;
    return gb_transpose(a, order);
}

static gb_node matrix_transpose_example(gb_example *e)
{
    return gb_matrix_transpose(e->real(e, e->shape(e, 2, 4, 0, 3), -2, 2));
}
GB_COMPOSITE(matrix_transpose, "x with its last two axes exchanged", matrix_transpose_example);

/* ---- outer ---- */

gb_node gb_outer(gb_node x, gb_node y)
{
    if (!has_rank(x, "outer", 1) || !has_rank(y, "outer", 1))
        return (gb_node){0};
    return gb_mul(gb_expand(x, -1), gb_expand(y, -2));
}

static gb_node outer_example(gb_example *e)
{
    gb_shape x = e->shape(e, 1, 3, 0, 4), y = x;
    y.size[y.rank - 1] = e->integer(e, 0, 4);
    const gb_node left = e->real(e, x, -2, 2);
    return gb_outer(left, e->real(e, y, -2, 2));
}
GB_COMPOSITE(outer, "x_i y_j", outer_example);

/* Numbers along an axis would take room that an empty result does not need. */
static bool is_empty(gb_node x)
{
    return gb_shape_count(gb_node_shape(x)) == 0;
}

/* ---- diagonals ---- */

static bool diagonal_infer(gb_infer *infer)
{
    char text[GB_SHAPE_TEXT];
    const gb_shape from = infer->arg_shape[0];
    gb_infer_first(infer);
    if (from.rank < 2 || from.size[from.rank - 1] != from.size[from.rank - 2])
        return gb_infer_fail(infer, GB_ESHAPE, "shape %s is not that of square matrices",
                             gb_shape_text(from, text));
    infer->shape = gb_shape_of(from.rank - 1, from.size);
    return true;
}

static bool diagonal_view(const void *attributes, const gb_layout *arg, gb_layout *result)
{
    (void)attributes;
    const int last = arg->shape.rank - 1;
    result->shape = gb_shape_of(last, arg->shape.size);
    result->stride[last - 1] = arg->stride[last - 1] + arg->stride[last];
    result->stride[last] = 0;
    return true;
}

static void diagonal_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_diag(v->gradient);
}

static gb_shape square_shape(gb_example *e)
{
    gb_shape shape = e->shape(e, 2, 4, 0, 4);
    shape.size[shape.rank - 2] = shape.size[shape.rank - 1];
    return shape;
}

static gb_node diagonal_example(gb_example *e)
{
    return gb_diagonal(e->real(e, square_shape(e), -2, 2));
}

const gb_op gb_diagonal_op = {.size = sizeof(gb_op),
                              .name = "diagonal",
                              .formula = "a_ii",
                              .form = GB_FORM_VIEW,
                              .arguments = 1,
                              .infer = diagonal_infer,
                              .vjp = diagonal_vjp,
                              .view = diagonal_view,
                              .example = diagonal_example};

gb_node gb_diagonal(gb_node a)
{
    return gb_apply(NULL, &gb_diagonal_op, 1, &a, NULL, 0);
}

gb_node gb_diag(gb_node x)
{
    if (!is_real(x, "diag", 1))
        return (gb_node){0};
    const gb_node row = gb_expand(x, -1);
    const int64_t size = gb_shape_size(gb_node_shape(x), -1);
    if (is_empty(x))
        return gb_broadcast(row, gb_shape_replace(gb_node_shape(row), -1, size));
    const gb_node places = gb_arange(x.tape, size);
    return gb_where(gb_equal(places, gb_expand(places, 1)), row, gb_num(x.tape, 0));
}

static gb_node diag_example(gb_example *e)
{
    return gb_diag(e->real(e, e->shape(e, 1, 3, 0, 4), -2, 2));
}
GB_COMPOSITE(diag, "a matrix with x as its diagonal, else 0", diag_example);

/* ---- triangles ---- */

/* Returns column − row − k for every element of a matrix. */
static gb_node above_diagonal(gb_node a, int64_t k)
{
    const gb_shape shape = gb_node_shape(a);
    const gb_node row = gb_expand(gb_arange(a.tape, shape.size[shape.rank - 2]), 1);
    return gb_shift(gb_sub(gb_arange(a.tape, shape.size[shape.rank - 1]), row), -(double)k);
}

gb_node gb_tril(gb_node a, int64_t k)
{
    if (!is_real(a, "tril", 2))
        return (gb_node){0};
    if (is_empty(a))
        return a;
    const gb_node zero = gb_num(a.tape, 0);
    return gb_where(gb_less_equal(above_diagonal(a, k), zero), a, zero);
}

gb_node gb_triu(gb_node a, int64_t k)
{
    if (!is_real(a, "triu", 2))
        return (gb_node){0};
    if (is_empty(a))
        return a;
    const gb_node zero = gb_num(a.tape, 0);
    return gb_where(gb_greater_equal(above_diagonal(a, k), zero), a, zero);
}

static gb_node tril_example(gb_example *e)
{
    const gb_node a = e->real(e, e->shape(e, 2, 4, 0, 4), -2, 2);
    return gb_tril(a, e->integer(e, -2, 2));
}
GB_COMPOSITE(tril, "a on and below a diagonal, else 0", tril_example);

static gb_node triu_example(gb_example *e)
{
    const gb_node a = e->real(e, e->shape(e, 2, 4, 0, 4), -2, 2);
    return gb_triu(a, e->integer(e, -2, 2));
}
GB_COMPOSITE(triu, "a on and above a diagonal, else 0", triu_example);
