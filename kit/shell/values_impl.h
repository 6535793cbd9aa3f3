/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads values of nodes into memory that the tape keeps. */
#ifndef GREBE_KIT_SHELL_VALUES_IMPL_H
#define GREBE_KIT_SHELL_VALUES_IMPL_H

#include "core/tape.h"

/* Returns the value of a node that a run kept, and stores how many numbers it has in `count`; NULL on
 * error. */
double *gb_kit_read(gb_tape *tape, gb_node node, size_t *count);
/* The same, by a program of its own; `count` may be NULL. */
double *gb_kit_ask(gb_tape *tape, gb_node node, size_t *count);
/* The same for one number; NaN on error. */
double gb_kit_number(gb_tape *tape, gb_node node);

/* For qsort: ascending numbers. */
int gb_kit_ascending(const void *a, const void *b);

#endif
