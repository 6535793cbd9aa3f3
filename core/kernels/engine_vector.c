/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine's own kernels: copies, strided loads, sums of adjoints, reductions, checks. */
#include "core/kernels/engine_impl.h"
#include "core/kernels/few_impl.h"
#include "core/kernels/vector_impl.h"

void GB_BLOCK(copy)(const gb_block *block, size_t lines, size_t first)
{
    (void)first;
    char line[GB_LINE_BYTES];
    if (lines == 1) /* not worth a call */
        memcpy(block->out, memcpy(line, block->in[0], sizeof line), sizeof line);
    else if (block->step[0])
        memmove(block->out, block->in[0], lines * GB_LINE_BYTES);
    else
        for (size_t i = 0; i < lines; i++)
            memcpy((char *)block->out + i * GB_LINE_BYTES, block->in[0], GB_LINE_BYTES);
}

void GB_BLOCK(total)(const gb_block *block, size_t lines, size_t first)
{
    (void)first;
    V *out = block->out;
    const V *a = block->in[0], *b = block->in[1];
    GB_ONE_LINE(a[i] + b[i], )
    const size_t sa = block->step[0], sb = block->step[1];
    for (size_t i = 0; i < lines * GB_VECTORS_PER_LINE; i++, a += sa, b += sb)
        out[i] = *a + *b;
}

void GB_BLOCK(lane)(const gb_block *block, size_t lines, size_t first)
{
    (void)first;
    const gb_lane_plan *plan = block->extra;
    real *out = block->out;
    static const real none[LINE_ELEMENTS];
    const real *x = block->in[0], *y = block->in[1] ? block->in[1] : none,
               *z = block->in[2] ? block->in[2] : none;
    const size_t sx = block->step[0], sy = block->step[1], sz = block->step[2];
    for (size_t i = 0; i < lines * LINE_ELEMENTS; i++)
        out[i] = (real)plan->lane((double)x[i * sx], (double)y[i * sy], (double)z[i * sz]);
}

/* ---- strided loads ---- */

static void load_run(lane_int *to, const lane_int *from, int64_t stride, size_t count)
{
    enum { SHORT = 8 };
    if (count <= SHORT) /* not worth a call, or vectors; the barrier keeps a compiler from either */
        for (size_t i = 0; i < count; i++) {
            to[i] = from[(int64_t)i * stride];
            __asm__("" ::: "memory");
        }
    else if (stride == 1)
        memcpy(to, from, count * sizeof *to);
    else if (stride == 0)
        for (size_t i = 0; i < count; i++)
            to[i] = *from;
    else if (stride == 2) /* every second number, as of two evaluations: vectors can pick these */
        for (size_t i = 0; i < count; i++)
            to[i] = from[2 * i];
    else
        for (size_t i = 0; i < count; i++)
            to[i] = from[(int64_t)i * stride];
}

static void load_listed(lane_int *restrict to, const lane_int *restrict from, const int32_t *restrict place,
                        size_t count)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < count; i++)
        to[i] = from[place[i]];
}

void GB_BLOCK(load)(const gb_block *block, size_t lines, size_t first)
{
    const gb_strided *view = block->extra;
    lane_int *to = block->out;
    const lane_int *from = block->in[0];
    if (view->count == 1) {
        load_run(to, from, 0, LINE_ELEMENTS);
        return;
    }
    size_t at[GB_MAX_HIDDEN + GB_MAX_RANK];
    size_t rest = first > 0 ? first / view->run : 0, within = first - rest * view->run;
    size_t left = smaller(lines * LINE_ELEMENTS, view->count - first);
    const int64_t stride = view->axis[view->rank - 1].stride;
    for (int64_t i = view->outer - 1; i >= 0; i--) {
        if (rest == 0) { /* saves a division */
            at[i] = 0;
            continue;
        }
        at[i] = rest % view->axis[i].size;
        rest /= view->axis[i].size;
        from += (int64_t)at[i] * view->axis[i].stride;
    }
    memset(to + left, 0, lines * GB_LINE_BYTES - left * sizeof *to);
    while (left > 0) {
        const int64_t last = view->outer - 1;
        const size_t steps = last < 0 ? 1 : smaller(view->many, view->axis[last].size - at[last]),
                     run = smaller(left, steps * view->run - within);
        if (view->place)
            load_listed(to, from, view->place + within, run);
        else
            load_run(to, from + (int64_t)within * stride, stride, run);
        to += run;
        left -= run;
        within = 0;
        for (int64_t i = last; i >= 0; i--) {
            const size_t by = i == last ? steps : 1;
            from += (int64_t)by * view->axis[i].stride;
            if ((at[i] += by) < view->axis[i].size)
                break;
            from -= (int64_t)at[i] * view->axis[i].stride;
            at[i] = 0;
        }
    }
}

