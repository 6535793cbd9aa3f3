/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DISTRIBUTIONS_DOMAINS_PARAMETERS_IMPL_H
#define GREBE_DISTRIBUTIONS_DOMAINS_PARAMETERS_IMPL_H

#include "distributions/domain.h"

/* The parameters of a distribution or a transform, and their domains. */
typedef struct gb_parameters {
    gb_tape *tape;
    const char *who; /* the name in errors */
    const gb_option *param;
    size_t count;
    const gb_relation *relation; /* NULL: none */
    gb_node *node; /* computed parameters are replaced by nodes that hold them to their domains */
} gb_parameters;

/* Checks constants at once, and makes every run check computed parameters. Returns false, with an error, if a
 * constant is outside its domain. */
bool gb_parameters_fit(const gb_parameters *p);

#endif
