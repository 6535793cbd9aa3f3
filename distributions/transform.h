/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transforms: smooth maps with an inverse, y = T(x), and the logarithm of |det dy/dx|.
 *
 * A transform works on events of its own rank (numbers, vectors, matrices); more axes in front repeat it. Its
 * parameters are nodes and broadcast. transforms.h has the ones there are; docs/add-a-transform.md
 * shows one of your own, which gb_check_transform judges. */
#ifndef GREBE_DISTRIBUTIONS_TRANSFORM_H
#define GREBE_DISTRIBUTIONS_TRANSFORM_H

#include "../plugins/plugin.h"

GB_BEGIN_DECLS

typedef struct gb_transform_type gb_transform_type;
struct gb_domain;

/* By value; it lives as long as its nodes. type NULL: inert, as after an error. */
typedef struct gb_transform {
    const gb_transform_type *type;
    gb_tape *tape;
    gb_node param[2];                 /* those that the type has; inert else */
    const struct gb_transform *inner; /* of a composition, kept by the tape: first inner, then outer */
    const struct gb_transform *outer;
    const int64_t *order; /* of a permutation, or the sizes of a shape; kept by the tape */
    int64_t count;        /* of them */
} gb_transform;

typedef gb_shape gb_transform_shape_of(const gb_transform *t, gb_shape shape);

struct gb_transform_type {
    size_t size;                       /* REQUIRED: sizeof(gb_transform_type) */
    const char *name;                  /* REQUIRED: "exp" */
    const char *formula;               /* REQUIRED: y in one line, for a reader */
    const struct gb_domain *from, *to; /* REQUIRED: what x and y are; their event ranks are the transform's */
    gb_node (*forward)(const gb_transform *t, gb_node x); /* REQUIRED: y */
    gb_node (*inverse)(const gb_transform *t, gb_node y); /* REQUIRED: x; anything for a y that is none */
    /* REQUIRED: log |det dy/dx| for each event, of x and its y (which need not be computed again). For maps onto
     * a surface (a simplex) dy are the elements that are free to move. */
    gb_node (*log_jacobian)(const gb_transform *t, gb_node x, gb_node y);
    /* OPTIONAL: the shape of y for that of x, and of x for that of y; rank −1 where there is none. NULL: the
     * same. */
    gb_transform_shape_of *shape, *inverse_shape;
    /* OPTIONAL, for maps of numbers: a boolean, true where y grows with x. NULL, or inert: it always does. */
    gb_node (*increases)(const gb_transform *t);
    /* OPTIONAL. Domains of one transform, where they are not its type's (a composition's). NULL: the type's. */
    const struct gb_domain *(*from_of)(const gb_transform *t);
    const struct gb_domain *(*to_of)(const gb_transform *t);
};

GB_API bool gb_transform_ok(gb_transform t); /* usable: not inert */

GB_API gb_node gb_transform_forward(gb_transform t, gb_node x);
GB_API gb_node gb_transform_inverse(gb_transform t, gb_node y);
GB_API gb_node gb_transform_log_jacobian(gb_transform t, gb_node x, gb_node y);

/* Shapes of y and of x; rank −1 where the transform does not take such a one. */
GB_API gb_shape gb_transform_shape(gb_transform t, gb_shape x);
GB_API gb_shape gb_transform_inverse_shape(gb_transform t, gb_shape y);

GB_API const struct gb_domain *gb_transform_from(gb_transform t);
GB_API const struct gb_domain *gb_transform_to(gb_transform t);

/* A boolean, true where y grows with x; inert, without error, where it always does. */
GB_API gb_node gb_transform_increases(gb_transform t);

GB_API gb_axes gb_transform_axes(gb_transform t); /* the hidden axes that its parameters carry */

/* The same map with the same parameters (the same nodes). */
GB_API bool gb_transform_same(gb_transform a, gb_transform b);

GB_END_DECLS
#endif
