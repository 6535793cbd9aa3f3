/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Auxiliary variables that training programs update: baselines, coefficients and surrogates of estimators,
 * and step counts.
 *
 * Each consists of variables and a rule: either minimise an objective in them, or assign a new value. The
 * expectation carries these rules in its node, and gb_minimise adds them to the training program. If you
 * write the updates by hand, gb_node_learned returns the rules. */
#ifndef GREBE_ESTIMATORS_LEARN_H
#define GREBE_ESTIMATORS_LEARN_H

#include "../core/tape.h"

GB_BEGIN_DECLS

struct gb_site;

enum { GB_LEARNED_MOST = 16 };

/* What an estimator learns beside the model. */
typedef struct gb_learned {
    /* true: variable[0] takes the value of `target`; false: `target` is minimised in the variables */
    bool is_assigned;
    gb_node target;
    size_t count;
    gb_node variable[GB_LEARNED_MOST];
} gb_learned;

/* Writes the rules that `loss` carries, at most `most` of them; none if `learned` is NULL. Returns how many
 * there are. */
GB_API size_t gb_node_learned(gb_node loss, gb_learned *learned, size_t most);

/* Returns x, and carries a rule: in programs that train, `variable` takes `value` after each run. Programs
 * that only evaluate do not change the variable. For example, a step count or a moving mean. */
GB_API gb_node gb_with_assign(gb_node x, gb_node variable, gb_node value);

/* ---- for authors of estimators and baselines, in `combine` ---- */

/* Returns the variable "SITE.PART", which starts at `start`. */
GB_API gb_node gb_site_variable(const struct gb_site *site, const char *part, gb_shape shape, double start);

/* Finds the variables that `what` depends on, but neither the whole cost nor the distribution of any draw. So
 * an estimator may change them without changing the model. Writes at most GB_LEARNED_MOST variables and
 * returns their number; more than that is an error. */
GB_API size_t gb_site_own_variables(const struct gb_site *site, gb_node what, gb_node *variables);

/* Returns the mean of x over all that it varies over: samples, rows, and evaluations of sites drawn before.
 * Of weighted values it takes the weighted sum; where a site probes, x at its draw. So x is learned from as
 * often as it occurs. */
GB_API gb_node gb_site_mean(const struct gb_site *site, gb_node x);

/* Running moments of the cost over earlier runs: one run has 0.99 times the weight of the run after it. They
 * are constants for this run, so they bias no estimate; all are 0 before the first run that trains. */
typedef struct gb_cost_scale {
    gb_node mean;
    gb_node deviation;     /* the standard deviation; 0 as long as all costs were the same */
    gb_node per_deviation; /* 1 / deviation; 0 if that is 0 */
} gb_cost_scale;

/* Returns the moments of `cost`, over its samples and rows, and updates them in programs that train (the
 * variable "SITE.cost"). A second call for the same site and part of the cost returns the same moments.
 *
 * The cost has the sign and the unit that the user gave it: in a gb_elbo it is the bound, not the loss. What
 * an estimator learns should not depend on that unit: learn u in cost ≈ mean + deviation · u, and objectives
 * of costs divided by the deviation. Then a cost that is 2^20 times as large gives the same u, to the last
 * bit. */
GB_API gb_cost_scale gb_site_cost_scale(const struct gb_site *site, gb_node cost);

/* Minimises `objective` (a real scalar) in the variables, at most GB_LEARNED_MOST, at the rate of the model.
 * The objective may be made of gradients. */
GB_API void gb_site_lowers(const struct gb_site *site, gb_node objective, size_t count,
                           const gb_node *variables);

/* Minimises the squared norm of the gradient of `estimate` in the site's parameters, divided by the variance
 * of the cost. If the mean of that gradient does not depend on the variables, this minimises its variance. */
GB_API void gb_site_lowers_variance(const struct gb_site *site, gb_node estimate, size_t count,
                                    const gb_node *variables);

/* Returns whether a rule moves the variable already: for this cost, or for an earlier one of the expectation.
 * For variables of a draw itself, which all costs share: a program moves a variable once. */
GB_API bool gb_site_has_rule(const struct gb_site *site, gb_node variable);

/* Assigns: variable <- value, after the run. */
GB_API void gb_site_assigns(const struct gb_site *site, gb_node variable, gb_node value);

GB_END_DECLS
#endif
