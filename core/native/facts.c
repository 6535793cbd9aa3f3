/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native code as the user sees it, for `grebe doctor`. */
#include <unistd.h>

#include "core/kernels/isa_impl.h"
#include "core/native.h"
#include "core/native/cache_impl.h"
#include "core/native/object_impl.h"

static bool runs(gb_native_facts *facts)
{
    static const char *const text = "#include \"native_prelude.h\"\n"
                                    "GB_NATIVE int answer(int x);\n"
                                    "int answer(int x) { return x + 1; }\n";
    const gb_native_source source = {.file = &text, .files = 1, .isa = gb_best_isa(), .real_bits = 64};
    gb_object *const object = gb_object_load(&source, NULL, facts->fault, sizeof facts->fault);
    int (*answer)(int) = NULL;
    if (!object)
        return false;
    *(void **)&answer = gb_object_find(object, "answer");
    const bool good = answer && answer(1) == 2;
    snprintf(facts->fault, sizeof facts->fault, good ? "" : "the compiler makes wrong code");
    gb_object_free(object);
    return good;
}

static bool look_at_cache(gb_native_facts *facts, bool removes)
{
    char path[GB_FOLDER_BYTES];
    int cache;
    if (!gb_cache_open(&cache, path, (gb_why){facts->advice, sizeof facts->advice}))
        return false;
    const gb_file_sum sum = gb_cache_sum(cache, removes);
    snprintf(facts->cache, sizeof facts->cache, "%.255s", path);
    facts->files = sum.files;
    facts->bytes = sum.bytes;
    close(cache);
    return true;
}

bool gb_native_look(gb_native_facts *facts)
{
    gb_compiler compiler;
    *facts = (gb_native_facts){0};
    const bool has_compiler = gb_compiler_find(&compiler, (gb_why){facts->fault, sizeof facts->fault});
    if (has_compiler)
        snprintf(facts->compiler, sizeof facts->compiler, "%.255s", compiler.path);
    const bool good = has_compiler && runs(facts);
    look_at_cache(facts, false);
    return good;
}

bool gb_native_clear(gb_native_facts *facts)
{
    *facts = (gb_native_facts){0};
    return look_at_cache(facts, true);
}
