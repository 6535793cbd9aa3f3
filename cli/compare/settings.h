/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --set and --sweep: settings of a problem. */
#ifndef GREBE_CLI_COMPARE_SETTINGS_H
#define GREBE_CLI_COMPARE_SETTINGS_H

#include "compare/compare.h"

enum { GB_CLI_LIST = 2048, GB_CLI_POINTS = 1000 };

/* The values of a setting in a sweep. */
typedef struct gb_cli_sweep {
    const char *setting; /* NULL: no sweep, one point */
    double from, to;
    size_t points;
    bool logarithmic;
    const double *value; /* all of them; NULL: evenly from `from` to `to` */
} gb_cli_sweep;

/* Reads "name=value,…", settings of with->problem, and appends them to those of `with`. `setting` is
 * with->setting, writable. Prints errors and returns false. */
bool gb_cli_read_settings(gb_compare_options *with, gb_compare_setting *setting, const char *text);

/* Reads "name=from:to:points" or "name=from:to:points:log". The setting must belong to with->problem, and not
 * to `with`. Prints errors and returns false. */
bool gb_cli_read_sweep(const gb_compare_options *with, gb_cli_sweep *sweep, const char *text);

/* Returns the value of the setting at a point of the sweep. */
double gb_cli_sweep_value(const gb_cli_sweep *sweep, size_t point);

#endif
