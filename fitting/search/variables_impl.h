/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variables that a node depends on, as one vector. */
#ifndef GREBE_FITTING_SEARCH_VARIABLES_IMPL_H
#define GREBE_FITTING_SEARCH_VARIABLES_IMPL_H

#include "core/ground/memory_impl.h"
#include "core/tape.h"

typedef struct gb_variables {
    gb_node *node;
    size_t count, numbers; /* of variables; of their elements together */
} gb_variables;

/* Finds the variables of a root; the arena has the list. Returns false on error. */
bool gb_variables_find(gb_variables *v, gb_node root, gb_arena *arena);

void gb_variables_read(const gb_variables *v, double *x);

/* Returns false on error. */
bool gb_variables_set(const gb_variables *v, const double *x);

#endif
