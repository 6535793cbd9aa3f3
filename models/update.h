/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an optimiser is: a const struct with one function, which records a variable's next value. For authors of
 * optimisers; who uses one needs optimiser.h. docs/add-an-optimiser.md shows one of your own; it is judged by
 * gb_check_optimiser, as grebe's are. */
#ifndef GREBE_MODELS_UPDATE_H
#define GREBE_MODELS_UPDATE_H

#include "../core/program.h"
#include "schedule.h"

GB_BEGIN_DECLS

enum { GB_OPTIMISER_OPTIONS = 160 };

/* An optimiser with its options, by value. type NULL: none was given. */
typedef struct gb_optimiser {
    const struct gb_optimiser_type *type;
    union {
        unsigned char bytes[GB_OPTIMISER_OPTIONS]; /* the options struct of its type */
        double aligned;
        void *aligned_too;
    } options;
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

/* One of an optimiser's own numbers. */
typedef struct gb_optimiser_option {
    const char *name; /* NULL: the list ends here */
    size_t offset;    /* of a double in the options struct */
    double fallback;  /* what a 0 stands for */
    const gb_domain *domain;
} gb_optimiser_option;

/* One of its own that is no number: a flag, a pointer. Listed so that two of its optimisers can be told apart. */
typedef struct gb_optimiser_field {
    size_t offset, bytes; /* without padding; 0 bytes: the list ends here */
} gb_optimiser_field;

/* For an optimiser that looks at points which it may reject: where its variable is to stand when the training ends, and from
 * there the point on trial again. Both are made of what is remembered, before the run. */
typedef struct gb_update_rest {
    gb_node settled, trial;
} gb_update_rest;

/* What an optimiser is given for one variable. */
typedef struct gb_update_step {
    const struct gb_optimiser_type *type;
    const void *options; /* the options struct of its type, with what was left open filled in */
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
    size_t size;         /* REQUIRED: sizeof(gb_optimiser_type) */
    const char *name;    /* REQUIRED */
    const char *cite;    /* OPTIONAL: where it comes from. NULL: folklore */
    const char *formula; /* REQUIRED: one line for a reader */
    double lr;           /* REQUIRED: the learning rate that 0 stands for */
    bool
        joint; /* true: all variables of a loss are updated as one, laid end to end in a vector; so are gradients */
    const gb_optimiser_option *options; /* OPTIONAL: its own numbers, ended by {0} */
    const gb_optimiser_field *fields;   /* OPTIONAL: what else there is, ended by {0} */
    /* REQUIRED: the next value of the variable, and gb_update_remember for what is remembered. It may fail on the tape
     * (gb_fail: "NAME: …"), and is then believed. */
    gb_node (*update)(const gb_update_step *to);
} gb_optimiser_type;

/* For constructors: the type with a copy of its options. Inert where these are too many (GB_OPTIMISER_OPTIONS bytes).
 * `options` of 0 bytes: all defaults. */
GB_API gb_optimiser gb_optimiser_of(const gb_optimiser_type *type, const void *options, size_t bytes);

/* From 0 to below 1: the domain of decays. */
GB_API extern const gb_domain gb_decay_domain;

GB_END_DECLS
#endif
