/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared objects loaded from bytes: those that were given, and no others. */
#ifndef GREBE_CORE_NATIVE_LOAD_IMPL_H
#define GREBE_CORE_NATIVE_LOAD_IMPL_H

#include "core/native/files_impl.h"

typedef struct gb_loaded {
    void *library; /* of dlopen */
    int file;      /* -1, or open as long as the library: its number is the library's name */
} gb_loaded;

/* Whether this program can load anything: a static one cannot. */
bool gb_load_can(gb_why why);

/* Loads a shared object that exports `key` as gb_object_key. */
bool gb_load(gb_loaded *loaded, gb_bytes object, const char *key, gb_why why);
void gb_unload(gb_loaded *loaded);

#endif
