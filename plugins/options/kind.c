/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "plugins/plugin.h"

bool gb_domain_holds(const gb_domain *domain, double x)
{
    const bool high_enough = domain->above ? x > domain->low : x >= domain->low;
    const bool low_enough = domain->below ? x < domain->high : x <= domain->high;
    return high_enough && low_enough && (!domain->whole || floor(x) == x) && !(domain->no_zero && x == 0);
}

const char *gb_nearest_name(const char *text, size_t count, const char *const *names)
{
    return text && names ? gb_nearest_text(text, count, names) : NULL;
}

static const char *in_full(const gb_kind *kind, const char *name)
{
    for (size_t i = 0; kind->words && kind->words[i][0]; i++)
        if (strcmp(kind->words[i][0], name) == 0)
            return kind->words[i][1];
    return name;
}

const gb_plugin *gb_kind_find(const gb_kind *kind, const char *name)
{
    for (size_t i = 0; name && kind->at(i); i++)
        if (strcmp(kind->at(i)->name, in_full(kind, name)) == 0)
            return kind->at(i);
    return NULL;
}
