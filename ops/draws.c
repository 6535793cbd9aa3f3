/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/draws.h"

#include <string.h>

#include "core/noise_impl.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/list.h"

/* The key comes first: the engine reads it from there. */
typedef struct noise_attributes {
    uint64_t key;
    gb_axes axes;
    gb_shape shape;
} noise_attributes;

static bool noise_infer(gb_infer *infer)
{
    const noise_attributes *noise = infer->attributes;
    infer->shape = noise->shape;
    infer->axes = noise->axes;
    return true;
}

static const gb_block_kernels uniform_kernels = GB_KERNELS(uniform), normal_kernels = GB_KERNELS(normal);

const gb_op gb_uniform_noise_op = {.size = sizeof(gb_op),
                                   .name = "uniform_noise",
                                   .attribute_bytes = sizeof(noise_attributes),
                                   .formula = "uniform on (0, 1)",
                                   .form = GB_FORM_NOISE,
                                   .infer = noise_infer,
                                   .blocks = &uniform_kernels};

const gb_op gb_normal_noise_op = {.size = sizeof(gb_op),
                                  .name = "normal_noise",
                                  .attribute_bytes = sizeof(noise_attributes),
                                  .formula = "normal with mean 0 and variance 1",
                                  .form = GB_FORM_NOISE,
                                  .infer = noise_infer,
                                  .blocks = &normal_kernels};

static gb_node draw(const gb_op *op, gb_noise noise, gb_shape shape, gb_axes axes)
{
    noise_attributes attributes;
    memset(&attributes, 0, sizeof attributes);
    if (!gb_noise_key(noise, &attributes.key))
        return (gb_node){0};
    attributes.axes = axes;
    attributes.shape = shape;
    return gb_apply(noise.tape, op, 0, NULL, &attributes, sizeof attributes);
}

gb_node gb_uniform_noise(gb_noise noise, gb_shape shape, gb_axes axes)
{
    return draw(&gb_uniform_noise_op, noise, shape, axes);
}

gb_node gb_normal_noise(gb_noise noise, gb_shape shape, gb_axes axes)
{
    return draw(&gb_normal_noise_op, noise, shape, axes);
}

gb_node gb_bernoulli_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node p)
{
    return gb_to_real(gb_less(gb_uniform_noise(noise, shape, axes), gb_stop(p)));
}

const gb_op gb_bernoulli_noise_op = {.size = sizeof(gb_op),
                                     .name = "bernoulli_noise",
                                     .formula = "1 with the probability p, else 0",
                                     .form = GB_FORM_COMPOSITE};