/* ---- sums and maxima ---- The same code serves both: `join` is + or max, on doubles. */

static void fill(double *partial, size_t count, double value)
{
    for (size_t i = 0; i < count; i++)
        partial[i] = value;
}

/* Stores the results as reals. A single one fills a whole line. */
static void store_results(const gb_reduce_plan *plan, void *out, const double *result, size_t from,
                          size_t count)
{
    real *to = (real *)out + from;
    const bool single = plan->outer * plan->inner == 1;
    for (size_t i = 0; i < (single ? LINE_ELEMENTS : count); i++)
        to[i] = (real)result[single ? 0 : i];
}

/* The elements from `first` on are a block of columns in one row of one [outer]. */
static inline void reduce_by_column(const reducer *with, const gb_block *block, size_t lines, size_t first)
{
    const gb_reduce_plan *plan = block->extra;
    const size_t column = first % plan->inner, row = first / plan->inner;
    const size_t count = smaller(lines * LINE_ELEMENTS, plan->inner - column);
    const size_t from = row / plan->reduced * plan->inner + column;
    if (row % plan->reduced == 0)
        fill(plan->partial + from, count, with->start);
    with->columns(plan->partial + from, block->in[0], count);
    if (row % plan->reduced == plan->reduced - 1)
        store_results(plan, block->out, plan->partial + from, from, count);
}

/* Calls the inline function with `size_` last, which the compiler knows where it is one of the most frequent
 * sizes. */
#define WITH_KNOWN(function_, size_, ...)                                                                    \
    switch (size_) {                                                                                         \
    case 2: function_(__VA_ARGS__, 2); break;                                                                \
    case 3: function_(__VA_ARGS__, 3); break;                                                                \
    case 4: function_(__VA_ARGS__, 4); break;                                                                \
    default: function_(__VA_ARGS__, size_); break;                                                           \
    }

enum { NARROW = 8 };

/* Short runs, one after the other: the same joins as by `run`, which for fewer than LANES has no vectors. */
GB_INLINE void short_runs(const reducer *with, double *partial, const real *x, size_t runs, size_t each)
{
    for (size_t i = 0; i < runs; i++, x += each) {
        double result = with->start;
        for (size_t k = 0; k < each; k++)
            result = with->join(result, (double)x[k]);
        partial[i] = with->join(partial[i], result);
    }
}

/* Rows of a few columns: the same joins as by `columns`, without storing them after each row. */
GB_INLINE void narrow_rows(const reducer *with, double *partial, const real *x, size_t rows, size_t columns)
{
    double sum[NARROW];
    for (size_t k = 0; k < columns; k++)
        sum[k] = partial[k];
    for (size_t i = 0; i < rows; i++, x += columns)
        for (size_t k = 0; k < columns; k++)
            sum[k] = with->join(sum[k], (double)x[k]);
    for (size_t k = 0; k < columns; k++)
        partial[k] = sum[k];
}

/* Reduces elements of one [outer], at most `left`, from its element `within` on, which is in `column`.
 * Returns how many. */
GB_INLINE size_t reduce_neighbours(const reducer *with, const gb_reduce_plan *plan, double *partial,
                                   const real *x, size_t left, size_t within, size_t column)
{
    const size_t inner = plan->inner, rest = smaller(left, plan->reduced * inner - within);
    if (inner == 1) {
        *partial = with->join(*partial, with->run(x, rest));
        return rest;
    }
    if (inner <= NARROW && column == 0 && rest >= inner) {
        WITH_KNOWN(narrow_rows, inner, with, partial, x, rest / inner)
        return rest / inner * inner;
    }
    const size_t run = smaller(left, inner - column);
    with->columns(partial + column, x, run);
    return run;
}

/* Reduces the elements of one chunk from `first` on. */
GB_INLINE void reduce_chunk(const reducer *with, const gb_block *block, size_t lines, size_t first)
{
    const gb_reduce_plan *plan = block->extra;
    const real *x = block->in[0];
    const size_t each = plan->reduced * plan->inner;
    const size_t chunk = first > 0 ? first / plan->chunk : 0, chunk_first = chunk * plan->chunk;
    size_t left = smaller(lines * LINE_ELEMENTS, plan->count - first);
    double *partial = plan->partial + chunk * plan->partial_stride;
    if (first == chunk_first)
        fill(partial, plan->partial_stride, with->start);
    if (each == 0)
        return;
    if (first > 0)
        partial += (first / each - chunk_first / each) * plan->inner;
    size_t within = first > 0 ? first % each : 0;
    size_t column = plan->inner == 1 || within == 0 ? 0 : within % plan->inner;
    while (left > 0) {
        size_t run;
        if (plan->inner == 1 && within == 0 && each < LANES && left >= each) {
            const size_t runs = left / each;
            WITH_KNOWN(short_runs, each, with, partial, x, runs)
            partial += runs;
            run = runs * each;
        } else {
            run = reduce_neighbours(with, plan, partial, x, left, within, column);
            within += run;
            column = plan->inner == 1 || column + run >= plan->inner ? 0 : column + run;
        }
        x += run;
        left -= run;
        if (within == each) {
            within = 0;
            partial += plan->inner;
        }
    }
}

