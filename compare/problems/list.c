/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/problems/list_impl.h"

#include <string.h>

#define GB_PROBLEM_ADDRESS(name) &gb_##name##_problem,
static const gb_problem *const problems[] = {GB_PROBLEM_LIST(GB_PROBLEM_ADDRESS)};

const gb_problem *const *gb_problems(size_t *count)
{
    if (count)
        *count = sizeof problems / sizeof *problems;
    return problems;
}

const gb_problem *gb_problem_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof problems / sizeof *problems; i++)
        if (strcmp(problems[i]->name, name) == 0)
            return problems[i];
    return NULL;
}
