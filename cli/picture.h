/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures by gnuplot. */
#ifndef GREBE_CLI_PICTURE_H
#define GREBE_CLI_PICTURE_H

#include "cli/command.h"
#include "estimators/compare.h"

/* What is drawn: the comparisons at the values of a setting, or one (setting NULL). */
typedef struct gb_cli_series {
    const char *setting;
    size_t count;
    const double *value; /* of the setting */
    gb_comparison *const *comparison;
} gb_cli_series;

/* Whether there is a gnuplot. */
bool gb_cli_has_gnuplot(void);

/* Variances of every parameter by every estimator, to `path` (.svg, .png). Without gnuplot it says so, and is fine. */
gb_cli_code gb_cli_picture(gb_cli_files *files, const char *path, const gb_cli_series *series);

/* Whether the name ends as one of the formats; else it says so. */
bool gb_cli_picture_fits(const char *path);

#endif
