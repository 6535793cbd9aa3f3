/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/cache_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/ground/file_impl.h"
#include "core/kernels/noise_impl.h"

bool gb_cache_open(int *cache, char path[GB_FOLDER_BYTES], gb_why why)
{
    const char *const given = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    const bool is_given = given && *given == '/';
    const char *const in = is_given ? given : home;
    struct stat is;
    *cache = -1;
    if (!in || *in != '/' || strlen(in) > GB_FOLDER_BYTES - 16)
        return gb_why_not(why, "no cache: neither XDG_CACHE_HOME nor HOME says where");
    const int length = snprintf(path, GB_FOLDER_BYTES, "%s%s", in, is_given ? "" : "/.cache");
    mkdir(path, 0700);
    strcpy(path + length, "/grebe");
    mkdir(path, 0700);
    const int folder = gb_file_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (folder < 0)
        return gb_why_not(why, "no cache in %s: %s", path, strerror(errno));
    if (fstat(folder, &is) == 0 && is.st_uid == geteuid() && (is.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
        *cache = folder;
        return true;
    }
    close(folder);
    return gb_why_not(why, "no cache in %s: another user owns it or may write to it", path);
}

static uint64_t hash(const char *bytes, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, count - i < sizeof word ? count - i : sizeof word);
        hash = gb_noise_mix(hash ^ word) + 0x9e3779b97f4a7c15u;
    }
    return gb_noise_mix(hash ^ count);
}

void gb_cache_key(const gb_growing_text *from, char key[GB_KEY_BYTES])
{
    snprintf(key, GB_KEY_BYTES, "%016llx", (unsigned long long)hash(from->at, from->count));
}

bool gb_cache_get(int cache, const char *key, gb_growing_text *text)
{
    gb_growing_text all = {.memory = text->memory};
    const bool is_read = gb_text_read(&all, cache, key, GB_CACHE_MOST);
    bool good = is_read && all.count > text->count + sizeof(uint64_t);
    if (good) {
        all.count -= sizeof(uint64_t);
        const uint64_t is = hash(all.at, all.count);
        good = memcmp(all.at, text->at, text->count) == 0 && memcmp(all.at + all.count, &is, sizeof is) == 0;
    }
    if (good)
        utimensat(cache, key, NULL, 0); /* its last use */
    else if (is_read || (errno != ENOENT && !all.failed))
        unlinkat(cache, key, 0);
    gb_text_free(good ? text : &all);
    if (good)
        *text = all;
    return good;
}

static bool is_ours(const char *name, const struct stat *is)
{
    return strspn(name, "0123456789abcdef") == GB_KEY_BYTES - 1 && !S_ISDIR(is->st_mode);
}

gb_file_sum gb_cache_sum(int cache, bool removes)
{
    return gb_sum_files(cache, ".", is_ours, removes);
}

void gb_cache_put(int cache, const char *key, const gb_growing_text *text)
{
    char new[64];
    struct timespec now = {0};
    const uint64_t is = hash(text->at, text->count);
    if (text->count > GB_CACHE_MOST / 4)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(new, sizeof new, "%s.%ld-%ld", key, (long)getpid(), now.tv_nsec);
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int file = gb_file_above_standard(openat(cache, new, flags, 0600));
    if (file < 0)
        return;
    const bool is_written =
        gb_file_write_all(file, text->at, text->count) && gb_file_write_all(file, &is, sizeof is);
    if (close(file) != 0 || !is_written || renameat(cache, new, cache, key) != 0)
        unlinkat(cache, new, 0);
    for (gb_file_sum all; (all = gb_cache_sum(cache, false)).bytes > GB_CACHE_MOST;)
        if (unlinkat(cache, all.oldest, 0) != 0 && errno != ENOENT)
            break;
}
