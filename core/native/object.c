/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/object_impl.h"

#include <dlfcn.h>
#include <string.h>

#include "core/native/cache_impl.h"
#include "core/native/embedded_impl.h"
#include "core/native/load_impl.h"
#include "core/version.h"

struct gb_object {
    const gb_memory *memory;
    gb_loaded loaded;
};

/* Puts together what decides all that an object does. */
static bool describe(const gb_source *source, const gb_compiler *compiler, const gb_memory *memory,
                     gb_bytes *from)
{
    char first[GB_PATH_BYTES + 512];
    const unsigned long long numbers[] = {compiler->size, compiler->changed, compiler->moved,
                                          compiler->number};
    const size_t length =
        (size_t)snprintf(first, sizeof first, "grebe %s %s\n%s %llu %llu %llu %llu\n%d %d %zu\n",
                         gb_version(), gb_embedded_hash, compiler->path, numbers[0], numbers[1], numbers[2],
                         numbers[3], source->isa, source->real_bits, source->files);
    *from = (gb_bytes){.length = length};
    for (size_t i = 0; i < source->files; i++)
        from->length += strlen(source->file[i]) + 1;
    char *end = from->at = gb_memory_resize(memory, NULL, from->length);
    if (!end)
        return false;
    memcpy(end, first, length);
    end += length;
    for (size_t i = 0; i < source->files; i++) {
        const size_t bytes = strlen(source->file[i]) + 1;
        memcpy(end, source->file[i], bytes);
        end += bytes;
    }
    return true;
}

/* Loads what is in the cache, or what is built, which is kept if it can be loaded. */
static bool load(gb_object *object, const gb_source *source, const gb_compiler *compiler, gb_bytes from,
                 const atomic_bool *cancel, gb_why why)
{
    gb_cache cache;
    gb_bytes bytes;
    char key[GB_KEY_BYTES];
    gb_cache_key(from, key);
    const bool has_cache = gb_cache_open(&cache, why);
    const bool is_kept = has_cache && gb_cache_get(&cache, from, object->memory, &bytes);
    bool good = is_kept || gb_build(compiler, source, object->memory, key, cancel, &bytes, why);
    if (good) {
        good = gb_load(&object->loaded, bytes, key, why);
        if (good && has_cache && !is_kept)
            gb_cache_put(&cache, from, bytes);
        gb_memory_release(object->memory, bytes.at);
    }
    gb_cache_close(&cache);
    return good;
}

gb_object *gb_object_load(const gb_source *source, const atomic_bool *cancel, char *why, size_t bytes)
{
    static const gb_memory usual;
    const gb_memory *const memory = source->memory ? source->memory : &usual;
    const gb_why words = {why, bytes};
    gb_compiler compiler;
    gb_bytes from = {0};
    if (!gb_load_can(words) || !gb_compiler_find(&compiler, words))
        return NULL;
    gb_object *object = gb_memory_resize(memory, NULL, sizeof *object);
    if (!object || !describe(source, &compiler, memory, &from))
        gb_why_not(words, "no memory to compile native code");
    else {
        *object = (gb_object){.memory = memory};
        if (load(object, source, &compiler, from, cancel, words)) {
            gb_memory_release(memory, from.at);
            return object;
        }
    }
    gb_memory_release(memory, from.at);
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
