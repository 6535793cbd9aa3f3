/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder for the files of a test, and looking at these. It is in the build, wherever the test was started:
 * one that is killed leaves it there. Include support/close.h first. */
#ifndef GREBE_TESTS_SCRATCH_H
#define GREBE_TESTS_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/files.h"

typedef struct scratch {
    char folder[224];
    char path[232]; /* of the file "run" in it */
} scratch;

static inline scratch scratch_new(void)
{
    scratch s;
    assert_true((size_t)snprintf(s.folder, sizeof s.folder, "%s/scratch-XXXXXX", GB_TEST_FOLDER) <
                sizeof s.folder);
    assert_non_null(mkdtemp(s.folder));
    snprintf(s.path, sizeof s.path, "%s/run", s.folder);
    return s;
}

/* How many files are in the folder; removes them if asked to. */
static inline int scratch_files(const scratch *s, bool removed)
{
    char path[512];
    int files = 0;
    DIR *const folder = opendir(s->folder);
    assert_non_null(folder);
    for (const struct dirent *file; (file = readdir(folder));) {
        if (file->d_name[0] == '.')
            continue;
        files++;
        snprintf(path, sizeof path, "%s/%s", s->folder, file->d_name);
        if (removed)
            assert_int_equal(remove(path), 0);
    }
    closedir(folder);
    return files;
}

static inline void scratch_end(const scratch *s)
{
    scratch_files(s, true);
    assert_int_equal(rmdir(s->folder), 0);
}

#endif
