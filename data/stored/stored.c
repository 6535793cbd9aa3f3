/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/stored/stored_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ground/file_impl.h"
#include "core/ground/memory_impl.h"

enum { BUFFER = 1 << 16 };

/* ---- raw bytes ---- */

static void fail_by_system(gb_stored *s)
{
    char cause[128];
    if (strerror_r(errno, cause, sizeof cause) != 0)
        snprintf(cause, sizeof cause, "error %d of the system", errno);
    gb_fail(s->tape, GB_ESYSTEM, "%s: %s cannot be read: %s", s->what, s->name, cause);
    s->has_failed = true;
}

/* Returns how many bytes of the file were read; 0 at the end and on error. */
static size_t read_file(gb_stored *s, void *to, size_t bytes)
{
    ssize_t got;
    if (s->file < 0 || s->has_failed)
        return 0;
    do
        got = read(s->file, to, gb_file_at_once(bytes));
    while (got < 0 && errno == EINTR);
    if (got < 0)
        fail_by_system(s);
    return got > 0 ? (size_t)got : 0;
}

/* Reads more bytes if none are left. Returns false at the end and on error. */
static bool fill(gb_stored *s)
{
    if (s->left > 0)
        return true;
    s->at = s->buffer;
    s->left = s->buffer ? read_file(s, s->buffer, BUFFER) : 0;
    return s->left > 0;
}

/* ---- gzip ---- */

static void *zlib_allocate(void *user, unsigned count, unsigned bytes)
{
    return gb_memory_resize(user, NULL, (size_t)count * bytes);
}

static void zlib_release(void *user, void *block)
{
    gb_memory_release(user, block);
}

static bool fail_packed(gb_stored *s, int status, const char *words)
{
    if (status == Z_MEM_ERROR)
        gb_fail(s->tape, GB_ENOMEM, "%s: %s: out of memory", s->what, s->name);
    else
        gb_fail(s->tape, GB_EFILE, "%s: %s is packed by gzip, and damaged: %s", s->what, s->name, words);
    s->has_failed = true;
    return false;
}

static bool begin_unpacking(gb_stored *s)
{
    enum { GZIP_ALONE = 16 + MAX_WBITS };
    s->unpack = (z_stream){.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = &s->memory};
    s->length = -1;
    s->is_packed = inflateInit2(&s->unpack, GZIP_ALONE) == Z_OK;
    return s->is_packed || fail_packed(s, Z_MEM_ERROR, "");
}

/* Several packed parts in a row are one, as for gzip itself. Returns whether there is another. */
static bool next_part(gb_stored *s)
{
    s->has_ended = !fill(s);
    if (s->has_ended || s->has_failed)
        return false;
    s->is_between = false;
    return inflateReset(&s->unpack) == Z_OK;
}

/* Returns false at the end and on error. */
static bool unpack_some(gb_stored *s, size_t bytes)
{
    z_stream *const z = &s->unpack;
    if (s->is_between && !next_part(s))
        return false;
    if (!fill(s))
        return !s->has_failed && fail_packed(s, Z_BUF_ERROR, "the end is missing");
    const unsigned given = (unsigned)gb_file_at_once(s->left); /* zlib counts in 32 bits */
    z->next_in = (unsigned char *)(uintptr_t)s->at;            /* zlib only reads */
    z->avail_in = given;
    z->avail_out = (unsigned)gb_file_at_once(bytes);
    const int status = inflate(z, Z_NO_FLUSH);
    s->at += given - z->avail_in;
    s->left -= given - z->avail_in;
    s->is_between = status == Z_STREAM_END;
    if (status == Z_OK || status == Z_STREAM_END)
        return true;
    return fail_packed(s, status, z->msg ? z->msg : "it cannot be unpacked");
}

static size_t read_packed(gb_stored *s, unsigned char *to, size_t bytes)
{
    size_t used = 0;
    while (used < bytes && !s->has_ended && !s->has_failed) {
        s->unpack.next_out = to + used;
        unpack_some(s, bytes - used);
        used = (size_t)(s->unpack.next_out - to);
    }
    return used;
}

/* ---- both ---- */

/* A source that begins as gzip does. */
static bool look(gb_stored *s)
{
    if (!fill(s))
        return !s->has_failed;
    return s->left < 2 || s->at[0] != 0x1F || s->at[1] != 0x8B || begin_unpacking(s);
}

bool gb_stored_open_bytes(gb_stored *s, const void *bytes, size_t length)
{
    s->memory = gb_tape_memory(s->tape);
    s->file = -1;
    s->at = bytes;
    s->left = length;
    s->length = (int64_t)length;
    return look(s);
}

bool gb_stored_open(gb_stored *s)
{
    struct stat about;
    s->memory = gb_tape_memory(s->tape);
    s->file = gb_file_open(s->name, O_RDONLY, 0);
    if (s->file < 0 || fstat(s->file, &about) != 0) {
        fail_by_system(s);
        return false;
    }
    if (S_ISDIR(about.st_mode)) {
        gb_fail(s->tape, GB_EFILE, "%s: %s is a directory, and no file", s->what, s->name);
        return false;
    }
    s->length = S_ISREG(about.st_mode) ? about.st_size : -1;
    s->buffer = gb_memory_resize(&s->memory, NULL, BUFFER);
    if (!s->buffer) {
        gb_fail(s->tape, GB_ENOMEM, "%s: %s: out of memory", s->what, s->name);
        return false;
    }
    return look(s);
}

void gb_stored_close(gb_stored *s)
{
    if (s->is_packed)
        inflateEnd(&s->unpack);
    if (s->file >= 0)
        close(s->file);
    gb_memory_release(&s->memory, s->buffer);
}

size_t gb_stored_read(gb_stored *s, void *to, size_t bytes)
{
    if (s->is_packed)
        return read_packed(s, to, bytes);
    size_t used = 0, some;
    do {
        some = s->left < bytes - used ? s->left : bytes - used;
        if (some > 0) {
            memcpy((char *)to + used, s->at, some);
            s->at += some;
            s->left -= some;
        } else if (used < bytes)
            some = read_file(s, (char *)to + used, bytes - used);
        used += some;
    } while (some > 0 && used < bytes);
    return used;
}

char *gb_stored_read_all(gb_stored *s, size_t *length)
{
    char *all = NULL;
    size_t capacity = 0, used = 0, got;
    do {
        if (!gb_grow(&s->memory, (void **)&all, &capacity, used + BUFFER + 1, 1)) {
            gb_fail(s->tape, GB_ENOMEM, "%s: %s: out of memory", s->what, s->name);
            s->has_failed = true;
            break;
        }
        got = gb_stored_read(s, all + used, capacity - used - 1);
        used += got;
    } while (got > 0);
    if (s->has_failed) {
        gb_memory_release(&s->memory, all);
        return NULL;
    }
    all[used] = '\0';
    *length = used;
    return all;
}
