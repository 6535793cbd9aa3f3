/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an optimiser is: a const struct with one function, which records a variable's next value. For authors of
 * optimisers; who uses one needs optimiser.h. docs/add-an-optimiser.md shows one of your own; it is judged by
 * gb_check_optimiser, as grebe's are. */
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

/* What the options of every optimiser begin with. */
#define GB_OPTIMISER_HEAD                                                                                    \
    size_t size;                                                                                             \
    double lr;    /* learning rate; 0: what the type says */                                                 \
    gb_node rate; /* in place of lr, if it is a node: a variable, to be changed by gb_set, or any scalar */  \
    gb_schedule schedule /* what either is multiplied by; none: 1 */
typedef struct gb_optimiser_head {
    GB_OPTIMISER_HEAD;
} gb_optimiser_head;

/* The rows that the table of every optimiser begins with; `lr_` is the learning rate that 0 stands for. */
#define GB_OPTIMISER_ROWS(options_, lr_)                                                                     \
    GB_OPTION_NUMBER(options_, lr, lr_, GB_POSITIVE, "learning rate"),                                       \
        GB_OPTION_NODE(options_, rate, "in place of lr"),                                                    \
        GB_OPTION_PLUGIN(options_, schedule, &gb_schedule_kind, NULL, "what the rate is multiplied by")

/* For an optimiser that looks at points which it may reject: where its variable is to stand when the training ends, and from
 * there the point on trial again. Both are made of what is remembered, before the run. */
typedef struct gb_update_rest {
    gb_node settled, trial;
} gb_update_rest;

/* What an optimiser is given for one variable. */
typedef struct gb_update_step {
    const struct gb_optimiser_type *type;
    const void *options; /* the options struct of its type, with defaults filled in */
    gb_node variable;    /* its value before */
    gb_node gradient;    /* of the loss, clipped as was asked for; of the variable's shape */
    gb_node rate;        /* the learning rate of this run, with its schedule: a real scalar */
    gb_node step;        /* 1 in the first run, 2 in the second …: a real scalar, of floats the nearest */
    gb_node loss;
    const char *name; /* of the variable; where all are updated as one, of the first of them */
    size_t count;     /* all variables that are updated for this loss, and their gradients */
    const gb_node *variables, *gradients;
    gb_updates *assigns;  /* see gb_update_remember */
    gb_update_rest *rest; /* OPTIONAL to fill in */
} gb_update_step;

/* A variable of the optimiser's own for the one that is updated, zeros to begin with, and named
 * "VARIABLE.OPTIMISER.PART"; of the variable's shape, or another. */
GB_API gb_node gb_update_memory(const gb_update_step *to, const char *part);
GB_API gb_node gb_update_memory_of(const gb_update_step *to, const char *part, gb_shape shape);

/* Has a memory take a value at the end of the run. Returns the value. */
GB_API gb_node gb_update_remember(const gb_update_step *to, gb_node memory, gb_node value);

typedef struct gb_optimiser_type {
    GB_PLUGIN_HEAD; /* `options` is REQUIRED here, and begins with GB_OPTIMISER_ROWS */
    /* True: all variables of a loss are updated as one, laid end to end in a vector; so are gradients. */
    bool joint;
    /* REQUIRED: the next value of the variable, and gb_update_remember for what is remembered. It may fail on the tape
     * (gb_fail: "NAME: …"), and is then believed. */
    gb_node (*update)(const gb_update_step *to);
    GB_RESERVE(8);
} gb_optimiser_type;

/* The optimiser of a type with these options, an options struct; NULL: all defaults. For constructors. */
GB_API gb_optimiser gb_optimiser_of(const gb_optimiser_type *type, const void *options);

/* From 0 to below 1: the domain of decays. */
GB_API extern const gb_domain gb_decay_domain;

GB_END_DECLS
#endif
