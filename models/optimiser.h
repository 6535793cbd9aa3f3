/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimisers: a few operations and an assign for each variable. gb_minimise puts one to work:
 *
 *     gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 1e-2)));
 *
 * What an optimiser remembers (moments, its step) are variables like any other: read, set and saved as they
 * are. */
#ifndef GREBE_MODELS_OPTIMISER_H
#define GREBE_MODELS_OPTIMISER_H

#include "../core/program.h"
#include "../estimators/visit.h"

GB_BEGIN_DECLS

enum { GB_OPTIMISER_OPTIONS = 96 };

/* An optimiser with its options, by value. type NULL: none was given. */
typedef struct gb_optimiser {
    const struct gb_optimiser_type *type;
    union {
        unsigned char bytes[GB_OPTIMISER_OPTIONS]; /* the options struct of its type */
        double aligned;
        void *aligned_too;
    } options;
} gb_optimiser;

/* What an optimiser is given for one variable. */
typedef struct gb_update_step {
    const struct gb_optimiser_type *type;
    const void *options; /* the options struct of its type */
    gb_node variable;
    gb_node gradient; /* of the loss, with the variable's shape */
    gb_node step;     /* 1 in the first run, 2 in the second …: a real scalar */
} gb_update_step;

/* A variable of the optimiser's own for the one that is updated, of its shape, zeros to begin with, and named
 * "VARIABLE.OPTIMISER.PART". */
GB_API gb_node gb_update_memory(const gb_update_step *to, const char *part);

typedef struct gb_optimiser_type {
    size_t size;         /* REQUIRED: sizeof(gb_optimiser_type) */
    const char *name;    /* REQUIRED */
    const char *cite;    /* OPTIONAL: where it comes from. NULL: folklore */
    const char *formula; /* REQUIRED: one line for a reader */
    /* REQUIRED: the assigns of one variable and of what is remembered for it. */
    gb_updates (*update)(const gb_update_step *to);
} gb_optimiser_type;

GB_API extern const gb_optimiser_type gb_adam_type;

/* Adam: steps of about lr for each element, whatever the scale of the gradient. A 0 stands for the default.
 * For a learning rate that changes give `rate`: a variable, to be changed by gb_set, or any scalar node. */
typedef struct gb_adam_options {
    size_t size;
    double lr;      /* 0: 1e-3 */
    gb_node rate;   /* in place of lr, if it is a node */
    double beta1;   /* decay of the mean of gradients; 0: 0.9 */
    double beta2;   /* decay of the mean of their squares; 0: 0.999 */
    double epsilon; /* 0: 1e-8 */
} gb_adam_options;
#define gb_adam(...) gb_adam_with((gb_adam_options){.size = sizeof(gb_adam_options), __VA_ARGS__})
GB_API gb_optimiser gb_adam_with(gb_adam_options options);

/* The assigns that lower `loss` (a real scalar) by one step in each run, for all variables that it has a
 * gradient in, and for what its estimators learn besides (estimators/learn.h). An error where there is none. Variables behind gb_stop are left alone. Twice for one variable
 * with one optimiser is an error, since what is remembered for it has one name. */
GB_API gb_updates gb_minimise(gb_node loss, gb_optimiser optimiser);

/* All of them, `count` receives how many; and the one of a name, NULL if there is none. Constants. */
GB_API const gb_optimiser_type *const *gb_optimisers(size_t *count);
GB_API const gb_optimiser_type *gb_optimiser_find(const char *name);

/* For authors of optimisers. */
GB_API gb_optimiser gb_optimiser_of(const gb_optimiser_type *type, const void *options, size_t bytes);

GB_END_DECLS
#endif
