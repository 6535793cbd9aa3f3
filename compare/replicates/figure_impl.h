/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with standard errors and intervals. */
#ifndef GREBE_COMPARE_REPLICATES_FIGURE_IMPL_H
#define GREBE_COMPARE_REPLICATES_FIGURE_IMPL_H

#include <stdbool.h>

#include "compare/moments.h"

/* Returns the quantile 0.975 of Student's t, by its expansion around the normal quantile (Fisher and Cornish
 * 1960): to 1e-3 from 4 degrees of freedom on, and too small by 0.02 at 3. */
double gb_student_quantile(double freedom);

/* Return a number with its standard error, which has so many degrees of freedom: with the interval of the
 * number; or with that of its logarithm, if it is positive. */
gb_figure gb_figure_symmetric(double value, double error, double freedom);
gb_figure gb_figure_positive(double value, double error, double freedom);

/* Returns the mean of independent values of the same accuracy. `is_positive`: the interval is that of its
 * logarithm. */
gb_figure gb_figure_of_mean(size_t count, const double *values, bool is_positive);

/* Returns an unknown one. */
gb_figure gb_figure_unknown(void);

#endif
