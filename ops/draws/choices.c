/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws of choices: one of several categories, or an order of all elements. */
#include <math.h>

#include "ops/control.h"
#include "ops/draws.h"
#include "ops/draws/draws_impl.h"
#include "ops/elementwise.h"
#include "ops/elementwise/composite_impl.h"
#include "ops/elementwise/element_impl.h"

/* ---- categories: the largest of the log probabilities plus Gumbel noise ---- */

static bool category_infer(gb_infer *infer)
{
    char text[GB_SHAPE_TEXT];
    infer->shape = infer->arg_shape[0];
    if (infer->shape.rank < 1 || infer->shape.size[infer->shape.rank - 1] < 1)
        return gb_infer_fail(infer, GB_ESHAPE, "log probabilities of %s have no categories along a last axis",
                             gb_shape_text(infer->shape, text));
    infer->shape.rank--;
    return true;
}

static double largest_of(const gb_kernel_call *call, const void *in, int64_t begin, int64_t count)
{
    double most = -INFINITY, which = NAN;
    for (int64_t i = 0; i < count; i++) {
        const double x = gb_real_at(call, in, begin + i);
        if (!(x < INFINITY))
            return NAN;
        if (x > most) {
            most = x;
            which = (double)i;
        }
    }
    return which;
}

static void category_event(const gb_kernel_call *call, const void *const *in, void *out)
{
    const gb_shape shape = call->arg[0].shape;
    const int64_t categories = shape.size[shape.rank - 1];
    const int64_t events = (int64_t)gb_shape_count(call->out_layout.shape);
    for (int64_t i = 0; i < events; i++) {
        gb_put_real(call, out, i, largest_of(call, in[0], i * categories, categories));
    }
}

static void category_run(const gb_kernel_call *call)
{
    gb_each_event(call, category_event);
}

const gb_op gb_draw_category_op = {.size = sizeof(gb_op),
                                   .name = "draw_category",
                                   .formula = "where the largest is along the last axis",
                                   .form = GB_FORM_KERNEL,
                                   .arguments = 1,
                                   .infer = category_infer,
                                   .vjp = gb_noise_vjp,
                                   .run = category_run};

gb_node gb_categorical_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node log_probabilities)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    gb_shape all, leading = gb_node_shape(log_probabilities);
    if (leading.rank < 1) /* the operation rejects it */
        return gb_apply(noise.tape, &gb_draw_category_op, 1, &log_probabilities, NULL, 0);
    const int64_t categories = leading.size[--leading.rank];
    if (!gb_shape_broadcast(shape, leading, &all) || all.rank == GB_MAX_RANK) {
        gb_fail(noise.tape, GB_ESHAPE,
                "categorical_noise: draws of %s and categories for %s do not broadcast",
                gb_shape_text(shape, a), gb_shape_text(leading, b));
        return (gb_node){0};
    }
    all.size[all.rank++] = categories;
    const gb_axes every = axes | gb_node_axes(log_probabilities);
    const gb_node noisy = gb_add(gb_stop(log_probabilities), gb_gumbel_noise(noise, all, every));
    return gb_apply(noise.tape, &gb_draw_category_op, 1, &noisy, NULL, 0);
}

GB_COMPOSITE(categorical_noise, "i with a probability proportional to exp(x_i)", NULL);

/* ---- permutations ---- */

/* `coarse` and `fine` are uniform; `fine` adds the bits that a float lacks. */
static bool permutation_infer(gb_infer *infer)
{
    gb_infer_first(infer);
    infer->axes |= gb_node_axes(infer->arg[1]);
    infer->type = GB_TYPE_INT;
    if (infer->shape.rank != 1 || !gb_shape_same(infer->arg_shape[1], infer->shape))
        return gb_infer_fail(infer, GB_ESHAPE, "two vectors of uniform draws are needed");
    return true;
}

/* Returns an integer from 0 to below − 1. */
static int64_t integer_of(const gb_kernel_call *call, const void *const *in, int64_t i, int64_t below)
{
    const double step = call->real == GB_FLOAT ? 0x1p-23 : 0;
    const double uniform = gb_real_at(call, in[0], i) + (gb_real_at(call, in[1], i) - 0.5) * step;
    const int64_t chosen = (int64_t)(uniform * (double)below);
    return chosen < below ? chosen : below - 1;
}

/* Fisher and Yates' shuffle, from the inside out: element i goes to a random place among the first i + 1. */
static void permutation_event(const gb_kernel_call *call, const void *const *in, void *out)
{
    const int64_t count = call->out_layout.shape.size[0];
    const bool is_narrow = call->real == GB_FLOAT;
    int64_t *const wide = out;
    int32_t *const narrow = out;
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = integer_of(call, in, i, i + 1);
        if (is_narrow) {
            narrow[i] = narrow[place];
            narrow[place] = (int32_t)i;
        } else {
            wide[i] = wide[place];
            wide[place] = i;
        }
    }
}

static void permutation_run(const gb_kernel_call *call)
{
    gb_each_event(call, permutation_event);
}

const gb_op gb_draw_permutation_op = {.size = sizeof(gb_op),
                                      .name = "draw_permutation",
                                      .formula = "a permutation chosen by uniform draws",
                                      .form = GB_FORM_KERNEL,
                                      .arguments = 2,
                                      .infer = permutation_infer,
                                      .run = permutation_run};

gb_node gb_permutation_noise(gb_noise noise, int64_t n, gb_axes axes)
{
    if (n < 0 || n > INT32_MAX) {
        gb_fail(noise.tape, GB_EARGUMENT, "permutation_noise: n = %lld is not between 0 and %ld",
                (long long)n, (long)INT32_MAX);
        return (gb_node){0};
    }
    const gb_node coarse = gb_uniform_noise(noise, gb_shape(n), axes);
    const bool wide = !noise.tape || gb_tape_real(noise.tape) == GB_DOUBLE;
    const gb_node fine = wide ? coarse : gb_uniform_noise(noise, gb_shape(n), axes);
    return gb_apply(noise.tape, &gb_draw_permutation_op, 2, (const gb_node[]){coarse, fine}, NULL, 0);
}

GB_COMPOSITE(permutation_noise, "a permutation of 0 ... n - 1, each equally likely", NULL);
