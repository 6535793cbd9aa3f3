/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/search/descent_impl.h"

#include <math.h>
#include <string.h>

#include "fitting/density/dense_impl.h"

enum { MOST_TRIES = 40 };
static const double sufficient = 1e-4, curvature = 0.9;

size_t gb_descent_numbers(size_t n, size_t memory)
{
    return 5 * n + 2 * memory * (n + 1);
}

void gb_descent_begin(gb_descent *d, size_t n, size_t memory, double *numbers, const double *start)
{
    *d = (gb_descent){.n = n, .memory = memory, .noise = 2e-12};
    double **const array[] = {&d->x, &d->gradient, &d->trial, &d->direction, &d->at};
    for (size_t i = 0; i < 5; i++, numbers += n)
        *array[i] = numbers;
    d->s = numbers;
    d->y = d->s + memory * n;
    d->rho = d->y + memory * n;
    d->weight = d->rho + memory;
    memcpy(d->trial, start, n * sizeof *start);
}

void gb_descent_again(gb_descent *d)
{
    memcpy(d->trial, d->x, d->n * sizeof *d->x);
    d->phase = GB_DESCENT_FIRST;
    d->steps = 0;
}

/* ---- directions ---- */

/* Two loops over the pairs, the newest first (Nocedal 1980). */
static void find_direction(gb_descent *d)
{
    const size_t n = d->n;
    for (size_t i = 0; i < n; i++)
        d->direction[i] = -d->gradient[i];
    if (d->pairs == 0)
        return;
    for (size_t k = 0; k < d->pairs; k++) {
        const size_t at = (d->newest + d->memory - k) % d->memory;
        d->weight[at] = d->rho[at] * gb_dense_dot(n, d->s + at * n, d->direction);
        gb_dense_add(n, -d->weight[at], d->y + at * n, d->direction);
    }
    const double *const y = d->y + d->newest * n;
    const double scale = 1 / (d->rho[d->newest] * gb_dense_dot(n, y, y));
    for (size_t i = 0; i < n; i++)
        d->direction[i] *= scale;
    for (size_t k = d->pairs; k-- > 0;) {
        const size_t at = (d->newest + d->memory - k) % d->memory;
        const double back = d->rho[at] * gb_dense_dot(n, d->y + at * n, d->direction);
        gb_dense_add(n, d->weight[at] - back, d->s + at * n, d->direction);
    }
}

static void try_step(gb_descent *d, double step)
{
    d->step = step;
    for (size_t i = 0; i < d->n; i++)
        d->trial[i] = d->x[i] + step * d->direction[i];
}

/* Begins a search from d->x. Without pairs the direction has the gradient's units, so the first step is at
 * most 1 long. */
static void begin_search(gb_descent *d)
{
    find_direction(d);
    d->slope = gb_dense_dot(d->n, d->gradient, d->direction);
    if (!(d->slope < 0) && d->pairs > 0) {
        d->pairs = 0;
        find_direction(d);
        d->slope = gb_dense_dot(d->n, d->gradient, d->direction);
    }
    d->gain = -d->slope / 2;
    if (!(d->gain > d->enough)) {
        d->phase = d->gain <= d->enough ? GB_DESCENT_DONE : GB_DESCENT_STUCK;
        return;
    }
    const double far = gb_dense_largest(d->n, d->direction), longest = d->longest > 0 ? d->longest : INFINITY,
                 most = d->pairs == 0 ? fmin(1, longest) : longest;
    d->phase = GB_DESCENT_SEARCH;
    d->most = longest / far;
    d->low = 0, d->low_value = d->value, d->low_slope = d->slope;
    d->high = 0;
    d->tries = 0;
    try_step(d, far > most ? most / far : 1);
}

/* ---- the search: a bracket of a point that is lower and less steep (Wolfe) ---- */

/* The minimum of the cubic through both ends of the bracket, kept away from them; the middle, where there is
 * no cubic. */
