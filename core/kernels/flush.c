/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/kernels/flush_impl.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

uint64_t gb_flush_begin(void)
{
    const unsigned results = 0x8000, arguments = 0x0040; /* flush results to 0, and treat arguments as 0 */
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | results | arguments);
    return before;
}

void gb_flush_end(uint64_t before)
{
    _mm_setcsr((unsigned)before);
}

#elif defined(__aarch64__)

uint64_t gb_flush_begin(void)
{
    const uint64_t both = (uint64_t)1 << 24;
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | both));
    return before;
}

void gb_flush_end(uint64_t before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else

uint64_t gb_flush_begin(void)
{
    return 0;
}

void gb_flush_end(uint64_t before)
{
    (void)before;
}

#endif
