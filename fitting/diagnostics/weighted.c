/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates under smoothed weights. */
#include <math.h>

#include "fitting/diagnostics/psis_impl.h"
#include "fitting/diagnostics/tail_impl.h"
#include "ops/special/beta_impl.h"

/* What is averaged: ((x − centre) / scale) to the power 1 or 2. */
typedef struct numbers {
    const gb_psis *w;
    const double *x;
    size_t stride;
    double centre, scale;
    bool squared;
} numbers;

static double at(const numbers *h, size_t i)
{
    if (h->w->log_ratios[i] == -INFINITY)
        return 0;
    const double d = (h->x[i * h->stride] - h->centre) / h->scale;
    return h->squared ? d * d : d;
}

static double mean_of(const numbers *h)
{
    double sum = 0;
    for (size_t i = 0; i < h->w->count; i++)
        sum += exp(h->w->log_weights[i]) * at(h, i);
    return sum;
}

/* Sets the error of a mean, and how many independent draws would have it. */
static void set_error(const numbers *h, double mean, gb_estimate *out)
{
    double variance = 0, of_mean = 0;
    for (size_t i = 0; i < h->w->count; i++) {
        const double weight = exp(h->w->log_weights[i]), d = at(h, i) - mean;
        variance += weight * d * d;
        of_mean += weight * d * weight * d;
    }
    out->error = sqrt(of_mean / h->w->r_eff);
    out->ess = of_mean > 0 ? variance / of_mean * h->w->r_eff : h->w->ess;
}

/* The k of a mean: that of the weights, or of a tail of raw weight times number. */
static double k_of(const numbers *h, const gb_psis_room *room)
{
    const gb_psis *const w = h->w;
    double k = w->k, largest = -INFINITY;
    for (size_t i = 0; i < w->count; i++)
        largest = fmax(largest, w->log_ratios[i]);
    for (int sign = -1; sign <= 1; sign += 2) {
        size_t others = 0;
        for (size_t i = 0; i < w->count; i++) {
            const double value = sign * exp(w->log_ratios[i] - largest) * at(h, i);
            room->ranked[i] = (gb_ranked){value, i};
            others += value > 0;
        }
        const double of_tail = gb_psis_tail_k(room, w->count, w->tail);
        /* A number that is 0 except for a few draws has no tail of its own. */
        if (of_tail < INFINITY || others >= w->tail)
            k = fmax(k, of_tail);
    }
    return k;
}

static const char *fault_of(const gb_psis *w, const double *x, size_t stride)
{
    if (!w || !x || stride == 0)
        return "weights, numbers and a stride above 0 are required";
    if (w->status != GB_OK)
        return "the weights were rejected: see their words";
    for (size_t i = 0; i < w->count; i++)
        if (!isfinite(x[i * stride]) && w->log_ratios[i] > -INFINITY)
            return "a number is not finite at a draw whose weight is above 0";
    return NULL;
}

static gb_estimate failed(const char *words)
{
    const double nan = (double)NAN;
    return (gb_estimate){nan, nan, nan, nan, words};
}

static const char no_memory[] = "no memory";

/* Whether an estimate is reliable, in words. */
static const char *words_for(const gb_psis *w, double k)
{
    if (w->tail < GB_TAIL_LEAST || k == INFINITY)
        return "the tail cannot be fitted, so nothing is known of the error: see the words of the weights";
    return k < w->threshold ? ""
                            : "k is not below its threshold: the value is unreliable, the error too small";
}

static gb_estimate finished(gb_estimate e, const gb_psis *w)
{
    if (!isfinite(e.value) || !isfinite(e.error))
        return failed("a sum is too large for a number; rescale the numbers");
    e.words = words_for(w, e.k);
    return e;
}

/* The mean and its error. The centre of `h` becomes the mean, its scale the largest distance from one of the
 * draws: 0 if all are equal, and such that squares neither overflow nor vanish. */
static gb_estimate mean_and_error(numbers *h)
{
    size_t first = 0;
    while (h->w->log_ratios[first] == -INFINITY)
        first++;
    h->centre = h->x[first * h->stride];
    h->scale = 1;
    double scale = 0;
    for (size_t i = 0; i < h->w->count; i++)
        scale = fmax(scale, fabs(at(h, i)));
    gb_estimate e = {.value = h->centre, .ess = h->w->ess};
    h->scale = scale;
    if (scale == 0)
        return e;
    for (int pass = 0; pass < 2; pass++) /* the weights are rounded, and so is their sum */
        h->centre += scale * mean_of(h);
    set_error(h, 0, &e);
    e.value = h->centre;
    e.error *= scale;
    return e;
}

gb_estimate gb_psis_mean(const gb_psis *w, const double *x, size_t stride)
{
    const char *const fault = fault_of(w, x, stride);
    gb_psis_room room;
    if (fault)
        return failed(fault);
    if (!gb_psis_room_new(&room, &w->memory, w->count))
        return failed(no_memory);
    numbers h = {w, x, stride, .scale = 1};
    const double k = k_of(&h, &room);
    gb_psis_room_free(&room, &w->memory);
    gb_estimate e = mean_and_error(&h);
    e.k = k;
    return finished(e, w);
}

