/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DISTRIBUTIONS_DOMAINS_PARAMETERS_IMPL_H
#define GREBE_DISTRIBUTIONS_DOMAINS_PARAMETERS_IMPL_H

#include "distributions/domain.h"

/* The parameters of a distribution or a transform, and what they must be. */
typedef struct gb_parameters {
    gb_tape *tape;
    const char *who; /* in errors */
    const gb_param *param;
    size_t count;
    const gb_relation *relation; /* NULL: none */
    gb_node *node;               /* what is computed is replaced by what holds it */
} gb_parameters;

/* False, with an error, where a constant is not what it must be. What is computed is held in every run. */
bool gb_parameters_fit(const gb_parameters *p);

#endif
