/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descent along gradients by Adam (Kingma and Ba 2015), for what estimators learn and for the parameters of a
 * problem. gb_adam multiplies in another order, so its numbers would differ in their last digits. */
#ifndef GREBE_COMPARE_REPLICATES_DESCEND_IMPL_H
#define GREBE_COMPARE_REPLICATES_DESCEND_IMPL_H

#include "core/program.h"
#include "plugins/domain.h"

typedef struct gb_descent {
    const char *name; /* prefix of its own variables' names */
    gb_node rate, step;
    gb_updates updates; /* of all variables that descend, and of the step counter */
} gb_descent;

gb_descent gb_descent_of(gb_tape *tape, const char *name, double rate);

/* Adds an update that moves the variable down the slope. With a domain of numbers the step is made in the
 * coordinate of its transform (the logarithm of what is positive), so that it stays in the domain. NULL:
 * there is none. */
void gb_descend(gb_descent *descent, gb_node variable, gb_node slope, const gb_domain *domain);

/* Resets the moments and the step counter, and sets the rate of the next steps. */
gb_status gb_descent_restart(const gb_descent *descent, double rate);

#endif
