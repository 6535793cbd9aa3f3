/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an optimiser is: a const struct with one function, which records the next value of a variable. This
 * header is for authors of optimisers; users need only optimiser.h. docs/add-an-optimiser.md shows how to
 * write your own; gb_check_optimiser tests it. */
#ifndef GREBE_MODELS_UPDATE_H
#define GREBE_MODELS_UPDATE_H

#include "../core/program.h"
#include "../distributions/domain.h"
#include "schedule.h"

GB_BEGIN_DECLS

/* An optimiser with its options, by value. type NULL: none was given. */
typedef struct gb_optimiser {
    const struct gb_optimiser_type *type;
    gb_packed options;
} gb_optimiser;

/* The first fields of the options struct of every optimiser. */
#define GB_OPTIMISER_HEAD                                                                                    \
    size_t size;                                                                                             \
    double lr;    /* learning rate; 0: the default of the type */                                            \
    gb_node rate; /* if it is a node, replaces lr: a variable, to be changed by gb_set, or any scalar */     \
    gb_schedule schedule /* multiplies the rate; none: 1 */

/* The members with which options of optimisers begin. */
typedef struct gb_optimiser_head {
    GB_OPTIMISER_HEAD;
} gb_optimiser_head;

/* The first rows of the table of every optimiser; `lr_` is the default learning rate. */
#define GB_OPTIMISER_ROWS(options_, lr_)                                                                     \
    GB_OPTION_NUMBER(options_, lr, lr_, GB_POSITIVE, "learning rate"),                                       \
        GB_OPTION_NODE(options_, rate, "a node that replaces lr"),                                           \
        GB_OPTION_PLUGIN(options_, schedule, gb_schedule, NULL, "factor of the rate")

/* For an optimiser with trial points, which it may reject. `settled` is the value of the variable when the
 * training ends; `trial` is the trial point, to continue the training from `settled`. Both depend only on
 * values before the run. */
typedef struct gb_update_rest {
    gb_node settled, trial;
} gb_update_rest;

/* The arguments of `update`, for one variable. */
typedef struct gb_update_step {
    const struct gb_optimiser_type *type;
    const void *options; /* options struct of its type, with defaults filled in */
    gb_node variable;    /* its value before the run */
    gb_node gradient;    /* of the loss, after clipping; has the shape of the variable */
    gb_node rate;        /* learning rate of this run, schedule included: a real scalar */
    gb_node step;        /* number of this run: 1 in the first. A real scalar; on a float tape, rounded */
    gb_node loss;
    const char *name; /* of the variable; of the first one if all are updated as one vector */
    size_t count;     /* all variables that are updated for this loss, and their gradients */
    const gb_node *variables, *gradients;
    gb_updates *assigns;  /* for gb_update_remember */
    gb_update_rest *rest; /* OPTIONAL: `update` may fill it */
} gb_update_step;

/* Return a variable of the optimiser, "VARIABLE.OPTIMISER.PART", which starts at 0: with the shape of the
 * updated variable, or with another shape. */
GB_API gb_node gb_update_memory(const gb_update_step *to, const char *part);
GB_API gb_node gb_update_memory_of(const gb_update_step *to, const char *part, gb_shape shape);

/* Assigns `value` to the variable `memory` at the end of the run. Returns the value. */
GB_API gb_node gb_update_remember(const gb_update_step *to, gb_node memory, gb_node value);

/* The type of an optimiser. */
typedef struct gb_optimiser_type {
    GB_PLUGIN_HEAD; /* `options` is REQUIRED, and begins with GB_OPTIMISER_ROWS */
    /* True: all variables of a loss are updated as one vector, the concatenation of all; gradients
     * likewise. */
    bool joint;
    /* REQUIRED: returns the next value of the variable, after gb_update_remember for values that it needs
     * later. On failure it records an error on the tape (gb_fail: "NAME: …"). */
    gb_node (*update)(const gb_update_step *to);
    GB_RESERVE(8);
} gb_optimiser_type;

/* Returns the optimiser of a type with these options (an options struct; NULL: all defaults). For
 * constructors. */
GB_API gb_optimiser gb_optimiser_of(const gb_optimiser_type *type, const void *options);

/* The domain of decays: 0 ≤ decay < 1. */
GB_API extern const gb_domain gb_decay_domain;

GB_END_DECLS
#endif
