/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repeats one comparison for several values of a setting of its problem: how a variance grows with it; or at
 * places along a training.
 *
 *     gb_sweep *s = gb_compare_sweep("k", 3, ((double[]){0.1, 1, 10}),
 *                                    .problem = gb_problem_find("gauss-cos"), .estimators = 2,
 *                                    .estimator = (gb_estimator[]){gb_pathwise(), gb_score()});
 *     gb_sweep_print(s, stdout);
 *     gb_sweep_free(s); */
#ifndef GREBE_COMPARE_SWEEP_H
#define GREBE_COMPARE_SWEEP_H

#include "compare.h"

GB_BEGIN_DECLS

/* Comparisons, one for each point. */
typedef struct gb_sweep {
    gb_status status;    /* GB_OK; the error that ended the sweep; else the first error of a point */
    const char *error;   /* the message; "" without an error */
    const char *setting; /* "k" */
    size_t points;       /* points compared: fewer than requested if an error ended the sweep */
    const double *value; /* of the setting at each point */
    gb_comparison *const *point;
} gb_sweep;

typedef gb_compare_options gb_compare_sweep_options;

/* Compares at each of `points` values of the setting named `setting`, with the other options unchanged.
 * Returns NULL only if there is no memory at all. An estimator that does not fit is left out at all points;
 * any other error of a point ends the sweep. `status` is GB_EARGUMENT without a setting or a value, or if the
 * options also set `setting`.
 *
 * In `raw`, each line starts with the value of the setting. `progress` receives the part of the whole
 * sweep. */
#define gb_compare_sweep(...)                                                                                \
    GB_CALL_3(gb_compare_sweep, __VA_ARGS__, .size = sizeof(gb_compare_sweep_options))
GB_API gb_sweep *gb_compare_sweep_with(const char *setting, size_t points, const double *values,
                                       const gb_compare_sweep_options *options);
GB_API void gb_sweep_free(gb_sweep *sweep); /* NULL does nothing */

/* Compares at ten places along a training of `steps` steps by the first estimator, from its start to its end
 * (fewer steps than nine: at each), with the other options unchanged: the setting of the sweep is "step", and
 * each point has as many replicates as .draws says. `status` is GB_EARGUMENT if the first estimator does not
 * fit, or if .at is not GB_AT_GIVEN. */
typedef gb_compare_options gb_compare_path_options;
#define gb_compare_path(...) GB_CALL_0(gb_compare_path, .size = sizeof(gb_compare_path_options), __VA_ARGS__)
GB_API gb_sweep *gb_compare_path_with(const gb_compare_path_options *options);

/* Write a sweep: as tables of variances over the setting, one for each parameter; as JSON
 * (docs/schemas/grebe-sweep-1.json); as CSV, with the lines of gb_comparison_csv for each point. Return
 * GB_EARGUMENT for a NULL argument, and GB_ESYSTEM if `file` cannot be written. */
GB_API gb_status gb_sweep_print(const gb_sweep *sweep, FILE *file);
GB_API gb_status gb_sweep_json(const gb_sweep *sweep, FILE *file);
GB_API gb_status gb_sweep_csv(const gb_sweep *sweep, FILE *file);

GB_END_DECLS
#endif
