/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators as text, for commands and tables: "pathwise", "score:baseline=leave_one_out", "rebar:temperature=0.3".
 *
 * NAME or NAME:OPTION=VALUE:OPTION=VALUE. An estimator says in its struct which options it has and where they are in its
 * options struct; so it says once what a reader, a parser and a table need. */
#ifndef GREBE_ESTIMATORS_PARSE_H
#define GREBE_ESTIMATORS_PARSE_H

#include "estimator.h"

GB_BEGIN_DECLS

typedef enum gb_option_kind {
    GB_OPTION_NUMBER,   /* a double in [low, high] */
    GB_OPTION_FLAG,     /* a bool: "yes" or "no"; the name alone is yes */
    GB_OPTION_CHOICE,   /* an int: the number of one of `choices` */
    GB_OPTION_BASELINE, /* a gb_baseline: NAME, or NAME(NUMBER) */
    GB_OPTION_ESTIMATOR /* a const gb_estimator_type *: the name of one */
} gb_option_kind;

typedef struct gb_estimator_option {
    const char *name; /* NULL: the list ends here */
    gb_option_kind kind;
    size_t offset; /* in the options struct */
    double low, high;
    const char *const *choices; /* ended by NULL */
    const char *words;          /* for a reader: what it is, and its default */
} gb_estimator_option;

/* Fills `estimator`. False where the text is wrong: `error` (of `bytes`) then says what is, with the nearest name where
 * one was not known. `estimator` is inert then. */
GB_API bool gb_estimator_parse(const char *text, gb_estimator *estimator, char *error, size_t bytes);

/* The name among `count` that is most like `text`; NULL where none is. For messages: "did you mean …?" */
GB_API const char *gb_nearest_name(const char *text, size_t count, const char *const *names);

GB_END_DECLS
#endif
