/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare/settings.h"

#include <math.h>
#include <string.h>

#include "cli/shell/say.h"
#include "cli/shell/values.h"

/* Returns the setting of that name; prints an error and returns NULL if there is none. */
static const gb_setting *find_setting(const gb_problem *problem, const char *name)
{
    const char *names[GB_PROBLEM_SETTINGS];
    char what[64];
    size_t count = 0, place;
    for (; count < GB_PROBLEM_SETTINGS && problem->settings[count].name; count++)
        names[count] = problem->settings[count].name;
    snprintf(what, sizeof what, "setting of %s called", problem->name);
    return gb_cli_find(what, name, count, names, &place) ? &problem->settings[place] : NULL;
}

static bool in_range(const gb_setting *setting, double value)
{
    return (value >= setting->low && value <= setting->high) ||
           gb_cli_reject("%s is %g, and must be from %g to %g (%s)", setting->name, value, setting->low,
                         setting->high, setting->words);
}

static bool is_set(const gb_compare_options *with, const char *name)
{
    for (size_t i = 0; i < with->settings; i++)
        if (strcmp(with->setting[i].name, name) == 0)
            return true;
    return false;
}

static bool read_setting(gb_compare_options *with, gb_compare_setting *to, char *text)
{
    double value;
    char *const sign = strchr(text, '=');
    if (!sign)
        return gb_cli_reject("--set takes name=value,name=value, not \"%s\"", text);
    *sign = '\0';
    const gb_setting *const setting = find_setting(with->problem, text);
    if (!setting)
        return false;
    if (is_set(with, setting->name))
        return gb_cli_reject("--set sets %s twice", text);
    if (!gb_cli_number(sign + 1, &value))
        return gb_cli_reject("--set: %s takes a number, not \"%s\"", text, sign + 1);
    if (!in_range(setting, value))
        return false;
    to[with->settings++] = (gb_compare_setting){.name = setting->name, .value = value};
    return true;
}

bool gb_cli_read_settings(gb_compare_options *with, gb_compare_setting *setting, const char *text)
{
    char copy[GB_CLI_LIST];
    if (strlen(text) >= sizeof copy)
        return gb_cli_reject("--set is too long");
    snprintf(copy, sizeof copy, "%s", text);
    for (char *at = copy, *next; at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        if (!read_setting(with, setting, at))
            return false;
    }
    return true;
}

/* ---- a sweep ---- */

/* Splits "from:to:points" or "from:to:points:log". */
static bool read_range(gb_cli_sweep *sweep, char *text)
{
    char *part[4] = {text};
    size_t parts = 1;
    double points = 0;
    for (char *at = text; parts < 4 && (at = strchr(at, ':')); parts++) {
        *at++ = '\0';
        part[parts] = at;
    }
    sweep->logarithmic = parts == 4 && strcmp(part[3], "log") == 0;
    if (parts < 3 || (parts == 4 && !sweep->logarithmic) || !gb_cli_number(part[0], &sweep->from) ||
        !gb_cli_number(part[1], &sweep->to) || !gb_cli_number(part[2], &points))
        return gb_cli_reject("--sweep takes name=from:to:points, such as k=-3:3:25, or k=0.1:10:25:log");
    if (!(points >= 2 && points <= GB_CLI_POINTS) || floor(points) < points)
        return gb_cli_reject("--sweep has %g points; it must have from 2 to %d", points, GB_CLI_POINTS);
    if (sweep->logarithmic && !(sweep->from > 0 && sweep->to > 0))
        return gb_cli_reject("--sweep: a logarithmic sweep needs numbers above 0");
    sweep->points = (size_t)points;
    return sweep->from < sweep->to || gb_cli_reject("--sweep must go from a smaller number to a larger one");
}

bool gb_cli_read_sweep(const gb_compare_options *with, gb_cli_sweep *sweep, const char *text)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", text);
    char *const sign = strchr(copy, '=');
    if (strlen(text) >= sizeof copy)
        return gb_cli_reject("--sweep takes at most %zu characters", sizeof copy - 1);
    if (!sign)
        return gb_cli_reject("--sweep takes name=from:to:points, such as k=-3:3:25");
    *sign = '\0';
    const gb_setting *const setting = find_setting(with->problem, copy);
    if (!setting)
        return false;
    if (is_set(with, setting->name))
        return gb_cli_reject("%s is both set and swept", setting->name);
    sweep->setting = setting->name;
    return read_range(sweep, sign + 1) && in_range(setting, sweep->from) && in_range(setting, sweep->to);
}

double gb_cli_sweep_value(const gb_cli_sweep *sweep, size_t point)
{
    const double part = (double)point / (double)(sweep->points - 1);
    if (sweep->value)
        return sweep->value[point];
    if (point + 1 == sweep->points)
        return sweep->to;
    return sweep->logarithmic ? sweep->from * pow(sweep->to / sweep->from, part)
                              : sweep->from + (sweep->to - sweep->from) * part;
}
