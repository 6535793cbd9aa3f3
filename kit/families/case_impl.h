/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A posterior that the kit requests from a family. */
#ifndef GREBE_KIT_FAMILIES_CASE_IMPL_H
#define GREBE_KIT_FAMILIES_CASE_IMPL_H

#include "estimators/expect.h"
#include "kit/shell/verdicts_impl.h"
#include "models/family.h"

/* The statements, in the order of the report. */
/* clang-format off */
#define GB_FAMILY_STATEMENTS(do_)                                                                            \
    do_(FORM,     "its struct is complete")                                                                  \
    do_(FITS,     "it accepts a support")                                                                    \
    do_(RECORDED, "it is recorded and run without an error, or rejected with a message")                     \
    do_(SHAPE,    "draws have the requested shape")                                                          \
    do_(NAMES,    "its variables are named after the latent")                                                \
    do_(START,    "it starts where it says")                                                                 \
    do_(ASKED,    "its options for the start do what they say")                                              \
    do_(FAR,      "a location may be far away")                                                              \
    do_(SUPPORT,  "draws lie in the support of the prior")                                                   \
    do_(MASS,     "log q integrates to 1, with transform and Jacobian exactly once")                         \
    do_(DRAWS,    "draws follow log q")                                                                      \
    do_(GRADIENT, "the gradient of E_q[f] is that of the integral")                                          \
    do_(FLOATS,   "a float tape gives the same log q")                                                       \
    do_(RESET,    "a reset tape finds its variables again")
/* clang-format on */
GB_STATEMENT_CODES(GB_FAMILY_STATEMENTS);

/* GB_FAMILY_VECTOR and GB_FAMILY_POSITIVES: cases of two real and two positive numbers. */
enum { GB_FAMILY_VARIABLES = 8, GB_FAMILY_VECTOR = 1, GB_FAMILY_POSITIVES = 6 };

/* Starts that the family says to hold to first order only, and how many of them do no more than that. */
typedef struct gb_family_near {
    size_t count, off;
} gb_family_near;

typedef struct gb_family_case {
    gb_kit *kit; /* its label names the support */
    gb_family_near *near;
    gb_dist (*prior_of)(gb_tape *tape);
    gb_shape shape;
    /* after recording */
    gb_tape *tape;
    gb_dist prior, q;   /* q is inert for a point */
    gb_transform reach; /* the kit's own map to the support; inert: real numbers */
    gb_slot slot;
    gb_family family;
    gb_node value; /* a draw for each sample, or the point */
    gb_expect *expect;
    size_t count;
    gb_node variable[GB_FAMILY_VARIABLES];
} gb_family_case;

size_t gb_family_cases(void);
/* Returns case number `which` of a family, whatever shape that has. */
gb_family_case gb_family_case_of(gb_kit *kit, gb_family family, size_t which);

/* Returns the case of so many real numbers. */
gb_family_case gb_family_case_of_numbers(gb_kit *kit, gb_family family, int64_t count);

/* Records the posterior on the tape. Returns false if the family rejects it, or on error. */
bool gb_family_record(gb_family_case *c);

/* Changes all variables, so that no value is special any more. */
void gb_family_move(const gb_family_case *c);

/* T and its inverse. */
gb_node gb_family_reached(const gb_family_case *c, gb_node free);
gb_node gb_family_free(const gb_family_case *c, gb_node value);

#endif
