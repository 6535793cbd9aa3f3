/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/products/known_impl.h"

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"

static void pass_to_like(const gb_vjp *v)
{
    v->adjoint[1] = v->gradient;
}

static const gb_op with_value_op = {.size = sizeof(gb_op),
                                    .name = "with_value",
                                    .formula = "x, with the gradient of the other argument",
                                    .form = GB_FORM_ALIAS,
                                    .arguments = 2,
                                    .infer = gb_infer_first,
                                    .vjp = pass_to_like};

gb_node gb_with_value(gb_node value, gb_node like)
{
    return gb_with_vjp(&with_value_op, value, 1, &like, NULL, 0);
}

/* The slope in scale needs the value. */
static void standard_vjp(const gb_vjp *v)
{
    const gb_node each = gb_div(v->gradient, v->arg[3]);
    v->adjoint[1] = each;
    v->adjoint[2] = gb_neg(each);
    v->adjoint[3] = gb_neg(gb_chain(each, v->value));
}

static const gb_op standard_op = {.size = sizeof(gb_op),
                                  .name = "standard",
                                  .formula = "z, with the gradient of (x - loc) / scale",
                                  .form = GB_FORM_ALIAS,
                                  .arguments = 4,
                                  .infer = gb_infer_first,
                                  .vjp = standard_vjp};

gb_node gb_standard_at(gb_node z, gb_node x, gb_node loc, gb_node scale)
{
    return gb_with_vjp(&standard_op, z, 3, (const gb_node[]){x, loc, scale}, NULL, 0);
}

static gb_node as_column(gb_node x)
{
    return gb_expand(x, -1);
}

/* The slope in L needs the value. */
static void whitened_vjp(const gb_vjp *v)
{
    const gb_node solved = gb_triangular_solve(v->arg[3], as_column(v->gradient), .transpose = true);
    const gb_node each = gb_squeeze(solved, -1);
    v->adjoint[1] = each;
    v->adjoint[2] = gb_neg(each);
    v->adjoint[3] = gb_neg(gb_tril(gb_matmul(solved, as_column(v->value), .transpose_b = true), 0));
}

static const gb_op whitened_op = {.size = sizeof(gb_op),
                                  .name = "whitened",
                                  .formula = "z, with the gradient of L^-1 (x - loc)",
                                  .form = GB_FORM_ALIAS,
                                  .arguments = 4,
                                  .infer = gb_infer_first,
                                  .vjp = whitened_vjp};

gb_node gb_whitened_at(gb_node z, gb_node x, gb_node loc, gb_node l)
{
    return gb_with_vjp(&whitened_op, z, 3, (const gb_node[]){x, loc, l}, NULL, 0);
}

bool gb_is_known(gb_node x)
{
    const gb_op *const op = gb_node_op(x);
    return op == &with_value_op || op == &standard_op || op == &whitened_op;
}

/* ---- the mark ---- */

static const gb_op own_draw_op = {.size = sizeof(gb_op),
                                  .name = "own_draw",
                                  .formula = "x, a draw whose own log density is taken",
                                  .form = GB_FORM_ALIAS,
                                  .arguments = 1,
                                  .infer = gb_infer_first,
                                  .vjp = gb_vjp_pass};

gb_node gb_mark_own_draw(gb_node x)
{
    return gb_apply(NULL, &own_draw_op, 1, &x, NULL, 0);
}

bool gb_is_own_draw(gb_node x)
{
    return gb_node_op(x) == &own_draw_op;
}
