/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Going down along gradients by Adam (Kingma and Ba 2015): what estimators learn, and the parameters of a
 * problem. gb_adam multiplies in another order: with it the numbers would differ in their last digits. */
#ifndef GREBE_COMPARE_REPLICATES_DESCEND_IMPL_H
#define GREBE_COMPARE_REPLICATES_DESCEND_IMPL_H

#include "core/program.h"

typedef struct gb_descent {
    const char *name; /* its own variables begin with it */
    gb_node rate, step;
    gb_updates updates; /* of all variables that go down, and the step */
} gb_descent;

gb_descent gb_descent_of(gb_tape *tape, const char *name, double rate);

/* A step of the variable down the slope. */
void gb_descend(gb_descent *descent, gb_node variable, gb_node slope);

/* Forgets what came before, and goes on with steps of this rate. */
gb_status gb_descent_restart(const gb_descent *descent, double rate);

#endif
