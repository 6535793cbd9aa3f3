/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sites and stars of an expectation, and which of them a node depends on. */
#ifndef GREBE_ESTIMATORS_EXPECTATION_SITES_IMPL_H
#define GREBE_ESTIMATORS_EXPECTATION_SITES_IMPL_H

#include "estimators/bound.h"
#include "estimators/estimator.h"

typedef struct own_star own_star;
typedef struct own_learned own_learned;

typedef struct own_site {
    gb_site site; /* first: a gb_site's `before` points to one of these */
    gb_dist q;    /* as it is at each place of its star; that of `site` is the one at the draws */
    own_star *star;
    const struct own_site *within; /* whose estimator made this draw; NULL: none did */
    bool reached;                  /* the current cost depends on the draw */
    bool own_held;                 /* the current cost contains gb_draw_log_prob of the draw */
} own_site;

/* A *star*: sites whose evaluations share a hidden axis. At each place along the axis one site is probed.
 * Sites that depend on it are drawn anew there, with the same noise; all others stay at their draw. */
struct own_star {
    own_star *before;
    gb_axes axis;
    const own_site *creator; /* the first of its sites */
    bool is_sealed;          /* it has been folded, so its size is final */
};

/* A result of gb_expected. A later cost of the same expectation must not depend on it. */
typedef struct own_result {
    const struct own_result *before;
    gb_node node;
    const own_learned *learned; /* the rules of that cost */
} own_result;

/* An expectation that is recorded again: again_impl.h. */
typedef struct gb_again {
    gb_expect *expect; /* the new one */
    const char *word;  /* what its estimators learn are variables "SITE.WORD.PART" */
    const char
        *stream;    /* streams of noise repeat "SITE" followed by this; "": those of the first recording */
    gb_axes common; /* the noise of the next draws is the same along these */
    size_t count, room; /* what stands in the place of what */
    gb_node *from, *to;
} gb_again;

struct gb_expect {
    gb_tape *tape;
    gb_axes axes;   /* hidden axes of all draws */
    bool has_model; /* of a gb_elbo: see gb_expect_has_model */
    gb_bound bound;
    const void *bound_options;
    gb_axes particles;  /* that of `axes` along which the bound takes several draws; 0: none */
    gb_node log_weight; /* of the current cost, if it is such a bound; else inert */
    gb_node scale;      /* by which its rows are multiplied */
    own_site *last;
    own_star *stars;            /* newest first */
    const own_learned *learned; /* rules of the current cost */
    const own_result *results;
    gb_node cost;            /* the current cost, as given */
    int costs;               /* number of calls of gb_expected */
    gb_axes mixed;           /* samples, rows: places along them, in the current cost, depend on each other */
    const own_site *drawing; /* whose `draw` is at work; NULL: none's */
    const struct gb_again
        *again; /* this expectation is recorded again: again_impl.h. NULL: it is the first */
};

/* Returns the site of a draw of this expectation; NULL if the node is not such a draw. */
own_site *gb_site_of(const gb_expect *e, gb_node draw);

/* Returns whether a site sums over values with weights. */
static inline bool gb_site_is_weighted(const own_site *own)
{
    const gb_expansion expansion = own->site.estimator.type->expansion;
    return expansion == GB_WEIGHTS || expansion == GB_DRAWN_WEIGHTS;
}

/* Returns whether a site has evaluations at places of a star; and whether those of all sites of its type are
 * at the same places. */
static inline bool gb_site_is_probed(const own_site *own)
{
    const gb_expansion expansion = own->site.estimator.type->expansion;
    return expansion == GB_PROBES || expansion == GB_PROBES_TOGETHER;
}
static inline bool gb_site_is_probed_with(const own_site *own, const own_site *other)
{
    return own->site.estimator.type == other->site.estimator.type &&
           own->site.estimator.type->expansion == GB_PROBES_TOGETHER &&
           own->site.evaluations == other->site.evaluations;
}

/* Returns the site drawn before; NULL for the first. */
static inline own_site *gb_site_before(const own_site *own)
{
    return (own_site *)(uintptr_t)own->site.before;
}

/* Returns log_q, marked so that gb_mark_sites finds it in a cost. */
gb_node gb_mark_own(gb_node log_q);

/* Mark the sites whose draws a node, or the parameters of a distribution, depend on: set `reached` and
 * `own_held` of all sites, and `mixed`. Return false on error. */
bool gb_mark_sites(gb_expect *e, gb_node node);
bool gb_mark_sites_of(gb_expect *e, const gb_dist *q);

/* Returns whether a parameter of a distribution, or of what it is made of, depends on a node. */
bool gb_law_depends(const gb_dist *d, gb_node other);

#endif
