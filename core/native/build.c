/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/build_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/ground/clock_impl.h"
#include "core/ground/file_impl.h"
#include "core/ground/memory_impl.h"
#include "core/native/embedded_impl.h"

/* The compiler is ended after so many seconds for one file, or for all; it may fill so much of the disk. */
enum { FILE_SECONDS = 120, ALL_SECONDS = 300, MOST_BYTES = 256 << 20 };

typedef struct build {
    const gb_compiler *compiler;
    const gb_source *source;
    const gb_memory *memory;
    gb_folder folder;
    gb_limits limits;
    gb_why why;
    gb_arena texts; /* of the arguments */
    GB_LIST(char *) arguments;
    bool whole; /* immintrin.h is whole */
} build;

/* --------------------------------------------------------------------------------------- what is compiled */

static bool write_files(const build *b, const char *key)
{
    char text[128];
    for (const char *const *each = gb_embedded_unused[b->source->isa]; *each; each++)
        if (!gb_folder_write(&b->folder, *each, "", 0, b->why))
            return false;
    for (size_t i = 0; i < b->source->files; i++) {
        snprintf(text, sizeof text, "%zu.c", i);
        if (!gb_folder_write(&b->folder, text, b->source->file[i], strlen(b->source->file[i]), b->why))
            return false;
    }
    snprintf(text, sizeof text,
             "__attribute__((visibility(\"default\"))) const char gb_object_key[] = \"%s\";\n", key);
    return gb_folder_write(&b->folder, "key.h", text, strlen(text), b->why) &&
           gb_folder_write(&b->folder, "native_prelude.h", gb_embedded_prelude, gb_embedded_prelude_bytes,
                           b->why);
}

/* --------------------------------------------------------------------------------------- how it is called */

/* Adds arguments, in which @ is the path of the folder; NULL ends them. */
static bool add(build *b, const char *const *words)
{
    char text[GB_PATH_BYTES + 64];
    bool good = true;
    for (; good && *words; words++) {
        const char *const at = strchr(*words, '@'), *const rest = at ? at + 1 : *words + strlen(*words);
        snprintf(text, sizeof text, "%.*s%s%s", (int)strcspn(*words, "@"), *words, at ? b->folder.path : "",
                 rest);
        good = GB_LIST_GROW(b->memory, &b->arguments, 2) &&
               (b->arguments.at[b->arguments.count++] = gb_arena_text(&b->texts, text));
    }
    if (good)
        b->arguments.at[b->arguments.count] = NULL;
    return good || gb_why_not(b->why, "no memory to compile native code");
}

/* Begins a call: the compiler, and the flags that decide the bits. */
static bool begin(build *b)
{
    const char *const first[] = {"", b->source->real_bits == 32 ? "-DGB_REAL_BITS=32" : "-DGB_REAL_BITS=64",
                                 "-I@", NULL};
    gb_arena_reset(&b->texts);
    b->arguments.count = 0;
    return add(b, first) && add(b, gb_embedded_flags[b->source->isa]);
}

static bool call(build *b)
{
    gb_limits limits = b->limits;
    if (limits.until > gb_seconds() + FILE_SECONDS)
        limits.until = gb_seconds() + FILE_SECONDS;
    return gb_compiler_run(b->compiler, b->arguments.at, &b->folder, limits, b->why);
}

static const char *const linked[] = {"-shared", "-s", "-o", "@/object", "-lm", NULL};

/* The first file has the key too, and the only one is linked by the same call. */
static bool compile(build *b, size_t i)
{
    char in[32], out[32];
    snprintf(in, sizeof in, "@/%zu.c", i);
    snprintf(out, sizeof out, "@/%zu.o", i);
    const char *const words[] = {in, i == 0 ? "-include" : NULL, "@/key.h", NULL};
    const char *const compiled[] = {"-c", "-o", out, NULL};
    return begin(b) && add(b, words) && add(b, b->source->files == 1 ? linked : compiled) && call(b);
}

/* A compiler may need headers that this version of grebe takes for unused: then it gets them. */
static bool compile_again(build *b, size_t i)
{
    char path[GB_PATH_BYTES];
    if (b->whole)
        return false;
    b->whole = true;
    for (const char *const *each = gb_embedded_unused[b->source->isa]; *each; each++) {
        snprintf(path, sizeof path, "%s/%s", b->folder.path, *each);
        unlink(path);
    }
    return compile(b, i);
}

static bool link_all(build *b)
{
    bool good = begin(b);
    for (size_t i = 0; good && i < b->source->files; i++) {
        char object[32];
        snprintf(object, sizeof object, "@/%zu.o", i);
        good = add(b, (const char *const[]){object, NULL});
    }
    return good && add(b, linked) && call(b);
}

static bool read_object(const build *b, gb_bytes *object)
{
    char path[GB_PATH_BYTES];
    snprintf(path, sizeof path, "%s/object", b->folder.path);
    const int file = gb_file_open(path, O_RDONLY | O_NOFOLLOW, 0);
    const bool good = file >= 0 && gb_bytes_read(file, MOST_BYTES, b->memory, object);
    const int error = errno;
    if (file >= 0)
        close(file);
    return good ||
           gb_why_not(b->why, error == ENOMEM ? "no memory to compile native code" : "%s: it made no object",
                      b->compiler->path);
}

bool gb_build(const gb_compiler *compiler, const gb_source *source, const gb_memory *memory, const char *key,
              const atomic_bool *cancel, gb_bytes *object, gb_why why)
{
    build b = {.compiler = compiler,
               .source = source,
               .memory = memory,
               .why = why,
               .texts.memory = memory,
               .limits = {.cancel = cancel, .until = gb_seconds() + ALL_SECONDS, .bytes = MOST_BYTES}};
    if (!gb_folder_make(&b.folder, why))
        return false;
    bool good = write_files(&b, key);
    for (size_t i = 0; good && i < source->files; i++)
        good = compile(&b, i) || compile_again(&b, i);
    good = good && (source->files == 1 || link_all(&b)) && read_object(&b, object);
    gb_folder_remove(&b.folder);
    gb_arena_free(&b.texts);
    gb_memory_release(memory, b.arguments.at);
    return good;
}
