/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the bits of a result depend on besides the program itself: instruction set, OpenBLAS, compiler, and
 * the libraries of functions (SLEEF, libm). */
#ifndef GREBE_TESTS_MACHINE_H
#define GREBE_TESTS_MACHINE_H

#include "probe.h"

#include <dlfcn.h>

#if !defined(GB_NO_SLEEF) && __has_include(<sleef.h>)
#include <sleef.h>
#endif

#include "ops/blas.h"

/* ---- instruction sets ---- */

enum { ISAS = 3 };
static const char *const ISA[ISAS] = {"baseline", "avx2", "avx512"};

/* From here on, new tapes use the kernels for this instruction set, and so do programs that this one starts.
 * Returns false if the machine has no such instructions. This function alone knows how to do it. */
static inline bool machine_force(const char *isa)
{
    static const char *const WORDS[ISAS] = {"baseline", "AVX2", "AVX-512"};
    setenv("GREBE_ISA", isa, 1);
    for (int i = 0; i < ISAS; i++)
        if (strcmp(isa, ISA[i]) == 0)
            return strcmp(gb_kernels(), WORDS[i]) == 0;
    return false;
}

/* Ends machine_force: new tapes use the best kernels. */
static inline void machine_release(void)
{
    unsetenv("GREBE_ISA");
}

static inline bool machine_has(const char *isa)
{
    const bool has = machine_force(isa);
    machine_release();
    return has;
}

/* ---- OpenBLAS ---- */

enum { MACHINE_TEXT = 96 };

/* Asks OpenBLAS for the kernels that it has for Haswell, so that the results are comparable between
 * machines with AVX2. On others OpenBLAS chooses. Must be called before OpenBLAS is loaded; programs that
 * are started inherit it. */
static inline void machine_prepare_blas(void)
{
    unsetenv("OPENBLAS_L2_SIZE");
    unsetenv("OPENBLAS_CORETYPE");
    if (machine_has("avx2"))
        setenv("OPENBLAS_CORETYPE", "Haswell", 1);
}

/* Loads OpenBLAS, and returns its kernels and version, "Haswell-0.3.21"; "none" if it cannot be loaded. */
static inline const char *machine_blas(void)
{
    static char text[MACHINE_TEXT];
    gb_blas_facts facts;
    char version[32] = "?";
    if (!gb_blas_look(&facts))
        return "none";
    sscanf(facts.library, "%*s %31s", version);
    snprintf(text, sizeof text, "%s-%s", facts.kernels, version);
    return text;
}

/* Returns true if this process has loaded OpenBLAS. False where that cannot be asked. */
static inline bool machine_loaded_blas(void)
{
#ifdef RTLD_NOLOAD
    void *const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
    if (library)
        dlclose(library);
    return library != NULL;
#else
    return false;
#endif
}

/* ---- compiler and libraries ---- */

static inline const char *machine_compiler(void)
{
#if defined(__clang__)
    return "clang";
#elif defined(__GNUC__)
    return "gcc";
#else
    return "other";
#endif
}

/* A hash of values of the libm functions that grebe calls. Versions of libm differ in last bits, and so do
 * processors with and without fused multiply-add. */
static inline uint64_t machine_libm(void)
{
    static double (*const of_one[])(double) = {exp,  log,  log1p, expm1, sin,    cos,
                                               tanh, sinh, cosh,  erfc,  tgamma, sqrt};
    static double (*const of_two[])(double, double) = {pow, hypot, fmod};
    static double x[2][256];
    uint64_t hash = HASH_OF_NOTHING;
    fill("libm x", 0, 8, 256, x[0]);
    fill("libm y", 0, 8, 256, x[1]);
    for (int i = 0; i < 256; i++) {
        volatile double a = x[0][i], b = x[1][i];
        for (size_t f = 0; f < sizeof of_one / sizeof *of_one; f++) {
            const double y = of_one[f](a);
            hash = hash_of(hash, &y, sizeof y);
        }
        for (size_t f = 0; f < sizeof of_two / sizeof *of_two; f++) {
            const double y = of_two[f](a, b);
            hash = hash_of(hash, &y, sizeof y);
        }
    }
    return hash;
}

/* "x86_64 SLEEF-3.5.1 libm-0123456789abcdef". Hashes that were recorded in other surroundings may differ
 * from those computed here although grebe is the same. */
static inline const char *machine_surroundings(void)
{
    static char text[MACHINE_TEXT];
    const char *architecture = "other", *sleef = "none";
#if defined(__x86_64__)
    architecture = "x86_64";
#elif defined(__aarch64__)
    architecture = "aarch64";
#elif defined(__riscv)
    architecture = "riscv";
#elif defined(__powerpc64__)
    architecture = "powerpc64";
#elif defined(__s390x__)
    architecture = "s390x";
#endif
#ifdef SLEEF_VERSION_MAJOR
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", SLEEF_VERSION_MAJOR, SLEEF_VERSION_MINOR,
             SLEEF_VERSION_PATCHLEVEL);
    sleef = version;
#endif
    snprintf(text, sizeof text, "%s SLEEF-%s libm-%016llx", architecture, sleef,
             (unsigned long long)machine_libm());
    return text;
}

#endif
