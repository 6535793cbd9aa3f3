/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of q's family, as normals over the free numbers z of a density: N(m, L Lᵀ), where L has a block
 * for each latent, or block of latents, that has a q of its own. */
#ifndef GREBE_FITTING_SEARCH_MEMBER_IMPL_H
#define GREBE_FITTING_SEARCH_MEMBER_IMPL_H

#include "core/ground/memory_impl.h"
#include "fitting/density.h"

typedef enum gb_group_form {
    GB_GROUP_POINT,    /* no scale */
    GB_GROUP_DIAGONAL, /* scales: gb_mean_field */
    GB_GROUP_TRIANGLE  /* gb_full_rank */
} gb_group_form;

/* The free numbers of one q. */
typedef struct gb_group {
    gb_group_form form;
    const char *name;
    size_t first, count;
    size_t root; /* place of its block in gb_member.root: `count` numbers, or count × count */
    gb_node location, scale, lower;
    bool is_log; /* the scale is e^x; else softplus(x) */
} gb_group;

/* Which normals are members of the family. */
typedef struct gb_family_of_normals {
    size_t n, groups, roots; /* free numbers; q's; numbers of all blocks of L */
    size_t scaled;           /* free numbers with a scale */
    size_t widest;           /* of the triangles */
    gb_group *group;
} gb_family_of_normals;

typedef struct gb_member {
    double *mean, *root; /* n and `roots` numbers */
} gb_member;

/* Finds the family, in the order of the density of the ELBO. Returns a reason, in words, why q is not such a
 * family; "" if it is; NULL if memory runs out. */
const char *gb_normals_of(gb_elbo *e, gb_arena *arena, gb_family_of_normals *family);

gb_member gb_member_new(const gb_family_of_normals *family, gb_arena *arena);
void gb_member_copy(const gb_family_of_normals *family, const gb_member *from, const gb_member *to);

/* Reads the member that q's variables are; sets them. */
gb_status gb_member_read(const gb_family_of_normals *family, const gb_member *to);
gb_status gb_member_write(const gb_family_of_normals *family, const gb_member *from);

/* z = m + L ε, for `count` draws. */
void gb_member_place(const gb_family_of_normals *family, const gb_member *m, size_t count,
                     const double *draws, double *z);

/* log |L|, without points. */
double gb_member_log_volume(const gb_family_of_normals *family, const gb_member *m);

/* The standard deviation of free number i; 0 for a point. */
double gb_member_sd(const gb_family_of_normals *family, const gb_member *m, size_t i);

/* How far one member is from another: means in standard deviations (of a point: in its `width`), and scales
 * relatively, by elements of L₀⁻¹ L. `room` has n numbers. */
typedef struct gb_move {
    double mean, scale;
} gb_move;
gb_move gb_member_move(const gb_family_of_normals *family, const gb_member *from, const gb_member *to,
                       const double *width, double *room);

/* The member with the smallest KL(q ‖ N(mean, Λ⁻¹)), from the precision Λ: blocks of it are inverted. Returns
 * false if one is not positive definite. `room` has 2 n × n numbers. */
bool gb_member_project(const gb_family_of_normals *family, const double *precision, double *room,
                       const gb_member *to);

#endif
