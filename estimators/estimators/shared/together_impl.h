/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws of one run that depend on each other: antithetic pairs and Sobol points, as quantiles of jointly
 * drawn uniforms. For estimators with an option `draws`. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_SHARED_TOGETHER_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_SHARED_TOGETHER_IMPL_H

#include "estimators/estimator.h"

/* Returns draws of a site, reparameterised where the quantile function is. `draws` is not GB_INDEPENDENT. */
gb_node gb_site_drawn_together(const gb_site *site, gb_draws draws);

/* Returns what q lacks for such draws; NULL: nothing. And their needs, GB_NEEDS…. */
const char *gb_draws_lack(const gb_dist *q, gb_draws draws);
unsigned gb_draws_need(gb_draws draws);

/* Words for the choices of the option, and for the reader. */
extern const char *const gb_draws_choices[];
#define GB_OPTION_DRAWS(options_)                                                                            \
    GB_OPTION_CHOICE(options_, draws, gb_draws_choices, "how the draws of one run depend on each other")

#endif
