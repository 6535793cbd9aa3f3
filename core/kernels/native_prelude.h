/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What native code begins with, and what it is made of: core/native. Like a `*_vector.c` it is compiled with
 * GB_ISA and GB_REAL_BITS, but on the user's machine, by the system's compiler. The library has this text in
 * itself, with the headers that it includes. */
#ifndef GREBE_CORE_KERNELS_NATIVE_PRELUDE_H
#define GREBE_CORE_KERNELS_NATIVE_PRELUDE_H

#include "core/kernels/engine_impl.h"
#include "core/kernels/few_impl.h"
#include "core/kernels/instruction_impl.h"
#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"
#include "core/kernels/vector_special_impl.h"

/* What gb_object_find is to find is declared so. */
#define GB_NATIVE __attribute__((visibility("default")))

typedef gb_block instruction;

/* What a formula gives. Of that clang is to know nothing: it takes 1 / sqrt x for never negative, which it is
 * for x = -0, and leaves out sums with 0 and products with 1 where a selection gives these, which would flush
 * subnormals. */
GB_INLINE V settled(V x)
{
#if defined(__clang__)
    return (V)m_opaque((M)x);
#else
    return x;
#endif
}

/* v_chain in straight code, where adjoints are seldom 0: a branch that is foreseen costs less than a wait for
 * the comparison. The barrier keeps the compiler from making one of the other. */
GB_INLINE V chain_alone(V x, V y)
{
    V product = x * y;
    if (__builtin_expect(v_any(x == 0), 0)) {
        __asm__ volatile("");
        product = v_select(x == 0, v_splat(0), product);
    }
    return product;
}

/* The vector from element `index` of an array on. */
#define AT(array, index) (*(V *)(void *)((real *)(void *)(array) + (index)))

/* The same at the end of a row, of which `left` elements are left. */
GB_INLINE V part_at(const void *array, size_t index, size_t left)
{
    return left < LANES ? v_load_part((const real *)array + index, (int64_t)left) : AT(array, index);
}

GB_INLINE void put_part(void *array, size_t index, size_t left, V x)
{
    if (left < LANES)
        v_store_part((real *)array + index, (int64_t)left, x);
    else
        AT(array, index) = x;
}

/* A single number fills its line. */
GB_INLINE void put_line(void *line, V x)
{
    for (size_t i = 0; i < LINE_ELEMENTS; i += LANES)
        AT(line, i) = x;
}

/* Stores the new value of a variable, which the next run reads. Far arrays are stored past the caches, which
 * would have to read the old content first. That takes a vector at its alignment; rows begin anywhere. */
GB_INLINE void put_next(void *array, size_t index, V x, bool far)
{
    real *const to = (real *)array + index;
#if defined(GB_X86_PREFIX)
    if (far && (uintptr_t)to % GB_VECTOR_BYTES == 0) {
        GB_X86(stream)(to, x);
        return;
    }
#endif
    (void)far;
    v_store(to, x);
}

GB_INLINE void end_next(bool far)
{
#if defined(GB_X86_PREFIX)
    if (far)
        _mm_sfence();
#endif
    (void)far;
}

/* ---- instructions that are not written here ---- */

GB_INLINE void call(const gb_block *block)
{
    block->kernel(block, block->lines, 0);
}

GB_INLINE void call_if(bool needed, const gb_block *block)
{
    if (needed)
        call(block);
}

GB_INLINE void run_if(bool needed, gb_block *block, size_t lines, size_t first)
{
    if (needed)
        block->kernel(block, lines, first);
    gb_advance(block, GB_BLOCK_BYTES);
}

GB_INLINE void run_and_advance(gb_block *block, size_t lines, size_t first)
{
    run_if(true, block, lines, first);
}

/* ---- reductions of straight code ---- */

GB_INLINE void reduce(const gb_block *block, const reducer *with)
{
    if (is_few(block->extra, block))
        reduce_few(with, block->extra, block->in[0], block->out);
    else
        call(block);
}

