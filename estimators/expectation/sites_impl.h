/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an expectation is made of, sites and stars, and which of them a node depends on. */
#ifndef GREBE_ESTIMATORS_EXPECTATION_SITES_IMPL_H
#define GREBE_ESTIMATORS_EXPECTATION_SITES_IMPL_H

#include "estimators/estimator.h"

typedef struct own_star own_star;
typedef struct own_learned own_learned;

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

/* The site of a draw of this expectation; NULL where the node is none. */
own_site *gb_site_of(const gb_expect *e, gb_node draw);

/* The site drawn before; NULL for the first. */
static inline own_site *gb_site_before(const own_site *own)
{
    return (own_site *)(uintptr_t)own->site.before;
}

/* log q of a draw, marked so that the two below find it in a cost. */
gb_node gb_mark_own(gb_node log_q);

/* Which sites' draws a node depends on: sets `reached` and `own_held` of all of them, and `mixed`. The same for
 * the parameters of a distribution. False on error. */
bool gb_mark_sites(gb_expect *e, gb_node node);
bool gb_mark_sites_of(gb_expect *e, const gb_dist *q);

#endif
