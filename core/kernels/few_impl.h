/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums and maxima of runs of numbers, and reductions of a few numbers. The same code serves both: `join` is +
 * or max, on doubles. */
#ifndef GREBE_CORE_KERNELS_FEW_IMPL_H
#define GREBE_CORE_KERNELS_FEW_IMPL_H

#include "core/kernels/block_impl.h"
#include "core/kernels/vector_impl.h"

enum { LINE_ELEMENTS = GB_LINE_BYTES / (int)sizeof(real) };

GB_INLINE size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

GB_INLINE double sum_run(const real *x, size_t count)
{
    enum { WAYS = 4 };
    D sum[WAYS] = {{0}};
    const size_t whole = count / (WAYS * LANES);
    for (size_t i = 0; i < whole; i++)
        for (size_t way = 0; way < WAYS; way++)
            sum[way] = v_add_to(sum[way], v_load(x + (i * WAYS + way) * LANES));
    size_t i = whole * WAYS * LANES;
    double tail = 0;
    for (; i + LANES <= count; i += LANES)
        sum[0] = v_add_to(sum[0], v_load(x + i));
    for (; i < count; i++)
        tail += (double)x[i];
    if (count < LANES)
        return tail;
    return v_sum_wide((sum[0] + sum[1]) + (sum[2] + sum[3])) + tail;
}

GB_INLINE double max_join(double a, double b)
{
    return a > b || a != a ? a : b; /* NaN counts as the largest */
}

GB_INLINE double max_run(const real *x, size_t count)
{
    double result = -HUGE_VAL;
    size_t i = 0;
    if (count >= LANES) {
        V most = v_load(x);
        for (i = LANES; i + LANES <= count; i += LANES)
            most = v_max(most, v_load(x + i));
        for (size_t lane = 0; lane < LANES; lane++)
            result = max_join(result, (double)most[lane]);
    }
    for (; i < count; i++)
        result = max_join(result, (double)x[i]);
    return result;
}

GB_INLINE void sum_columns(double *partial, const real *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        partial[i] += (double)x[i];
}

GB_INLINE void max_columns(double *partial, const real *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        partial[i] = max_join(partial[i], (double)x[i]);
}

typedef struct reducer {
    double start;
    double (*run)(const real *x, size_t count);
    double (*join)(double a, double b);
    void (*columns)(double *partial, const real *x, size_t count);
} reducer;

GB_INLINE double sum_join(double a, double b)
{
    return a + b;
}

static const reducer sum_reducer = {0.0, sum_run, sum_join, sum_columns},
                     max_reducer = {-HUGE_VAL, max_run, max_join, max_columns};

/* Returns whether one call reduces a small array, and into another buffer. */
GB_INLINE bool is_few(const gb_reduce_plan *plan, const gb_block *block)
{
    const real *const x = block->in[0], *const out = block->out;
    return !block->ends && plan->count > 0 && plan->count <= GB_FEW_ELEMENTS &&
           (out >= x + plan->count || out + GB_FEW_ELEMENTS <= x);
}

/* The same joins in the same order as by reduce_chunk, without its walk along chunks. */
GB_INLINE void reduce_few(const reducer *with, const gb_reduce_plan *plan, const real *x, real *out)
{
    const size_t results = plan->outer * plan->inner, each = plan->reduced * plan->inner;
    for (size_t i = 0; i < results; i++) {
        const size_t outer = plan->inner == 1 ? i : i / plan->inner;
        const real *const from = x + outer * each + (i - outer * plan->inner);
        double result = with->start;
        if (plan->inner == 1)
            result = with->join(result, with->run(from, plan->reduced));
        else
            for (size_t r = 0; r < plan->reduced; r++)
                result = with->join(result, (double)from[r * plan->inner]);
        out[i] = (real)result;
    }
    if (results == 1)
        for (size_t i = 1; i < LINE_ELEMENTS; i++)
            out[i] = out[0];
}

#endif
