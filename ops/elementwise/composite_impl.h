/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A composite: recorded as other operations, and in the list so that it can be found and tested. */
#ifndef GREBE_OPS_ELEMENTWISE_COMPOSITE_IMPL_H
#define GREBE_OPS_ELEMENTWISE_COMPOSITE_IMPL_H

#include "core/op.h"

#define GB_COMPOSITE(op_name, op_formula, op_example)                                                        \
    const gb_op gb_##op_name##_op = {.size = sizeof(gb_op),                                                  \
                                     .name = #op_name,                                                       \
                                     .formula = op_formula,                                                  \
                                     .form = GB_FORM_COMPOSITE,                                              \
                                     .example = op_example}

#endif
