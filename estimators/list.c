/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/list.h"

#include "estimators/bound.h"

#define GB_TYPE_ADDRESS(name) &gb_##name##_estimator_type,
static const gb_estimator_type *const gb_estimator_types[] = {GB_ESTIMATOR_LIST(GB_TYPE_ADDRESS)};
static const char *const gb_estimator_words[][2] = {{"stl", "sticking_the_landing"},
                                                    {"st", "straight_through"},
                                                    {"enumerated", "enumerate"},
                                                    {"measure_valued", "measure"},
                                                    {"relaxed_draws", "relaxed"},
                                                    {"dropout_draws", "dropout"},
                                                    {NULL}};

static const char *gb_estimator_missing(const gb_plugin *plugin)
{
    const gb_estimator_type *const type = (const void *)plugin;
    if (!type->draw)
        return "draw";
    if (type->expansion != GB_ONE_EVALUATION && !type->evaluations)
        return "evaluations";
    return type->expansion != GB_ONE_EVALUATION && !type->combine ? "combine" : NULL;
}

GB_DEFINE_KIND(gb_estimator, gb_estimators, "estimator")

#define GB_BOUND_ADDRESS(name) &gb_##name##_bound_type,
static const gb_bound_type *const gb_bound_types[] = {GB_BOUND_LIST(GB_BOUND_ADDRESS)};
static const char *const gb_bound_words[][2] = {
    {"evidence_bound", "elbo"}, {"importance_weighted", "iwae"}, {"tvo", "thermodynamic"}, {NULL}};

static const char *gb_bound_missing(const gb_plugin *plugin)
{
    const gb_bound_type *const type = (const void *)plugin;
    return type->value ? NULL : "value";
}

GB_DEFINE_KIND(gb_bound, gb_bounds, "bound")

gb_estimator_list gb_estimators_of(size_t count, const gb_estimator *estimators)
{
    return (gb_estimator_list){.estimator = estimators, .count = count};
}
