/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of wrong calls: one function for each, which has some nodes to go wrong with. Include close.h first. */
#ifndef GREBE_TESTS_MISUSE_H
#define GREBE_TESTS_MISUSE_H

#include "core/program.h"

/* What there is to misuse. */
typedef struct world {
    gb_tape *t;
    gb_node matrix, vector, scalar; /* variables: (2×3), (3), () */
    gb_node input, rows, ints;      /* inputs: (2), one () for each row, three integers */
    gb_node hidden;                 /* (3), for each of the samples */
    gb_node truth;                  /* booleans (3) */
    gb_node foreign, old;           /* of another tape; from before a reset */
    gb_axes site;                   /* "site", of size 3 */
} world;

typedef struct misuse {
    const char *name;
    void (*commit)(world *w);
    gb_status code;    /* the error there must be … */
    const char *words; /* … and part of its text */
} misuse;

/* A CMocka test of one misuse, its initial state. The error is as it should be; a second one does not replace it; what
 * is recorded after it is inert; forgiven, the tape works. */
void misuse_is_refused(void **state);

#define MISUSE_TEST(misuse_of)                                                                               \
    {                                                                                                        \
        (misuse_of).name, misuse_is_refused, NULL, NULL, (void *)(uintptr_t) & (misuse_of)                   \
    }

/* Runs all of a table as one group; returns how many failed. */
int misuse_run(const char *group, const misuse *table, size_t count);

#endif
