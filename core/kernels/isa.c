/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice of kernels by the processor's instruction sets. GREBE_ISA=baseline, avx2 or avx512 selects a
 * lesser set than the best. */
#include "core/kernels/isa_impl.h"

#include "core/ground/environment_impl.h"
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

static int asked(const char **unknown)
{
    static const char *const words[] = {"baseline", "avx2", "avx512", NULL};
    return gb_environment_choice("GREBE_ISA", words, unknown);
}

const char *gb_unknown_isa(void)
{
    const char *unknown;
    asked(&unknown);
    return unknown;
}

gb_isa gb_best_isa(void)
{
    const char *unknown;
    const gb_isa most = best();
    const int isa = asked(&unknown);
    return isa >= 0 && (gb_isa)isa < most ? (gb_isa)isa : most;
}

const char *gb_kernels(void)
{
    static const char *const names[GB_ISA_COUNT] = {"baseline", "AVX2", "AVX-512"};
    return names[gb_best_isa()];
}
