/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit for families: check_family.c goes through the statements, kit/families/case.c makes what they are
 * about, kit/families/law.c compares draws with the density. */
#ifndef GREBE_KIT_FAMILIES_CHECK_FAMILY_IMPL_H
#define GREBE_KIT_FAMILIES_CHECK_FAMILY_IMPL_H

#include "core/program.h"
#include "estimators/expect.h"
#include "kit/check_family.h"
#include "kit/shell/tally_impl.h"

/* What is checked, in the order of the report. */
/* clang-format off */
#define GB_FAMILY_CHECKS(do_)                                                                                \
    do_(FORM,     "its struct is complete")                                                                  \
    do_(FITS,     "it takes a support")                                                                      \
    do_(RECORDED, "it is recorded and run without an error, or refuses in words")                            \
    do_(SHAPE,    "draws have the shape that was asked for")                                                 \
    do_(NAMES,    "its variables are named after the latent")                                                \
    do_(START,    "it starts where it says")                                                                 \
    do_(SUPPORT,  "draws lie in the support of the prior")                                                   \
    do_(MASS,     "log q integrates to 1, transform and Jacobian once")                                      \
    do_(DRAWS,    "draws follow log q")                                                                      \
    do_(GRADIENT, "the gradient of E_q[f] is that of the integral")                                          \
    do_(FLOATS,   "a float tape gives the same log q")                                                       \
    do_(RESET,    "a reset tape finds its variables again")
/* clang-format on */

typedef enum gb_family_statement {
#define GB_FAMILY_CHECK_CODE(code, text) GB_FAMILY_CHECK_##code,
    GB_FAMILY_CHECKS(GB_FAMILY_CHECK_CODE)
#undef GB_FAMILY_CHECK_CODE
        GB_FAMILY_CHECK_COUNT
} gb_family_statement;

/* How often a statement was tried and how often not true, and what the first failure was. */
typedef struct gb_family_check {
    gb_check_family_settings with;
    const gb_family_type *type;
    size_t accepted;
    gb_tally tally[GB_FAMILY_CHECK_COUNT];
} gb_family_check;

bool gb_family_verdict(gb_family_check *check, gb_family_statement statement, bool passed, const char *format,
                       ...) GB_PRINTF(4, 5);

/* ---- one posterior ---- */

enum { GB_FAMILY_VARIABLES = 8 };

typedef struct gb_family_case {
    gb_family_check *check;
    const char *label;
    gb_dist (*prior_of)(gb_tape *tape);
    gb_shape shape;
    /* as it is recorded */
    gb_tape *tape;
    gb_dist prior, q;   /* q inert: a point */
    gb_transform reach; /* the kit's own way to the support; inert: real numbers */
    gb_slot slot;
    gb_family family;
    gb_node value; /* a draw for each sample, or the point */
    gb_expect *expect;
    size_t count;
    gb_node variable[GB_FAMILY_VARIABLES];
} gb_family_case;

/* The cases; `shape` receives that of the latent. */
size_t gb_family_cases(void);
gb_family_case gb_family_case_of(gb_family_check *check, size_t which);

/* Records the posterior on the tape. False where the family refuses, or fails. */
bool gb_family_record(gb_family_case *c);

/* Changes all variables, so that nothing is special any more. */
void gb_family_move(const gb_family_case *c);

/* T and its inverse. */
gb_node gb_family_reached(const gb_family_case *c, gb_node free);
gb_node gb_family_free(const gb_family_case *c, gb_node value);

/* START (if `at_start`), SUPPORT, MASS, DRAWS and GRADIENT of a recorded case with a q. */
void gb_family_check_law(gb_family_case *c, bool at_start);

/* log q in free numbers at a few of them, for FLOATS. */
enum { GB_FAMILY_LOOKS = 9 };
bool gb_family_look(gb_family_case *c, double log_q[GB_FAMILY_LOOKS]);

#endif
