/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The natural step of a normal. */
#ifndef GREBE_MODELS_OPTIMISERS_NATURAL_NORMAL_IMPL_H
#define GREBE_MODELS_OPTIMISERS_NATURAL_NORMAL_IMPL_H

#include "models/optimiser.h"

/* A normal, known by the names of its variables. */
typedef struct gb_normal_parts {
    gb_node location, scale; /* `scale` before its map */
    gb_node lower;           /* inert: independent elements */
    bool is_log;             /* the scale is e^x, else softplus(x) */
    bool is_low_rank;        /* there is a factor besides */
} gb_normal_parts;

/* Finds the normal that the step's variable is a part of. False: there is none, or it has parts of unknown
 * names. */
bool gb_normal_parts_of(const gb_update_step *to, gb_normal_parts *parts);

/* The variable's next value: of a normal that is not of low rank. */
gb_node gb_normal_step(const gb_update_step *to, const gb_normal_parts *parts);

#endif
