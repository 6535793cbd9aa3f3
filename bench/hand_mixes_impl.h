/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elementwise mixes as fused loops, one pass over memory each. Included for doubles and for floats, in
 * the language that grebe's own kernels are written in, and with the same functions. */
#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"
#include "hand.h"

static void run_line(void *context)
{
    const gb_hand_mix *mix = context;
    const V a = v_splat(mix->a), b = v_splat(mix->b);
    const real *x = mix->x, *y = mix->y;
    real *out = mix->out;
    for (size_t i = 0; i < mix->count; i += LANES)
        v_store(out + i, a * v_load(x + i) + b * v_load(y + i));
}

static void run_gate(void *context)
{
    const gb_hand_mix *mix = context;
    const real *x = mix->x, *y = mix->y;
    real *out = mix->out;
    for (size_t i = 0; i < mix->count; i += LANES)
        v_store(out + i, v_softplus(v_load(x + i)) * v_tanh(v_load(y + i)));
}

static void run_gelu(void *context)
{
    const gb_hand_mix *mix = context;
    const V inner = v_splat(0.7978845608), cube = v_splat(0.044715), half = v_splat(0.5);
    const real *x = mix->x;
    real *out = mix->out;
    for (size_t i = 0; i < mix->count; i += LANES) {
        const V at = v_load(x + i);
        v_store(out + i, half * at * (1 + v_tanh(inner * (at + cube * (at * at * at)))));
    }
}

static void run_bell(void *context)
{
    enum { WAYS = 4 };
    gb_hand_mix *mix = context;
    const real *x = mix->x, *y = mix->y;
    const V minus_half = v_splat(-0.5);
    D sum[WAYS] = {{0}};
    size_t i = 0;
    for (; i + WAYS * LANES <= mix->count; i += WAYS * LANES)
        for (int way = 0; way < WAYS; way++) {
            const V at = v_load(x + i + way * LANES);
            sum[way] = v_add_to(sum[way], v_exp(minus_half * (at * at)) * v_load(y + i + way * LANES));
        }
    double tail = 0;
    for (; i < mix->count; i++)
        tail += exp(-0.5 * (double)x[i] * (double)x[i]) * (double)y[i];
    *(real *)mix->out = (real)(v_sum_wide((sum[0] + sum[1]) + (sum[2] + sum[3])) + tail);
}

static void run_rows(void *context)
{
    const gb_hand_mix *mix = context;
    const real *x = mix->x, *y = mix->y;
    real *out = mix->out;
    for (size_t row = 0; row < mix->count / mix->columns; row++, x += mix->columns) {
        D sum[2] = {{0}};
        size_t j = 0;
        for (; j + 2 * LANES <= mix->columns; j += 2 * LANES)
            for (int way = 0; way < 2; way++) {
                const V at = v_load(x + j + way * LANES) + v_load(y + j + way * LANES);
                sum[way] = v_add_to(sum[way], at * at);
            }
        double tail = 0;
        for (; j < mix->columns; j++)
            tail += (double)((x[j] + y[j]) * (x[j] + y[j]));
        out[row] = (real)(v_sum_wide(sum[0] + sum[1]) + tail);
    }
}

static void exchange(void **a, void **b)
{
    void *const old = *a;
    *a = *b;
    *b = old;
}

static void run_adam(void *context)
{
    gb_hand_mix *const mix = context;
    const V rate = v_splat(mix->a), first = v_splat(0.9), second = v_splat(0.999), epsilon = v_splat(1e-8);
    const V fresh_first = v_splat(0.1), fresh_second = v_splat(0.001);
    const real *g = mix->x;
    const real *m = mix->m, *v = mix->v, *p = mix->p;
    real *new_m = mix->new_m, *new_v = mix->new_v, *new_p = mix->new_p;
    for (size_t i = 0; i < mix->count; i += LANES) {
        const V slope = v_load(g + i);
        const V mean = first * v_load(m + i) + fresh_first * slope;
        const V square = second * v_load(v + i) + fresh_second * (slope * slope);
        v_store(new_m + i, mean);
        v_store(new_v + i, square);
        v_store(new_p + i, v_load(p + i) - rate * mean / (v_sqrt(square) + epsilon));
    }
    exchange(&mix->m, &mix->new_m);
    exchange(&mix->v, &mix->new_v);
    exchange(&mix->p, &mix->new_p);
}

#define MIXES                                                                                                \
    {                                                                                                        \
        run_line, run_gate, run_gelu, run_bell, run_rows, run_adam                                           \
    }
