/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors: the space that some span, and directions along which no product with one of them falls. */
#ifndef GREBE_READY_COEFFICIENTS_SPAN_IMPL_H
#define GREBE_READY_COEFFICIENTS_SPAN_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/memory.h"

typedef struct gb_span {
    int64_t size, rank;
    double *basis; /* [size][size]: orthonormal rows */
} gb_span;

/* Below this share of its length a vector lies in a space. */
#define GB_SPAN_NOTHING 1e-9

double gb_span_dot(const double *a, const double *b, int64_t size);

/* Makes the length 1. Returns false for 0. */
bool gb_span_scale(double *v, int64_t size);

/* Takes out of v what lies in the space. Returns the share of its length that is left. */
double gb_span_project(const gb_span *span, double *v);

/* Adds the direction of v, which is changed, if it is a new one. */
void gb_span_add(gb_span *span, double *v);

/* Returns the axis of which the space has least; `room` is for one vector. */
int64_t gb_span_lacks(const gb_span *span, double *room);

typedef enum gb_wedge { GB_WEDGE_IS_POINT, GB_WEDGE_HAS_DIRECTION, GB_WEDGE_NO_MEMORY } gb_wedge;

/* Finds b with a · b ≥ 0 for all rows a, which have the length 1 and are at least one, and > 0 for some. If
 * that cannot be decided in the digits of doubles, the answer is that there is none. */
gb_wedge gb_wedge_look(const gb_memory *memory, int64_t rows, int64_t size, const double *row, double *b);

#endif
