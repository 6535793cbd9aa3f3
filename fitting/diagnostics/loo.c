/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/diagnostics/loo_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "fitting/diagnostics/ess_impl.h"
#include "fitting/diagnostics/psis_impl.h"
#include "fitting/diagnostics/scores_impl.h"
#include "fitting/diagnostics/tail_impl.h"

enum { NORMALS = 1000 }; /* a grid of quantiles of a normal distribution, as in R's loo */

typedef struct work {
    size_t draws, data;
    const double *log_likelihood;
    gb_loo_options options;
    double *block;   /* the arrays below */
    double *own;     /* log likelihoods of one datum */
    double *ratios;  /* log ratios of all but that */
    double *weights; /* smoothed */
    double *base;    /* room for smoothed weights of draws of q */
    double *normals; /* NORMALS of them */
    gb_psis_room room;
} work;

gb_loo gb_loo_without(gb_status status)
{
    const double nan = (double)NAN;
    return (gb_loo){.status = status,
                    .elpd = nan,
                    .elpd_error = nan,
                    .p = nan,
                    .p_error = nan,
                    .ic = nan,
                    .ic_error = nan,
                    .monte_carlo_error = nan,
                    .threshold = nan,
                    .largest_k = nan};
}

GB_PRINTF(2, 3)
static gb_loo fail(gb_status status, const char *format, ...)
{
    gb_loo l = gb_loo_without(status);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(l.words, sizeof l.words, format, arguments);
    va_end(arguments);
    return l;
}

static bool make(work *w)
{
    const gb_memory *const memory = &w->options.memory;
    if (w->draws > SIZE_MAX / 64)
        return false;
    w->block = gb_memory_resize(memory, NULL, (4 * w->draws + NORMALS) * sizeof *w->block);
    if (!w->block || !gb_psis_room_new(&w->room, memory, w->draws > NORMALS ? w->draws : NORMALS)) {
        gb_memory_release(memory, w->block);
        return false;
    }
    w->normals = w->block;
    w->own = w->normals + NORMALS;
    w->ratios = w->own + w->draws;
    w->weights = w->ratios + w->draws;
    w->base = w->weights + w->draws;
    for (size_t i = 0; i < NORMALS; i++)
        w->normals[i] = (double)i;
    gb_normal_scores(w->normals, NORMALS, w->room.ranked);
    return true;
}

static void unmake(work *w)
{
    gb_psis_room_free(&w->room, &w->options.memory);
    gb_memory_release(&w->options.memory, w->block);
}

/* log Σ exp(x + y) without overflow; −∞ if all are −∞. */
static double log_sum(const double *x, const double *y, size_t count)
{
    double largest = -INFINITY, sum = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, x[i] + (y ? y[i] : 0));
    for (size_t i = 0; largest > -INFINITY && i < count; i++)
        sum += exp(x[i] + (y ? y[i] : 0) - largest);
    return largest > -INFINITY ? largest + log(sum) : largest;
}

/* The standard error of elpd. Its exponential, the predictive density, has one; the logarithm is taken of a
 * normal distribution around it, where that is above 0. */
static double monte_carlo_error(const work *w, double elpd, double r_eff)
{
    double variance = 0, mean = 0, squares = 0;
    for (size_t s = 0; s < w->draws; s++) {
        const double d = exp(w->weights[s]) * (exp(w->own[s] - elpd) - 1);
        variance += d * d;
    }
    const double sd = sqrt(variance);
    size_t count = 0;
    for (size_t i = 0; i < NORMALS; i++) {
        const double z = 1 + sd * w->normals[i];
        if (z > 0) {
            const double step = log(z) - mean;
            mean += step / (double)++count;
            squares += step * (log(z) - mean);
        }
    }
    return sqrt(squares / (double)(count - 1) / r_eff);
}

/* The relative efficiency of the draws for the likelihood of this datum, as R's relative_eff: chains are not
 * split. NaN if memory runs out. */
