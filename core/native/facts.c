/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/kernels/isa_impl.h"
#include "core/native.h"
#include "core/native/cache_impl.h"
#include "core/native/compiler_impl.h"
#include "core/native/object_impl.h"

static bool runs(char *why, size_t bytes)
{
    static const char *const text = "#include \"native_prelude.h\"\n"
                                    "GB_NATIVE int answer(int x);\n"
                                    "int answer(int x) { return x + 1; }\n";
    gb_object *const object = gb_object_load(
        &(gb_source){.file = &text, .files = 1, .isa = gb_best_isa(), .real_bits = 64}, NULL, why, bytes);
    int (*answer)(int) = NULL;
    if (object)
        *(void **)&answer = gb_object_find(object, "answer");
    const bool good = answer && answer(1) == 2;
    if (object && !good)
        snprintf(why, bytes, "the compiler makes wrong code");
    gb_object_free(object);
    return good;
}

static bool look_at_cache(gb_native_facts *facts, bool removes)
{
    gb_cache cache;
    if (!gb_cache_open(&cache, (gb_why){facts->advice, sizeof facts->advice}))
        return false;
    const gb_cache_sum sum = gb_cache_files(&cache, removes);
    snprintf(facts->cache, sizeof facts->cache, "%.*s", (int)sizeof facts->cache - 1, cache.path);
    facts->files = sum.files;
    facts->bytes = sum.bytes;
    gb_cache_close(&cache);
    return true;
}

bool gb_native_look(gb_native_facts *facts)
{
    gb_compiler compiler;
    *facts = (gb_native_facts){0};
    if (gb_compiler_find(&compiler, (gb_why){facts->fault, sizeof facts->fault}))
        snprintf(facts->compiler, sizeof facts->compiler, "%.*s", (int)sizeof facts->compiler - 1,
                 compiler.path);
    const bool good = *facts->compiler && runs(facts->fault, sizeof facts->fault);
    if (good)
        *facts->fault = '\0';
    look_at_cache(facts, false);
    return good;
}

bool gb_native_clear(gb_native_facts *facts)
{
    *facts = (gb_native_facts){0};
    return look_at_cache(facts, true);
}
