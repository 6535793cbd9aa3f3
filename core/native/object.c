/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/object_impl.h"

#include <dlfcn.h>

#include "core/native/build_impl.h"
#include "core/native/load_impl.h"

struct gb_object {
    const gb_memory *memory;
    gb_loaded loaded;
};

static const gb_memory usual;

static bool load(gb_object *object, const gb_source *source, const atomic_bool *cancel, gb_why why)
{
    gb_compiler compiler;
    gb_bytes bytes;
    const char *const key = "no key";
    if (!gb_compiler_find(&compiler, why) || !gb_build(&compiler, source, key, cancel, &bytes, why))
        return false;
    const bool good = gb_load(&object->loaded, bytes.at, bytes.length, key, why);
    gb_memory_release(object->memory, bytes.at);
    return good;
}

gb_object *gb_object_load(const gb_source *source, const atomic_bool *cancel, char *why, size_t bytes)
{
    const gb_memory *const memory = source->memory ? source->memory : &usual;
    const gb_why words = {why, bytes};
    gb_object *const object = gb_memory_resize(memory, NULL, sizeof *object);
    if (!object) {
        gb_why_not(words, "out of memory for native code");
        return NULL;
    }
    *object = (gb_object){.memory = memory};
    if (load(object, source, cancel, words))
        return object;
    gb_memory_release(memory, object);
    return NULL;
}

void *gb_object_find(const gb_object *object, const char *name)
{
    return dlsym(object->loaded.library, name);
}

void gb_object_free(gb_object *object)
{
    if (!object)
        return;
    gb_unload(&object->loaded);
    gb_memory_release(object->memory, object);
}
