/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The transforms that grebe has. A new one is a file and a line here. From the line come the declarations of
 * gb_NAME_transform(parameters) and gb_NAME_transform_type, look-up by name, listings, and tests. */
#ifndef GREBE_DISTRIBUTIONS_TRANSFORMS_H
#define GREBE_DISTRIBUTIONS_TRANSFORMS_H

#include "../plugins/plugin.h"
#include "domain.h"
#include "transform.h"

GB_BEGIN_DECLS

/* clang-format off */
/* name, parameters */
#define GB_TRANSFORM_LIST(do_)                                                                               \
    do_(affine, (gb_node loc, gb_node scale))   /* loc + scale x; scale may be negative, but not 0 */        \
    do_(exponential, (gb_tape *tape))           /* e^x, onto the positive numbers */                         \
    do_(softplus, (gb_tape *tape))              /* log(1 + e^x), onto the positive numbers */                \
    do_(sigmoid, (gb_tape *tape))               /* 1 / (1 + e^−x), onto (0, 1) */                            \
    do_(tanh, (gb_tape *tape))                  /* onto (−1, 1) */                                           \
    do_(interval, (gb_node low, gb_node high))  /* low + (high − low) sigmoid(x) */                          \
    do_(ordered, (gb_tape *tape))               /* x₁, x₁ + e^x₂, …: vectors that increase */                \
    do_(positive_ordered, (gb_tape *tape))      /* e^x₁, e^x₁ + e^x₂, …: positive, and they increase */      \
    do_(stick_breaking, (gb_tape *tape))        /* n − 1 numbers onto the simplex of n */                    \
    do_(centred_softmax, (gb_tape *tape))       /* softmax(x, 0), onto the simplex too */                    \
    do_(covariance_cholesky, (gb_tape *tape))   /* n (n + 1) / 2 numbers onto factors of covariances */      \
    do_(correlation_cholesky, (gb_tape *tape))  /* n (n − 1) / 2 numbers onto factors of correlations */     \
    do_(covariance, (gb_tape *tape))            /* n (n + 1) / 2 numbers onto covariances */                 \
    do_(correlation, (gb_tape *tape))           /* n (n − 1) / 2 numbers onto correlations */                \
    do_(permutation, (gb_tape *tape, int64_t count, const int64_t *order)) /* yᵢ = x[order[i]] */            \
    do_(reshaped, (gb_tape *tape, gb_shape to)) /* vectors, row by row in the shape `to` */                  \
    do_(composed, (gb_transform outer, gb_transform inner)) /* outer(inner(x)) */                            \
    do_(inverted, (gb_transform transform))     /* the inverse map */
/* clang-format on */

#define GB_DECLARE_TRANSFORM(name, parameters)                                                               \
    GB_API extern const gb_transform_type gb_##name##_transform_type;                                        \
    GB_API gb_transform gb_##name##_transform parameters;
GB_TRANSFORM_LIST(GB_DECLARE_TRANSFORM)
#undef GB_DECLARE_TRANSFORM

/* gb_transforms(&count), gb_transform_find(name), gb_transform_kind: plugins/plugin.h. Transforms have no
 * text form. */
GB_DECLARE_KIND_LIST(gb_transform, gb_transforms)

GB_END_DECLS
#endif
