/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems to compare estimators on. */
#include "cli/kinds/kind.h"
#include "compare/problem.h"
#include "kit/check_problem.h"

static void list_setting(gb_cli_listing *l, const gb_setting *setting)
{
    char text[256];
    gb_cli_row_begin(l, setting->name);
    if (l->json)
        gb_cli_field(l, "words", setting->words);
    else {
        snprintf(text, sizeof text, "%s: %g, from %g to %g", setting->words ? setting->words : "a number",
                 setting->value, setting->low, setting->high);
        gb_cli_field(l, "words", text);
    }
    gb_cli_number_field(l, "value", setting->value);
    gb_cli_number_field(l, "low", setting->low);
    gb_cli_number_field(l, "high", setting->high);
    gb_cli_row_end(l);
}

static void list_problem(gb_cli_listing *l, size_t i)
{
    const gb_problem *const problem = (const void *)gb_kind_at(&gb_problem_kind, i);
    gb_cli_field(l, "formula", problem->formula);
    gb_cli_flag(l, "needs_data", problem->needs_data, "needs data");
    gb_cli_rows_begin(l, "settings");
    for (size_t s = 0; s < GB_PROBLEM_SETTINGS && problem->settings[s].name; s++)
        list_setting(l, &problem->settings[s]);
    gb_cli_rows_end(l);
}

static const char *problem_is_beyond(const char *name)
{
    const gb_problem *const problem = gb_problem_find(name);
    return problem && problem->needs_data ? "it needs data" : NULL;
}

static bool check_problem(const char *name, const gb_cli_checking *how, gb_report *report)
{
    return gb_check_problem(gb_problem_find(name), .report = report, .seed = how->seed);
}

const gb_cli_kind gb_cli_problems_kind = {.name = "problems",
                                          .one = "problem",
                                          .of = &gb_problem_kind,
                                          .list = list_problem,
                                          .beyond = problem_is_beyond,
                                          .check = check_problem};
