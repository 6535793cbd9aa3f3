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

#define CHAIN(x, y) v_select((x) == 0, v_splat(0), (x) * (y))

/* The vector at `index` of an array. */
#define AT(array, index) (((V *)(void *)(array))[index])

/* A single number fills its line. */
GB_INLINE void put_line(void *line, V x)
{
    for (size_t i = 0; i < GB_VECTORS_PER_LINE; i++)
        AT(line, i) = x;
}

/* Runs an instruction of straight code that is not written here. */
GB_INLINE void call(const gb_block *block)
{
    block->kernel(block, block->lines, 0);
}

/* Reductions of straight code. */
GB_INLINE void reduce(const gb_block *block, const reducer *with)
{
    if (is_few(block->extra, block))
        reduce_few(with, block->extra, block->in[0], block->out);
    else
        call(block);
}

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

/* Where an instruction of a loop finds an array, at byte `move` of it. */
GB_INLINE char *aimed(const void *pointer, const gb_block *block, unsigned which, size_t move, char *scratch)
{
    return (char *)gb_aimed(pointer, block->moves >> which & 1u, move, block->temporary >> which & 1u,
                            scratch);
}

#endif
