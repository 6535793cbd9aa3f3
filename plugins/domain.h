/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Domains: the sets that options and parameters are held to, and that draws lie in.
 *
 * A domain is data: an interval for each element, integers or not, and a condition on whole vectors or matrices. It names
 * the transform that reaches it from the real line (or from real vectors), for posteriors over it. A domain of your own is a
 * const struct; those of grebe are in distributions/domain.h. */
#ifndef GREBE_PLUGINS_DOMAIN_H
#define GREBE_PLUGINS_DOMAIN_H

#include "../core/tape.h"

GB_BEGIN_DECLS

struct gb_transform; /* distributions/transform.h */

typedef struct gb_domain {
    size_t size;         /* REQUIRED: sizeof(gb_domain) */
    const char *name;    /* REQUIRED: for lists, "positive" */
    const char *must_be; /* REQUIRED: for messages, "scale is -1, and must be positive and finite" */
    int event_rank;      /* how many axes one member has: 0 numbers, 1 vectors, 2 matrices */
    double low, high;    /* REQUIRED: elements lie between these … */
    bool above, below;   /* … and are not low, not high */
    bool whole;          /* only integers */
    bool no_zero;        /* 0 is no member */
    bool square;         /* matrices of as many rows as columns */
    /* OPTIONAL, for vectors and matrices: true for each event of x that is no member for another reason than its
     * single elements; false where x has NaN. NULL: there is no such reason. */
    gb_node (*outside)(gb_node x);
    /* OPTIONAL: from real numbers (or vectors) onto the domain. NULL: there is none (it is discrete). */
    struct gb_transform (*reach)(gb_tape *tape);
    GB_RESERVE(8);
} gb_domain;

/* Whether a number may be an element; false for NaN. */
GB_API bool gb_domain_holds(const gb_domain *domain, double x);

GB_END_DECLS
#endif
