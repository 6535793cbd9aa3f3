/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__linux__)
#define _GNU_SOURCE /* memfd_create, seals, dl_iterate_phdr */
#endif
#include "core/native/load_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <link.h>
#include <sys/mman.h>
#endif

/* The loader takes an object for one that is there if it has the same path, whatever is in it. The key tells
 * them apart. */
static bool open_path(gb_loaded *loaded, const char *path, const char *key, gb_why why)
{
    loaded->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!loaded->library) {
        const char *const words = dlerror();
        return gb_why_not(why, "native code cannot be loaded: %s", words ? words : "dlopen failed");
    }
    const char *const is = dlsym(loaded->library, "gb_object_key");
    if (is && strcmp(is, key) == 0)
        return true;
    dlclose(loaded->library);
    return gb_why_not(why, "native code cannot be loaded: another object has its place");
}

#if defined(__linux__)
static int has_interpreter(struct dl_phdr_info *program, size_t bytes, void *found)
{
    (void)bytes;
    for (size_t i = 0; i < program->dlpi_phnum; i++)
        *(bool *)found |= program->dlpi_phdr[i].p_type == PT_INTERP;
    return 1; /* the first is the program; that suffices */
}

/* What dlopen does in a static program depends on the C library: it fails, or brings another C library. */
static bool is_static(void)
{
    bool found = false;
    dl_iterate_phdr(has_interpreter, &found);
    return !found;
}

/* Returns a file in memory that nobody can change any more; -1 if the system has none. */
static int seal(gb_bytes object)
{
    const unsigned executable = 0x10; /* MFD_EXEC, which Linux 6.3 and later ask for */
    int first = memfd_create("grebe", MFD_CLOEXEC | MFD_ALLOW_SEALING | executable);
    if (first < 0 && errno == EINVAL)
        first = memfd_create("grebe", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const int file = first < 0 ? -1 : fcntl(first, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (first >= 0)
        close(first);
    if (file < 0 || (gb_bytes_write(file, object.at, object.length) &&
                     fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0))
        return file;
    close(file);
    return -1;
}

static bool load_sealed(gb_loaded *loaded, gb_bytes object, const char *key, gb_why why)
{
    char path[64];
    loaded->file = seal(object);
    snprintf(path, sizeof path, "/proc/self/fd/%d", loaded->file);
    if (loaded->file >= 0 && open_path(loaded, path, key, why))
        return true;
    if (loaded->file >= 0)
        close(loaded->file);
    return false;
}
#else
static bool is_static(void)
{
    return false;
}

static bool load_sealed(gb_loaded *loaded, gb_bytes object, const char *key, gb_why why)
{
    return !loaded || !object.at || !key || !why.text; /* there is no such file: false */
}
#endif

/* Through a file in a folder that only this user may enter. */
static bool load_file(gb_loaded *loaded, gb_bytes object, const char *key, gb_why why)
{
    gb_folder folder;
    char path[GB_PATH_BYTES];
    loaded->file = -1;
    if (!gb_folder_make(&folder, why))
        return false;
    snprintf(path, sizeof path, "%s/object", folder.path);
    const bool good = gb_folder_write(&folder, "object", object.at, object.length, why) &&
                      open_path(loaded, path, key, why);
    gb_folder_remove(&folder);
    return good;
}

bool gb_load_can(gb_why why)
{
    return !is_static() || gb_why_not(why, "a static program loads no native code");
}

bool gb_load(gb_loaded *loaded, gb_bytes object, const char *key, gb_why why)
{
    return load_sealed(loaded, object, key, why) || load_file(loaded, object, key, why);
}

void gb_unload(gb_loaded *loaded)
{
    dlclose(loaded->library);
    if (loaded->file >= 0)
        close(loaded->file);
}
