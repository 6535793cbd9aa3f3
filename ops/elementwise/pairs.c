/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/elementwise/pairs_impl.h"

#include "ops/list_table.h"

#define GB_DECLARE_OP(name) extern const gb_op gb_##name##_op;
GB_OP_LIST(GB_DECLARE_OP)

#define THREE_ARGUMENTS 3
#define TWO_ARGUMENTS 2

#define GB_PAIR(op_name, first, second, place, argument_count, value)                                        \
    static const gb_block_kernels op_name##_kernels = GB_KERNELS(op_name);                                   \
    static const gb_op op_name##_op = {.size = sizeof(gb_op),                                                \
                                       .name = #op_name,                                                     \
                                       .formula = #value,                                                    \
                                       .form = GB_FORM_ELEMENTWISE,                                          \
                                       .arguments = argument_count,                                          \
                                       .blocks = &op_name##_kernels};
#include "ops/elementwise/pairs_table.h"
#undef GB_PAIR

#define GB_PAIR(name, first, second, place, arguments, value)                                                \
    {&gb_##first##_op, &gb_##second##_op, place, &name##_op},
const struct gb_pair gb_pairs[] = {
#include "ops/elementwise/pairs_table.h"
    {0}};
