/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "plugins/options/added_impl.h"

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

/* ---- those that were added ---- */

static gb_added added[GB_ADDED_MOST];
static atomic_size_t added_count; /* whoever sees it sees the entries below it */

const gb_added *gb_added_all(size_t *count)
{
    *count = atomic_load_explicit(&added_count, memory_order_acquire);
    return added;
}

void gb_added_append(size_t count, const gb_added *more)
{
    const size_t before = atomic_load_explicit(&added_count, memory_order_relaxed);
    memcpy(added + before, more, count * sizeof *more);
    atomic_store_explicit(&added_count, before + count, memory_order_release);
}

const char *gb_kind_origin(const gb_kind *kind, const void *type)
{
    size_t count;
    const gb_added *const all = gb_added_all(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i].kind == kind && all[i].type == type)
            return all[i].from;
    return NULL;
}

/* ---- all of them ---- */

static const gb_plugin *added_at(const gb_kind *kind, size_t i)
{
    size_t count;
    const gb_added *const all = gb_added_all(&count);
    for (size_t k = 0; k < count; k++)
        if (all[k].kind == kind && i-- == 0)
            return all[k].type;
    return NULL;
}

const gb_plugin *gb_kind_at(const gb_kind *kind, size_t i)
{
    size_t built_in = 0;
    while (built_in <= i && kind->at(built_in))
        built_in++;
    return i < built_in ? kind->at(i) : added_at(kind, i - built_in);
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
    const char *const full = name ? in_full(kind, name) : NULL;
    for (size_t i = 0; full && kind->at(i); i++)
        if (strcmp(kind->at(i)->name, full) == 0)
            return kind->at(i);
    const gb_plugin *type = NULL;
    for (size_t i = 0; full && (type = added_at(kind, i)); i++)
        if (strcmp(type->name, full) == 0)
            break;
    return type;
}
