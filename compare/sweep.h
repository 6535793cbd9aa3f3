/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One comparison at several values of a setting of its problem: how a variance grows with it.
 *
 *     gb_sweep *s = gb_compare_sweep("k", 3, ((double[]){0.1, 1, 10}), .problem = gb_problem_find("gauss-cos"),
 *                                    .estimators = 2, .estimator = (gb_estimator[]){gb_pathwise(), gb_score()});
 *     gb_sweep_print(s, stdout);
 *     gb_sweep_free(s); */
#ifndef GREBE_COMPARE_SWEEP_H
#define GREBE_COMPARE_SWEEP_H

#include "compare.h"

GB_BEGIN_DECLS

typedef struct gb_sweep {
    gb_status status;    /* GB_OK; the error that ended the sweep; else the first error of a point */
    const char *error;   /* in words; "" */
    const char *setting; /* "k" */
    size_t points;       /* that were compared: fewer than were asked for, where an error ended the sweep */
    const double *value; /* of the setting at each point */
    gb_comparison *const *point;
} gb_sweep;

typedef gb_compare_options gb_compare_sweep_options;

/* Compares at each of `points` values of the setting named `setting`, with the same options elsewhere. NULL only where there
 * is no memory at all. An estimator that does not fit is left out at all points; every other error of a point ends the sweep.
 * GB_EARGUMENT: no setting, no value, or a setting that the options set too. Of single estimates (`raw`) each line begins with
 * the value of the setting; `progress` is told the part of the whole sweep. */
#define gb_compare_sweep(...)                                                                                \
    GB_CALL_3(gb_compare_sweep, __VA_ARGS__, .size = sizeof(gb_compare_sweep_options))
GB_API gb_sweep *gb_compare_sweep_with(const char *setting, size_t points, const double *values,
                                       const gb_compare_sweep_options *options);
GB_API void gb_sweep_free(gb_sweep *sweep); /* NULL is fine */

/* Variances over the setting, a table for each parameter; a JSON object {"sweep", "comparisons"}; and CSV, a line for each
 * parameter of each estimator at each point, as gb_comparison_csv writes it. GB_EARGUMENT where one of the two is NULL,
 * GB_ESYSTEM where `file` cannot be written. */
GB_API gb_status gb_sweep_print(const gb_sweep *sweep, FILE *file);
GB_API gb_status gb_sweep_json(const gb_sweep *sweep, FILE *file);
GB_API gb_status gb_sweep_csv(const gb_sweep *sweep, FILE *file);

GB_END_DECLS
#endif