gb_estimate gb_psis_sd(const gb_psis *w, const double *x, size_t stride)
{
    const char *const fault = fault_of(w, x, stride);
    gb_psis_room room;
    if (fault)
        return failed(fault);
    double squares = 0;
    for (size_t i = 0; i < w->count; i++)
        squares += exp(2 * w->log_weights[i]);
    if (!(squares < 1))
        return failed("one draw has all the weight: there is no standard deviation");
    numbers h = {w, x, stride, .scale = 1};
    const gb_estimate mean = mean_and_error(&h);
    if (!isfinite(mean.value))
        return finished(mean, w);
    if (!gb_psis_room_new(&room, &w->memory, w->count))
        return failed(no_memory);
    h.squared = true;
    const double variance = h.scale > 0 ? mean_of(&h) : 0, sd = sqrt(variance / (1 - squares));
    gb_estimate e = {.ess = w->ess, .k = variance > 0 ? k_of(&h, &room) : w->k};
    gb_psis_room_free(&room, &w->memory);
    if (variance == 0)
        return finished(e, w);
    set_error(&h, variance, &e);
    e.value = sd * h.scale;
    e.error = e.error / (2 * sd) * h.scale;
    return finished(e, w);
}

/* ---- quantiles ---- */

/* The draws with a weight, in order, and the sums of weights up to each. */
typedef struct ordered {
    const gb_ranked *ranked;
    const double *sums;
    size_t count;
    bool equal; /* all weights are */
} ordered;

static ordered order(const gb_psis *w, const double *x, size_t stride, const gb_psis_room *room)
{
    ordered o = {.ranked = room->ranked, .sums = room->tail, .equal = true};
    for (size_t i = 0; i < w->count; i++) {
        if (exp(w->log_weights[i]) > 0)
            room->ranked[o.count++] = (gb_ranked){x[i * stride], i};
        o.equal = o.equal && w->log_weights[i] == w->log_weights[0];
    }
    gb_ranked_sort(room->ranked, o.count);
    double sum = 0;
    for (size_t i = 0; i < o.count; i++)
        room->tail[i] = sum += exp(w->log_weights[room->ranked[i].place]);
    for (size_t i = 0; i < o.count; i++)
        room->tail[i] /= sum;
    return o;
}

static double quantile(const ordered *o, double probability)
{
    if (o->equal)
        return gb_ranked_quantile(o->ranked, o->count, probability);
    size_t low = 0, high = o->count - 1; /* the first whose sum is not less */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (o->sums[middle] >= probability)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0)
        return o->ranked[0].value;
    const double from = o->sums[low - 1], x = o->ranked[low - 1].value;
    return x + (o->ranked[low].value - x) * (probability - from) / (o->sums[low] - from);
}

static gb_estimate estimate_quantile(const gb_psis *w, const ordered *o, double p)
{
    gb_estimate e = {.value = quantile(o, p), .ess = w->ess, .k = w->k, .words = words_for(w, w->k)};
    double of_share = 0; /* the variance of the share of draws up to the quantile */
    for (size_t i = 0; i < o->count; i++) {
        const double d = exp(w->log_weights[o->ranked[i].place]) * ((o->ranked[i].value <= e.value) - p);
        of_share += d * d;
    }
    if (p > 0 && p < 1 && of_share > 0)
        e.ess = p * (1 - p) / of_share * w->r_eff;
    const double a = e.ess * p + 1, b = e.ess * (1 - p) + 1, one_sd = 0.1586553;
    e.error = (quantile(o, gb_beta_i_upper_inverse_at(a, b, one_sd)) -
               quantile(o, gb_beta_i_inverse_at(a, b, one_sd))) /
              2;
    return e;
}

gb_status gb_psis_quantiles(const gb_psis *w, const double *x, size_t stride, size_t count,
                            const double *probabilities, gb_estimate *out)
{
    if (!out || count == 0)
        return count == 0 ? GB_OK : GB_EARGUMENT;
    gb_status status = w && w->status != GB_OK ? w->status : GB_ENONFINITE;
    const char *fault = fault_of(w, x, stride);
    if (!w || !x || !stride || !probabilities)
        status = GB_EARGUMENT;
    if (!fault && !probabilities)
        fault = "probabilities are required";
    for (size_t i = 0; !fault && i < count; i++)
        if (!(probabilities[i] >= 0 && probabilities[i] <= 1)) {
            status = GB_EARGUMENT;
            fault = "a probability is not in [0, 1]";
        }
    gb_psis_room room;
    if (!fault && !gb_psis_room_new(&room, &w->memory, w->count)) {
        status = GB_ENOMEM;
        fault = no_memory;
    }
    for (size_t i = 0; fault && i < count; i++)
        out[i] = failed(fault);
    if (fault)
        return status;
    const ordered o = order(w, x, stride, &room);
    for (size_t i = 0; i < count; i++)
        out[i] = estimate_quantile(w, &o, probabilities[i]);
    gb_psis_room_free(&room, &w->memory);
    return GB_OK;
}
