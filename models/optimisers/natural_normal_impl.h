/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The natural gradient step of a normal. */
#ifndef GREBE_MODELS_OPTIMISERS_NATURAL_NORMAL_IMPL_H
#define GREBE_MODELS_OPTIMISERS_NATURAL_NORMAL_IMPL_H

#include "models/optimiser.h"

/* A normal, recognised by the names of its variables. */
typedef struct gb_normal_parts {
    gb_node location, scale; /* `scale` before its map */
    gb_node lower;           /* inert: independent elements */
    bool is_log;             /* true: the scale is e^x; false: softplus(x) */
    bool is_low_rank;        /* true: it also has a factor */
    double trust;            /* the largest KL of a step; INFINITY: any */
} gb_normal_parts;

/* Finds the normal that the variable belongs to. Returns false if there is none, or if it has variables of
 * unknown names. */
bool gb_normal_parts_of(const gb_update_step *to, gb_normal_parts *parts);

/* Returns the next value of the variable. The normal must not be of low rank. */
gb_node gb_normal_step(const gb_update_step *to, const gb_normal_parts *parts);

#endif
