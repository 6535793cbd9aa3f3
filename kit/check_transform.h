/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that a transform keeps its promises, one of grebe's or your own. The kit tries it on the smallest
 * events that it takes. The domain's own `reach` makes the points from real numbers u; small numbers are
 * added to the parameters. It checks what applies:
 *
 *   its struct      is complete, and it takes events of some shape
 *   shapes          of y and x are those of the two shape functions; log_jacobian is a number for each event
 *   image           y lies in `to`, on float tapes too; every y of `to` comes from an x
 *   inverse         returns x, to 1e-9, and near the ends of the domain (|u| = 12) to 1e-4. There image and
 *                   inverse are checked only where y still has the digits of every u
 *   log_jacobian    is log |det dy/dx| of differences; on a surface (a simplex) dy are the first elements,
 *                   row by row, that determine the others
 *   mass            a density of one number still integrates to 1
 *   increases       is true where y grows with x, and only there
 *   gradients       of forward, inverse and log_jacobian, in x and the parameters, are those of differences
 *   second          so are their second gradients, or they are rejected (GB_EGRADIENT)
 *   ends            far out (|u| = 40) all of it is finite, and NaN nowhere (|u| = 1000)
 *   batches         of events, visible or along rows (then parameters too vary), equal single events
 *   float           tapes give the same, rounded */
#ifndef GREBE_KIT_CHECK_TRANSFORM_H
#define GREBE_KIT_CHECK_TRANSFORM_H

#include "../core/options.h"
#include "../distributions/domain.h"
#include "../distributions/transform.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_transform_options {
    size_t size;
    gb_report *report; /* OPTIONAL: receives the findings, one for each statement */
    uint64_t seed;     /* changes the points */
    /* OPTIONAL: returns instance number `which` of `count` on a tape of the kit's, with parameters that are
     * more than 0.2 from the ends of their domains. NULL: {type, tape}, for a type without parameters. */
    gb_transform (*make)(gb_tape *tape, size_t which, void *user);
    size_t count;
    void *user;
    /* The values fill only a part of `to`, as those of an interval whose ends are parameters. */
    bool is_part;
    gb_memory memory; /* {0}: malloc */
} gb_check_transform_options;

/* gb_check_transform(&type), gb_check_transform(&type, .make = make, .count = 3). Returns true if no check
 * fails. */
#define gb_check_transform(...)                                                                              \
    GB_CALL_1(gb_check_transform, __VA_ARGS__, .size = sizeof(gb_check_transform_options))
GB_API bool gb_check_transform_with(const gb_transform_type *type, const gb_check_transform_options *options);

GB_END_DECLS
#endif
