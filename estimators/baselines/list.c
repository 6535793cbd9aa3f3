/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/baseline.h"

#define GB_BASELINE_ADDRESS(name) &gb_##name##_baseline_type,
static const gb_baseline_type *const gb_baseline_types[] = {GB_BASELINE_LIST(GB_BASELINE_ADDRESS)};
static const char *const gb_baseline_words[][2] = {{"loo", "leave_one_out"},
                                                   {"loro", "leave_one_row_out"},
                                                   {"moving", "moving_average"},
                                                   {"no_baseline", "none"},
                                                   {"constant_baseline", "constant"},
                                                   {"learned_baseline", "learned"},
                                                   {NULL}};

static const char *gb_baseline_missing(const gb_plugin *plugin)
{
    const gb_baseline_type *const type = (const void *)plugin;
    return type->value ? NULL : "value";
}

GB_DEFINE_KIND(gb_baseline, gb_baselines, "baseline")