static double inside(const gb_descent *d)
{
    const double width = d->high - d->low;
    double at = NAN;
    if (isfinite(d->high_value)) {
        const double a = d->low_slope + d->high_slope - 3 * (d->high_value - d->low_value) / width,
                     root = sqrt(a * a - d->low_slope * d->high_slope);
        at = d->high - width * (d->high_slope + root - a) / (d->high_slope - d->low_slope + 2 * root);
    }
    if (!isfinite(at))
        return d->low + width * (isfinite(d->high_value) ? 0.5 : 0.1);
    return fmin(fmax(at, d->low + 0.1 * width), d->high - 0.1 * width);
}

static double beyond(const gb_descent *d, double slope)
{
    const double secant = d->step - slope * (d->step - d->low) / (slope - d->low_slope);
    const double next =
        slope < 0 && secant > d->step ? fmin(fmax(secant, 1.5 * d->step), 5 * d->step) : 2.5 * d->step;
    return fmin(next, d->most);
}

/* Near the minimum the values differ by rounding errors only; then slopes decide (Hager and Zhang 2005). */
static bool is_low(const gb_descent *d, double value, double slope)
{
    const double noise = d->noise * (1 + fabs(d->value));
    return value <= d->value + sufficient * d->step * d->slope ||
           (value <= d->value + noise && slope <= -0.8 * d->slope);
}

static void remember_pair(gb_descent *d)
{
    const size_t n = d->n, at = d->pairs == 0 ? 0 : (d->newest + 1) % d->memory;
    double *const s = d->s + at * n, *const y = d->y + at * n;
    for (size_t i = 0; i < n; i++) {
        s[i] = d->trial[i] - d->x[i];
        y[i] = d->at[i] - d->gradient[i];
    }
    const double sy = gb_dense_dot(n, s, y);
    if (!(sy > 1e-14 * sqrt(gb_dense_dot(n, s, s) * gb_dense_dot(n, y, y))))
        return;
    d->rho[at] = 1 / sy;
    d->newest = at;
    d->pairs += d->pairs < d->memory;
}

static void accept(gb_descent *d, double value)
{
    if (d->phase == GB_DESCENT_SEARCH)
        remember_pair(d);
    memcpy(d->x, d->trial, d->n * sizeof *d->x);
    memcpy(d->gradient, d->at, d->n * sizeof *d->gradient);
    d->value = value;
    d->steps++;
    begin_search(d);
}

/* A search that finds nothing is tried once more along the gradient. */
static void give_up(gb_descent *d)
{
    const bool again = d->pairs > 0;
    d->pairs = 0;
    if (again)
        begin_search(d);
    else
        d->phase = GB_DESCENT_STUCK;
}

bool gb_descent_take(gb_descent *d, double value, const double *gradient)
{
    const bool is_finite = isfinite(value) && isfinite(gb_dense_largest(d->n, gradient));
    memcpy(d->at, gradient, d->n * sizeof *gradient);
    if (d->phase == GB_DESCENT_FIRST) {
        if (is_finite)
            accept(d, value);
        else
            d->phase = GB_DESCENT_LOST;
        return is_finite;
    }
    const double slope = is_finite ? gb_dense_dot(d->n, gradient, d->direction) : NAN;
    const bool low = is_finite && is_low(d, value, slope), flat = slope >= curvature * d->slope;
    if (low && (flat || d->step >= d->most || ++d->tries > MOST_TRIES)) {
        accept(d, value);
        return true;
    }
    if (!low && ++d->tries > MOST_TRIES) {
        give_up(d);
        return false;
    }
    if (low) {
        const double next = d->high > 0 ? 0 : beyond(d, slope);
        d->low = d->step, d->low_value = value, d->low_slope = slope;
        try_step(d, d->high > 0 ? inside(d) : next);
    } else {
        d->high = d->step, d->high_value = is_finite ? value : INFINITY, d->high_slope = slope;
        try_step(d, inside(d));
    }
    return false;
}
