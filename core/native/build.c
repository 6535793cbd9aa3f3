/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/build_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ground/clock_impl.h"
#include "core/ground/file_impl.h"
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
} build;

static bool no_memory(const build *b)
{
    return gb_why_not(b->why, "out of memory for native code");
}

/* Headers, texts, and a file that the first text includes. */
static bool write_files(const build *b, const char *key)
{
    char text[160];
    for (const gb_embedded *header = gb_embedded_headers; header->path; header++)
        if (!gb_folder_write(&b->folder, header->path, header->text, header->bytes, b->why))
            return false;
    for (size_t i = 0; i < b->source->files; i++) {
        snprintf(text, sizeof text, "%zu.c", i);
        if (!gb_folder_write(&b->folder, text, b->source->file[i], strlen(b->source->file[i]), b->why))
            return false;
    }
    snprintf(text, sizeof text,
             "__attribute__((visibility(\"default\"))) const char gb_object_key[] = \"%s\";\n", key);
    return gb_folder_write(&b->folder, "key.h", text, strlen(text), b->why);
}

/* Appends arguments to a list, and returns its end. */
static char **append(char **end, const char *const *more, size_t count)
{
    memcpy(end, more, count * sizeof *more);
    return end + count;
}

static size_t count_of(const char *const *flags)
{
    size_t count = 0;
    while (flags[count])
        count++;
    return count;
}

/* Calls the compiler with the flags that decide the bits, and with `more` arguments besides. */
static bool call(const build *b, const char *const *more, size_t count)
{
    const char *const *const all = gb_embedded_flags, *const *const of_isa =
                                                          gb_embedded_isa_flags[b->source->isa];
    char bits[32], folder[GB_PATH_BYTES], prelude[GB_PATH_BYTES];
    snprintf(bits, sizeof bits, "-DGB_REAL_BITS=%d", b->source->real_bits);
    snprintf(folder, sizeof folder, "-I%s", b->folder.path);
    snprintf(prelude, sizeof prelude, "-I%s/core/kernels", b->folder.path);
    const char *const own[] = {bits, folder, prelude}, *const path = b->compiler->path;
    const size_t sum = 1 + count_of(all) + count_of(of_isa) + 3 + count;
    char **const arguments = gb_memory_resize(b->memory, NULL, (sum + 1) * sizeof *arguments);
    if (!arguments)
        return no_memory(b);
    char **end = append(arguments, &path, 1);
    end = append(end, all, count_of(all));
    end = append(end, of_isa, count_of(of_isa));
    end = append(end, own, 3);
    *append(end, more, count) = NULL;
    gb_limits limits = b->limits;
    if (limits.until > gb_seconds() + FILE_SECONDS)
        limits.until = gb_seconds() + FILE_SECONDS;
    const bool good = gb_compiler_run(b->compiler, arguments, &b->folder, limits, b->why);
    gb_memory_release(b->memory, arguments);
    return good;
}

/* One file is compiled and linked by one call. */
static bool compile_one(const build *b)
{
    char in[GB_PATH_BYTES], key[GB_PATH_BYTES], out[GB_PATH_BYTES];
    snprintf(in, sizeof in, "%s/0.c", b->folder.path);
    snprintf(key, sizeof key, "%s/key.h", b->folder.path);
    snprintf(out, sizeof out, "%s/object", b->folder.path);
    const char *const arguments[] = {"-include", key, in, "-shared", "-s", "-o", out, "-lm"};
    return call(b, arguments, sizeof arguments / sizeof *arguments);
}

static bool compile_each(const build *b)
{
    char in[GB_PATH_BYTES], key[GB_PATH_BYTES], out[GB_PATH_BYTES];
    snprintf(key, sizeof key, "%s/key.h", b->folder.path);
    for (size_t i = 0; i < b->source->files; i++) {
        snprintf(in, sizeof in, "%s/%zu.c", b->folder.path, i);
        snprintf(out, sizeof out, "%s/%zu.o", b->folder.path, i);
        const char *const arguments[] = {"-c", in, "-o", out, "-include", key};
        if (!call(b, arguments, i == 0 ? 6 : 4))
            return false;
    }
    return true;
}

static bool link_all(const build *b)
{
    const size_t files = b->source->files;
    char out[GB_PATH_BYTES];
    snprintf(out, sizeof out, "%s/object", b->folder.path);
    const char *const last[] = {"-shared", "-s", "-o", out, "-lm"};
    enum { LAST = sizeof last / sizeof *last };
    const char **const all = gb_memory_resize(b->memory, NULL, (files + LAST) * sizeof *all);
    char(*const names)[GB_PATH_BYTES] = gb_memory_resize(b->memory, NULL, files * sizeof *names);
    for (size_t i = 0; all && names && i < files; i++) {
        snprintf(names[i], GB_PATH_BYTES, "%s/%zu.o", b->folder.path, i);
        all[i] = names[i];
    }
    if (all)
        memcpy(all + files, last, sizeof last);
    const bool good = all && names ? call(b, all, files + LAST) : no_memory(b);
    gb_memory_release(b->memory, all);
    gb_memory_release(b->memory, names);
    return good;
}

static bool read_object(const build *b, gb_bytes *object)
{
    char path[GB_PATH_BYTES];
    struct stat is;
    snprintf(path, sizeof path, "%s/object", b->folder.path);
    const int file = gb_file_open(path, O_RDONLY | O_NOFOLLOW, 0);
    if (file < 0 || fstat(file, &is) != 0 || !S_ISREG(is.st_mode) || is.st_size == 0) {
        if (file >= 0)
            close(file);
        return gb_why_not(b->why, "%s: it made no file", b->compiler->path);
    }
    object->at = gb_memory_resize(b->memory, NULL, (size_t)is.st_size);
    object->length = 0;
    for (ssize_t got = 1; object->at && got != 0 && object->length < (size_t)is.st_size;) {
        got = read(file, (char *)object->at + object->length, (size_t)is.st_size - object->length);
        if (got > 0)
            object->length += (size_t)got;
        else if (got < 0 && errno != EINTR)
            break;
    }
    const int error = errno;
    close(file);
    if (!object->at)
        return no_memory(b);
    if (object->length == (size_t)is.st_size)
        return true;
    gb_memory_release(b->memory, object->at);
    return gb_why_not_by(b->why, error, "%s cannot be read", path);
}

bool gb_build(const gb_compiler *compiler, const gb_source *source, const char *key,
              const atomic_bool *cancel, gb_bytes *object, gb_why why)
{
    static const gb_memory usual;
    build b = {.compiler = compiler,
               .source = source,
               .memory = source->memory ? source->memory : &usual,
               .limits = {.cancel = cancel, .until = gb_seconds() + ALL_SECONDS, .bytes = MOST_BYTES},
               .why = why};
    if (!gb_folder_make(&b.folder, why))
        return false;
    const bool good = write_files(&b, key) &&
                      (source->files == 1 ? compile_one(&b) : compile_each(&b) && link_all(&b)) &&
                      read_object(&b, object);
    gb_folder_remove(&b.folder);
    return good;
}
