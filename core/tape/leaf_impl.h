/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves: constants, variables, inputs, and the sizes and indices of hidden axes. */
#ifndef GREBE_CORE_TAPE_LEAF_IMPL_H
#define GREBE_CORE_TAPE_LEAF_IMPL_H

#include "core/tape/op_impl.h"

/* The leaves; gb_axis_size_op is public. */
extern const gb_op gb_constant_op, gb_variable_op, gb_input_op, gb_axis_index_op, gb_given_op;

/* The attributes of a constant. */
typedef struct gb_constant_data {
    double value;     /* of a scalar */
    const void *data; /* of an array, in the tape's own types; NULL for a scalar */
} gb_constant_data;

/* The attributes of a variable or an input. */
typedef struct gb_slot_index {
    uint32_t index;
} gb_slot_index;

/* Gives a variable a value, where it had none. */
void gb_variable_arrives(gb_tape *tape, gb_variable_slot *slot);

/* Returns whether a variable has a value. If not, records the error "WHO: …". */
bool gb_variable_has_value(gb_tape *tape, const gb_variable_slot *slot, const char *who);

/* Records a leaf. Its shape is given, so it does not go through gb_apply. */
gb_node gb_leaf(gb_tape *tape, const gb_op *op, gb_shape shape, gb_type type, gb_axes axes, const char *name,
                const void *attributes, size_t attribute_bytes);

/* Checks that return false and record the error "WHO NAME: …" on failure. */
bool gb_leaf_shape_fits(gb_tape *tape, const char *who, const char *name, gb_shape shape);
bool gb_leaf_values_fit(gb_tape *tape, const char *who, const char *name, gb_shape shape, gb_values values);
bool gb_leaf_name_given(gb_tape *tape, const char *who, const char *name);

#endif