static double efficiency_of(const work *w, size_t datum)
{
    if (w->options.r_eff)
        return w->options.r_eff[datum];
    if (w->options.chains == 0)
        return 1;
    double ess, largest = -INFINITY;
    for (size_t s = 0; s < w->draws; s++)
        largest = fmax(largest, w->own[s]);
    for (size_t s = 0; s < w->draws; s++)
        w->ratios[s] = exp(w->own[s] - largest);
    if (!gb_ess_of(w->ratios, w->options.chains, w->draws / w->options.chains, &w->options.memory, &ess))
        return (double)NAN;
    return isnan(ess) ? 1 : ess / (double)w->draws; /* a likelihood that is the same at all draws */
}

/* Leaves out one datum. Returns GB_OK, or fails in `all`. */
static gb_status leave_out(const work *w, size_t datum, gb_loo_datum *out, gb_loo *all)
{
    const gb_loo_options *const o = &w->options;
    for (size_t s = 0; s < w->draws; s++) {
        w->own[s] = w->log_likelihood[s * o->draw_stride + datum * o->datum_stride];
        if (!isfinite(w->own[s])) {
            *all = fail(GB_ENONFINITE,
                        "the log likelihood of datum %zu at draw %zu (both from 0) is %g, not finite", datum,
                        s, w->own[s]);
            return GB_ENONFINITE;
        }
    }
    const double r_eff = efficiency_of(w, datum);
    if (isnan(r_eff) && !o->r_eff) {
        *all = fail(GB_ENOMEM, "no memory for autocovariances of %zu draws", w->draws);
        return GB_ENOMEM;
    }
    if (!(r_eff > 0) || isinf(r_eff)) {
        *all = fail(GB_EARGUMENT, ".r_eff of datum %zu is %g; it must be above 0", datum, r_eff);
        return GB_EARGUMENT;
    }
    for (size_t s = 0; s < w->draws; s++)
        w->ratios[s] = (o->log_ratios ? o->log_ratios[s] : 0) - w->own[s];
    gb_psis p = {.count = w->draws,
                 .log_ratios = w->ratios,
                 .log_weights = w->weights,
                 .r_eff = r_eff,
                 .threshold = all->threshold,
                 .tail = gb_tail_length(w->draws, r_eff)};
    gb_psis_smooth_in(&p, &w->room);
    if (p.status != GB_OK) {
        *all = fail(p.status, "datum %zu: %.120s", datum, p.words);
        return p.status;
    }
    out->elpd = log_sum(w->own, w->weights, w->draws);
    out->error = monte_carlo_error(w, out->elpd, r_eff);
    out->k = p.k;
    out->ess = p.ess;
    return GB_OK;
}

/* log p(y_i | all data), of the datum that was left out last. `smooth` are smoothed weights of the draws. */
static double with_all(const work *w, const double *smooth)
{
    return log_sum(w->own, smooth, w->draws) - (smooth ? 0 : log((double)w->draws));
}

/* A sum over data, and how it would vary with other data (Welford 1962; West 1979). */
typedef struct total {
    double sum, mean, squares, count;
} total;

/* A number that is there `times` times. */
static void add(total *t, double x, double times)
{
    const double step = x - t->mean;
    t->sum += times * x;
    t->count += times;
    t->mean += step * times / t->count;
    t->squares += times * step * (x - t->mean);
}

static double error_of(const total *t)
{
    return t->count > 1 ? sqrt(t->count * t->squares / (t->count - 1)) : (double)NAN;
}

static void describe(gb_loo *l, size_t data, size_t left_out, bool of_q)
{
    char words[48] = "";
    if (left_out)
        snprintf(words, sizeof words, "%s%zu of weight 0 are left out", l->unreliable ? "; " : "", left_out);
    if (l->unreliable)
        snprintf(
            l->words, sizeof l->words,
            "%zu of %zu data have a k not below %.2f (the largest is %.2f, of datum %zu from 0): elpd is "
            "unreliable; refit without them%s%s",
            l->unreliable, data - left_out, l->threshold, l->largest_k, l->worst,
            of_q ? ", or take more draws, or those of NUTS, as the weights of q may be the cause" : "",
            words);
    else
        snprintf(l->words, sizeof l->words, "%s", words);
}

