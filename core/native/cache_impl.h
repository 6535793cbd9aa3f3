/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cache: a folder of objects, each with all that it was made from.
 *
 * It is the folder grebe in XDG_CACHE_HOME, or in .cache of the user's home, and is not used if another user
 * owns it or may write to it. The name of a file is a hash of what its object was made from. The file has all
 * of that too, and it is compared byte by byte: a name that two objects share costs nothing but time. A file
 * is there as a whole or not at all, since it is written under another name first; what is damaged is
 * removed. */
#ifndef GREBE_CORE_NATIVE_CACHE_IMPL_H
#define GREBE_CORE_NATIVE_CACHE_IMPL_H

#include "core/native/files_impl.h"

/* With more, the files whose last use is longest ago go. It holds some hundred programs: a small one takes
 * 20 KB and more. */
enum { GB_CACHE_MOST = 64 << 20 };

typedef struct gb_cache {
    char path[GB_FOLDER_BYTES];
    int folder; /* open; -1: there is no cache */
} gb_cache;

/* Opens the folder, which it makes if need be. */
bool gb_cache_open(gb_cache *cache, gb_why why);
void gb_cache_close(gb_cache *cache);

/* Writes the hash of what an object is made from. */
enum { GB_KEY_BYTES = 17 };
void gb_cache_key(gb_bytes from, char key[GB_KEY_BYTES]);

/* Reads the object that was made from these bytes, if it is there and undamaged. */
bool gb_cache_get(const gb_cache *cache, gb_bytes from, const gb_memory *memory, gb_bytes *object);

/* Keeps an object. What hinders that does no harm. */
void gb_cache_put(const gb_cache *cache, gb_bytes from, gb_bytes object);

/* Returns how many files there are, and of how many bytes; `removes`: removes and returns them. */
typedef struct gb_cache_sum {
    uint64_t files, bytes;
} gb_cache_sum;
gb_cache_sum gb_cache_files(const gb_cache *cache, bool removes);

#endif
