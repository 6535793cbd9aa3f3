/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"

/* ---- constructors that only pass their parameters on ---- */

#define GB_PASS_0(name, make, type)
#define GB_PASS_1(name, make, type)                                                                          \
    gb_dist name(gb_node a)                                                                                  \
    {                                                                                                        \
        return make(&type, &a);                                                                              \
    }
#define GB_PASS_2(name, make, type)                                                                          \
    gb_dist name(gb_node a, gb_node b)                                                                       \
    {                                                                                                        \
        return make(&type, (const gb_node[]){a, b});                                                         \
    }
#define GB_PASS_3(name, make, type)                                                                          \
    gb_dist name(gb_node a, gb_node b, gb_node c)                                                            \
    {                                                                                                        \
        return make(&type, (const gb_node[]){a, b, c});                                                      \
    }
#define GB_PASS_4(name, make, type)                                                                          \
    gb_dist name(gb_node a, gb_node b, gb_node c, gb_node d)                                                 \
    {                                                                                                        \
        return make(&type, (const gb_node[]){a, b, c, d});                                                   \
    }

#define GB_DEFINE(name, nodes, parameters) GB_PASS_##nodes(gb_##name, gb_dist_of, gb_##name##_type)
#define GB_DEFINE_ALTERNATIVE(name, type, nodes, parameters)                                                 \
    GB_PASS_##nodes(gb_##name, gb_dist_alternative, gb_##type##_type)
GB_DIST_LIST(GB_DEFINE)
GB_ALTERNATIVE_LIST(GB_DEFINE_ALTERNATIVE)

/* ---- look-up ---- */

#define GB_TYPE_ADDRESS(name, nodes, parameters) &gb_##name##_type,
static const gb_dist_type *const gb_dist_types[] = {GB_DIST_LIST(GB_TYPE_ADDRESS)};
static const char *const gb_dist_words[][2] = {{NULL}};

static const char *gb_dist_missing(const gb_plugin *plugin)
{
    const gb_dist_type *const type = (const void *)plugin;
    if (!type->wraps && !type->param[0].name)
        return "param";
    if (!type->wraps && !type->support)
        return "support";
    if (!type->log_prob)
        return "log_prob";
    return type->sample || type->rsample ? NULL : "sample or rsample";
}

GB_DEFINE_KIND_LIST(gb_dist, gb_dists, "distribution", false, gb_dist_missing)
