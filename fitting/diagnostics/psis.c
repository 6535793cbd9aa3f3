/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/diagnostics/psis_impl.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "fitting/diagnostics/tail_impl.h"

double gb_psis_threshold(double draws)
{
    return fmin(1 - 1 / log10(draws), 0.7);
}

double gb_psis_needed(double k)
{
    return k < 1 ? pow(10, 1 / (1 - fmax(k, 0))) : isnan(k) ? k : INFINITY;
}

bool gb_psis_room_new(gb_psis_room *room, const gb_memory *memory, size_t count)
{
    if (count > SIZE_MAX / sizeof *room->ranked)
        return false;
    room->ranked = gb_memory_resize(memory, NULL, count * sizeof *room->ranked);
    room->tail = room->ranked ? gb_memory_resize(memory, NULL, count * sizeof *room->tail) : NULL;
    if (!room->tail)
        gb_memory_release(memory, room->ranked);
    return room->tail;
}

void gb_psis_room_free(gb_psis_room *room, const gb_memory *memory)
{
    gb_memory_release(memory, room->ranked);
    gb_memory_release(memory, room->tail);
}

void gb_psis_fail(gb_psis *w, gb_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->words, sizeof w->words, format, arguments);
    va_end(arguments);
    w->status = status;
    w->k = w->needed = w->ess = w->largest = w->log_evidence = w->log_evidence_error = (double)NAN;
}

/* Returns the largest log ratio; NaN, after a failure, if one is NaN or +∞, or all are −∞. */
static double largest_of(gb_psis *w)
{
    double largest = -INFINITY;
    for (size_t i = 0; i < w->count; i++) {
        const double x = w->log_ratios[i];
        if (isnan(x) || x == INFINITY) {
            gb_psis_fail(w, GB_ENONFINITE, "log ratio %zu of %zu is %g; it must be finite, or -inf", i,
                         w->count, x);
            return (double)NAN;
        }
        largest = fmax(largest, x);
        w->zeros += x == -INFINITY;
    }
    if (largest == -INFINITY) {
        gb_psis_fail(w, GB_EARGUMENT, "all %zu log ratios are -inf: no draw has a weight", w->count);
        return (double)NAN;
    }
    return largest;
}

/* Replaces the largest weights, relative to the largest of all. */
static void smooth_tail(gb_psis *w, double largest, const gb_psis_room *room)
{
    const size_t n = w->tail;
    for (size_t i = 0; i < w->count; i++)
        room->ranked[i] = (gb_ranked){w->log_weights[i], i};
    const double cutoff = gb_ranked_largest(room->ranked, w->count, n);
    for (size_t i = 0; i < n; i++)
        room->tail[i] = exp(room->ranked[i].value);
    /* The last digits of log ratios are noise. Where it hides by how much weights differ, half a weight is
     * still another weight. */
    const double noise = fmin(4 * DBL_EPSILON * fmax(1, fabs(largest)), 0.5);
    const gb_tail tail = gb_tail_fit(n, room->tail, exp(cutoff), noise);
    w->k = tail.k;
    for (size_t i = tail.first; isfinite(tail.k) && i < n; i++)
        w->log_weights[room->ranked[i].place] = fmin(log(gb_tail_expected(&tail, n, i)), 0);
}

/* Makes the sum of weights 1, and computes what follows from that. */
static void normalise(gb_psis *w, double largest)
{
    double sum = 0, squares = 0, most = 0;
    for (size_t i = 0; i < w->count; i++)
        sum += exp(w->log_weights[i]);
    const double log_sum = log(sum), n = (double)w->count;
    for (size_t i = 0; i < w->count; i++) {
        w->log_weights[i] -= log_sum;
        const double weight = exp(w->log_weights[i]);
        squares += weight * weight;
        most = fmax(most, weight);
    }
    w->ess = w->r_eff / squares;
    w->largest = most;
    w->log_evidence = largest + (log_sum - log(n));
    w->log_evidence_error = sqrt(fmax(n * squares - 1, 0) / ((n - 1) * w->r_eff));
    if (w->count == 1)
        w->log_evidence_error = (double)NAN;
}

