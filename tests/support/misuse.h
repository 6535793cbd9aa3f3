/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of wrong calls, which have some nodes to go wrong with. */
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
    void (*commit)(world *w);
    gb_status code;    /* the error there must be … */
    const char *words; /* … and part of its text */
} misuse;

/* The body of a test. The error is as it should be; a second one does not replace it; what is recorded after
 * it is inert; forgiven, the tape works. */
void misuse_is_rejected(gb_tape *t, const void *misuse);

/* MISUSE_BY(name, code, words) { … } is a test: what it does with the world `w` must be rejected so. */
#define MISUSE_BY(name, code, words)                                                                         \
    static void name(world *);                                                                               \
    __attribute__((constructor)) static void name##_is_a_misuse(void)                                        \
    {                                                                                                        \
        static const misuse it = {name, code, words};                                                        \
        test_add(#name, misuse_is_rejected, &it, __LINE__,                                                   \
                 (gb_tape_options){.size = sizeof(gb_tape_options), .seed = 1});                             \
    }                                                                                                        \
    static void name(world *w)

/* A call that must return an inert node. */
#define MISUSE(name, code, words, call)                                                                      \
    MISUSE_BY(name, code, words)                                                                             \
    {                                                                                                        \
        assert_false(gb_node_ok(call));                                                                      \
    }

#endif
