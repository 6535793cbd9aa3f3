/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The methods, and the steps that they share. */
#ifndef GREBE_FITTING_METHOD_METHODS_IMPL_H
#define GREBE_FITTING_METHOD_METHODS_IMPL_H

#include "fitting/search/search_impl.h"

/* A mode of log p. */
typedef struct gb_mode {
    double *z, log_p;
    double gain;       /* what a Newton step would gain; NaN if the Hessian is not negative definite */
    double *root;      /* of the covariance, lower, n × n */
    const char *words; /* what is wrong; "" if nothing is */
    char room[GB_SEARCH_WORDS]; /* for words that are written */
} gb_mode;

/* Finds the highest mode that descents from `count` starts lead to; with `count` 0, looks at mode->z. Returns
 * false on error. What is not a mode is no error: `words` say it. */
bool gb_search_mode(gb_search *s, size_t count, const double *starts, gb_mode *mode);

/* Moves `best` to Pathfinder's best normal along paths from `count` starts, if that is better. Returns false
 * on error. The search has ended if `end` is not GB_FIT_CONVERGED then. */
bool gb_search_start(gb_search *s, size_t count, const double *starts);

/* Where a search from another point ended. */
typedef struct gb_search_place {
    gb_member member;
    double *sd;
    double elbo, error;
    gb_fit_end end; /* GB_FIT_CONVERGED: it found an optimum */
    gb_member few;  /* the optimum over the first, few draws, if `has_few` */
    bool has_few;
} gb_search_place;

/* Moves `best` to the optimum near it over `count` fixed draws, or as many more as the family needs, and
 * finds its ELBO. It begins with few draws. If it is where an earlier one of the places was over the same few
 * draws, it would end where that one did, and takes that. Stores place[at].few. Returns false on error; `end`
 * says whether there is an optimum. */
bool gb_search_nearby(gb_search *s, size_t count, gb_search_place *place, size_t at);

/* Moves `best` to the optimum near it over more and more draws, until they are enough. */
bool gb_search_settle(gb_search *s);

/* Moves `best` to the optimum near it over `count` fixed draws, which it stores; the caller releases them,
 * also after a failure. Returns false, with words or an error, if it finds none. */
bool gb_search_optimum(gb_search *s, size_t count, double **draws);

/* Searches from at least `GB_SEARCH_OTHERS` other points, over a fourth of the draws that `best` was found
 * with, and from each mode of log p that is found besides. Stores where they ended; the search owns the
 * numbers. Fewer are stored if a limit is reached. Returns false on error. */
enum { GB_SEARCH_OTHERS = 3, GB_SEARCH_PLACES = 8 };
bool gb_search_others(gb_search *s, gb_search_place place[GB_SEARCH_PLACES], size_t *count);

/* ---- the methods ---- */

/* Each puts its member into `best`, and says in `end` and `words` how it ended. Returns false on error. */
bool gb_search_pathfinder(gb_search *s);
bool gb_search_laplace(gb_search *s);
bool gb_search_fixed_draws(gb_search *s);
bool gb_search_stochastic(gb_search *s);

#endif
