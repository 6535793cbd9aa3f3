/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block kernels: the instructions of a plan.
 *
 * A kernel works on `lines` lines of 64 bytes (8 doubles or 16 floats), whatever the width of the machine's
 * vectors. Buffers are padded to whole lines, so no kernel has a scalar tail. An array of one element is kept
 * splatted over one line. An argument with step 0 is such a line, and is read again for every line of output.
 *
 * Files named `*_vector.c` hold kernels. They are compiled once for each instruction set and each real type,
 * with GB_ISA (baseline, avx2, avx512) and GB_REAL_BITS (64, 32) defined; see vector_impl.h. -DGB_PLAIN, for
 * all files, leaves the baseline only, in plain C. */
#ifndef GREBE_CORE_KERNELS_BLOCK_IMPL_H
#define GREBE_CORE_KERNELS_BLOCK_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GB_LINE_BYTES = 64,
    /* A block is 2 KiB, 256 doubles or 512 floats, so that a group's temporaries fit in the L1 cache. */
    GB_BLOCK_LINES = 32,
    GB_BLOCK_BYTES = GB_LINE_BYTES * GB_BLOCK_LINES,
    GB_MAX_BLOCK_ARGS = 3
};

/* Above this shape, functions around Γ are written by what is left beside Stirling's terms. */
#define GB_GAMMA_LARGE 4

typedef enum gb_isa { GB_ISA_BASELINE, GB_ISA_AVX2, GB_ISA_AVX512, GB_ISA_COUNT } gb_isa;

typedef struct gb_block gb_block;

/* Fills `lines` lines of `block->out`; `first` is the index, in the whole array, of the first element. */
typedef void gb_block_kernel(const gb_block *block, size_t lines, size_t first);

struct gb_block {
    gb_block_kernel *kernel;
    void *out; /* may equal an argument */
    const void *in[GB_MAX_BLOCK_ARGS];
    /* Further arguments of the kernel: a noise stream, a strided view, a reduction, a loop. */
    const void *extra;
    /* The lines of the whole array, if one call computes all of them; at most GB_BLOCK_LINES. */
    uint8_t lines;
    uint8_t step[GB_MAX_BLOCK_ARGS]; /* 0 or 1 lines */
    /* In a loop: which pointers advance from block to block. Bit 0 is out, bits 1 to 3 are in. */
    uint8_t moves;
    /* The same bits: which pointers are offsets into the scratch memory, until its address is known. */
    uint8_t temporary;
    /* In a loop: the kernel is called once more after the last block, with 0 lines, to store its result. */
    bool ends;
    bool single; /* in straight code: of one element, which fills a line */
};
_Static_assert(sizeof(void *) != 8 || sizeof(gb_block) == 56,
               "the speed of straight code is limited by reading its instructions");

/* The kernels of one operation, by instruction set and real type (0: double, 1: float). */
typedef struct gb_block_kernels {
    gb_block_kernel *of[GB_ISA_COUNT][2];
    /* What a kernel computes of vectors x, y and z, as an expression in C with the functions of the vector
     * headers: for core/native. NULL: it is more than that. */
    const char *text;
} gb_block_kernels;

/* So many numbers are few. */
enum { GB_FEW_ELEMENTS = 64 };

/* A reduction of [outer, reduced, inner] elements to [outer, inner]. Partial sums are doubles for both real
 * types. Elements are read in the order of memory, in chunks of fixed size. Each chunk has its own partial
 * results, which are joined in the order of the chunks. So the bits do not depend on the number of threads.
 * With many inner elements (`by_column`) all reduced elements of a block of columns are read in order
 * instead. */
typedef struct gb_reduce_plan {
    size_t count, outer, reduced, inner;
    size_t chunk;          /* elements of a chunk */
    size_t partial_stride; /* doubles of a chunk */
    double *partial;
    bool by_column;
} gb_reduce_plan;

/* Returns the number of chunks. */
static inline size_t gb_reduce_chunks(const gb_reduce_plan *plan)
{
    return plan->count <= plan->chunk ? plan->count > 0 : (plan->count + plan->chunk - 1) / plan->chunk;
}

#if defined(__x86_64__) && !defined(GB_PLAIN)
#define GB_EACH_ISA(do_, ...) do_(baseline, __VA_ARGS__) do_(avx2, __VA_ARGS__) do_(avx512, __VA_ARGS__)
#else
#define GB_EACH_ISA(do_, ...) do_(baseline, __VA_ARGS__)
#endif
#define GB_DECLARE_KERNEL_ISA(isa, name)                                                                     \
    gb_block_kernel gb_block_##name##_##isa##_64, gb_block_##name##_##isa##_32;
#define GB_KERNEL_ISA(isa, name) {gb_block_##name##_##isa##_64, gb_block_##name##_##isa##_32},

/* Declares gb_block_NAME_ISA_BITS for every instruction set and real type. */
#define GB_DECLARE_KERNELS(name) GB_EACH_ISA(GB_DECLARE_KERNEL_ISA, name)
/* The initialiser of a gb_block_kernels for these kernels, and that of kernels with a text. */
#define GB_KERNELS(name) GB_KERNELS_OF(name, NULL)
#define GB_KERNELS_OF(name, formula)                                                                         \
    {                                                                                                        \
        .of = {GB_EACH_ISA(GB_KERNEL_ISA, name)}, .text = formula                                            \
    }

/* In a `*_vector.c`: the name of this compilation's variant of a kernel. */
#define GB_PASTE4_(a, b, c, d) a##b##_##c##_##d
#define GB_PASTE4(a, b, c, d) GB_PASTE4_(a, b, c, d)
#define GB_BLOCK(name) GB_PASTE4(gb_block_, name, GB_ISA, GB_REAL_BITS)

#endif
