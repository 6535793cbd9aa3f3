/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws with parameters, element by element. */
#include "ops/draws.h"

#include "ops/draws/draws_impl.h"
#include "ops/draws/laws_impl.h"

/* clang-format off */
#define EACH_LAW(do_) \
    do_(gamma,     1, "gamma with shape alpha and scale 1") \
    do_(log_gamma, 1, "the logarithm of a gamma draw") \
    do_(scaled_log_gamma, 1, "the logarithm of a gamma draw, minus log alpha for alpha > 4") \
    do_(poisson,   1, "Poisson with mean rate") \
    do_(binomial,  2, "successes among n trials of probability p") \
    do_(von_mises, 1, "von Mises around 0 with concentration kappa")
/* clang-format on */

#define LAW_OP(law, parameters, says)                                                                        \
    static const gb_block_kernels law##_kernels = GB_KERNELS(law##_noise);                                   \
    const gb_op gb_##law##_noise_op = {.size = sizeof(gb_op),                                                \
                                       .name = #law "_noise",                                                \
                                       .attribute_bytes = sizeof(gb_noise_attributes),                       \
                                       .formula = says,                                                      \
                                       .form = GB_FORM_NOISE,                                                \
                                       .arguments = parameters,                                              \
                                       .infer = gb_noise_infer,                                              \
                                       .vjp = gb_noise_vjp,                                                  \
                                       .blocks = &law##_kernels};
EACH_LAW(LAW_OP)

gb_node gb_gamma_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node alpha)
{
    return gb_noise_draw(&gb_gamma_noise_op, noise, shape, axes, 1, &alpha);
}

gb_node gb_log_gamma_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node alpha)
{
    return gb_noise_draw(&gb_log_gamma_noise_op, noise, shape, axes, 1, &alpha);
}

gb_node gb_scaled_log_gamma_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node alpha)
{
    return gb_noise_draw(&gb_scaled_log_gamma_noise_op, noise, shape, axes, 1, &alpha);
}

gb_node gb_poisson_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node rate)
{
    return gb_noise_draw(&gb_poisson_noise_op, noise, shape, axes, 1, &rate);
}

gb_node gb_binomial_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node n, gb_node p)
{
    return gb_noise_draw(&gb_binomial_noise_op, noise, shape, axes, 2, (const gb_node[]){n, p});
}

gb_node gb_von_mises_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node kappa)
{
    return gb_noise_draw(&gb_von_mises_noise_op, noise, shape, axes, 1, &kappa);
}
