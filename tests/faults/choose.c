/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/faults/choose_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table_hash_impl.h" /* written by faults.py */

enum { OTHER_TABLE = 97 }; /* faults.py knows it */

int gb_fault_chosen;

/* A number means nothing beside another table than that of the build. */
__attribute__((constructor)) static void choose(void)
{
    const char *const number = getenv("GB_FAULT"), *const hash = getenv("GB_FAULT_TABLE");
    gb_fault_chosen = number ? (int)strtol(number, NULL, 10) : 0;
    if (hash && strcmp(hash, GB_TABLE_HASH) != 0) {
        fprintf(stderr, "the build has another library.txt: build the target faults\n");
        exit(OTHER_TABLE);
    }
}
