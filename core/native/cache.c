/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/cache_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/ground/file_impl.h"
#include "core/kernels/noise_impl.h"

/* --------------------------------------------------------------------------------------------- the folder */

bool gb_cache_open(gb_cache *cache, gb_why why)
{
    const char *const given = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    const bool is_given = given && *given == '/';
    const char *const in = is_given ? given : home;
    struct stat is;
    *cache = (gb_cache){.folder = -1};
    if (!in || *in != '/' || strlen(in) > GB_FOLDER_BYTES - 16)
        return gb_why_not(why, "no cache: neither XDG_CACHE_HOME nor HOME says where");
    const int length = snprintf(cache->path, GB_FOLDER_BYTES, "%s%s", in, is_given ? "" : "/.cache");
    mkdir(cache->path, 0700);
    strcpy(cache->path + length, "/grebe");
    mkdir(cache->path, 0700);
    cache->folder = gb_file_open(cache->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (cache->folder < 0)
        return gb_why_not(why, "no cache in %s: %s", cache->path, strerror(errno));
    if (fstat(cache->folder, &is) == 0 && is.st_uid == geteuid() && (is.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return true;
    gb_cache_close(cache);
    return gb_why_not(why, "no cache in %s: another user owns it or may write to it", cache->path);
}

void gb_cache_close(gb_cache *cache)
{
    if (cache->folder >= 0)
        close(cache->folder);
    cache->folder = -1;
}

/* --------------------------------------------------------------------------------------------- one object */

/* What a file begins with; what the object was made from follows, then the object. */
typedef struct head {
    char magic[16];
    uint64_t from, object, hash; /* bytes; a hash of all of them */
} head;

static uint64_t hashed(uint64_t hash, gb_bytes bytes)
{
    const char *const at = bytes.at;
    for (size_t i = 0; i < bytes.length; i += sizeof(uint64_t)) {
        const size_t left = bytes.length - i;
        uint64_t word = 0;
        memcpy(&word, at + i, left < sizeof word ? left : sizeof word);
        hash = gb_noise_mix(hash ^ word) + 0x9e3779b97f4a7c15u;
    }
    return gb_noise_mix(hash ^ bytes.length);
}

void gb_cache_key(gb_bytes from, char key[GB_KEY_BYTES])
{
    snprintf(key, GB_KEY_BYTES, "%016llx", (unsigned long long)hashed(0, from));
}

static head head_of(gb_bytes from, gb_bytes object)
{
    return (head){"grebe object 1", from.length, object.length, hashed(hashed(1, from), object)};
}

/* The object in a file, of which `all` is everything; none if it is damaged, or made from something else. */
static gb_bytes object_in(gb_bytes all, gb_bytes from)
{
    const size_t before = sizeof(head) + from.length;
    if (all.length <= before || memcmp((char *)all.at + sizeof(head), from.at, from.length) != 0)
        return (gb_bytes){0};
    const gb_bytes object = {(char *)all.at + before, all.length - before};
    const head should = head_of(from, object);
    return memcmp(all.at, &should, sizeof should) == 0 ? object : (gb_bytes){0};
}

bool gb_cache_get(const gb_cache *cache, gb_bytes from, const gb_memory *memory, gb_bytes *object)
{
    char name[GB_KEY_BYTES];
    gb_bytes all, found = {0};
    gb_cache_key(from, name);
    const int file = openat(cache->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool is_read = file >= 0 && gb_bytes_read(file, GB_CACHE_MOST, memory, &all);
    if (!is_read && (errno == ENOMEM || errno == ENOENT))
        return file >= 0 && close(file) != 0;
    if (is_read)
        found = object_in(all, from);
    if (found.at) {
        memmove(all.at, found.at, found.length);
        *object = (gb_bytes){all.at, found.length};
        futimens(file, NULL); /* the time of its last use */
    } else {
        unlinkat(cache->folder, name, 0);
        if (is_read)
            gb_memory_release(memory, all.at);
    }
    if (file >= 0)
        close(file);
    return found.at;
}

/* ---------------------------------------------------------------------------------------------- all files */

/* Names of files that are being written begin so. */
#define NEW ".new-"

static bool is_ours(const char *name)
{
    return (strspn(name, "0123456789abcdef") == GB_KEY_BYTES - 1 && name[GB_KEY_BYTES - 1] == '\0') ||
           strncmp(name, NEW, strlen(NEW)) == 0;
}

/* Sums the files, or removes them; finds the one whose last use is longest ago. */
static gb_cache_sum look(const gb_cache *cache, bool removes, char oldest[256])
{
    gb_cache_sum sum = {0};
    time_t least = 0;
    const int again = openat(cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const all = again >= 0 ? fdopendir(again) : NULL;
    struct stat is;
    for (const struct dirent *each; all && (each = readdir(all));) {
        if (!is_ours(each->d_name) || fstatat(again, each->d_name, &is, AT_SYMLINK_NOFOLLOW) != 0 ||
            (removes && unlinkat(again, each->d_name, 0) != 0))
            continue;
        if (sum.files == 0 || is.st_mtime < least) {
            least = is.st_mtime;
            snprintf(oldest, 256, "%s", each->d_name);
        }
        sum.files++;
        sum.bytes += (uint64_t)is.st_size;
    }
    if (all)
        closedir(all);
    else if (again >= 0)
        close(again);
    return sum;
}

gb_cache_sum gb_cache_files(const gb_cache *cache, bool removes)
{
    char oldest[256];
    return look(cache, removes, oldest);
}

void gb_cache_put(const gb_cache *cache, gb_bytes from, gb_bytes object)
{
    char name[GB_KEY_BYTES], new[64], oldest[256];
    struct timespec now = {0};
    const head first = head_of(from, object);
    if (from.length + object.length > GB_CACHE_MOST / 4)
        return;
    gb_cache_key(from, name);
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(new, sizeof new, NEW "%ld-%ld-%s", (long)getpid(), now.tv_nsec, name);
    const int file = openat(cache->folder, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    const bool is_written = gb_bytes_write(file, &first, sizeof first) &&
                            gb_bytes_write(file, from.at, from.length) &&
                            gb_bytes_write(file, object.at, object.length);
    if (close(file) != 0 || !is_written || renameat(cache->folder, new, cache->folder, name) != 0)
        unlinkat(cache->folder, new, 0);
    while (look(cache, false, oldest).bytes > GB_CACHE_MOST)
        if (unlinkat(cache->folder, oldest, 0) != 0 && errno != ENOENT)
            break;
}
