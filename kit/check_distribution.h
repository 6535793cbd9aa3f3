/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that a distribution keeps its promises, one of grebe's or your own. The kit makes instances over a
 * grid of parameters that their domains allow, in both forms of the parameters. A function of yours makes
 * instances that need more than a type (a wrapper, a type that needs `count`). For each instance the kit
 * checks what applies:
 *
 *   its struct      is complete, and instances can be made
 *   density         sums or integrates to 1; is NaN at NaN, and nowhere else in the domain of the support; is
 *                   −∞, without a gradient, outside the support and at ±∞; far inside it is not suddenly −∞
 *   gradients       of log_prob, first and second, in the value and in all parameters, are those of
 *                   differences; so are those of the closed forms, of cdf and icdf in the value too
 *   batches         of parameters, visible or along a hidden axis, equal single instances, as on a float
 *                   tape; of different instances side by side, each draw follows its own; draws in a batch,
 *                   along the axes of a site, of rows and of samples are not correlated
 *   score           has the mean 0, by quadrature, and over draws
 *   draws           lie in the support, on float tapes and at extreme parameters too (unless all of them
 *                   overflow there), follow the density (distribution function, bounded functions, cells,
 *                   spread; vectors along two directions and in each of the first six elements), have the
 *                   hidden axes that are asked for, and are not correlated between streams
 *   rsample         the same, and its gradients are those of the expectation
 *   closed forms    cdf, icdf, mean, variance, mode and entropy are those of the density; icdf inverts cdf,
 *                   and inverse_survival survival, from 1e-300 (float 1e-30) on, at extreme parameters too;
 *                   the mode lies in the support
 *   reach           leads from real numbers into the support, and to every draw
 *   relaxed         is continuous and reparameterised; rounded, its draws have the mean; it has a slope in
 *                   every parameter in which log_prob has one
 *   enumerate       gives all values, each once, and no other value of the support has a probability
 *   measure, couple the difference of expectations is the derivative; coupled draws follow their measures
 *   kl              each pair in the type's table is E_q[log q − log p], with the gradients of differences,
 *                   and 0 for q = p
 *   parameters      that are invalid are rejected with a message: constants at once, others by the run; at
 *                   the ends that their domains admit, the instance accepts its own draws
 *   references      values of yours in high precision
 *
 * Integrals use the kit's own quadrature, which estimates its error. Each statistical check fails a correct
 * distribution with a probability of 1e-9. A check for an ability that an instance lacks is reported as
 * skipped.
 *
 * The power of the usual 100,000 draws, where there is an integral (numbers, counts, up to three free
 * numbers): the kit sees a distance of 1.5 % in the distribution function, and draws that are 1 % too far
 * from the centre (a variance that is 2 % off). For the latter it averages z²/(1 + z²/36), with z
 * standardised by quartiles, over as many draws as it needs, at most 40 times the usual number. That is
 * enough for tails up to those of a Cauchy distribution. It sees a cut that takes away 4 draws in 10,000 of a
 * number or a count, and 1 in 1,000 at one end of an element of a vector of up to two free numbers, if that
 * is about normal. Without an integral, a variance in closed form must be off by 5 % to be seen (a normal).
 * A fault of half the size needs four times the draws. */
#ifndef GREBE_KIT_CHECK_DISTRIBUTION_H
#define GREBE_KIT_CHECK_DISTRIBUTION_H

#include "../core/options.h"
#include "../distributions/distribution.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_dist_options {
    size_t size;
    gb_report *report; /* OPTIONAL: receives the findings, one for each statement */
    uint64_t seed;     /* changes the draws */
    size_t draws;      /* for each instance, at least 6400; 0: 100000 */
    size_t cases;      /* instances in each form of the parameters; 0: 5 */

    /* OPTIONAL: returns instance number `which` of `count`, in place of the kit's own. The tape may already
     * hold others. The kit differentiates in the variables that the call makes; their names must be new to
     * the tape, so put `which` in them. */
    gb_dist (*make)(gb_tape *tape, size_t which, void *user);
    size_t count;
    void *user;

    /* OPTIONAL: your own parameter values in place of the kit's, for a type whose parameters are all
     * numbers. */
    const double (*points)[GB_MAX_PARAMS];
    size_t point_count;

    /* OPTIONAL: text, one value in each line (empty lines and lines that begin with # are ignored):
     *     log_prob ; loc 0.5 ; scale 2 ; x 1.5 ; -1.7370857137646178
     *     mean ; loc [2] 0 1 ; scale_tril [2,2] 1 0 0.5 2 ; [2] 0 1
     *     kl ; loc 0 ; scale 1 ; laplace ; loc 0 ; scale 1 ; 0.0723
     * A line has a quantity (log_prob, cdf, icdf, survival, inverse_survival, mean, variance, mode, entropy,
     * kl), arguments with their names and shapes, and the value. The tolerance is 1e-12 · max(1, |value|) for
     * log_prob, and 1e-10 for the others. */
    const char *references;
    /* OPTIONAL: returns the type of a name, for lines of kl. NULL: grebe's types. */
    const gb_dist_type *(*find)(const char *name);

    gb_memory memory; /* {0}: malloc */
} gb_check_dist_options;

/* gb_check_dist(&type), gb_check_dist(&type, .report = &report, .draws = 1000000). Returns true if no check
 * fails. */
#define gb_check_dist(...) GB_CALL_1(gb_check_dist, __VA_ARGS__, .size = sizeof(gb_check_dist_options))
GB_API bool gb_check_dist_with(const gb_dist_type *type, const gb_check_dist_options *options);

GB_END_DECLS
#endif
