/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading a shared object. Whatever is found wrong, the message begins with its path. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plugins/bundle/bundle_impl.h"

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
    return S_ISREG(found.st_mode) ? NULL : "it is not a regular file";
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
