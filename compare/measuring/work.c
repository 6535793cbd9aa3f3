/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/measuring/work_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/ground/clock_impl.h"

static const double LOOK_EVERY = 1e-3, TELL_EVERY = 0.1; /* seconds */

/* ---- memory and errors ---- */

typedef struct gb_compare_block {
    struct gb_compare_block *before;
} gb_compare_block;

void *gb_compare_keep(gb_compare_work *c, size_t count, size_t bytes)
{
    const size_t head = 64; /* enough for any alignment */
    gb_compare_block *const block =
        count < (SIZE_MAX - head) / bytes ? calloc(1, head + count * bytes) : NULL;
    if (!block) {
        gb_compare_fail(c, GB_ENOMEM, "compare: no memory for %zu numbers", count);
        return NULL;
    }
    block->before = c->blocks;
    c->blocks = block;
    return (char *)block + head;
}

bool gb_compare_fail(gb_compare_work *c, gb_status status, const char *format, ...)
{
    if (c->it.status != GB_OK)
        return false;
    va_list words;
    va_start(words, format);
    vsnprintf(c->error, sizeof c->error, format, words);
    va_end(words);
    c->it.status = status;
    return false;
}

bool gb_compare_fail_one(gb_compare_work *c, size_t which, gb_status status, const char *format, ...)
{
    gb_compared *const one = &c->compared[which];
    va_list words;
    char text[GB_COMPARE_ERROR - GB_COMPARE_NAME - 2]; /* so that the error has all of it */
    va_start(words, format);
    vsnprintf(text, sizeof text, format, words);
    va_end(words);
    char *const why = *one->why ? NULL : gb_compare_keep(c, sizeof text, 1);
    if (why)
        one->why = strcpy(why, text);
    return gb_compare_fail(c, status, "%s: %s", one->name, text);
}

bool gb_compare_failed_one(gb_compare_work *c, size_t which, const gb_replicates *r)
{
    return gb_compare_fail_one(c, which, gb_replicates_status(r), "%s", gb_error_text(r->trial.tape));
}

bool gb_compare_failed(gb_compare_work *c, const char *name, const gb_replicates *r)
{
    return gb_compare_fail(c, gb_replicates_status(r), "%s: %s", name, gb_error_text(r->trial.tape));
}

void gb_comparison_free(gb_comparison *comparison)
{
    gb_compare_work *const c = (gb_compare_work *)comparison;
    for (gb_compare_block *block = c ? c->blocks : NULL, *before; block; block = before) {
        before = block->before;
        free(block);
    }
    free(c);
}

bool gb_comparison_has_results(const gb_comparison *comparison)
{
    for (size_t i = 0; comparison && i < comparison->estimators; i++)
        if (comparison->estimator[i].parameter)
            return true;
    return false;
}

/* ---- running ---- */

/* A stop is reported even if an estimator was rejected before. */
static void ask(gb_compare_work *c)
{
    const double now = gb_seconds(), part = fmin(c->done / c->all, 1);
    if (!c->with.progress || now - c->reported_at < TELL_EVERY)
        return;
    c->reported_at = now;
    c->stopped = !c->with.progress(c->with.user, part);
    if (!c->stopped)
        return;
    c->it.status = GB_OK;
    gb_compare_fail(c, GB_ESTOPPED, "compare: stopped when %.0f %% were done", 100 * part);
}

bool gb_compare_made(gb_compare_work *c, double count)
{
    c->done += count;
    ask(c);
    return !c->stopped;
}

int64_t gb_compare_run(gb_compare_work *c, gb_replicates *r, int64_t first, int64_t most, double *seconds)
{
    const int64_t runs = most < c->pace ? most : c->pace;
    double took;
    if (!gb_replicates_runs(r, first, runs, &took))
        return 0;
    if (took < LOOK_EVERY && c->pace < GB_COMPARE_TOGETHER)
        c->pace *= 2;
    else if (took > 4 * LOOK_EVERY && c->pace > 1)
        c->pace /= 2;
    if (seconds)
        *seconds += took;
    gb_compare_made(c, (double)(runs * r->plan.at_a_time));
    return runs;
}

int64_t gb_compare_fill(gb_compare_work *c, gb_replicates *r, int64_t runs, double *seconds)
{
    int64_t made = 0, more = 1;
    for (; made < runs && more > 0 && !c->stopped; made += more)
        more = gb_compare_run(c, r, made, runs - made, seconds);
    return more > 0 ? made : 0;
}
