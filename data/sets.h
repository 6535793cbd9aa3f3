/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small data sets of grebe's own, drawn from known formulas, so that a program runs without a file:
 *
 *     gb_table *d = gb_table_of_set(t, "curve");
 *
 *     curve   100 rows, x, y: the regression curve of Blundell et al. (2015),
 *             y = x + 0.3 sin 2π(x + ε) + 0.3 sin 4π(x + ε) + ε, ε ~ N(0, 0.02²), x from 0 to 0.5
 *     moons   200 rows, a, b, class (0 or 1): two half circles of radius 1 around (0, 0) and (1, 0.5), one
 *             open below, one above, with noise of standard deviation 0.15
 *     counts  120 rows, count, x, hours, dose ("none", "low" or "high"):
 *             count ~ Poisson(hours · exp(0.5 + 0.8 x + e)), e = 0 for none, −0.4 for low, −0.9 for high
 *     groups  96 rows, y, x, group ("a" to "h", of 2 to 22 rows): y ~ N(m + 1.5 x, 0.7²), with a mean m of
 *             each group, m ~ N(2, 1)
 *
 * Numbers are rounded to 4 digits after the point, and are the same on all machines. */
#ifndef GREBE_DATA_SETS_H
#define GREBE_DATA_SETS_H

#include "table.h"

GB_BEGIN_DECLS

/* Returns the set of that name, which the caller frees; NULL on error, as for another name. */
GB_API gb_table *gb_table_of_set(gb_tape *tape, const char *name);

/* Returns the names of all sets. `count` may be NULL. */
GB_API const char *const *gb_table_sets(size_t *count);

GB_END_DECLS
#endif
