/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transforms: smooth maps y = T(x) with an inverse and log |det dy/dx|.
 *
 * A transform maps events of its own rank (numbers, vectors, matrices), each by itself; axes before those of
 * the event repeat it. Its parameters are nodes and broadcast. transforms.h lists the transforms of grebe.
 * docs/add-a-transform.md shows one of your own, and gb_check_transform checks it. */
#ifndef GREBE_DISTRIBUTIONS_TRANSFORM_H
#define GREBE_DISTRIBUTIONS_TRANSFORM_H

#include "../plugins/plugin.h"

GB_BEGIN_DECLS

typedef struct gb_transform_type gb_transform_type;
struct gb_domain;

/* Passed by value. It lives as long as its nodes. If `type` is NULL, it is inert, as after an error. */
typedef struct gb_transform {
    const gb_transform_type *type;
    gb_tape *tape;
    gb_node param[2]; /* those that the type has; the others are inert */
    /* Of a composition: y = outer(inner(x)). Kept by the tape. */
    const struct gb_transform *inner;
    const struct gb_transform *outer;
    const int64_t *order; /* of a permutation, or the sizes of a shape; kept by the tape */
    int64_t count;        /* how many */
} gb_transform;

/* The shape of an event behind a transform, or before it. */
typedef gb_shape gb_transform_shape_of(const gb_transform *t, gb_shape shape);

/* The type of a transform. */
struct gb_transform_type {
    size_t size;         /* REQUIRED: sizeof(gb_transform_type) */
    const char *name;    /* REQUIRED: "exp" */
    const char *formula; /* REQUIRED: y in one line, for a reader */
    /* REQUIRED: the domains of x and y. Their event ranks are the transform's. */
    const struct gb_domain *from, *to;
    gb_node (*forward)(const gb_transform *t, gb_node x); /* REQUIRED: y */
    gb_node (*inverse)(const gb_transform *t, gb_node y); /* REQUIRED: x; any value for a y outside `to` */
    /* REQUIRED: log |det dy/dx|, one number for each event. y is T(x), so it need not be computed again. For
     * a map onto a surface (a simplex), dy stands for the elements that can move freely. */
    gb_node (*log_jacobian)(const gb_transform *t, gb_node x, gb_node y);
    /* OPTIONAL: the shape of y from x's, and of x from y's; rank −1 if there is none. NULL: the same. */
    gb_transform_shape_of *shape, *inverse_shape;
    /* OPTIONAL, for maps of numbers: a boolean, true where y increases with x. NULL, or an inert node: it
     * always does. */
    gb_node (*increases)(const gb_transform *t);
    /* OPTIONAL: the domains of one transform, where its type's are not the right ones (a composition). NULL:
     * the type's. */
    const struct gb_domain *(*from_of)(const gb_transform *t);
    const struct gb_domain *(*to_of)(const gb_transform *t);
    GB_RESERVE(8);
};

GB_API bool gb_transform_ok(gb_transform t); /* usable: not inert */

/* y of x, x of y, and log |det dy/dx|, for which a transform may use x or y. Inert on error. */
GB_API gb_node gb_transform_forward(gb_transform t, gb_node x);
GB_API gb_node gb_transform_inverse(gb_transform t, gb_node y);
GB_API gb_node gb_transform_log_jacobian(gb_transform t, gb_node x, gb_node y);

/* Shapes of y and of x; rank −1 if the transform does not take such a shape. */
GB_API gb_shape gb_transform_shape(gb_transform t, gb_shape x);
GB_API gb_shape gb_transform_inverse_shape(gb_transform t, gb_shape y);

/* The domains of x and of y. */
GB_API const struct gb_domain *gb_transform_from(gb_transform t);
GB_API const struct gb_domain *gb_transform_to(gb_transform t);

/* A boolean, true where y increases with x. Inert, without an error, if it always does. */
GB_API gb_node gb_transform_increases(gb_transform t);

GB_API gb_axes gb_transform_axes(gb_transform t); /* the hidden axes of its parameters */

/* Whether both are the same map with the same parameters: the same nodes, or the same numbers. */
GB_API bool gb_transform_same(gb_transform a, gb_transform b);

GB_END_DECLS
#endif
