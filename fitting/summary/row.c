/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of a row. */
#include <math.h>

#include "fitting/diagnostics/order_impl.h"
#include "fitting/summary/summary_impl.h"

const char *gb_summary_source_text(gb_summary_source source)
{
    static const char *const text[] = {"q", "psis", "nuts", "point", "wide"};
    return text[source];
}

static const double probabilities[] = {0.05, 0.5, 0.95};

static void set_quantiles(gb_summary_row *row, const gb_estimate q[3])
{
    row->q05 = q[0].value;
    row->q50 = q[1].value;
    row->q95 = q[2].value;
}

static void fill_chains(gb_summary_row *row, const gb_chains *chains)
{
    const gb_convergence c = gb_chains_convergence(chains);
    gb_estimate q[3];
    gb_chains_quantiles(chains, 3, probabilities, q);
    row->mean = c.mean;
    row->sd = c.sd;
    row->error = c.mean_error;
    row->ess = c.ess_mean;
    row->rhat = c.rhat;
    if (c.status == GB_ENONFINITE)
        row->words = "a draw is not finite: there is no mean";
    set_quantiles(row, q);
}

/* Draws of q are independent. */
static void fill_q(gb_own_summary *s, gb_summary_row *row, const double *x, size_t stride)
{
    const size_t count = s->own.count;
    const gb_memory memory = gb_watched_memory(&s->watched);
    gb_ranked *const ranked = gb_memory_resize(&memory, NULL, count * sizeof *ranked);
    double sum = 0, squares = 0;
    if (!ranked)
        return;
    for (size_t i = 0; i < count; i++) {
        const double at = x[i * stride];
        if (!isfinite(at))
            row->words = "a draw is not finite: there is no mean";
        ranked[i] = (gb_ranked){isnan(at) ? INFINITY : at, i};
        sum += (at - x[0]) / (double)count;
    }
    row->mean = x[0] + sum;
    for (size_t i = 0; i < count; i++)
        squares += pow(x[i * stride] - row->mean, 2) / (double)(count - 1);
    row->sd = sqrt(squares);
    row->error = row->sd / sqrt((double)count);
    row->ess = (double)count;
    gb_ranked_sort(ranked, count);
    row->q05 = gb_ranked_quantile(ranked, count, probabilities[0]);
    row->q50 = gb_ranked_quantile(ranked, count, probabilities[1]);
    row->q95 = gb_ranked_quantile(ranked, count, probabilities[2]);
    gb_memory_release(&memory, ranked);
}

static void fill_corrected(gb_summary_row *row, const gb_psis *w, const double *x, size_t stride,
                           const gb_estimate *mean)
{
    const gb_estimate sd = gb_psis_sd(w, x, stride);
    gb_estimate q[3];
    gb_psis_quantiles(w, x, stride, 3, probabilities, q);
    row->mean = mean->value;
    row->error = mean->error;
    row->ess = mean->ess;
    row->sd = sd.value;
    if (!(sd.k < w->threshold) && !row->words[0])
        row->words = "the tails are too heavy for the sd under the weights: read the quantiles";
    set_quantiles(row, q);
}

static const char *doubts(const gb_judgement *j, bool is_reliable)
{
    if (j->verdict == GB_VERDICT_NOT_CONVERGED)
        return "not converged";
    if (j->verdict == GB_VERDICT_NOT_TRUSTED)
        return j->misses_mode ? "not to be trusted: a mode may be missing" : "not to be trusted";
    return is_reliable ? "" : "k is too large to correct it";
}

static bool is_point(const gb_own_summary *s, size_t row)
{
    size_t parts;
    const gb_density_part *const part = gb_density_parts(s->density, &parts);
    for (size_t k = 0; k < parts; k++)
        if (part[k].is_point && row - part[k].first_value < part[k].values)
            return !s->nuts;
    return false;
}

static void fill_judged(gb_own_summary *s, gb_summary_row *row, const double *x, size_t stride)
{
    size_t of_weights;
    const gb_psis *const w = &s->corrects->weights;
    const double *const weighed = gb_summary_column(s, s->corrects, (size_t)(row - s->row), &of_weights);
    const gb_estimate mean = gb_psis_mean(w, weighed, of_weights);
    const bool misses = s->judgement->misses_mode,
               is_reliable = !misses && w->k < w->threshold && mean.k < w->threshold;
    row->k = mean.k;
    row->words = doubts(s->judgement, is_reliable || s->of_q);
    if (!is_reliable || s->of_q) {
        fill_q(s, row, x, stride);
        return;
    }
    row->source = s->corrects == &s->wide ? GB_SUMMARY_WIDE : GB_SUMMARY_PSIS;
    fill_corrected(row, w, weighed, of_weights, &mean);
}

bool gb_summary_fill(gb_own_summary *s, size_t i)
{
    gb_summary_row *const row = &s->row[i];
    size_t stride;
    const double *const x = gb_summary_column(s, &s->own, i, &stride);
    const double nan = (double)NAN;
    *row = (gb_summary_row){.name = row->name,
                            .mean = nan,
                            .error = nan,
                            .sd = nan,
                            .q05 = nan,
                            .q50 = nan,
                            .q95 = nan,
                            .ess = nan,
                            .k = nan,
                            .rhat = nan,
                            .source = s->nuts ? GB_SUMMARY_NUTS : GB_SUMMARY_Q,
                            .words = ""};
    if (i < s->shown.parameters && is_point(s, i)) {
        row->source = GB_SUMMARY_POINT;
        row->mean = row->q05 = row->q50 = row->q95 = s->shown.draws ? x[0] : nan;
        row->sd = row->error = 0;
        return true;
    }
    if (s->shown.draws == 0) {
        row->words = "q has no draws that are numbers";
        return true;
    }
    if (!s->nuts) {
        fill_judged(s, row, x, stride);
        return !s->watched.ran_out;
    }
    const gb_chains chains = {.x = x,
                              .chains = s->nuts->chains,
                              .length = s->nuts->draws,
                              .chain_stride = s->nuts->draws * stride,
                              .draw_stride = stride,
                              .memory = gb_watched_memory(&s->watched)};
    fill_chains(row, &chains);
    return !s->watched.ran_out;
}
