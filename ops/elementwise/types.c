/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Booleans, and conversions between reals, integers and booleans. */
#include "ops/elementwise.h"
#include "ops/elementwise/elementwise_impl.h"
#include "ops/elementwise/types_impl.h"

#define GB_OF_TYPES(name, arguments, value)                                                                  \
    static const gb_block_kernels name##_kernels = GB_KERNELS_OF(name, #value);
#include "ops/elementwise/types_table.h"
#undef GB_OF_TYPES

/* ---- booleans ---- */

static gb_node not_example(gb_example *e)
{
    return gb_to_real(gb_not(e->truth(e, e->shape(e, 0, 3, 0, 3))));
}

static gb_node and_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    return gb_to_real(gb_and(e->truth(e, shape), e->truth(e, shape)));
}

static gb_node or_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    return gb_to_real(gb_or(e->truth(e, shape), e->truth(e, shape)));
}

#define BOOLEAN(op_name, op_formula, op_arguments)                                                           \
    const gb_op gb_##op_name##_op = {                                                                        \
        .size = sizeof(gb_op),                                                                               \
        .name = #op_name,                                                                                    \
        .formula = op_formula,                                                                               \
        .form = GB_FORM_ELEMENTWISE,                                                                         \
        .arguments = op_arguments,                                                                           \
        .takes = {GB_TAKES_BOOLEANS, GB_TAKES_BOOLEANS},                                                     \
        .infer = gb_infer_boolean,                                                                           \
        .blocks = &op_name##_kernels,                                                                        \
        .example = op_name##_example,                                                                        \
    }
BOOLEAN(not, "not a", 1);
BOOLEAN(and, "a and b", 2);
BOOLEAN(or, "a or b", 2);

gb_node gb_not(gb_node a)
{
    return gb_apply(NULL, &gb_not_op, 1, &a, NULL, 0);
}

gb_node gb_and(gb_node a, gb_node b)
{
    return gb_apply(NULL, &gb_and_op, 2, (const gb_node[]){a, b}, NULL, 0);
}

gb_node gb_or(gb_node a, gb_node b)
{
    return gb_apply(NULL, &gb_or_op, 2, (const gb_node[]){a, b}, NULL, 0);
}

/* ---- to reals ---- */

/* The value is piecewise constant, so its derivative is 0. */
static void no_adjoint(const gb_vjp *v)
{
    (void)v;
}

static gb_node to_real_example(gb_example *e)
{
    return gb_to_real(e->truth(e, e->shape(e, 0, 3, 0, 3)));
}

static gb_node int_to_real_example(gb_example *e)
{
    return gb_to_real(e->ints(e, e->shape(e, 0, 3, 0, 3), -5, 5));
}

const gb_op gb_bool_to_real_op = {.size = sizeof(gb_op),
                                  .name = "bool_to_real",
                                  .formula = "1 where a is true, else 0",
                                  .form = GB_FORM_ELEMENTWISE,
                                  .arguments = 1,
                                  .takes = {GB_TAKES_BOOLEANS},
                                  .vjp = no_adjoint,
                                  .blocks = &bool_to_real_kernels,
                                  .example = to_real_example};

const gb_op gb_int_to_real_op = {.size = sizeof(gb_op),
                                 .name = "int_to_real",
                                 .formula = "the integer as a real",
                                 .form = GB_FORM_ELEMENTWISE,
                                 .arguments = 1,
                                 .takes = {GB_TAKES_INTEGERS},
                                 .vjp = no_adjoint,
                                 .blocks = &int_to_real_kernels,
                                 .example = int_to_real_example};

gb_node gb_to_real(gb_node a)
{
    const gb_type type = gb_node_type(a);
    if (gb_node_ok(a) && type == GB_TYPE_REAL)
        return a;
    return gb_apply(NULL, type == GB_TYPE_BOOL ? &gb_bool_to_real_op : &gb_int_to_real_op, 1, &a, NULL, 0);
}

/* ---- to integers ---- */

static bool to_int_infer(gb_infer *infer)
{
    infer->type = GB_TYPE_INT;
    return gb_infer_broadcast(infer);
}

static gb_node real_to_int_example(gb_example *e)
{
    return gb_to_real(gb_to_int(e->real(e, e->shape(e, 0, 3, 0, 3), 0.6, 1.4)));
}

const gb_op gb_real_to_int_op = {.size = sizeof(gb_op),
                                 .name = "real_to_int",
                                 .formula = "the nearest integer, halves to even",
                                 .form = GB_FORM_ELEMENTWISE,
                                 .arguments = 1,
                                 .infer = to_int_infer,
                                 .blocks = &real_to_int_kernels,
                                 .example = real_to_int_example};

gb_node gb_to_int(gb_node a)
{
    if (gb_node_ok(a) && gb_node_type(a) == GB_TYPE_INT)
        return a;
    const gb_node x = gb_to_real(a);
    return gb_apply(NULL, &gb_real_to_int_op, 1, &x, NULL, 0);
}
