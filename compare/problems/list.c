/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/problems/list_impl.h"

#define GB_PROBLEM_ADDRESS(name) &gb_##name##_problem,
static const gb_problem *const gb_problem_types[] = {GB_PROBLEM_LIST(GB_PROBLEM_ADDRESS)};
static const char *const gb_problem_words[][2] = {{NULL}};

static const char *gb_problem_missing(const gb_plugin *plugin)
{
    const gb_problem *const problem = (const void *)plugin;
    if (!problem->formula)
        return "formula";
    return problem->cost ? NULL : "cost";
}

GB_DEFINE_KIND_OF(gb_problem, gb_problem, gb_problems, "problem", .no_options = true,
                  .missing = gb_problem_missing)
