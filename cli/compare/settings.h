/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --set and --sweep: settings of a problem. */
#ifndef GREBE_CLI_COMPARE_SETTINGS_H
#define GREBE_CLI_COMPARE_SETTINGS_H

#include "compare/compare.h"

enum { GB_CLI_LIST = 2048, GB_CLI_POINTS = 1000 };

/* Values that one setting goes through. */
typedef struct gb_cli_sweep {
    const char *setting; /* NULL: there is none, and one point */
    double from, to;
    size_t points;
    bool logarithmic;
} gb_cli_sweep;

/* Reads "name=value,…", settings of with->problem, and adds them to those that `with` has. `setting` is
 * with->setting, to be written to. False: what is wrong was printed. */
bool gb_cli_read_settings(gb_compare_options *with, gb_compare_setting *setting, const char *text);

/* Reads "name=from:to:points" or "name=from:to:points:log". The setting is one of with->problem that `with`
 * does not have. False likewise. */
bool gb_cli_read_sweep(const gb_compare_options *with, gb_cli_sweep *sweep, const char *text);

/* The value of the setting at a point of the sweep. */
double gb_cli_sweep_value(const gb_cli_sweep *sweep, size_t point);

#endif