static const gb_loo_datum not_there = {
    .elpd = (double)NAN, .error = (double)NAN, .p = (double)NAN, .k = (double)NAN, .ess = (double)NAN};

/* Over all data; the room of `w` is made, and `smooth` is NULL or the smoothed weights of the draws. */
static gb_loo sum_up(const work *w, const double *smooth)
{
    gb_loo l = {.threshold = gb_psis_threshold((double)w->draws), .largest_k = -INFINITY};
    total elpd = {0}, p = {0};
    double of_draws = 0;
    size_t left_out = 0;
    for (size_t i = 0; i < w->data; i++) {
        gb_loo_datum d = not_there;
        const double times = w->options.weights ? w->options.weights[i] : 1;
        if (w->options.pointwise)
            w->options.pointwise[i] = d;
        if (!(times > 0)) {
            left_out++;
            continue;
        }
        if (leave_out(w, i, &d, &l) != GB_OK)
            return l;
        d.p = with_all(w, smooth) - d.elpd;
        add(&elpd, d.elpd, times);
        add(&p, d.p, times);
        of_draws += times * d.error * times * d.error; /* equal data have the same error */
        if (!(d.k < l.threshold))
            l.unreliable++;
        if (d.k > l.largest_k) {
            l.largest_k = d.k;
            l.worst = i;
        }
        if (w->options.pointwise)
            w->options.pointwise[i] = d;
    }
    l.elpd = elpd.sum;
    l.elpd_error = error_of(&elpd);
    l.p = p.sum;
    l.p_error = error_of(&p);
    l.ic = -2 * elpd.sum;
    l.ic_error = 2 * l.elpd_error;
    l.monte_carlo_error = l.unreliable ? INFINITY : sqrt(of_draws);
    describe(&l, w->data, left_out, w->options.log_ratios != NULL);
    return l;
}

gb_loo gb_loo_with(size_t draws, size_t data, const double *log_likelihood, const gb_loo_options *given)
{
    work w = {.draws = draws, .data = data, .log_likelihood = log_likelihood};
    gb_loo_options *const o = &w.options;
    if (!gb_options_copy(o, sizeof *o, given))
        return fail(GB_EARGUMENT, "gb_loo_options %s",
                    gb_options_fault_words(gb_options_look(given, sizeof *o)));
    if (!draws || !data || !log_likelihood)
        return fail(GB_EARGUMENT, "%zu draws of %zu data at %s: all are required", draws, data,
                    log_likelihood ? "an array" : "NULL");
    if (o->chains && (draws % o->chains || draws / o->chains < 3))
        return fail(GB_EARGUMENT, "%zu draws are not %zu chains of one length of at least 3", draws,
                    o->chains);
    size_t counted = 0;
    for (size_t i = 0; i < data; i++) {
        const double weight = o->weights ? o->weights[i] : 1;
        if (!(weight >= 0) || isinf(weight))
            return fail(GB_EARGUMENT, "the weight of datum %zu is %g; it must be finite and not negative", i,
                        weight);
        counted += weight > 0;
    }
    if (counted == 0)
        return fail(GB_EARGUMENT, "all %zu data have the weight 0", data);
    if (!o->draw_stride && !o->datum_stride) {
        o->draw_stride = data;
        o->datum_stride = 1;
    }
    if (!make(&w))
        return fail(GB_ENOMEM, "no memory for %zu draws", draws);
    gb_loo l;
    if (o->log_ratios) {
        const gb_psis base = gb_psis_smooth(draws, o->log_ratios, w.base, .memory = o->memory);
        if (base.status != GB_OK)
            l = fail(base.status, "%s", base.words);
        else
            l = sum_up(&w, w.base);
    } else {
        l = sum_up(&w, NULL);
    }
    unmake(&w);
    return l;
}
