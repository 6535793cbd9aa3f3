/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances of a type over a grid of parameters that its domains allow. */
#ifndef GREBE_KIT_DISTRIBUTIONS_GRID_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_GRID_IMPL_H

#include "distributions/distribution.h"

/* An instance: its number, in one form of the parameters, in the usual grid or in that near the ends of their
 * domains. */
typedef struct gb_case_number {
    size_t number;
    bool alternative, extreme;
} gb_case_number;

typedef struct gb_dist_grid {
    const gb_dist_type *type;
    gb_memory memory;
    bool starved; /* memory ran out while parameters were tried */
} gb_dist_grid;

/* Returns how many instances there are from `first` on, at most `most`. */
size_t gb_dist_grid_count(gb_dist_grid *grid, gb_case_number first, size_t most);
/* Returns one of them: all parameters are constants, or variables whose names begin with `prefix`. Inert,
 * without an error of the tape, if there is none or its parameters do not fit each other. */
gb_dist gb_dist_grid_instance(gb_dist_grid *grid, gb_tape *tape, gb_case_number which, const char *prefix,
                              bool variables);
/* The same for a type; the tape has an error if memory runs out. */
gb_dist gb_dist_at_grid(gb_tape *tape, const gb_dist_type *type, gb_case_number which, const char *prefix,
                        bool variables);

/* Returns the value of a parameter that is a number, for case `turn`. */
double gb_dist_grid_number(const gb_domain *domain, size_t turn);
/* Returns a parameter with these values. */
gb_node gb_dist_grid_leaf(gb_tape *tape, gb_shape shape, const double *values, const char *name,
                          bool variable);

#endif
