/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of wrong calls: one function for each, which has some nodes to go wrong with. */
#ifndef GREBE_TESTS_MISUSE_H
#define GREBE_TESTS_MISUSE_H

#include "support/test.h"

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

/* Commits a misuse: the error is as it should be; a second one does not replace it; what is recorded after it is inert;
 * forgiven, the tape works. */
void misuse_is_refused(gb_tape *t, const misuse *m);

/* Makes a test of each row of a table of misuses. */
#define MISUSES(table)                                                                                       \
    TEST_EACH(is_refused_as_##table##_says, table, .seed = 1)                                                \
    {                                                                                                        \
        misuse_is_refused(t, row);                                                                           \
    }

#endif
