/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all methods share while they look for the best member: the density, the family, limits, words. */
#ifndef GREBE_FITTING_SEARCH_SEARCH_IMPL_H
#define GREBE_FITTING_SEARCH_SEARCH_IMPL_H

#include "fitting/search/member_impl.h"
#include "models/training.h"

enum {
    GB_SEARCH_WORDS = 400,
    GB_SEARCH_DENSE = 256, /* the most free numbers with a dense covariance */
    /* A density is summed over all batches for each gradient. If both batches, and rows times numbers, are
     * more than these, stochastic steps are cheaper. */
    GB_SEARCH_BATCHES = 64,
    GB_SEARCH_WORK = 100000
};

typedef struct gb_search {
    gb_tape *tape;
    gb_elbo *model;
    gb_batches *data;
    bool part_of_data;
    gb_memory memory;
    gb_arena arena; /* freed at the end */
    gb_density *density;
    gb_family_of_normals family;
    size_t n;
    uint64_t seed;
    int64_t most_gradients, most_draws;
    double seconds; /* the limit; 0: none */
    /* Called now and then, with the ELBO at this time; false ends the search. NULL: nobody asks. */
    bool (*each)(void *user, const gb_fit_point *point);
    const volatile int *stop; /* of the options */
    void *user;
    double noise;       /* relative rounding error of a value */
    bool lacks_hessian; /* an operation of the model has no second derivative */
    bool ran_off;       /* it ended since a mean or a scale ran off */
    bool is_limited;    /* it ended at a limit, or by the caller */
    gb_member best;     /* what is found so far */
    gb_member given;    /* q as it was given */
    double *own;        /* of each free number, by q as it was given: its scale and its distance from 0 */
    /* The result. */
    gb_fit_end end;
    double elbo, error, began, shown;
    int64_t gradients, draws;
    char words[GB_SEARCH_WORDS];
} gb_search;

/* Makes a search for the best member of q. Returns false on error, or if the method cannot look for it; then
 * `words` say why, and the tape has no error. */
bool gb_search_begin(gb_search *s, gb_elbo *e, const gb_fit_options *options);

/* Whether all data are too many for each gradient of `numbers` free numbers. */
bool gb_search_is_long(const gb_batches *data, size_t numbers);

/* Returns a density by which q can be judged: without points that of the search will do. NULL on error.
 * `is_long`: one evaluation takes too long for that. */
gb_density *gb_search_judged(gb_search *s, gb_batches *data, bool *is_long);

/* Makes a search of its own from another one, which it shares the model and the limits with: `best` has the
 * scales of the other's and its mean at `mean`. Returns false on error. */
bool gb_search_branch(gb_search *s, const gb_search *from, const double *mean);
void gb_search_end(gb_search *s);

/* Makes a search over a density, without q: for the mode. The density may be NULL after an error. */
void gb_search_density(gb_search *s, gb_density *density, uint64_t seed);

/* Returns numbers that live as long as the search; NULL, after an error, if memory runs out. */
double *gb_search_numbers(gb_search *s, size_t count);

/* Ends the search, with words as printf writes them. Always returns false. */
bool gb_search_stop(gb_search *s, gb_fit_end end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns false, with words, when a limit is reached, the caller stops the search, or on an error. */
bool gb_search_goes_on(gb_search *s, double elbo);

/* Evaluates, and counts. */
bool gb_search_evaluate(gb_search *s, size_t points, const double *z, double *log_p, double *gradient);

/* Writes why log p, or its gradient, is not finite at a point, and returns it. */
const char *gb_search_reason(gb_search *s, const double *z, char reason[GB_SEARCH_WORDS]);

/* Stores minus the mean Hessian over `points` points, n × n. Returns false where there is none: no second
 * derivatives, values that are not finite. */
bool gb_search_precision(gb_search *s, size_t points, const double *z, double *precision);

/* Stores the ELBO of a member and its standard error, from `count` independent draws; `stream` decides which.
 * A draw without density makes it −∞. */
bool gb_search_elbo(gb_search *s, const gb_member *m, uint64_t stream, size_t count, double *elbo,
                    double *error);

/* Brings the normal with this mean and precision (n × n) into the family, as `best`. Returns false, without
 * an error and with `best` as it was, if it has no member there: the precision is not positive definite, in
 * numbers. */
bool gb_search_project(gb_search *s, const double *mean, const double *precision);

/* The starts of all methods: `first`, and points around 0. Returns NULL, after an error, without memory. */
enum { GB_SEARCH_STARTS = 5 };
const double *gb_search_starts(gb_search *s, const double *first);

#endif