/* sum_run of fewer elements than four vectors, without loops over four sums. */
GB_INLINE double short_sum(const real *x, size_t count)
{
    D sum = {0};
    double tail = 0;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        sum = v_add_to(sum, v_load(x + i));
    for (; i < count; i++)
        tail += (double)x[i];
    return v_sum_wide(sum) + tail;
}

/* A reduction of all to one number, which fills a line. */
GB_INLINE V reduce_to_number(const gb_block *block, const reducer *with)
{
    const gb_reduce_plan *const plan = block->extra;
    if (plan->count == 0 || plan->count > GB_FEW_ELEMENTS) {
        call(block);
        return AT(block->out, 0);
    }
    const bool is_short = with == &sum_reducer && plan->count < 4 * LANES;
    const double run = is_short ? short_sum(block->in[0], plan->count) : with->run(block->in[0], plan->count);
    const V result = v_splat(with->join(with->start, run));
    put_line(block->out, result);
    return result;
}

/* ---- rows ---- */

/* A loop goes from block to block, and in a block from row to row, or to what is in it of a row. */
typedef struct rows {
    size_t each;     /* elements of a row */
    size_t column;   /* of the next element */
    size_t row;      /* since the chunk began */
    size_t from, to; /* elements of the block */
    size_t shift;    /* from an element of the block to its column */
} rows;

GB_INLINE size_t row_of_sums(const gb_reduce_plan *plan)
{
    return plan->reduced;
}

GB_INLINE size_t row_of_load(const gb_strided *view)
{
    return view->axis[1].size;
}

GB_INLINE rows begin_rows(size_t each, size_t begin)
{
    return (rows){.each = each, .column = begin % each};
}

GB_INLINE bool next_row(rows *r, size_t count)
{
    if (r->to == count)
        return false;
    if (r->column == r->each) {
        r->column = 0;
        r->row++;
    }
    r->from = r->to;
    r->shift = r->column - r->from;
    r->to = smaller(count, r->from + (r->each - r->column));
    r->column += r->to - r->from;
    return true;
}

/* The elements in whole vectors, four by four. */
GB_INLINE size_t whole_end(const rows *r)
{
    return r->from + (r->to - r->from) / (4 * LANES) * (4 * LANES);
}

/* The sum of a run, in the order of sum_run. Vectors go to four sums in turns: the next one is the first. */
typedef struct sums {
    D a, b, c, d;
    double tail;
} sums;

GB_INLINE void add_vector(sums *s, V x)
{
    *s = (sums){s->b, s->c, s->d, v_add_to(s->a, x), s->tail};
}

/* After the whole vectors, four by four. */
GB_INLINE void add_part(sums *s, V x, size_t left)
{
    if (left >= LANES)
        s->a = v_add_to(s->a, x);
    else
        for (size_t i = 0; i < left; i++)
            s->tail += (double)x[i];
}

GB_INLINE double total_of(const sums *s)
{
    return v_sum_wide((s->a + s->b) + (s->c + s->d)) + s->tail;
}

/* Returns the partial results of a chunk. */
GB_INLINE double *begin_sums(const gb_reduce_plan *plan, size_t tile)
{
    double *const partial = plan->partial + tile * plan->partial_stride;
    for (size_t i = 0; i < plan->partial_stride; i++)
        partial[i] = 0;
    return partial;
}

/* ---- the rest ---- */

/* What checks accept: see gb_check_plan. */
GB_INLINE M is_finite(V x)
{
    return v_abs(x) <= (real)GB_REAL_MAX;
}

GB_INLINE M is_none_above(V x)
{
    return x <= (real)GB_REAL_MAX;
}

GB_INLINE M is_none_nan(V x)
{
    return x == x;
}

/* Where an instruction of a loop finds operand `which`, at byte `move` of it. */
GB_INLINE char *aimed(const gb_block *block, unsigned which, size_t move, char *scratch)
{
    const void *const pointer = which ? block->in[which - 1] : block->out;
    return (char *)gb_aimed(pointer, block->moves >> which & 1u, move, block->temporary >> which & 1u,
                            scratch);
}

#endif
