/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/nuts/result_impl.h"

#include <math.h>
#include <string.h>

#include "fitting/density/density_impl.h"

/* ---- memory ---- */

/* Cuts one block into the arrays; with `memory` NULL only counts. */
static size_t lay_out(gb_own_nuts *r, double *memory)
{
    const size_t chains = r->shown.chains, all = chains * r->room, n = r->shown.count;
    const size_t of_metric = r->shown.kind == GB_METRIC_UNIT       ? 0
                             : r->shown.kind == GB_METRIC_DIAGONAL ? n
                                                                   : n * n;
    const struct {
        double **array;
        size_t count;
    } part[] = {{&r->z, all * n},
                {&r->value, all * r->shown.values},
                {&r->log_p, all},
                {&r->accept, all},
                {&r->energy, all},
                {&r->step, chains},
                {&r->metric, chains * of_metric},
                {&r->e_bfmi, chains}};
    size_t total = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (memory)
            *part[i].array = memory + total;
        total += part[i].count;
    }
    return total;
}

gb_own_nuts *gb_result_new(gb_density *density, const gb_sample_nuts_options *options,
                           const gb_memory *memory)
{
    gb_own_nuts *const r = gb_memory_resize(memory, NULL, sizeof *r);
    const size_t chains = (size_t)options->chains, draws = (size_t)options->draws;
    if (r) {
        *r = (gb_own_nuts){.memory = *memory, .room = draws, .max_depth = (int)options->max_depth};
        r->shown = (gb_nuts){.density = density,
                             .origin = density->log_p,
                             .chains = chains,
                             .draws = draws,
                             .count = gb_density_count(density),
                             .values = gb_density_value_count(density),
                             .kind = options->metric};
        r->number = gb_memory_resize(memory, NULL, lay_out(r, NULL) * sizeof *r->number);
        r->depth = gb_memory_resize(memory, NULL, chains * draws * sizeof *r->depth);
        r->added = gb_memory_resize(memory, NULL, chains * sizeof *r->added);
        r->part = gb_density_copy_parts(density, memory);
        r->parts = density->parts;
        r->convergence = gb_memory_resize(memory, NULL, (r->shown.values + 1) * sizeof *r->convergence);
    }
    if (!r || !r->number || !r->depth || !r->added || !r->part || !r->convergence) {
        gb_fail(gb_density_tape(density), GB_ENOMEM, "nuts: out of memory for %zu draws of %zu chains", draws,
                chains);
        gb_nuts_free(r ? &r->shown : NULL);
        return NULL;
    }
    lay_out(r, r->number);
    memset(r->added, 0, chains * sizeof *r->added);
    return r;
}

void gb_nuts_free(gb_nuts *nuts)
{
    gb_own_nuts *const r = (void *)nuts;
    if (!r)
        return;
    const gb_memory memory = r->memory;
    void *const blocks[] = {r->number, r->depth, r->added, r->convergence, r->divergences.at, r->where.at,
                            r->words,  r->part,  r};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gb_memory_release(&memory, blocks[i]);
}

/* ---- draws ---- */

static bool add_divergence(gb_own_nuts *r, size_t number, size_t draw, const gb_tree *tree)
{
    const size_t n = r->shown.count;
    if (!GB_LIST_GROW(&r->memory, &r->divergences, 1) || !GB_LIST_GROW(&r->memory, &r->where, n))
        return false;
    memcpy(r->where.at + r->where.count, tree->where, n * sizeof *tree->where);
    r->where.count += n;
    r->divergences.at[r->divergences.count++] = (gb_nuts_divergence){.chain = number, .draw = draw};
    return true;
}

bool gb_result_add(gb_own_nuts *r, size_t number, const gb_sampler *chain)
{
    const gb_tree *const tree = &chain->tree;
    const size_t n = r->shown.count, draw = r->added[number]++, at = number * r->room + draw;
    memcpy(r->z + at * n, chain->z, n * sizeof *chain->z);
    r->log_p[at] = chain->log_p;
    r->accept[at] = tree->accepted / (double)tree->leaps;
    r->energy[at] = chain->energy;
    r->depth[at] = tree->whole.depth;
    r->shown.divergences += tree->diverged;
    r->shown.saturated += tree->whole.depth == r->max_depth;
    return !tree->diverged || add_divergence(r, number, draw, tree);
}

/* ---- when sampling was stopped: as many draws of each chain as all have ---- */

static void move_draws(const gb_own_nuts *r, double *array, size_t each, size_t draws)
{
    for (size_t c = 1; c < r->shown.chains; c++)
        memmove(array + c * draws * each, array + c * r->room * each, draws * each * sizeof *array);
}

