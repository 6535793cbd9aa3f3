/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <string.h>

#include "core/ground/clock_impl.h"
#include "core/native/compiler_impl.h"
#include "core/native/embedded_impl.h"

/* The compiler is ended after so many seconds; it may fill so much of the disk. */
enum { MOST_SECONDS = 300, MOST_BYTES = 256 << 20 };

static bool write_files(const gb_source *source, const char *key, const char *folder, gb_why why)
{
    char text[128];
    bool good =
        gb_folder_write(folder, "native_prelude.h", gb_embedded_prelude, gb_embedded_prelude_bytes, why);
    for (size_t i = 0; good && i < source->files; i++) {
        snprintf(text, sizeof text, "%zu.c", i);
        good = gb_folder_write(folder, text, source->file[i], strlen(source->file[i]), why);
    }
    snprintf(text, sizeof text,
             "__attribute__((weak, visibility(\"default\"))) const char gb_object_key[] = \"%s\";\n", key);
    return good && gb_folder_write(folder, "key.h", text, strlen(text), why);
}

/* One call compiles and links: the compiler's driver goes from text to text. A compiler may need headers that
 * this version of grebe takes for unused: with `whole` it gets them. */
static bool call(const gb_compiler *compiler, const gb_source *source, const char *folder, bool whole,
                 gb_limits limits, const gb_memory *memory, gb_why why)
{
    gb_growing_text words = {.memory = memory};
    GB_WORD(&words, "%s", compiler->path);
    for (const char *const *flag = gb_embedded_flags[source->isa]; *flag; flag++)
        GB_WORD(&words, "%s", *flag);
    GB_WORD(&words, "-DGB_REAL_BITS=%d", source->real_bits);
    GB_WORD(&words, "-DGB_WHOLE_HEADERS=%d", whole);
    GB_WORD(&words, "-I%s", folder);
    GB_WORD(&words, "-include%c%s/key.h", 0, folder);
    for (size_t i = 0; i < source->files; i++)
        GB_WORD(&words, "%s/%zu.c", folder, i);
    GB_WORD(&words, "-shared%c-s%c-o%c%s/object%c-lm", 0, 0, 0, folder, 0);
    const bool good = gb_compiler_run(&words, folder, limits, why);
    gb_text_free(&words);
    return good;
}

bool gb_build(const gb_compiler *compiler, const gb_source *source, const char *key,
              const atomic_bool *cancel, gb_growing_text *object, gb_why why)
{
    const gb_limits limits = {.cancel = cancel, .until = gb_seconds() + MOST_SECONDS, .bytes = MOST_BYTES};
    const gb_memory *const memory = object->memory;
    char folder[GB_FOLDER_BYTES], path[GB_PATH_BYTES];
    if (!gb_folder_make(folder, why))
        return false;
    snprintf(path, sizeof path, "%s/object", folder);
    bool good = write_files(source, key, folder, why);
    if (good && !call(compiler, source, folder, false, limits, memory, why))
        good = call(compiler, source, folder, true, limits, memory, why);
    if (good && !gb_text_read(object, AT_FDCWD, path, MOST_BYTES))
        good = object->failed ? gb_why_not(why, "no memory to compile native code")
                              : gb_why_not(why, "%s: it made no object", compiler->path);
    gb_folder_remove(folder);
    return good;
}
