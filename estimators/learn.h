/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is learned besides, as training goes on: baselines, coefficients, surrogates of estimators; counts of steps.
 *
 * Each is a variable and how it changes: towards a lower objective of its own, or to a new value. An expectation
 * carries them with it, and gb_minimise adds them to the training program. Who steps by hand asks gb_node_learned. */
#ifndef GREBE_ESTIMATORS_LEARN_H
#define GREBE_ESTIMATORS_LEARN_H

#include "../core/tape.h"

GB_BEGIN_DECLS

struct gb_site;

enum { GB_LEARNED_MOST = 16 };

typedef struct gb_learned {
    bool
        is_assigned; /* variable[0] takes the value of `target`; else `target` is to be lowered in the variables */
    gb_node target;
    size_t count;
    gb_node variable[GB_LEARNED_MOST];
} gb_learned;

/* All that `loss` carries, at most `most` of them; returns how many there are. */
GB_API size_t gb_node_learned(gb_node loss, gb_learned *learned, size_t most);

/* x, which carries with it that `variable` takes `value` after each run of a program that trains: a count of its steps, a
 * moving mean. Programs that only look leave the variable alone. */
GB_API gb_node gb_with_assign(gb_node x, gb_node variable, gb_node value);

/* ---- for authors of estimators and baselines, in `combine` ---- */

/* A variable of the site's own, "SITE.PART". */
GB_API gb_node gb_site_variable(const struct gb_site *site, const char *part, gb_shape shape, double start);

/* The variables that `what` depends on and the model does not: neither the cost at hand, whole, nor the distribution of any
 * draw. They are what may be moved to make an estimator better. Writes at most GB_LEARNED_MOST, and returns how many; more
 * are an error. */
GB_API size_t gb_site_own_variables(const struct gb_site *site, gb_node what, gb_node *variables);

/* Lowers `objective` (a real scalar) in the variables, at most GB_LEARNED_MOST. Its gradient may be one of gradients. */
GB_API void gb_site_lowers(const struct gb_site *site, gb_node objective, size_t count,
                           const gb_node *variables);

/* Lowers the square of the gradient that `estimate` has in the site's parameters: where the mean of that gradient does not
 * depend on the variables, its variance. */
GB_API void gb_site_lowers_variance(const struct gb_site *site, gb_node estimate, size_t count,
                                    const gb_node *variables);

/* variable <- value, after the run that used it. */
GB_API void gb_site_assigns(const struct gb_site *site, gb_node variable, gb_node value);

GB_END_DECLS
#endif
