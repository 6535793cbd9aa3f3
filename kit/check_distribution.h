/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance of a distribution, whichever it is: of grebe, or your own. Instances of it are made over a grid of
 * parameters that its domains allow, in both of its forms; what cannot be made from a type alone (a wrapper, a type
 * that needs `count`) is made by a function of yours. Of each instance is checked what applies:
 *
 *   its struct      is complete, and instances can be made
 *   density         sums or integrates to 1; NaN at NaN; −∞ without a gradient outside the support, and at ±∞
 *   gradients       first and second, in the value and in all parameters, are those of differences
 *                   those of closed forms too, of cdf and icdf in the value as well
 *   batches         of parameters, visible or along a hidden axis, give what one by one gives; a float tape the same
 *   score           has the mean 0, by quadrature, and over draws
 *   draws           lie in the support, follow the density (distribution function, bounded functions of the draw,
 *                   cells), and are not correlated from stream to stream
 *   rsample         the same, and its gradients are those of the expectation
 *   closed forms    cdf, icdf, mean, variance, mode and entropy are those of the density
 *   enumerate       gives all values, each once
 *   measure, couple the difference of expectations is the derivative; coupled draws follow their measures
 *   kl              each pair in the type's table is E_q[log q − log p], and 0 for q = p
 *   parameters      that are invalid are refused in words, constants at once and others by the run
 *   references      values of yours in high precision
 *
 * Integrals are by the kit's own quadrature, which estimates its error. Statistical checks fail a right distribution
 * with a probability of 1e-9 each. What an instance has no ability for is skipped, and said to be. */
#ifndef GREBE_KIT_CHECK_DISTRIBUTION_H
#define GREBE_KIT_CHECK_DISTRIBUTION_H

#include "../core/options.h"
#include "../distributions/distribution.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_dist_options {
    size_t size;
    gb_report *report; /* OPTIONAL: where the findings go, one for each statement */
    uint64_t seed;     /* other draws */
    size_t draws;      /* for each instance; 0: 100000. At least 6400 */
    size_t cases;      /* instances in each form of the parameters; 0: 5 */

    /* OPTIONAL: instance number `which` of `count`, on a tape that may have others. Instead of the kit's own. What it
     * is differentiated in are the variables that this makes: their names must be new to the tape, so put `which` in
     * them. */
    gb_dist (*make)(gb_tape *tape, size_t which, void *user);
    size_t count;
    void *user;

    /* OPTIONAL: your own values of the parameters, where all of them are numbers, instead of the kit's. */
    const double (*points)[GB_MAX_PARAMS];
    size_t point_count;

    /* OPTIONAL: text, one value in each line (empty ones and those that begin with # do not count):
     *     log_prob ; loc 0.5 ; scale 2 ; x 1.5 ; -1.7370857137646178
     *     mean ; loc [2] 0 1 ; scale_tril [2,2] 1 0 0.5 2 ; [2] 0 1
     *     kl ; loc 0 ; scale 1 ; laplace ; loc 0 ; scale 1 ; 0.0723
     * quantity (log_prob, cdf, icdf, mean, variance, mode, entropy, kl); arguments by their names, with their shapes;
     * the value. log_prob is held to 1e-12 · max(1, |value|), the others to 1e-10. */
    const char *references;
    /* OPTIONAL: the type of that name, for lines of kl. NULL: those of grebe. */
    const gb_dist_type *(*find)(const char *name);

    gb_memory memory; /* {0}: malloc */
} gb_check_dist_options;

/* gb_check_dist(&type), gb_check_dist(&type, .report = &report, .draws = 1000000). True if nothing
 * failed. */
#define gb_check_dist(...) GB_CALL_1(gb_check_dist, __VA_ARGS__, .size = sizeof(gb_check_dist_options))
GB_API bool gb_check_dist_with(const gb_dist_type *type, const gb_check_dist_options *options);

GB_END_DECLS
#endif
