/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice of kernels by the processor's instruction sets. GREBE_ISA=baseline, avx2 or avx512 selects a
 * lesser set than the best. */
#include <stdlib.h>
#include <string.h>

#include "core/kernels/isa_impl.h"
#include "core/version.h"

static gb_isa best(void)
{
#if defined(__x86_64__) && !defined(GB_PLAIN)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return GB_ISA_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return GB_ISA_AVX2;
#endif
    return GB_ISA_BASELINE;
}

const char *gb_unknown_isa(void)
{
    static const char *const words[] = {"", "baseline", "avx2", "avx512"};
    const char *const asked = getenv("GREBE_ISA");
    for (size_t i = 0; asked && i < sizeof words / sizeof *words; i++)
        if (strcmp(asked, words[i]) == 0)
            return NULL;
    return asked;
}

gb_isa gb_best_isa(void)
{
    const gb_isa most = best();
    const char *asked = getenv("GREBE_ISA");
    if (asked && strcmp(asked, "baseline") == 0)
        return GB_ISA_BASELINE;
    if (asked && strcmp(asked, "avx2") == 0 && most > GB_ISA_AVX2)
        return GB_ISA_AVX2;
    return most;
}

const char *gb_kernels(void)
{
    static const char *const names[GB_ISA_COUNT] = {"baseline", "AVX2", "AVX-512"};
    return names[gb_best_isa()];
}
