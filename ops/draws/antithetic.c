/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Antithetic draws (Hammersley and Morton 1956). 1 − u is exact, since uniform draws are odd multiples of a
 * power of 2. */
#include <string.h>

#include "ops/draws.h"
#include "ops/draws/draws_impl.h"
#include "ops/elementwise/composite_impl.h"

static bool infer(gb_infer *infer)
{
    return gb_infer_first(infer) &&
           (infer->axes & GB_SAMPLES ||
            gb_infer_fail(infer, GB_EARGUMENT, "the argument does not vary over samples"));
}

static void mirror(const gb_kernel_call *call, size_t to, size_t from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (call->real == GB_FLOAT)
            ((float *)call->out)[to + i] = 1 - ((const float *)call->in[0])[from + i];
        else
            ((double *)call->out)[to + i] = 1 - ((const double *)call->in[0])[from + i];
}

/* The samples are the lowest axis, so each sample is one run of memory. */
static void run(const gb_kernel_call *call)
{
    const gb_layout *const out = &call->out_layout;
    size_t count = gb_shape_count(out->shape);
    for (int i = 1; i < __builtin_popcountll(out->axes); i++)
        count *= (size_t)out->hidden_size[i];
    const size_t samples = (size_t)out->hidden_size[0];
    const size_t bytes = count * (call->real == GB_FLOAT ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < samples; i++)
        if (i % 2 == 0)
            memcpy((char *)call->out + i * bytes, (const char *)call->in[0] + i * bytes, bytes);
        else
            mirror(call, i * count, (i - 1) * count, count);
}

const gb_op gb_mirror_pairs_op = {.size = sizeof(gb_op),
                                  .name = "mirror_pairs",
                                  .formula = "x where the sample is even, 1 - the x before where it is odd",
                                  .form = GB_FORM_KERNEL,
                                  .arguments = 1,
                                  .infer = infer,
                                  .vjp = gb_noise_vjp,
                                  .run = run};

gb_node gb_antithetic_noise(gb_noise noise, gb_shape shape, gb_axes axes)
{
    if (!(axes & GB_SAMPLES)) {
        gb_fail(noise.tape, GB_EARGUMENT,
                "antithetic_noise: pairs are along the samples, and GB_SAMPLES is not among the axes");
        return (gb_node){0};
    }
    const gb_node u = gb_uniform_noise(noise, shape, axes);
    return gb_apply(noise.tape, &gb_mirror_pairs_op, 1, &u, NULL, 0);
}

GB_COMPOSITE(antithetic_noise, "uniform draws, in pairs with the sum 1 along the samples", NULL);
