/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an expectation is made of: for expect.c, fold.c and learn.c. */
#ifndef GREBE_ESTIMATORS_EXPECTATION_EXPECT_IMPL_H
#define GREBE_ESTIMATORS_EXPECTATION_EXPECT_IMPL_H

#include "estimators/expect.h"
#include "estimators/learn.h"

typedef struct own_star own_star;

typedef struct own_site {
    gb_site site; /* first: a gb_site's `before` points to one of these */
    own_star *star;
    bool reached;  /* by the cost at hand */
    bool own_held; /* by the cost at hand: gb_draw_log_prob of the draw */
} own_site;

/* Sites that do not depend on each other, whose evaluations share a hidden axis: at each of its places all but one stay
 * at their draw. */
struct own_star {
    own_star *before;
    gb_axes axis;
    const own_site *creator; /* the first drawn of its sites */
    bool is_sealed;          /* it was folded once, and its size is final */
};

typedef struct own_learned {
    const struct own_learned *before;
    gb_learned it;
} own_learned;

/* What gb_expected has made: a cost may not be made of that again. */
typedef struct own_result {
    const struct own_result *before;
    gb_node node;
} own_result;

struct gb_expect {
    gb_tape *tape;
    gb_axes axes; /* of all draws */
    own_site *last;
    own_star *stars;            /* the last made first */
    const own_learned *learned; /* by the cost at hand */
    const own_result *results;
    gb_node cost; /* at hand, as it was given */
    int costs;    /* that gb_expected was called for */
    bool mixed;   /* the cost at hand has samples that depend on each other */
};

static inline own_site *gb_site_before(const own_site *own)
{
    return (own_site *)(uintptr_t)own->site.before;
}

/* Which sites' draws a node depends on: sets `reached` of all of them, and `mixed`. */
bool gb_mark_sites(gb_expect *e, gb_node node);

/* Folds the sites into the cost, from the last drawn to the first. */
gb_node gb_fold(gb_expect *e, gb_node cost);

/* The same for looking: the cost at the draws, and sums over weighted values. */
gb_node gb_fold_values(gb_expect *e, gb_node cost);

/* x, which carries what was learned with it. */
gb_node gb_with_learned(gb_node x, const own_learned *learned);

#endif
