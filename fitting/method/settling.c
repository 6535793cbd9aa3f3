/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/method/settling_impl.h"

#include <math.h>
#include <string.h>

enum { LAST = GB_SEGMENTS / 2 };

size_t gb_settling_numbers(size_t n)
{
    return 2 * GB_SEGMENTS * n;
}

void gb_settling_begin(gb_settling *s, size_t n, int64_t length, double *numbers)
{
    *s = (gb_settling){.n = n, .length = length, .mean = numbers, .squares = numbers + GB_SEGMENTS * n};
    memset(numbers, 0, gb_settling_numbers(n) * sizeof *numbers);
}

/* Joins segments 2k and 2k + 1 into segment k. */
static void join(gb_settling *s)
{
    const size_t n = s->n;
    for (size_t k = 0; k < LAST; k++)
        for (size_t i = 0; i < n; i++) {
            const size_t a = 2 * k * n + i, b = a + n;
            const double d = s->mean[b] - s->mean[a];
            const double squares = s->squares[a] + s->squares[b] + d * d * (double)s->length / 2;
            s->mean[k * n + i] = (s->mean[a] + s->mean[b]) / 2;
            s->squares[k * n + i] = squares;
        }
    memset(s->mean + LAST * n, 0, LAST * n * sizeof *s->mean);
    memset(s->squares + LAST * n, 0, LAST * n * sizeof *s->squares);
    s->length *= 2;
    s->open = LAST;
}

bool gb_settling_add(gb_settling *s, const double *x)
{
    if (s->open == GB_SEGMENTS)
        join(s);
    double *const mean = s->mean + s->open * s->n, *const squares = s->squares + s->open * s->n;
    s->filled++;
    for (size_t i = 0; i < s->n; i++) {
        const double d = x[i] - mean[i];
        mean[i] += d / (double)s->filled;
        squares[i] += d * (x[i] - mean[i]);
    }
    if (s->filled < s->length)
        return false;
    s->filled = 0;
    return ++s->open == GB_SEGMENTS;
}

bool gb_settling_moves(const gb_settling *s, size_t i, double most)
{
    double mean = 0, within = 0, between = 0;
    for (size_t k = LAST; k < GB_SEGMENTS; k++) {
        mean += s->mean[k * s->n + i] / LAST;
        within += s->squares[k * s->n + i] / (double)(s->length - 1) / LAST;
    }
    for (size_t k = LAST; k < GB_SEGMENTS; k++) {
        const double d = s->mean[k * s->n + i] - mean;
        between += d * d / (LAST - 1);
    }
    return !(between <= (most * most - 1) * within);
}

void gb_settling_mean(const gb_settling *s, double *mean)
{
    for (size_t i = 0; i < s->n; i++) {
        mean[i] = 0;
        for (size_t k = LAST; k < GB_SEGMENTS; k++)
            mean[i] += s->mean[k * s->n + i] / LAST;
    }
}
