/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small functions that several tests give to the library, and a small matrix. */
#ifndef GREBE_TESTS_PARTS_H
#define GREBE_TESTS_PARTS_H

#include "distributions/list.h"
#include "ops/reduce.h"

/* The value of an operation from outside: x² y + z. */
static inline double blend_lane(double x, double y, double z)
{
    return x * x * y + z;
}

/* For an estimator that is tried on normals only, so that a fault is found soon. */
static inline const char *lacks_normal(const gb_dist *q, const void *options)
{
    (void)options;
    return q->type == &gb_normal_type ? NULL : "normal distribution";
}

static inline gb_node mean_over_rows(gb_node x)
{
    return gb_mean_over(x, GB_ROWS);
}

static inline gb_node matrix_of(gb_tape *t)
{
    return gb_variable(t, "matrix", gb_shape(2, 3), GB_VALUES(1, 2, 3, 4, 5, 6));
}

#endif
