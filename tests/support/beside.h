/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that lie beside the source of a test. Include close.h or CMocka first. */
#ifndef GREBE_TESTS_BESIDE_H
#define GREBE_TESTS_BESIDE_H

#include <stdio.h>
#include <string.h>

static inline FILE *open_beside(const char *source, const char *name)
{
    char path[4096];
    const char *slash = strrchr(source, '/');
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - source + 1) : 0, source, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s", path);
    return file;
}
#define open_beside_source(name) open_beside(__FILE__, name)

#endif