static void cut_off(gb_own_nuts *r)
{
    gb_nuts *const shown = &r->shown;
    size_t draws = r->room, kept = 0;
    for (size_t c = 0; c < shown->chains; c++)
        draws = r->added[c] < draws ? r->added[c] : draws;
    move_draws(r, r->z, shown->count, draws);
    move_draws(r, r->log_p, 1, draws);
    move_draws(r, r->accept, 1, draws);
    move_draws(r, r->energy, 1, draws);
    for (size_t c = 1; c < shown->chains; c++)
        memmove(r->depth + c * draws, r->depth + c * r->room, draws * sizeof *r->depth);
    for (size_t i = 0; i < r->divergences.count; i++) {
        if (r->divergences.at[i].draw >= draws)
            continue;
        memmove(r->where.at + kept * shown->count, r->where.at + i * shown->count,
                shown->count * sizeof(double));
        r->divergences.at[kept++] = r->divergences.at[i];
    }
    shown->divergences = r->divergences.count = kept;
    shown->saturated = 0;
    for (size_t i = 0; i < shown->chains * draws; i++)
        shown->saturated += r->depth[i] == r->max_depth;
    shown->draws = draws;
}

/* ---- summaries ---- */

/* How far energies change from draw to draw, against how far they vary (Betancourt 2016). */
static double e_bfmi(const double *energy, size_t draws)
{
    double mean = 0, changes = 0, squares = 0;
    for (size_t i = 0; i < draws; i++)
        mean += energy[i] / (double)draws;
    for (size_t i = 0; i < draws; i++) {
        squares += (energy[i] - mean) * (energy[i] - mean);
        changes += i > 0 ? (energy[i] - energy[i - 1]) * (energy[i] - energy[i - 1]) : 0;
    }
    return changes / squares;
}

static void show(gb_own_nuts *r, const gb_sampler *chain)
{
    gb_nuts *const shown = &r->shown;
    const size_t n = shown->count;
    const size_t of_metric = shown->kind == GB_METRIC_UNIT       ? 0
                             : shown->kind == GB_METRIC_DIAGONAL ? n
                                                                 : n * n;
    for (size_t c = 0; c < shown->chains; c++) {
        r->step[c] = chain[c].step;
        r->e_bfmi[c] = e_bfmi(r->energy + c * shown->draws, shown->draws);
        if (of_metric)
            memcpy(r->metric + c * of_metric, chain[c].metric.covariance, of_metric * sizeof(double));
    }
    for (size_t i = 0; i < r->divergences.count; i++)
        r->divergences.at[i].z = r->where.at + i * n;
    shown->z = r->z;
    shown->value = r->value;
    shown->log_p = r->log_p;
    shown->accept = r->accept;
    shown->energy = r->energy;
    shown->depth = r->depth;
    shown->divergence = r->divergences.at;
    shown->step = r->step;
    shown->metric = of_metric ? r->metric : NULL;
    shown->e_bfmi = r->e_bfmi;
    shown->convergence = r->convergence;
}

static bool summarise(gb_own_nuts *r)
{
    const gb_nuts *const shown = &r->shown;
    gb_tape *const tape = gb_density_tape(shown->density);
    if (gb_density_values(shown->density, shown->chains * shown->draws, r->z, r->value) != GB_OK)
        return false;
    for (size_t i = 0; i <= shown->values; i++) {
        const gb_chains chains = gb_nuts_chains(shown, i);
        r->convergence[i] = gb_chains_convergence(&chains);
        if (r->convergence[i].status == GB_ENOMEM)
            return gb_fail(tape, GB_ENOMEM, "nuts: out of memory for the diagnostics") == GB_OK;
    }
    return true;
}

bool gb_result_finish(gb_own_nuts *r, const gb_sampler *chain, bool is_stopped)
{
    r->shown.is_stopped = is_stopped;
    if (is_stopped)
        cut_off(r);
    if (r->shown.draws == 0) {
        gb_fail(gb_density_tape(r->shown.density), GB_ESTOPPED,
                "nuts: stopped on request before all chains had a draw");
        return false;
    }
    show(r, chain);
    return summarise(r);
}

gb_chains gb_nuts_chains(const gb_nuts *nuts, size_t i)
{
    if (!nuts || i > nuts->values)
        return (gb_chains){0};
    const bool is_value = i < nuts->values;
    return (gb_chains){.x = is_value ? nuts->value + i : nuts->log_p,
                       .chains = nuts->chains,
                       .length = nuts->draws,
                       .chain_stride = nuts->draws * (is_value ? nuts->values : 1),
                       .draw_stride = is_value ? nuts->values : 1,
                       .memory = ((const gb_own_nuts *)(const void *)nuts)->memory};
}
