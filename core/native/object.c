/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__linux__)
#define _GNU_SOURCE /* memfd_create, seals */
#endif
#include "core/native/object_impl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#endif

#include "core/ground/file_impl.h"
#include "core/native/cache_impl.h"
#include "core/native/embedded_impl.h"
#include "core/version.h"

struct gb_object {
    const gb_memory *memory;
    size_t users;
    void *library; /* of dlopen */
    int file;      /* -1, or open as long as the library: its number is the library's name */
};

/* ---- loading ---- */

/* What dlopen does in a static program depends on the C library: it fails, or brings another C library. There
 * no function has a name at run time. */
static bool is_static(void)
{
    void *const program = dlopen(NULL, RTLD_NOW);
    const bool has_names = program && dlsym(program, "malloc");
    if (program)
        dlclose(program);
    return !has_names;
}

/* Where a file ends before its segments do, the loader would be ended by SIGBUS. */
static bool is_cut(const char *bytes, size_t count)
{
    bool is = false;
#if defined(__linux__)
    ElfW(Ehdr) head;
    ElfW(Phdr) segment;
    if (count < sizeof head || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return false; /* the loader says what it is */
    memcpy(&head, bytes, sizeof head);
    for (size_t i = 0; !is && i < head.e_phnum; i++) {
        const size_t at = head.e_phoff + i * sizeof segment;
        is = at > count || count - at < sizeof segment;
        if (!is)
            memcpy(&segment, bytes + at, sizeof segment);
        is = is || segment.p_filesz > count || segment.p_offset > count - segment.p_filesz;
    }
#endif
    (void)bytes, (void)count;
    return is;
}

#if defined(__linux__)
/* Half of the files that may be open are for the program around grebe. */
static bool is_scarce(int file)
{
    struct rlimit most;
    return getrlimit(RLIMIT_NOFILE, &most) == 0 && (rlim_t)file >= most.rlim_cur / 2;
}
#endif

/* Returns a file in memory that nobody can change any more; -1 if the system has none. */
static int seal(const char *bytes, size_t count)
{
#if defined(__linux__)
    const int file = gb_file_above_standard(memfd_create("grebe", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (file < 0 || (!is_scarce(file) && gb_file_write_all(file, bytes, count) &&
                     fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0))
        return file;
    close(file);
#endif
    (void)bytes, (void)count;
    return -1;
}

/* The loader takes an object for one that is there if it has the same path, whatever is in it. The key tells
 * them apart. */
static bool open_path(gb_object *object, const char *path, const char *key, gb_why why)
{
    object->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object->library) {
        const char *words = dlerror();
        words = words && strncmp(words, path, strlen(path)) == 0 ? words + strlen(path) : words;
        return gb_why_not(why, "the object that the compiler made cannot be loaded%s",
                          words ? words : ": dlopen failed");
    }
    const char *const is = dlsym(object->library, "gb_object_key");
    if (is && strcmp(is, key) == 0)
        return true;
    dlclose(object->library);
    return gb_why_not(why, "native code cannot be loaded: another object has its place");
}

/* Loads the bytes that were given, and no others: sealed, or else through a file in a folder that only this
 * user may enter. */
static bool load(gb_object *object, const char *bytes, size_t count, const char *key, gb_why why)
{
    char folder[GB_FOLDER_BYTES], path[GB_PATH_BYTES];
    if (is_cut(bytes, count))
        return gb_why_not(why, "the object that the compiler made is cut");
    object->file = seal(bytes, count);
    snprintf(path, sizeof path, "/proc/self/fd/%d", object->file);
    if (object->file >= 0) {
        if (open_path(object, path, key, why))
            return true;
        close(object->file);
    }
    object->file = -1;
    if (!gb_folder_make(folder, why))
        return false;
    snprintf(path, sizeof path, "%s/object", folder);
    const bool good =
        gb_folder_write(folder, "object", bytes, count, why) && open_path(object, path, key, why);
    gb_folder_remove(folder);
    return good;
}

/* ---- objects ---- */

/* Puts together what decides all that an object does. */
static void describe(const gb_native_source *source, const gb_compiler *compiler, gb_growing_text *from)
{
    const struct stat *const is = &compiler->is;
    size_t bytes = 1000;
    for (size_t i = 0; i < source->files; i++)
        bytes += strlen(source->file[i]) + 1;
    gb_text_has_room(from, bytes);
    gb_text_append(from, "grebe %s %s\n%s %lld %lld %lld %llu\n%d %d %zu\n", gb_version(), gb_embedded_hash,
                   compiler->path, (long long)is->st_size, (long long)is->st_mtime, (long long)is->st_ctime,
                   (unsigned long long)is->st_ino, source->isa, source->real_bits, source->files);
    for (size_t i = 0; i < source->files; i++)
        gb_text_append_bytes(from, source->file[i], strlen(source->file[i]) + 1);
}

/* Loads what is in the cache, or what is built, which is kept if it can be loaded. */
static bool load_or_build(gb_object *object, const gb_native_source *source, const gb_compiler *compiler,
                          const atomic_bool *cancel, gb_why why)
{
    char path[GB_FOLDER_BYTES], key[GB_KEY_BYTES];
    gb_growing_text text = {.memory = object->memory};
    int cache;
    describe(source, compiler, &text);
    const size_t from = text.count;
    bool good = !text.failed || gb_why_not(why, "no memory to compile native code");
    if (good) {
        gb_cache_key(&text, key);
        gb_cache_open(&cache, path, why);
        const bool is_kept = gb_cache_get(cache, key, &text);
        good = (is_kept || gb_build(compiler, source, key, cancel, &text, why)) &&
               load(object, text.at + from, text.count - from, key, why);
        if (good && !is_kept)
            gb_cache_put(cache, key, &text);
        if (cache >= 0)
            close(cache);
    }
    gb_text_free(&text);
    return good;
}

gb_object *gb_object_load(const gb_native_source *source, const atomic_bool *cancel, char *why, size_t bytes)
{
    static const gb_memory usual;
    const gb_memory *const memory = source->memory ? source->memory : &usual;
    const gb_why words = {why, bytes};
    gb_compiler compiler;
    gb_object *object = NULL;
    if (is_static())
        gb_why_not(words, "a static program loads no native code");
    else if (gb_compiler_find(&compiler, words) && !(object = gb_memory_resize(memory, NULL, sizeof *object)))
        gb_why_not(words, "no memory to compile native code");
    if (!object)
        return NULL;
    *object = (gb_object){.memory = memory, .users = 1};
    if (load_or_build(object, source, &compiler, cancel, words))
        return object;
    gb_memory_release(memory, object);
    return NULL;
}

void *gb_object_find(const gb_object *object, const char *name)
{
    return dlsym(object->library, name);
}

gb_object *gb_object_share(gb_object *object)
{
    object->users++;
    return object;
}

void gb_object_free(gb_object *object)
{
    if (!object || --object->users > 0)
        return;
    dlclose(object->library);
    if (object->file >= 0)
        close(object->file);
    gb_memory_release(object->memory, object);
}
