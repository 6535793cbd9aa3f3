/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/plateau.h"

#include <math.h>

enum { FIRST = 16, EACH = 8 }; /* blocks until the first comparison, and between comparisons */
static const double USUAL_FALSE_STOP = 0.01, USUAL_IMPROVEMENT = 0.1;
static const double ROUNDING = 1e-10; /* a smaller relative decrease counts as none */

/* Returns P(T > t) for an even number of degrees of freedom: the tail of a series that sums to 1 and has only
 * positive terms (Abramowitz and Stegun 1964, 26.7.4). A probability above 1/2 is only bounded, since no
 * caller needs it. */
static double student_tail(double t, int64_t degrees)
{
    const double n = (double)degrees, cosine = n / (n + t * t);
    double term = t / sqrt(n + t * t), sum = 0;
    int64_t j = 1;
    if (!(t > 0.5))
        return 0.5;
    for (; 2 * j <= degrees; j++)
        term *= cosine * (double)(2 * j - 1) / (double)(2 * j);
    for (; term > 1e-12 * sum; j++) {
        sum += term;
        term *= cosine * (double)(2 * j - 1) / (double)(2 * j);
    }
    return 0.5 * sum;
}

bool gb_plateau_fits(const gb_plateau_options *o, const char **words)
{
    const char *const wrong =
        !o                                                ? "the options are NULL"
        : !(o->improvement >= 0) || isinf(o->improvement) ? "the improvement must be 0 or more, and finite"
        : !(o->false_stop >= 0 && o->false_stop < 0.5) ? "the probability of a false stop must be below 1/2"
                                                       : NULL;
    if (words)
        *words = wrong;
    return !wrong;
}

/* ---- blocks ---- */

/* Updates a running mean. The mean of equal numbers is that number, to the last bit. */
static void average(double *mean, double value, int64_t count)
{
    *mean += (value - *mean) / (double)count;
}

/* Adds a window to the current block. Returns whether the block is full. */
static bool add(gb_plateau *p, double mean, double variance)
{
    const int64_t length = p->length > 0 ? p->length : 1, b = p->blocks;
    p->length = length;
    if (p->filled == 0)
        p->mean[b] = p->variance[b] = 0;
    p->filled++;
    average(&p->mean[b], mean, p->filled);
    average(&p->variance[b], variance, p->filled);
    if (p->filled < length)
        return false;
    p->filled = 0;
    p->blocks++;
    return true;
}

static void join_pairs(gb_plateau *p)
{
    p->blocks /= 2;
    p->length *= 2;
    for (int64_t b = 0; b < p->blocks; b++) {
        p->mean[b] = p->mean[2 * b] + (p->mean[2 * b + 1] - p->mean[2 * b]) / 2;
        p->variance[b] = p->variance[2 * b] + (p->variance[2 * b + 1] - p->variance[2 * b]) / 2;
    }
}

/* ---- comparing ---- */

static double mean_of(const double *values, int64_t count)
{
    double mean = 0;
    for (int64_t i = 0; i < count; i++)
        average(&mean, values[i], i + 1);
    return mean;
}

static double squares_about(const double *values, int64_t count, double mean)
{
    double squares = 0;
    for (int64_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return squares;
}

static double products_of_neighbours(const double *values, int64_t count, double mean)
{
    double products = 0;
    for (int64_t i = 0; i + 1 < count; i++)
        products += (values[i] - mean) * (values[i + 1] - mean);
    return products;
}

/* Returns the factor by which correlation increases the variance of a mean of `count` values. Neighbours are
 * correlated as in an autoregression. A correlation estimated from so few values is too low by (1 + 3 r) /
 * count (Kendall 1954). */
static double widened(double correlation, double count)
{
    const double r = (correlation + 1 / count) / (1 - 3 / count), bounded = fmin(fmax(r, 0), 0.9);
    return (1 + bounded) / (1 - bounded);
}

/* Returns whether the last two quarters reject a decrease by `improvement`. */
static bool compare(gb_plateau *p)
{
    const gb_plateau_options *const o = &p->options;
    const int64_t n = p->blocks / 4, degrees = 2 * (n - 1);
    const double *const before = p->mean + p->blocks - 2 * n, *const last = before + n;
    const double is = mean_of(last, n), was = mean_of(before, n), fell = was - is;
    const double squares = squares_about(before, n, was) + squares_about(last, n, is);
    const double products = products_of_neighbours(before, n, was) + products_of_neighbours(last, n, is);
    const double wider = squares > 0 ? widened(products / squares, (double)n) : 1;
    const double error = sqrt(squares / (double)degrees * 2 / (double)n * wider);
    const double usual = USUAL_IMPROVEMENT * sqrt(mean_of(p->variance + p->blocks - 2 * n, 2 * n));
    const double worth = o->improvement > 0 ? o->improvement : fmax(usual, ROUNDING * fabs(is));
    const double k = (double)++p->comparisons;
    const double spent = (o->false_stop > 0 ? o->false_stop : USUAL_FALSE_STOP) / (k * (k + 1));
    if (error == 0)
        return fell <= 0 || fell < worth;
    if (o->improvement == 0 && fell > 2 * error)
        return false; /* it may be small beside the spread of single numbers, but it is a decrease */
    return student_tail((worth - fell) / error, degrees) <= spent;
}

bool gb_plateau_reached(gb_plateau *p, double mean, double variance)
{
    if (!p || !add(p, mean, variance))
        return false;
    const bool reached = p->blocks >= FIRST && p->blocks % EACH == 0 && compare(p);
    if (p->blocks == GB_PLATEAU_BLOCKS)
        join_pairs(p);
    return reached;
}
