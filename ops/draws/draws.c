/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws without parameters, and functions of one such draw. */
#include "ops/draws.h"

#include <string.h>

#include "ops/control.h"
#include "ops/draws/draws_impl.h"
#include "ops/elementwise.h"
#include "ops/elementwise/composite_impl.h"

/* ---- the noise operations ---- */

bool gb_noise_infer(gb_infer *infer)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    const gb_noise_attributes *draw = infer->attributes;
    if (!gb_infer_broadcast(infer))
        return false;
    const gb_shape arguments = infer->shape;
    infer->axes |= draw->axes;
    infer->shape = draw->shape;
    if (draw->shape.rank < 0 || infer->count == 0)
        return true;
    if (!gb_shape_broadcast(draw->shape, arguments, &infer->shape))
        return gb_infer_fail(infer, GB_ESHAPE, "draws of %s and parameters of %s do not broadcast",
                             gb_shape_text(draw->shape, a), gb_shape_text(arguments, b));
    return true;
}

void gb_noise_vjp(const gb_vjp *v)
{
    (void)v;
}

gb_node gb_noise_draw(const gb_op *op, gb_noise noise, gb_shape shape, gb_axes axes, size_t count,
                      const gb_node *arg)
{
    gb_noise_attributes attributes;
    gb_node stopped[GB_MAX_BLOCK_ARGS];
    memset(&attributes, 0, sizeof attributes);
    if (!gb_noise_key(noise, &attributes.key))
        return (gb_node){0};
    attributes.axes = count == 0 ? axes & ~gb_noise_shared(noise) : axes;
    gb_shape_copy(&attributes.shape, shape);
    for (size_t i = 0; i < count; i++)
        stopped[i] = gb_stop(arg[i]);
    return gb_apply(noise.tape, op, count, stopped, &attributes, sizeof attributes);
}

static const gb_block_kernels uniform_kernels = GB_KERNELS(uniform), normal_kernels = GB_KERNELS(normal);

const gb_op gb_uniform_noise_op = {.size = sizeof(gb_op),
                                   .name = "uniform_noise",
                                   .attribute_bytes = sizeof(gb_noise_attributes),
                                   .formula = "uniform on (0, 1)",
                                   .form = GB_FORM_NOISE,
                                   .infer = gb_noise_infer,
                                   .blocks = &uniform_kernels};

const gb_op gb_normal_noise_op = {.size = sizeof(gb_op),
                                  .name = "normal_noise",
                                  .attribute_bytes = sizeof(gb_noise_attributes),
                                  .formula = "normal with mean 0 and variance 1",
                                  .form = GB_FORM_NOISE,
                                  .infer = gb_noise_infer,
                                  .blocks = &normal_kernels};

gb_node gb_uniform_noise(gb_noise noise, gb_shape shape, gb_axes axes)
{
    return gb_noise_draw(&gb_uniform_noise_op, noise, shape, axes, 0, NULL);
}

gb_node gb_normal_noise(gb_noise noise, gb_shape shape, gb_axes axes)
{
    return gb_noise_draw(&gb_normal_noise_op, noise, shape, axes, 0, NULL);
}

/* ---- functions of a uniform draw ---- */

gb_node gb_bernoulli_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node p)
{
    return gb_to_real(gb_less(gb_uniform_noise(noise, shape, axes), gb_stop(p)));
}

gb_node gb_rademacher_noise(gb_noise noise, gb_shape shape, gb_axes axes)
{
    const gb_node half = gb_bernoulli_noise(noise, shape, axes, gb_num(noise.tape, 0.5));
    return gb_shift(gb_scale(half, 2), -1);
}

gb_node gb_exponential_noise(gb_noise noise, gb_shape shape, gb_axes axes)
{
    return gb_neg(gb_log(gb_uniform_noise(noise, shape, axes)));
}

gb_node gb_gumbel_noise(gb_noise noise, gb_shape shape, gb_axes axes)
{
    return gb_neg(gb_log(gb_exponential_noise(noise, shape, axes)));
}

GB_COMPOSITE(bernoulli_noise, "1 with the probability p, else 0", NULL);
GB_COMPOSITE(rademacher_noise, "1 or -1, each with the probability 1/2", NULL);
GB_COMPOSITE(exponential_noise, "-log u for a uniform u", NULL);
GB_COMPOSITE(gumbel_noise, "-log(-log u) for a uniform u", NULL);
