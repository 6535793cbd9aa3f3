/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every transform: forward, inverse, and the logarithm of its Jacobian. */
#ifndef GREBE_TESTS_PROGRAMS_TRANSFORMS_H
#define GREBE_TESTS_PROGRAMS_TRANSFORMS_H

#include "probe.h"

static void look_at_transform(probe *p, gb_transform by, gb_shape shape, size_t count,
                              const gb_node *parameter)
{
    gb_node of[3] = {variable(p, "x", shape, -2, 2)};
    for (size_t i = 0; i < count; i++)
        of[1 + i] = parameter[i];
    const gb_node y = gb_transform_forward(by, of[0]), back = gb_transform_inverse(by, y);
    keep_two_gradients(p, y, 1 + count, of);
    keep_two_gradients(p, gb_transform_log_jacobian(by, of[0], y), 1 + count, of);
    keep(p, back);
    look_at_kept(p, 1);
}

#define TRANSFORM(name, shape)                                                                               \
    static void transform_##name(probe *p)                                                                   \
    {                                                                                                        \
        look_at_transform(p, gb_##name##_transform(p->t), (shape), 0, NULL);                                 \
    }
TRANSFORM(exponential, gb_shape(9))
TRANSFORM(softplus, gb_shape(9))
TRANSFORM(sigmoid, gb_shape(9))
TRANSFORM(tanh, gb_shape(9))
TRANSFORM(ordered, gb_shape(2, 5))
TRANSFORM(stick_breaking, gb_shape(2, 5))
TRANSFORM(centred_softmax, gb_shape(2, 5))
TRANSFORM(covariance_cholesky, gb_shape(2, 6))
TRANSFORM(correlation_cholesky, gb_shape(2, 6))

static void transform_affine(probe *p)
{
    gb_node v[2];
    v[0] = variable(p, "loc", gb_shape(9), -1, 1);
    v[1] = variable(p, "scale", gb_shape(9), 0.5, 2);
    look_at_transform(p, gb_affine_transform(v[0], v[1]), gb_shape(9), 2, v);
}

static void transform_interval(probe *p)
{
    gb_node v[2];
    v[0] = variable(p, "low", gb_shape(9), -2, -1);
    v[1] = variable(p, "high", gb_shape(9), 1, 2);
    look_at_transform(p, gb_interval_transform(v[0], v[1]), gb_shape(9), 2, v);
}

static void transform_permutation(probe *p)
{
    static const int64_t ORDER[] = {3, 1, 0, 2};
    look_at_transform(p, gb_permutation_transform(p->t, 4, ORDER), gb_shape(2, 4), 0, NULL);
}

static void transform_reshaped(probe *p)
{
    look_at_transform(p, gb_reshaped_transform(p->t, gb_shape(2, 3)), gb_shape(6), 0, NULL);
}

static void transform_composed_and_inverted(probe *p)
{
    const gb_node loc = variable(p, "loc", gb_shape(9), 0.5, 1), scale = gb_num(p->t, 0.25);
    const gb_transform inner = gb_sigmoid_transform(p->t), outer = gb_affine_transform(loc, scale);
    const gb_transform both = gb_composed_transform(outer, inner);
    look_at_transform(p, both, gb_shape(9), 1, &loc);
    const gb_transform inverse = gb_inverted_transform(gb_exponential_transform(p->t));
    const gb_node y = variable(p, "y", gb_shape(9), 0.25, 4), x = gb_transform_forward(inverse, y);
    keep_two_gradients(p, x, 1, &y);
    keep(p, gb_transform_log_jacobian(inverse, y, x));
    look_at_kept(p, 1);
}

/* clang-format off */
#define TRANSFORM_PROGRAMS                                                                                   \
    PROGRAM("transform/affine", transform_affine),                                                           \
    PROGRAM("transform/exponential", transform_exponential),                                                 \
    PROGRAM("transform/softplus", transform_softplus),                                                       \
    PROGRAM("transform/sigmoid", transform_sigmoid),                                                         \
    PROGRAM("transform/tanh", transform_tanh),                                                               \
    PROGRAM("transform/interval", transform_interval),                                                       \
    PROGRAM("transform/ordered", transform_ordered),                                                         \
    PROGRAM("transform/stick_breaking", transform_stick_breaking),                                           \
    PROGRAM("transform/centred_softmax", transform_centred_softmax),                                         \
    PROGRAM("transform/covariance_cholesky", transform_covariance_cholesky),                                 \
    PROGRAM("transform/correlation_cholesky", transform_correlation_cholesky),                               \
    PROGRAM("transform/permutation", transform_permutation),                                                 \
    PROGRAM("transform/reshaped", transform_reshaped),                                                       \
    PROGRAM("transform/composed-and-inverted", transform_composed_and_inverted)
/* clang-format on */

#endif
