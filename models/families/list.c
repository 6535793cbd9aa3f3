/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/family.h"

#define GB_FAMILY_ADDRESS(name) &gb_##name##_family_type,
static const gb_family_type *const gb_family_types[] = {GB_FAMILY_LIST(GB_FAMILY_ADDRESS)};
static const char *const gb_family_words[][2] = {
    {"mean_field_matching", "matching"}, {"dropout_posterior", "dropout"}, {NULL}};
GB_DEFINE_KIND(gb_family, gb_families, "posterior family")
