/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posterior families: the shapes that q may take. A family makes the variables of one latent quantity, named
 * after it, and the distribution that they are the parameters of; or, as a point, no distribution at all. */
#ifndef GREBE_MODELS_FAMILY_H
#define GREBE_MODELS_FAMILY_H

#include "../distributions/distribution.h"

GB_BEGIN_DECLS

enum { GB_FAMILY_OPTIONS = 96 };

/* A family, the shape of what it is for, and its options; by value. type NULL: none was given. */
typedef struct gb_family {
    const struct gb_family_type *type;
    gb_shape shape;
    union {
        unsigned char bytes[GB_FAMILY_OPTIONS]; /* the options struct of its type */
        double aligned;
        void *aligned_too;
    } options;
} gb_family;

typedef struct gb_family_type {
    size_t size;         /* REQUIRED: sizeof(gb_family_type) */
    const char *name;    /* REQUIRED */
    const char *formula; /* REQUIRED: one line for a reader */
    /* One of the two is REQUIRED, the other NULL. Both make their variables on `tape`, with names that begin
     * with "NAME." (or are it). `posterior` gives q; `point` the value itself, of which there is one and no
     * log q. */
    gb_dist (*posterior)(const gb_family *family, gb_tape *tape, const char *name);
    gb_node (*point)(const gb_family *family, gb_tape *tape, const char *name);
} gb_family_type;

GB_API extern const gb_family_type gb_mean_field_type, gb_point_type;

/* Independent normals: gb_mean_field(gb_shape(1, 50), .scale = 0.05). Variables NAME.location and
 * NAME.raw_scale, where scale = softplus(raw_scale); location and scale say where they start. */
typedef struct gb_mean_field_options {
    size_t size;
    gb_shape shape;
    double location;
    double scale; /* 0: 0.1 */
} gb_mean_field_options;
#define gb_mean_field(...)                                                                                   \
    gb_mean_field_with((gb_mean_field_options){.size = sizeof(gb_mean_field_options), .shape = __VA_ARGS__})
GB_API gb_family gb_mean_field_with(gb_mean_field_options options);

/* A point, which makes the most of prior and likelihood: the maximum a posteriori. No draw, no log q, and so
 * no bound on the evidence. The variable is NAME and starts at `location`. */
typedef struct gb_point_options {
    size_t size;
    gb_shape shape;
    double location;
} gb_point_options;
#define gb_point(...)                                                                                        \
    gb_point_with((gb_point_options){.size = sizeof(gb_point_options), .shape = __VA_ARGS__})
GB_API gb_family gb_point_with(gb_point_options options);

/* All of them, `count` receives how many; and the one of a name, NULL if there is none. Constants. */
GB_API const gb_family_type *const *gb_families(size_t *count);
GB_API const gb_family_type *gb_family_find(const char *name);

/* For authors of families. */
GB_API gb_family gb_family_of(const gb_family_type *type, gb_shape shape, const void *options, size_t bytes);
#define gb_family_options(family) ((const void *)(family)->options.bytes)

/* The variable "OWNER.PART", with `start` in all elements. */
GB_API gb_node gb_part_variable(gb_tape *tape, const char *owner, const char *part, gb_shape shape,
                                double start);

GB_END_DECLS
#endif
