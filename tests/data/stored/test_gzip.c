/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gzip packed, whole and damaged, in memory and in files. */
#include "support/close.h"
#include "support/counted_memory.h"
#include "support/files.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "data/stored/stored_impl.h"

enum { MOST = 1 << 20 };

static size_t pack(const void *from, size_t length, unsigned char *to, size_t room)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)from,
                  .avail_in = (unsigned)length,
                  .next_out = to,
                  .avail_out = (unsigned)room};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

static char *read_bytes(gb_tape *t, const void *bytes, size_t length, size_t *got)
{
    gb_stored s = {.tape = t, .what = "test", .name = "memory"};
    char *const all = gb_stored_open_bytes(&s, bytes, length) ? gb_stored_read_all(&s, got) : NULL;
    gb_stored_close(&s);
    return all;
}

static char *read_path(gb_tape *t, const char *path, size_t *got)
{
    gb_stored s = {.tape = t, .what = "test", .name = path};
    char *const all = gb_stored_open(&s) ? gb_stored_read_all(&s, got) : NULL;
    gb_stored_close(&s);
    return all;
}

/* Numbers in words, which can be packed. */
static char *long_text(size_t *length)
{
    char *const text = malloc(MOST);
    assert_non_null(text);
    *length = 0;
    for (unsigned i = 0; *length < MOST - 32; i++)
        *length += (size_t)sprintf(text + *length, "%u,%u\n", i, i * 2654435761u);
    return text;
}

TEST(packed_bytes_are_unpacked_from_memory_and_files)
{
    size_t length, got;
    char *const text = long_text(&length);
    unsigned char *const packed = malloc(2 * MOST);
    assert_non_null(packed);
    size_t bytes = pack(text, length / 2, packed, MOST);
    bytes += pack(text + length / 2, length - length / 2, packed + bytes, MOST); /* two parts */
    file_put("gzip.gz", packed, bytes);
    file_put("gzip.txt", text, length);
    char *const all[] = {read_bytes(t, packed, bytes, &got), read_path(t, "gzip.gz", &got),
                         read_path(t, "gzip.txt", &got), read_bytes(t, text, length, &got)};
    for (int i = 0; i < 4; i++) {
        assert_fine(t);
        assert_int_equal(got, length);
        assert_memory_equal(all[i], text, length);
        assert_int_equal(all[i][length], 0);
        free(all[i]);
    }
    remove("gzip.gz");
    remove("gzip.txt");
    free(packed);
    free(text);
}

TEST(nothing_and_single_bytes_are_read)
{
    size_t got;
    unsigned char packed[64];
    for (size_t length = 0; length < 3; length++) {
        char *const all = read_bytes(t, "\x1F\x8A", length, &got);
        assert_int_equal(got, length);
        free(all);
        char *const unpacked = read_bytes(t, packed, pack("xy", length, packed, sizeof packed), &got);
        assert_int_equal(got, length);
        assert_memory_equal(unpacked, "xy", length);
        free(unpacked);
    }
    assert_fine(t);
}

/* Wherever it ends, and whatever bit is changed, the same text is read or none: the format has a sum of all.
 * Some bits mean nothing: time, level and system, and those that fill up the last byte. */
TEST(damage_is_rejected)
{
    static const char text[] = "12345678901234567890 some text, some text";
    unsigned char packed[256], damaged[256];
    const size_t bytes = pack(text, sizeof text, packed, sizeof packed);
    size_t got;
    for (size_t length = 2; length < bytes; length++) {
        assert_null(read_bytes(t, packed, length, &got));
        assert_rejected(t, GB_EFILE, "test: memory is packed by gzip, and damaged: the end is missing");
    }
    for (size_t i = 2; i < bytes; i++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(damaged, packed, bytes);
            damaged[i] ^= (unsigned char)(1 << bit);
            char *const all = read_bytes(t, damaged, bytes, &got);
            assert_true(!all || (got == sizeof text && memcmp(all, text, got) == 0));
            free(all);
            if (gb_error(t) != GB_OK)
                assert_rejected(t, GB_EFILE, "test: memory is packed by gzip, and damaged: ");
        }
    memcpy(damaged, packed, bytes);
    damaged[bytes] = 'x';
    assert_null(read_bytes(t, damaged, bytes + 1, &got));
    assert_rejected(t, GB_EFILE, "damaged: the end is missing");
    memcpy(damaged + bytes, "xyz", 3);
    assert_null(read_bytes(t, damaged, bytes + 3, &got));
    assert_rejected(t, GB_EFILE, "damaged: incorrect header check");
}

TEST(what_cannot_be_opened_is_rejected)
{
    size_t got;
    assert_null(read_path(t, "no/such/file", &got));
    assert_rejected(t, GB_ESYSTEM, "test: no/such/file cannot be read: ");
    assert_null(read_path(t, "/", &got));
    assert_rejected(t, GB_EFILE, "test: / is a directory, and no file");
}

TEST(a_pipe_is_read)
{
    size_t got;
    int ends[2];
    char path[64];
    if (pipe(ends) != 0 || access("/dev/fd", R_OK) != 0)
        skip();
    assert_int_equal(write(ends[1], "1,2\n", 4), 4);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    char *const all = read_path(t, path, &got);
    assert_fine(t);
    assert_string_equal(all, "1,2\n");
    free(all);
    close(ends[0]);
}

static gb_status use(gb_tape *t, const void *what)
{
    unsigned char packed[64];
    size_t got;
    const size_t bytes = pack(what, 3, packed, sizeof packed);
    file_put("out_of_memory.gz", packed, bytes);
    char *const all = read_path(t, "out_of_memory.gz", &got);
    const gb_memory memory = gb_tape_memory(t);
    gb_memory_release(&memory, all);
    return gb_error(t);
}

TEST(reading_outlives_lack_of_memory)
{
    assert_outlives_lack_of_memory(use, "abc", "gzip", 0, (gb_tape_options){0});
    remove("out_of_memory.gz");
}
