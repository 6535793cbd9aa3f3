/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each place of a file of results may be, and how it is compared when it is made again. */
#ifndef GREBE_COMPARE_STORED_RULES_IMPL_H
#define GREBE_COMPARE_STORED_RULES_IMPL_H

#include "compare/stored/json_impl.h"

typedef enum gb_results_how {
    GB_RESULTS_EXACT,  /* equal; of all places that no rule names */
    GB_RESULTS_FREE,   /* it may differ: a time, or where it was made */
    GB_RESULTS_NEAR,   /* equal but for roundings */
    GB_RESULTS_VALUE,  /* within standard errors */
    GB_RESULTS_SPREAD, /* within a factor: a standard error */
} gb_results_how;

typedef struct gb_results_rule {
    const char *path; /* "a.b[].c[1]": [] is any element; those of a sweep begin within the comparison */
    gb_results_how how;
    /* The standard error of a VALUE, from the object or list that has it; NaN or infinite: not known. */
    double (*error)(gb_json of);
    bool is_due;      /* null is no value of it */
    bool is_size;     /* it is not negative */
    bool is_gradient; /* its roundings are those of the largest mean of its estimator */
} gb_results_rule;

/* Where a value stands. A path that is too long is cut, and has no rule. */
enum { GB_RESULTS_PATH = 200 };
typedef struct gb_results_path {
    char text[GB_RESULTS_PATH];
    size_t length;
} gb_results_path;

/* Go to a member (its key) or an element, and back; `before` is the length that the path had. */
void gb_results_path_key(gb_results_path *path, gb_json key);
void gb_results_path_element(gb_results_path *path, size_t element);
void gb_results_path_back(gb_results_path *path, size_t before);

const gb_results_rule *gb_results_rule_of(const gb_results_path *path); /* never NULL */

/* Returns whether some value is none that its rule allows, and says which and why. */
bool gb_results_fault(gb_json whole, size_t bytes, char *words);

#endif
