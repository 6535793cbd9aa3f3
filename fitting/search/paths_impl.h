/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_FITTING_SEARCH_PATHS_IMPL_H
#define GREBE_FITTING_SEARCH_PATHS_IMPL_H

#include "fitting/search/descent_impl.h"
#include "fitting/search/search_impl.h"

typedef struct gb_path {
    gb_descent descent; /* of z / scale */
    const double *scale;
    GB_LIST(double) places; /* of each accepted point: z, then the gradient of −log p */
} gb_path;

typedef struct gb_paths {
    gb_search *search;
    size_t count;
    gb_path *path;
    double *z, *gradient, *log_p; /* of a round */
} gb_paths;

/* Begins one path at each of `count` points. The scales are lengths of a step of each number, [path][number],
 * and outlive the paths; NULL: all are 1. gb_paths_end frees what they have, also after a failure. */
bool gb_paths_begin(gb_paths *p, gb_search *s, size_t count, const double *starts, const double *scales);
bool gb_paths_follow(gb_paths *p);
void gb_paths_end(gb_paths *p);

/* The place where a path ended; NULL if it never began. The gradient of −log p there stands behind it. */
const double *gb_path_last(const gb_paths *p, size_t path);

#endif
