/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prediction/predict/series_impl.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "fitting/chains.h"
#include "fitting/diagnostics/order_impl.h"
#include "prediction/scores.h"

/* ---- order ---- */

enum { DIGITS = 8, VALUES = 256 };

/* Bits whose order is that of the numbers. */
static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double number_of(uint64_t bits)
{
    double x;
    bits = bits >> 63 ? bits ^ UINT64_C(1) << 63 : ~bits;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Sorts by one byte of each, from `from` to `to`. Returns false, and does nothing, if it is the same in
 * all. */
static bool sort_by_byte(size_t count, const uint64_t *from, uint64_t *to, int byte)
{
    size_t place[VALUES] = {0}, before = 0;
    for (size_t i = 0; i < count; i++)
        place[from[i] >> 8 * byte & (VALUES - 1)]++;
    if (place[from[0] >> 8 * byte & (VALUES - 1)] == count)
        return false;
    for (size_t v = 0; v < VALUES; v++) {
        const size_t here = place[v];
        place[v] = before;
        before += here;
    }
    for (size_t i = 0; i < count; i++)
        to[place[from[i] >> 8 * byte & (VALUES - 1)]++] = from[i];
    return true;
}

/* Heap and merge sorts of 10,000 draws for each of many rows take longer than the model does; this takes a
 * tenth of their time. */
static void sort_numbers(gb_series *s)
{
    uint64_t *from = s->room, *to = from + s->count;
    for (size_t i = 0; i < s->count; i++)
        from[i] = bits_of(s->x[i]);
    for (int byte = 0; byte < DIGITS && s->count > 0; byte++)
        if (sort_by_byte(s->count, from, to, byte)) {
            uint64_t *const sorted = to;
            to = from;
            from = sorted;
        }
    for (size_t i = 0; i < s->count; i++)
        s->x[i] = number_of(from[i]);
}

static void sort_weighted(gb_series *s)
{
    gb_ranked *const ranked = s->room;
    double *const sums = (double *)(void *)(ranked + s->count), total = 0;
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->weight[i] > 0)
            ranked[count++] = (gb_ranked){s->x[i], i};
    gb_ranked_sort(ranked, count);
    for (size_t i = 0; i < count; i++) {
        s->x[i] = ranked[i].value;
        sums[i] = total += s->weight[ranked[i].place];
    }
    for (size_t i = 0; i < count; i++)
        sums[i] /= total;
    s->count = count;
    s->sum = sums;
}

size_t gb_series_room(size_t count)
{
    return (count + 1) * (sizeof(gb_ranked) + sizeof(double));
}

bool gb_series_sort(gb_series *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (isnan(s->x[i]) && (!s->weight || s->weight[i] > 0))
            return false;
    (s->weight ? sort_weighted : sort_numbers)(s);
    return s->count > 0;
}

/* ---- in order ---- */

/* Σ of weights of the first `count` draws. */
static double share(const gb_series *s, size_t count)
{
    if (s->sum)
        return count == 0 ? 0 : s->sum[count - 1];
    return (double)count / (double)s->count;
}

/* How many draws come first whose shares are below a probability. */
static size_t first_with(const gb_series *s, double probability)
{
    size_t low = 0, high = s->count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (share(s, middle + 1) >= probability)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double between(double low, double high, double part)
{
    return part > 0 && low != high ? (1 - part) * low + part * high : low;
}

double gb_series_quantile(const gb_series *s, double probability, bool is_discrete)
{
    if (is_discrete) /* a probability that was computed may be a rounding above a share */
        return s->x[first_with(s, probability * (1 - 1e-12))];
    if (!s->sum) {
        const double at = (double)(s->count - 1) * probability;
        return between(s->x[(size_t)at], s->x[(size_t)ceil(at)], at - floor(at));
    }
    const size_t place = first_with(s, probability);
    const double before = share(s, place), up_to = share(s, place + 1);
    if (place == 0 || !(up_to > before))
        return s->x[place];
    return between(s->x[place - 1], s->x[place], (probability - before) / (up_to - before));
}

/* How many draws are below x, or not above it. */
static size_t count_up_to(const gb_series *s, double x, bool equal_too)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->x[middle] < x || (equal_too && s->x[middle] == x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void gb_series_rank(const gb_series *s, double x, double *below, double *up_to)
{
    *below = isnan(x) ? x : share(s, count_up_to(s, x, false));
    *up_to = isnan(x) ? x : share(s, count_up_to(s, x, true));
}

/* E|X − y| − ½ E|X − X'|, where X and X' are different draws. */
double gb_series_crps(const gb_series *s, double outcome)
{
    double distance = 0, spread = 0, before = 0, squares = 0;
    if (!s->sum)
        return gb_crps_draws(s->count, s->x, outcome);
    for (size_t i = 0; i < s->count; i++) {
        const double weight = share(s, i + 1) - share(s, i), x = s->x[i] - outcome;
        distance += weight * fabs(x);
        spread += weight * (x * share(s, i) - before);
        before += weight * x;
        squares += weight * weight;
    }
    return squares < 1 ? distance - spread / (1 - squares) : (double)NAN;
}

/* ---- densities ---- */

static double weight_of(const gb_series *s, size_t i)
{
    return s->weight ? s->weight[i] : 1 / (double)s->count;
}

/* The standard error of the mean of x, relative to it. */
static double relative_error(gb_series s, double mean)
{
    double squares = 0;
    if (s.chains > 0) {
        const gb_chains chains = {
            .x = s.x, .chains = s.chains, .length = s.count / s.chains, .memory = s.memory};
        return gb_chains_convergence(&chains).mean_error / mean;
    }
    for (size_t i = 0; i < s.count; i++)
        if (weight_of(&s, i) > 0)
            squares += pow(weight_of(&s, i) * (s.x[i] / mean - 1), 2);
    const double n = (double)s.count;
    return sqrt(s.weight ? squares : squares * n / (n - 1));
}

double gb_series_log_mean(const gb_series *s, double *error)
{
    double largest = -(double)INFINITY, mean = 0;
    gb_series ratio = *s;
    ratio.x = s->room;
    *error = s->count > 1 ? (double)NAN : 0;
    for (size_t i = 0; i < s->count; i++) {
        if (isnan(s->x[i]) && weight_of(s, i) > 0)
            return (double)NAN;
        if (weight_of(s, i) > 0)
            largest = s->x[i] > largest ? s->x[i] : largest;
    }
    if (isinf(largest))
        return largest;
    for (size_t i = 0; i < s->count; i++) {
        ratio.x[i] = weight_of(s, i) > 0 ? exp(s->x[i] - largest) : 0;
        mean += weight_of(s, i) * ratio.x[i];
    }
    if (s->count > 1)
        *error = relative_error(ratio, mean);
    return largest + log(mean);
}
