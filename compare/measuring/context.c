/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/measuring/context_impl.h"

#include <string.h>
#include <unistd.h>

#include "core/version.h"
#include "estimators/list.h"
#include "ops/products/blas_impl.h"

static const char *keep_text(gb_compare_work *c, const char *text)
{
    char *const copy = text ? gb_compare_keep(c, strlen(text) + 1, 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}

/* ---- plug-ins ---- */

/* Visits twice: to count them, and to keep them. */
typedef struct collecting {
    gb_compare_work *c;
    size_t count;
    gb_compare_plugin *to; /* NULL: only count */
} collecting;

/* Where a type is from; NULL: it is built in. A type that no look-up finds is the program's. */
static const char *origin_of(const gb_kind *kind, const gb_plugin *type)
{
    const char *const from = gb_kind_origin(kind, type);
    return from ? from : gb_kind_find(kind, type->name) == type ? NULL : "";
}

static void collect(void *user, const gb_kind *kind, const gb_plugin *type)
{
    collecting *const all = user;
    const char *const from = origin_of(kind, type);
    if (!from)
        return;
    for (size_t i = 0; all->to && i < all->count; i++)
        if (strcmp(all->to[i].kind, kind->name) == 0 && strcmp(all->to[i].name, type->name) == 0)
            return;
    if (all->to)
        all->to[all->count] = (gb_compare_plugin){.kind = keep_text(all->c, kind->name),
                                                  .name = keep_text(all->c, type->name),
                                                  .from = keep_text(all->c, from)};
    all->count++;
}

static void collect_all(collecting *all)
{
    const gb_compare_options *const with = &all->c->with;
    all->count = 0;
    collect(all, &gb_problem_kind, (const void *)with->problem);
    gb_plugin_visit(&gb_bound_kind, with->bound.type, &with->bound.options, collect, all);
    for (size_t i = 0; i < with->estimators; i++)
        gb_plugin_visit(&gb_estimator_kind, with->estimator[i].type, &with->estimator[i].options, collect,
                        all);
}

static bool keep_plugins(gb_compare_work *c)
{
    collecting all = {.c = c};
    collect_all(&all);
    gb_compare_plugin *const to = gb_compare_keep(c, all.count + 1, sizeof *to);
    if (!to)
        return false;
    all.to = to;
    collect_all(&all);
    c->it.plugins = all.count;
    c->it.plugin = to;
    return c->it.status == GB_OK;
}

/* ---- data ---- */

/* Fowler, Noll and Vo's hash (FNV-1a), of the bytes of numbers. */
static uint64_t hashed(uint64_t hash, const double *x, size_t count)
{
    const unsigned char *const bytes = (const unsigned char *)x;
    for (size_t i = 0; x && i < count * sizeof *x; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

gb_compare_data gb_compare_data_of(const gb_problem_data *data)
{
    if (!data)
        return (gb_compare_data){0};
    const uint64_t x = hashed(UINT64_C(0xcbf29ce484222325), data->x, data->rows * data->columns);
    return (gb_compare_data){.rows = data->rows,
                             .columns = data->columns,
                             .from = data->from,
                             .hash = hashed(x, data->y, data->rows)};
}

/* ---- all of it ---- */

static bool keep_texts(gb_compare_work *c)
{
    for (size_t i = 0; i < c->it.estimators; i++) {
        const size_t length = gb_estimator_text(c->with.estimator[i], NULL, 0);
        char *const text = gb_compare_keep(c, length + 1, 1);
        if (!text)
            return false;
        gb_estimator_text(c->with.estimator[i], text, length + 1);
        c->compared[i].text = text;
    }
    return true;
}

bool gb_compare_keep_context(gb_compare_work *c)
{
    c->it.real = c->with.real;
    c->it.equal_cost = c->with.equal_cost;
    c->it.where = c->with.at;
    c->it.steps = c->it.on_path || c->with.at != GB_AT_GIVEN ? c->with.steps : 0;
    c->it.batch = c->with.batch;
    c->it.data = gb_compare_data_of(c->with.data);
    c->it.data.from = keep_text(c, c->it.data.from);
    return keep_texts(c) && keep_plugins(c);
}

void gb_compare_keep_machine(gb_compare_work *c)
{
    gb_blas_facts facts;
    char text[512] = "";
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    c->it.version = gb_version();
    c->it.kernels = gb_kernels();
    c->it.threads = c->with.threads > 0 ? c->with.threads : (int)processors;
    if (!gb_blas_is_loaded(&facts))
        return;
    snprintf(text, sizeof text, "%s, kernels %s", facts.library ? facts.library : "OpenBLAS",
             facts.kernels ? facts.kernels : "unknown");
    c->it.blas = keep_text(c, text);
}
