/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A density: its nodes, and the programs that are compiled when they are first needed. */
#ifndef GREBE_FITTING_DENSITY_DENSITY_IMPL_H
#define GREBE_FITTING_DENSITY_DENSITY_IMPL_H

#include "fitting/density.h"
#include "models/elbo/kept_impl.h"

/* A latent at the points. Its reach may depend on latents before. */
typedef struct gb_placed {
    const gb_kept *kept;
    gb_slot slot;  /* with the reach of q, where there is no prior; with the rows as first axis */
    bool of_rows;  /* one for each row */
    gb_node free;  /* its piece of z */
    gb_node shown; /* its values */
    gb_node value; /* in the place of kept->value: with the rows hidden */
    const struct gb_placed *vector; /* of a part: that of its block; NULL: it is no part */
} gb_placed;

typedef enum gb_density_kind {
    GB_DENSITY_HEIGHT,   /* log p */
    GB_DENSITY_GRADIENT, /* log p and its gradient */
    GB_DENSITY_PRODUCT,  /* H v; those after it need no data */
    GB_DENSITY_VALUES,
    GB_DENSITY_FREE, /* the free numbers, from values */
    GB_DENSITY_DRAW, /* free numbers drawn from q, and log q */
    GB_DENSITY_KINDS
} gb_density_kind;

struct gb_density {
    gb_tape *tape;
    gb_elbo *elbo;
    struct gb_density *before; /* the one that was recorded before; NULL: none */
    gb_density_options options;
    size_t terms; /* of the ELBO when it was recorded, and its latest latent then */
    const gb_kept *latest;
    bool has_points;
    size_t parts, count, value_count;
    gb_density_part *part;
    /* What the model was recorded with, and what stands in its place: parts, then vectors of blocks. */
    gb_placed *placed;
    size_t places;
    gb_node points, direction, given; /* inputs: z, v, values */
    gb_node log_p, gradient;          /* for each point */
    gb_program *program[GB_DENSITY_KINDS];
    size_t at_once[GB_DENSITY_KINDS]; /* points of a run; 0: not known yet */
    double *scratch;                  /* `room` numbers */
    size_t room;
};

/* Returns what `count` nodes are if to[i] stands in the place of the value of placed[i], for the first
 * `places` of them. Returns false on error. */
bool gb_density_place(const gb_density *d, size_t places, const gb_node *to, size_t count,
                      const gb_node *node, bool with_draws, gb_node *replaced);

/* Returns piece `first` … of a vector, in a shape. */
gb_node gb_density_piece(gb_node vector, size_t first, size_t count, gb_shape shape);

/* Hides the first axis of the values of a latent of each row; returns others as they are. */
gb_node gb_density_hidden(const gb_placed *at, gb_node value);

/* Returns log |dw/dz| of a latent, one number for each point, from its free numbers and its value. */
gb_node gb_density_slope(const gb_slot *slot, gb_node free, gb_node value);

/* Returns a copy of the parts with their names, in one block; NULL if memory runs out. And writes the name of
 * a value by such parts, when the density may be gone. */
gb_density_part *gb_density_copy_parts(const gb_density *d, const gb_memory *memory);
const char *gb_density_value_name_of(size_t parts, const gb_density_part *part, size_t i,
                                     char text[GB_DENSITY_TEXT]);

/* Writes the name of element number i of an array: "beta[2]". */
void gb_density_write_name(const char *name, gb_shape shape, size_t i, char text[GB_DENSITY_TEXT]);

/* Evaluates nodes at many points. Returns an array [point][number of any node], which the caller releases by
 * the tape's memory, and stores how many numbers each node has. Rows that nodes depend on must be the data
 * set, unless `who`, with which the error begins, is NULL. Returns NULL on error. */
double *gb_density_nodes(gb_density *d, const char *who, gb_node_list nodes, size_t points, const double *z,
                         size_t *count);

/* Returns a keeper of the data that were fed (core/graph/feeds_impl.h); NULL on error. */
struct gb_feeds *gb_density_feeds(gb_density *d);

/* The roots of programs: all values as one vector; all free numbers, from values; all free numbers and log q,
 * drawn. */
gb_node gb_density_all_values(gb_density *d);
gb_node gb_density_all_free(gb_density *d);
void gb_density_all_draws(gb_density *d, gb_node root[2]);

#endif
