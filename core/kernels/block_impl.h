/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block kernels: the instructions that a plan is made of.
 *
 * A kernel works on `lines` lines of 64 bytes (8 doubles or 16 floats), whatever the width of the machine's
 * vectors: buffers are padded to whole lines, so no kernel has a scalar tail. An array of one element is kept
 * splatted over one line; an argument with step 0 is such a line and is read again for every line of output.
 *
 * Files named `*_vector.c` hold kernels. They are compiled once for each instruction set and each real type,
 * with GB_ISA (baseline, avx2, avx512) and GB_REAL_BITS (64, 32) defined; see vector_impl.h. */
#ifndef GREBE_CORE_KERNELS_BLOCK_IMPL_H
#define GREBE_CORE_KERNELS_BLOCK_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GB_LINE_BYTES = 64,
    GB_BLOCK_LINES = 32, /* a block: 256 doubles or 512 floats, 2 KiB, so that a group's temporaries fit L1 */
    GB_BLOCK_BYTES = GB_LINE_BYTES * GB_BLOCK_LINES,
    GB_MAX_BLOCK_ARGS = 3
};

typedef enum gb_isa { GB_ISA_BASELINE, GB_ISA_AVX2, GB_ISA_AVX512, GB_ISA_COUNT } gb_isa;

typedef struct gb_block gb_block;

/* Fills `lines` lines of `block->out`; `first` is the index, in the whole array, of the first element. */
typedef void gb_block_kernel(const gb_block *block, size_t lines, size_t first);

struct gb_block {
    gb_block_kernel *kernel;
    void *out; /* may be the same address as an argument */
    const void *in[GB_MAX_BLOCK_ARGS];
    const void
        *extra;    /* what the kernel needs besides: a noise stream, a strided view, a reduction, a loop */
    uint8_t lines; /* of the whole array, where one call does all of it: at most GB_BLOCK_LINES */
    uint8_t step[GB_MAX_BLOCK_ARGS]; /* 0 or 1 lines */
    uint8_t moves;                   /* in a loop, with the block; bit 0: out, bits 1 to 3: in */
    uint8_t temporary; /* the same bits: counted from the scratch memory, until its address is known */
    bool ends;         /* in a loop: is called once more at its end, with 0 lines, to store its result */
};
_Static_assert(sizeof(void *) != 8 || sizeof(gb_block) == 56,
               "straight code is limited by how fast it is read");

/* The kernels of one operation, by instruction set and real type (0: double, 1: float). */
typedef struct gb_block_kernels {
    gb_block_kernel *of[GB_ISA_COUNT][2];
} gb_block_kernels;

#if defined(__x86_64__)
#define GB_EACH_ISA(do_, ...) do_(baseline, __VA_ARGS__) do_(avx2, __VA_ARGS__) do_(avx512, __VA_ARGS__)
#else
#define GB_EACH_ISA(do_, ...) do_(baseline, __VA_ARGS__)
#endif
#define GB_DECLARE_KERNEL_ISA(isa, name)                                                                     \
    gb_block_kernel gb_block_##name##_##isa##_64, gb_block_##name##_##isa##_32;
#define GB_KERNEL_ISA(isa, name) {gb_block_##name##_##isa##_64, gb_block_##name##_##isa##_32},

/* Declares gb_block_NAME_ISA_BITS for every instruction set and real type. */
#define GB_DECLARE_KERNELS(name) GB_EACH_ISA(GB_DECLARE_KERNEL_ISA, name)
/* The initialiser of a gb_block_kernels with them. */
#define GB_KERNELS(name)                                                                                     \
    {                                                                                                        \
        .of = { GB_EACH_ISA(GB_KERNEL_ISA, name) }                                                           \
    }

/* In a `*_vector.c`: the name of this compilation's variant of a kernel. */
#define GB_PASTE4_(a, b, c, d) a##b##_##c##_##d
#define GB_PASTE4(a, b, c, d) GB_PASTE4_(a, b, c, d)
#define GB_BLOCK(name) GB_PASTE4(gb_block_, name, GB_ISA, GB_REAL_BITS)

#endif
