/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that tests read and write. Include support/test.h first. */
#ifndef GREBE_TESTS_FILES_H
#define GREBE_TESTS_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline FILE *file_open(const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be opened", path);
    return file;
}

/* A table of tests/, by its path there. */
#define open_table(path) file_open(GB_TESTS "/" path)

/* At most a megabyte, and a zero after it. The caller frees it. */
static inline unsigned char *file_get(const char *path, size_t *length)
{
    enum { MOST = 1 << 20 };
    FILE *const file = file_open(path);
    unsigned char *const bytes = calloc(MOST + 1, 1);
    assert_non_null(bytes);
    *length = fread(bytes, 1, MOST, file);
    fclose(file);
    return bytes;
}

static inline void file_put(const char *path, const void *bytes, size_t length)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* A file on a disk that is full: what is written fails when the buffer is written out. Skips the test where
 * the system has no such file. */
static inline FILE *file_on_full_disk(void)
{
    FILE *const file = fopen("/dev/full", "w");
    if (!file)
        skip();
    return file;
}

static inline void file_put_text(const char *path, const char *text)
{
    file_put(path, text, strlen(text));
}

#endif
