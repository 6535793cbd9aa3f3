/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/bound.h"

#include <string.h>

const gb_bound_type gb_evidence_bound_type = {
    .size = sizeof(gb_bound_type),
    .name = "elbo",
    .cite = "Jordan, Ghahramani, Jaakkola and Saul 1999",
    .formula = "E log p(data, w) - log q(w)",
    .value = gb_expected,
};

static const gb_bound_type *const types[] = {&gb_evidence_bound_type};

const gb_bound_type *const *gb_bounds(size_t *count)
{
    if (count)
        *count = sizeof types / sizeof *types;
    return types;
}

const gb_bound_type *gb_bound_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}
