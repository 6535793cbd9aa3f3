/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cache: a folder of objects, each with all that it was made from.
 *
 * It is the folder grebe in XDG_CACHE_HOME, or in .cache of the user's home, and is not used if another user
 * owns it or may write to it. The name of a file is a hash of what its object was made from. The file has all
 * of that, then the object, then a hash of both. All of it is compared byte by byte: a name that two objects
 * share costs nothing but time. A file is there as a whole or not at all, since it is written under another
 * name first; what is damaged is removed. */
#ifndef GREBE_CORE_NATIVE_CACHE_IMPL_H
#define GREBE_CORE_NATIVE_CACHE_IMPL_H

#include "core/native/files_impl.h"

/* With more, the files whose last use is longest ago go. It holds some hundred programs: a small one takes
 * 20 KB and more. */
enum { GB_CACHE_MOST = 64 << 20 };

/* Opens the folder, which it makes if need be, and writes its path. If there is none, `*cache` is -1: for the
 * functions below that is an empty cache, which stays so. */
bool gb_cache_open(int *cache, char path[GB_FOLDER_BYTES], gb_why why);

/* Writes the hash of what an object is made from. */
enum { GB_KEY_BYTES = 17 };
void gb_cache_key(const gb_growing_text *from, char key[GB_KEY_BYTES]);

/* Appends the object that was made from this text, if it is there and undamaged; else nothing changes. */
bool gb_cache_get(int cache, const char *key, gb_growing_text *text);

/* Keeps such a text with its object. What hinders that does no harm. */
void gb_cache_put(int cache, const char *key, const gb_growing_text *text);

/* Sums all files, or removes them. */
gb_file_sum gb_cache_sum(int cache, bool removes);

#endif
