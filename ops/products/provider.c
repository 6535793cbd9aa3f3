/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/products/provider_impl.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* libopenblasp: of threads, as Fedora names it; libblas.so.3: whichever the system has chosen. */
#if defined(__APPLE__)
const char *const gb_blas_openblas_files[] = {"libopenblas.0.dylib", "libopenblas.dylib", NULL};
const char *const gb_blas_other_files[] = {"/System/Library/Frameworks/Accelerate.framework/Accelerate",
                                           NULL};
#else
const char *const gb_blas_openblas_files[] = {"libopenblas.so.0", "libopenblasp.so.0", "libopenblas.so",
                                              NULL};
const char *const gb_blas_other_files[] = {
    "libblas.so.3",   "libflexiblas.so.3", "libblis.so.4",  "libblis.so",
    "libmkl_rt.so.2", "libmkl_rt.so",      "libcblas.so.3", NULL};
#endif

/* A library is recognised by a function that no other has. */
static const struct known {
    const char *name, *mark, *get, *set;
    bool is_long; /* the type of the number of threads is long */
} known[] = {
    {"OpenBLAS", "openblas_get_config", "openblas_get_num_threads", "openblas_set_num_threads", false},
    {"FlexiBLAS", "flexiblas_get_version", "flexiblas_get_num_threads", "flexiblas_set_num_threads", false},
    {"BLIS", "bli_info_get_version_str", "bli_thread_get_num_threads", "bli_thread_set_num_threads", true},
    {"MKL", "MKL_Get_Version_String", "MKL_Get_Max_Threads", "MKL_Set_Num_Threads", false},
    {"Accelerate", "vDSP_vaddD", NULL, NULL, false},
};

static void find_threads(void *library, const struct known *as, gb_blas_provider *provider)
{
    void *const get = as->get ? dlsym(library, as->get) : NULL, *const set =
                                                                    as->set ? dlsym(library, as->set) : NULL;
    if (!get || !set)
        return;
    *(void **)(as->is_long ? (void *)&provider->get_long : (void *)&provider->get) = get;
    *(void **)(as->is_long ? (void *)&provider->set_long : (void *)&provider->set) = set;
}

void gb_blas_provider_of(void *library, gb_blas_provider *provider)
{
    *provider = (gb_blas_provider){.name = "a BLAS without a name", .is_slow = true};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (dlsym(library, known[i].mark)) {
            *provider = (gb_blas_provider){.name = known[i].name};
            find_threads(library, &known[i], provider);
            break;
        }
    void *const describe = dlsym(library, "openblas_get_config"), *const kernels =
                                                                      dlsym(library, "openblas_get_corename");
    if (describe && kernels && provider->get) {
        *(void **)&provider->describe = describe;
        *(void **)&provider->kernels = kernels;
    }
}

bool gb_blas_takes_long_integers(const gb_blas_provider *provider, void *library)
{
    if (provider->describe)
        return strstr(provider->describe(), "USE64BITINT");
    if (strcmp(provider->name, "BLIS") == 0) {
        long (*bits)(void) = NULL;
        *(void **)&bits = dlsym(library, "bli_info_get_blas_int_type_size");
        return bits && bits() != 32;
    }
    const char *const layer = getenv("MKL_INTERFACE_LAYER");
    return strcmp(provider->name, "MKL") == 0 && layer && strstr(layer, "ILP64");
}

bool gb_blas_has_threads(const gb_blas_provider *provider)
{
    return provider->get || provider->get_long;
}

int gb_blas_threads(const gb_blas_provider *provider)
{
    return provider->get ? provider->get() : provider->get_long ? (int)provider->get_long() : 1;
}

void gb_blas_set_threads(const gb_blas_provider *provider, int threads)
{
    if (provider->set)
        provider->set(threads);
    else if (provider->set_long)
        provider->set_long(threads);
}
