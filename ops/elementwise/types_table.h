/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the operations of types.c compute, of the bits of vectors x and y:
 *
 *   GB_OF_TYPES(name, arguments, value)
 *
 * Booleans and integers are vectors M, and are given and taken as V. */

/* clang-format off */
GB_OF_TYPES(not, 1,          (V)~(M)x)
GB_OF_TYPES(and, 2,          (V)((M)x & (M)y))
GB_OF_TYPES(or, 2,           (V)((M)x | (M)y))
GB_OF_TYPES(bool_to_real, 1, v_of_mask((M)x))
GB_OF_TYPES(int_to_real, 1,  v_from_int((M)x))
GB_OF_TYPES(real_to_int, 1,  (V)v_nearest_int(x))
/* clang-format on */
