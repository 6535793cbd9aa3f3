/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posterior predictive checks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fitting/density/density_impl.h"
#include "fitting/judge/watched_impl.h"
#include "fitting/predictive.h"
#include "fitting/summary/drawn_impl.h"

/* Columns of a number for each draw. */
enum { REPLICATED, OBSERVED, REACHED, COLUMNS };

static void set_from_weights(const gb_drawn *d, gb_memory memory, const double *x, gb_predictive_p_value *out)
{
    gb_psis w = *d->weights;
    w.memory = memory;
    const gb_estimate p = gb_psis_mean(&w, x + REACHED, COLUMNS),
                      mean = gb_psis_mean(&w, x + REPLICATED, COLUMNS),
                      observed = gb_psis_mean(&w, x + OBSERVED, COLUMNS);
    out->p = p.value;
    out->error = p.error;
    out->mean = mean.value;
    out->sd = gb_psis_sd(&w, x + REPLICATED, COLUMNS).value;
    out->observed = observed.value;
    out->k = p.k;
    out->words = p.words;
}

static void set_from_chains(const gb_drawn *d, gb_memory memory, const double *x, gb_predictive_p_value *out)
{
    gb_convergence c[COLUMNS];
    for (size_t k = 0; k < COLUMNS; k++) {
        const gb_chains chains = {.x = x + k,
                                  .chains = d->nuts->chains,
                                  .length = d->nuts->draws,
                                  .chain_stride = d->nuts->draws * COLUMNS,
                                  .draw_stride = COLUMNS,
                                  .memory = memory};
        c[k] = gb_chains_convergence(&chains);
    }
    out->p = c[REACHED].mean;
    out->error = c[REACHED].mean_error;
    out->mean = c[REPLICATED].mean;
    out->sd = c[REPLICATED].sd;
    out->observed = c[OBSERVED].mean;
}

/* Fills x from both nodes. Returns false where a statistic is no number. */
static bool compare(const gb_drawn *d, const double *both, double *x)
{
    for (size_t s = 0; s < d->draws; s++) {
        const double a = both[2 * s], b = both[2 * s + 1];
        if (!isfinite(a) || !isfinite(b)) {
            gb_fail(d->tape, GB_ENONFINITE, "predictive_check: the statistic of the %s is %g at draw %zu",
                    isfinite(a) ? "data" : "replicated data", isfinite(a) ? b : a, s);
            return false;
        }
        x[COLUMNS * s + REPLICATED] = a;
        x[COLUMNS * s + OBSERVED] = b;
        x[COLUMNS * s + REACHED] = a > b ? 1 : a == b ? 0.5 : 0;
    }
    return true;
}

/* Adds what is wrong with the draws to the words, which are constant texts. */
static const char *with_words_of_draws(const gb_drawn *d, const char *words)
{
    const char *const wrong = gb_drawn_words(d);
    const size_t bytes = strlen(words) + strlen(wrong) + 2;
    char *const both = *wrong ? gb_tape_keep(d->tape, bytes) : NULL;
    if (!both)
        return words;
    snprintf(both, bytes, "%s%s%s", words, *words ? "\n" : "", wrong);
    return both;
}

static bool are_single(const gb_drawn *d, const size_t count[2])
{
    if (count[0] != 1 || count[1] != 1)
        gb_fail(d->tape, GB_EARGUMENT,
                "predictive_check: the statistics have %zu and %zu numbers for each draw, and must have one",
                count[0], count[1]);
    return gb_error(d->tape) == GB_OK;
}

gb_predictive_p_value gb_predictive_check_with(gb_elbo *e, gb_node replicated, gb_node observed,
                                               const gb_predictive_check_options *given)
{
    const double nan = (double)NAN;
    gb_predictive_p_value out = {
        .p = nan, .error = nan, .mean = nan, .sd = nan, .observed = nan, .k = nan, .words = ""};
    gb_predictive_check_options options;
    gb_options_copy(&options, sizeof options, given);
    gb_drawn d = {.tape = gb_drawn_tape(e, options.judgement, options.nuts)};
    size_t count[2];
    double *both = NULL, *x = NULL;
    if (gb_options_take(d.tape, "predictive_check", &options, sizeof options, given) &&
        gb_drawn_nodes_fit("predictive_check", d.tape, gb_roots(replicated, observed)) &&
        gb_drawn_begin(&d, "predictive_check", e, options.judgement, options.nuts, options.data))
        both = gb_density_nodes(d.density, "predictive_check", gb_roots(replicated, observed), d.draws, d.z,
                                count);
    gb_watched watched = {.memory = d.memory};
    if (both && are_single(&d, count)) {
        x = gb_memory_resize(&d.memory, NULL, d.draws * COLUMNS * sizeof *x);
        if (!x)
            gb_fail(d.tape, GB_ENOMEM, "predictive_check: out of memory");
        else if (compare(&d, both, x)) {
            (d.nuts ? set_from_chains : set_from_weights)(&d, gb_watched_memory(&watched), x, &out);
            out.words = with_words_of_draws(&d, out.words);
        }
        if (watched.ran_out)
            gb_fail(d.tape, GB_ENOMEM, "predictive_check: out of memory");
    }
    if (x)
        gb_memory_release(&d.memory, x);
    if (both)
        gb_memory_release(&d.memory, both);
    out.status = d.tape ? gb_error(d.tape) : GB_EARGUMENT;
    if (out.status != GB_OK)
        out.words = "failed: the error is on the tape";
    gb_drawn_end(&d);
    return out;
}
