/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/standard/moments_impl.h"

#include <float.h>
#include <math.h>

/* The differences to the first number are exact where the numbers have digits in common. Their sum is
 * compensated (Neumaier). */
double gb_mean_of_numbers(const double *x, size_t count)
{
    double sum = 0, lost = 0;
    for (size_t i = 1; i < count; i++) {
        const double each = (x[i] - x[0]) / (double)count, next = sum + each;
        lost += fabs(sum) >= fabs(each) ? (sum - next) + each : (each - next) + sum;
        sum = next;
    }
    return count > 0 ? x[0] + (sum + lost) : NAN;
}

static double largest_distance(const double *x, size_t count, double about)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i] - about));
    return largest;
}

/* In units of the largest difference, so no square underflows or overflows. A mean is rounded, by up to 6e-8
 * for one of 1e9; the differences sum to what that adds to their squares. */
double gb_deviation_of_numbers(const double *x, size_t count, double about, double divisor)
{
    const double unit = largest_distance(x, count, about);
    const bool is_mean = about < 0 || about > 0;
    double squares = 0, sum = 0;
    if (!(unit > 0) || !isfinite(unit))
        return unit;
    for (size_t i = 0; i < count; i++) {
        const double d = (x[i] - about) / unit;
        squares += d * d;
        sum += d;
    }
    if (is_mean)
        squares = fmax(squares - sum * sum / (double)count, 0);
    return unit * sqrt(squares / divisor);
}

bool gb_is_by_rounding(const double *x, size_t count, double deviation)
{
    return !(deviation > 4 * DBL_EPSILON * largest_distance(x, count, 0));
}

/* ---- with weights ---- */

static double sum_of(const double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i];
    return sum;
}

double gb_mean_of_weighted(const double *x, const double *weight, size_t count, double *room)
{
    if (!weight)
        return gb_mean_of_numbers(x, count);
    const double total = sum_of(weight, count), n = (double)count;
    for (size_t i = 0; i < count; i++)
        room[i] = (x[i] - x[0]) * (weight[i] / total) * n;
    return count > 0 ? x[0] + gb_mean_of_numbers(room, count) : 0;
}

double gb_deviation_of_weighted(const double *x, const double *weight, size_t count, double about,
                                double *room)
{
    if (!weight)
        return gb_deviation_of_numbers(x, count, about, count > 1 ? (double)count - 1 : 1);
    const double total = sum_of(weight, count);
    for (size_t i = 0; i < count; i++)
        room[i] = (x[i] - about) * sqrt(weight[i]);
    return gb_deviation_of_numbers(room, count, 0, fmax(total - 1, total / 2));
}
