/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kind: priors of coefficients. */
#include "ready/shrinkage.h"

gb_shrinkage gb_shrinkage_of(const gb_shrinkage_type *type, const void *options)
{
    return (gb_shrinkage){.type = type, .options = gb_options_pack(type, options)};
}

#define GB_SHRINKAGE_ADDRESS(name) &gb_##name##_shrinkage_type,
static const gb_shrinkage_type *const gb_shrinkage_types[] = {GB_SHRINKAGE_LIST(GB_SHRINKAGE_ADDRESS)};
static const char *const gb_shrinkage_words[][2] = {
    {"flat", "none"}, {"lasso", "laplace"}, {"regularised_horseshoe", "horseshoe"}, {NULL}};

static const char *gb_shrinkage_missing(const gb_plugin *plugin)
{
    const gb_shrinkage_type *const type = (const void *)plugin;
    return !type->declare ? "declare" : !type->value ? "value" : NULL;
}

GB_DEFINE_KIND(gb_shrinkage, gb_shrinkages, "prior of coefficients")
