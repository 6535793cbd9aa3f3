/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs: two operations as one instruction, if nothing else reads the result of the first. Then that result
 * is not stored and loaded again. The bits are those of the two operations.
 *
 *   GB_PAIR(name, first, second, place, arguments, value)
 *
 * `place` is the index of the first among the arguments of the second; if the second commutes, either one
 * will do. The value is an expression in the arguments of the first, then the other argument of the
 * second. */

/* clang-format off */
GB_PAIR(mul_add,     mul,    add,    0, THREE_ARGUMENTS, x * y + z)
GB_PAIR(mul_sub,     mul,    sub,    0, THREE_ARGUMENTS, x * y - z)
GB_PAIR(sub_of_mul,  mul,    sub,    1, THREE_ARGUMENTS, z - x * y)
GB_PAIR(mul_total,   mul,    total,  0, THREE_ARGUMENTS, x * y + z)
GB_PAIR(mul_mul,     mul,    mul,    0, THREE_ARGUMENTS, x * y * z)
GB_PAIR(div_add,     div,    add,    0, THREE_ARGUMENTS, x / y + z)
GB_PAIR(sub_of_div,  div,    sub,    1, THREE_ARGUMENTS, z - x / y)
GB_PAIR(add_mul,     add,    mul,    0, THREE_ARGUMENTS, (x + y) * z)
GB_PAIR(add_add,     add,    add,    0, THREE_ARGUMENTS, x + y + z)
GB_PAIR(sub_mul,     sub,    mul,    0, THREE_ARGUMENTS, (x - y) * z)
GB_PAIR(sub_div,     sub,    div,    0, THREE_ARGUMENTS, (x - y) / z)
GB_PAIR(chain_total, chain,  total,  0, THREE_ARGUMENTS, v_chain(x, y) + z)
GB_PAIR(chain_chain, chain,  chain,  0, THREE_ARGUMENTS, v_chain(v_chain(x, y), z))
GB_PAIR(mul_chain,   mul,    chain,  1, THREE_ARGUMENTS, v_chain(z, x * y))
GB_PAIR(square_mul,  square, mul,    0, TWO_ARGUMENTS,   x * x * y)
GB_PAIR(sqrt_add,    sqrt,   add,    0, TWO_ARGUMENTS,   v_sqrt(x) + y)
GB_PAIR(exp_mul,     exp,    mul,    0, TWO_ARGUMENTS,   v_exp(x) * y)
GB_PAIR(sub_square,  sub,    square, 0, TWO_ARGUMENTS,   (x - y) * (x - y))
GB_PAIR(add_square,  add,    square, 0, TWO_ARGUMENTS,   (x + y) * (x + y))
GB_PAIR(add_relu,    add,    relu,   0, TWO_ARGUMENTS,   v_select(x + y <= 0, v_splat(0), x + y))
/* clang-format on */
