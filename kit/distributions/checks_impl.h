/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks of a distribution, in this order; each is in the file of its name. */
#ifndef GREBE_KIT_DISTRIBUTIONS_CHECKS_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_CHECKS_IMPL_H

#include "kit/distributions/case_impl.h"

/* Checks of one instance. */
void gb_dist_check_law(gb_dist_case *c);
void gb_dist_check_gradients(gb_dist_check *check, gb_case_number which);
void gb_dist_check_edges(gb_dist_case *c);
void gb_dist_check_draws(gb_dist_case *c);
void gb_dist_check_extremes(gb_dist_case *c);
void gb_dist_check_score(gb_dist_case *c);
void gb_dist_check_pathwise(gb_dist_case *c);
void gb_dist_check_axes(gb_dist_case *c);      /* batch.c */
void gb_dist_check_apart(gb_dist_case *c);     /* batch.c */
void gb_dist_check_reach(gb_dist_case *c);     /* measures.c */
void gb_dist_check_relaxed(gb_dist_case *c);   /* measures.c */
void gb_dist_check_enumerate(gb_dist_case *c); /* measures.c */
void gb_dist_check_measures(gb_dist_case *c);
void gb_dist_check_kl(gb_dist_check *check, gb_case_number which);

/* Checks of all instances in one form of the parameters. */
void gb_dist_check_batch(gb_dist_check *check, bool alternative);
void gb_dist_check_rejections(gb_dist_check *check, bool alternative);

/* Checks lines of text. `find` may be NULL: it returns the type of a name, for lines of kl. */
void gb_dist_check_references(gb_dist_check *check, const char *references,
                              const gb_dist_type *(*find)(const char *name));

#endif
