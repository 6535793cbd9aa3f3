/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Domains: the sets of allowed values of options, parameters and draws.
 *
 * A domain is a const struct: an interval for each element, whether elements are integers, and a condition on
 * whole vectors or matrices. It also names the transform that maps real numbers (or vectors) onto it;
 * posteriors over the domain use that transform. The domains of grebe are in distributions/domain.h. */
#ifndef GREBE_PLUGINS_DOMAIN_H
#define GREBE_PLUGINS_DOMAIN_H

#include "../core/tape.h"

GB_BEGIN_DECLS

struct gb_transform; /* distributions/transform.h */

typedef struct gb_domain {
    size_t size;         /* REQUIRED: sizeof(gb_domain) */
    const char *name;    /* REQUIRED: shown in lists, "positive" */
    const char *must_be; /* REQUIRED: shown in messages, "scale is -1, and must be positive and finite" */
    int event_rank;      /* number of axes of one member: 0 numbers, 1 vectors, 2 matrices */
    double low, high;    /* REQUIRED: elements lie between these */
    bool above, below;   /* exclude `low`, exclude `high` */
    bool whole;          /* integers only */
    bool no_zero;        /* 0 is not allowed */
    bool square;         /* square matrices only */
    /* OPTIONAL, for vectors and matrices: the condition on a whole event. Returns true for each event of x
     * that breaks it, and false where x has NaN. Single elements are checked by the fields above. NULL: no
     * such condition. */
    gb_node (*outside)(gb_node x);
    /* OPTIONAL: the transform from real numbers (or vectors) onto the domain. NULL: there is none, as for a
     * discrete domain. */
    struct gb_transform (*reach)(gb_tape *tape);
    GB_RESERVE(8);
} gb_domain;

/* Returns whether a number may be an element; false for NaN. */
GB_API bool gb_domain_holds(const gb_domain *domain, double x);

GB_END_DECLS
#endif