/* The most important thing to know about weights. */
static void describe(gb_psis *w)
{
    char *const words = w->words;
    const size_t room = sizeof w->words;
    if (w->tail < GB_TAIL_LEAST)
        snprintf(words, room, "the tail is %zu of %zu draws, too few to fit: k is unknown; use 21 or more",
                 w->tail, w->count);
    else if (w->k == INFINITY)
        snprintf(words, room,
                 "fewer than %d of the largest weights stand out from the rest (the largest of %zu has a "
                 "share of %.2g): k is unknown",
                 GB_TAIL_LEAST, w->count, w->largest);
    else if (w->k == -INFINITY)
        snprintf(words, room, "the %zu largest of %zu weights are equal: bounded, as far as these draws show",
                 w->tail, w->count);
    else if (w->k >= 1)
        snprintf(words, room, "k is %.2f: the weights have no mean; no number of draws is enough", w->k);
    else if (w->k >= w->threshold)
        snprintf(words, room, "k is %.2f, not below %.2f: estimates are unreliable; %.2g draws are needed%s",
                 w->k, w->threshold, w->needed, w->k > 0.7 ? ", or a better approximation" : "");
    else if (w->zeros)
        snprintf(words, room, "%zu of %zu draws have weight 0", w->zeros, w->count);
}

void gb_psis_smooth_in(gb_psis *w, const gb_psis_room *room)
{
    const double largest = largest_of(w);
    if (isnan(largest))
        return;
    for (size_t i = 0; i < w->count; i++)
        w->log_weights[i] = w->log_ratios[i] - largest;
    w->k = INFINITY;
    if (w->tail >= GB_TAIL_LEAST)
        smooth_tail(w, largest, room);
    w->needed = gb_psis_needed(w->k);
    normalise(w, largest);
    describe(w);
}

gb_psis gb_psis_smooth_with(size_t count, const double *log_ratios, double *log_weights,
                            const gb_psis_smooth_options *given)
{
    gb_psis w = {.count = count, .log_ratios = log_ratios, .log_weights = log_weights, .r_eff = (double)NAN};
    w.threshold = gb_psis_threshold((double)count);
    gb_psis_smooth_options options;
    if (!gb_options_copy(&options, sizeof options, given)) {
        gb_psis_fail(&w, GB_EARGUMENT, "gb_psis_smooth_options %s",
                     gb_options_fault_words(gb_options_look(given, sizeof options)));
        return w;
    }
    if (!count || !log_ratios || !log_weights || log_ratios == log_weights) {
        gb_psis_fail(&w, GB_EARGUMENT,
                     "%zu draws at %s, weights at %s; draws and two different arrays are required", count,
                     log_ratios ? "an array" : "NULL",
                     !log_weights                ? "NULL"
                     : log_weights == log_ratios ? "the same array"
                                                 : "an array");
        return w;
    }
    w.r_eff = options.r_eff == 0 ? 1 : options.r_eff;
    if (!(w.r_eff > 0) || isinf(w.r_eff) || options.tail >= count) {
        gb_psis_fail(&w, GB_EARGUMENT, ".r_eff is %g, which must be above 0; .tail is %zu, of %zu draws",
                     options.r_eff, options.tail, count);
        return w;
    }
    w.tail = options.tail ? options.tail : gb_tail_length(count, w.r_eff);
    w.memory = options.memory;
    gb_psis_room room;
    if (!gb_psis_room_new(&room, &w.memory, count)) {
        gb_psis_fail(&w, GB_ENOMEM, "no memory for %zu draws", count);
        return w;
    }
    gb_psis_smooth_in(&w, &room);
    gb_psis_room_free(&room, &w.memory);
    return w;
}