/* Joins the chunks' partial results in order, and stores them. */
static inline void reduce_end(const reducer *with, const gb_block *block)
{
    const gb_reduce_plan *plan = block->extra;
    const size_t results = plan->outer * plan->inner, each = plan->reduced * plan->inner;
    const size_t chunks = each ? gb_reduce_chunks(plan) : 0;
    size_t done = 0; /* results with elements in the chunks so far */
    double *result = plan->partial;
    if (results == 1) {
        double all = with->start;
        for (size_t i = 0; i < chunks; i++)
            all = with->join(all, plan->partial[i * plan->partial_stride]);
        store_results(plan, block->out, &all, 0, 1);
        return;
    }
    if (chunks <= 1) {
        if (chunks == 0)
            fill(result, results, with->start);
        store_results(plan, block->out, result, 0, results);
        return;
    }
    real *out = block->out;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const size_t first = chunk * plan->chunk, last = smaller(first + plan->chunk, plan->count) - 1;
        const size_t from = first / each * plan->inner, to = (last / each + 1) * plan->inner;
        double *partial = plan->partial + chunk * plan->partial_stride;
        if (chunk > 0) /* the last results of the chunk before continue in this one */
            for (size_t i = from; i < done; i++)
                partial[i - from] = with->join(plan->partial[(chunk - 1) * plan->partial_stride + i -
                                                             (first - plan->chunk) / each * plan->inner],
                                               partial[i - from]);
        for (size_t i = from; i < to; i++)
            out[i] = (real)partial[i - from];
        done = to;
    }
}

#define REDUCTION(name)                                                                                      \
    void GB_BLOCK(reduce_##name)(const gb_block *block, size_t lines, size_t first)                          \
    {                                                                                                        \
        const gb_reduce_plan *plan = block->extra;                                                           \
        if (lines > 0 && plan->by_column) {                                                                  \
            reduce_by_column(&name##_reducer, block, lines, first);                                          \
            return;                                                                                          \
        }                                                                                                    \
        if (lines > 0 && is_few(plan, block)) {                                                              \
            reduce_few(&name##_reducer, plan, block->in[0], block->out);                                     \
            return;                                                                                          \
        }                                                                                                    \
        if (lines > 0)                                                                                       \
            reduce_chunk(&name##_reducer, block, lines, first);                                              \
        if (lines == 0 || !block->ends)                                                                      \
            reduce_end(&name##_reducer, block);                                                              \
    }
REDUCTION(sum)
REDUCTION(max)

/* ---- checks ---- */

static inline M is_below(V x, real most, bool absolute)
{
    return (absolute ? v_abs(x) : x) <= most;
}

/* Returns whether no element (`absolute`: no magnitude) is above `most` or NaN. */
static bool all_below(const real *x, size_t count, real most, bool absolute)
{
    enum { WAYS = 4 };
    M good[WAYS] = {~(M){0}, ~(M){0}, ~(M){0}, ~(M){0}};
    size_t i = 0;
    for (; i + WAYS * LANES <= count; i += WAYS * LANES)
        for (size_t way = 0; way < WAYS; way++)
            good[way] &= is_below(v_load(x + i + way * LANES), most, absolute);
    for (; i + LANES <= count; i += LANES)
        good[0] &= is_below(v_load(x + i), most, absolute);
    bool all = !v_any(~(good[0] & good[1] & good[2] & good[3]));
    for (; i < count; i++)
        all &= (absolute ? (real)fabs((double)x[i]) : x[i]) <= most;
    return all;
}

static void check(const gb_block *block, size_t lines, size_t first, real most, bool absolute)
{
    const gb_check_plan *plan = block->extra;
    if (!all_below(block->in[0], smaller(lines * LINE_ELEMENTS, plan->count - first), most, absolute))
        __atomic_store_n(plan->failed, 1, __ATOMIC_RELAXED);
}

void GB_BLOCK(all_finite)(const gb_block *block, size_t lines, size_t first)
{
    check(block, lines, first, (real)GB_REAL_MAX, true);
}

void GB_BLOCK(none_above)(const gb_block *block, size_t lines, size_t first)
{
    check(block, lines, first, (real)GB_REAL_MAX, false);
}

void GB_BLOCK(none_nan)(const gb_block *block, size_t lines, size_t first)
{
    check(block, lines, first, (real)INFINITY, false);
}
