/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading a shared object. Whatever is found wrong, the message begins with its path. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plugins/bundle/bundle_impl.h"

#if defined(__ELF__)
#include <elf.h>
#endif

/* The system maps all segments of a file, and a signal ends the process where a segment is longer than the
 * file: a copy that was not finished, say. */
#if defined(__ELF__) && __SIZEOF_POINTER__ == 8
static bool has_all_segments(FILE *file, const Elf64_Ehdr *head)
{
    if (fseek(file, 0, SEEK_END) != 0)
        return false;
    const uint64_t bytes = (uint64_t)ftell(file);
    for (unsigned i = 0; i < head->e_phnum; i++) {
        Elf64_Phdr segment;
        const uint64_t at = head->e_phoff + (uint64_t)i * head->e_phentsize;
        if (at > bytes || fseek(file, (long)at, SEEK_SET) != 0 ||
            fread(&segment, sizeof segment, 1, file) != 1)
            return false;
        if (segment.p_offset > bytes || segment.p_filesz > bytes - segment.p_offset)
            return false;
    }
    return true;
}

/* What is no such file is left to the system's words. */
static bool is_whole(const char *path)
{
    Elf64_Ehdr head;
    FILE *const file = fopen(path, "rb");
    const bool is_elf = file && fread(&head, sizeof head, 1, file) == 1 &&
                        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
                        head.e_phentsize == sizeof(Elf64_Phdr);
    const bool whole = !is_elf || has_all_segments(file, &head);
    if (file)
        fclose(file);
    return whole;
}
#else
static bool is_whole(const char *path)
{
    (void)path;
    return true;
}
#endif

/* The system would wait for a pipe, and search its folders for a name without a slash. */
static const char *path_fault(const char *path)
{
    struct stat found;
    if (!path || !*path)
        return "a path is expected, as ./mine.so";
    if (!strchr(path, '/'))
        return "a file to load is named with a slash, as ./mine.so";
    if (stat(path, &found) != 0)
        return strerror(errno);
    if (!S_ISREG(found.st_mode))
        return "it is not a regular file";
    return is_whole(path) ? NULL : "the file is cut off";
}

/* The system's words begin with the path, most often. */
static gb_status system_fault(const char *path, char *error, size_t bytes)
{
    const char *words = dlerror();
    const size_t length = strlen(path);
    if (!words)
        words = "unknown reason";
    if (strncmp(words, path, length) == 0 && strncmp(words + length, ": ", 2) == 0)
        words += length + 2;
    const bool lacks = strstr(words, "undefined symbol");
    snprintf(error, bytes, "%s cannot be loaded: %s%s", path, words,
             lacks ? "; link it with what it uses: -lgrebe" : "");
    return GB_EFILE;
}

/* Look-ups return the path, so it stays as long as a type that was added with it. */
static gb_status add(const char *path, const gb_bundle *exported, char *error, size_t bytes)
{
    char fault[512];
    size_t count = 0;
    char *const kept = strdup(path);
    if (!kept) {
        snprintf(error, bytes, "%s: out of memory", path);
        return GB_ENOMEM;
    }
    const gb_status status = gb_bundle_add_new(exported, kept, &count, fault, sizeof fault);
    if (status != GB_OK)
        snprintf(error, bytes, "%s: %s", path, fault);
    if (count == 0)
        free(kept);
    return status;
}

gb_status gb_bundle_load(const char *path, const gb_bundle **bundle, char *error, size_t bytes)
{
    const char *const fault = path_fault(path);
    if (bundle)
        *bundle = NULL;
    if (fault) {
        snprintf(error, bytes, "%s cannot be loaded: %s", path && *path ? path : "\"\"", fault);
        return GB_EFILE;
    }
    void *const file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!file)
        return system_fault(path, error, bytes);
    const gb_bundle *const exported = dlsym(file, "gb_exported_bundle");
    gb_status status = GB_EFILE;
    if (!exported)
        snprintf(error, bytes, "%s exports no plug-ins: it lacks GB_EXPORT_BUNDLE({kind, type}, …)", path);
    else
        status = add(path, exported, error, bytes);
    if (status == GB_OK && bundle)
        *bundle = exported;
    if (status != GB_OK)
        dlclose(file);
    return status;
}
