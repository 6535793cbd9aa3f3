/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/watching/figures_impl.h"

#include <math.h>

/* ---- intervals ---- */

/* Quantile 0.975 of Student's t, by its expansion around the normal quantile (Fisher and Cornish 1960): to
 * 1e-3 from 4 degrees of freedom on, and too small by 0.02 at 3. */
static double student(double freedom)
{
    const double z = 1.959963984540054, z2 = z * z;
    const double a = z * (z2 + 1) / 4, b = z * ((5 * z2 + 16) * z2 + 3) / 96,
                 c = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
                 d = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
    return z + (a + (b + (c + d / freedom) / freedom) / freedom) / freedom;
}

gb_figure gb_figure_unknown(void)
{
    return (gb_figure){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
}

static gb_figure symmetric(double value, double error, double freedom)
{
    const double reach = student(freedom) * error;
    return (gb_figure){.value = value, .error = error, .low = value - reach, .high = value + reach};
}

/* The interval of a logarithm, whose error is the relative one. */
static gb_figure positive(double value, double error, double freedom)
{
    const double reach = value > 0 ? exp(student(freedom) * error / value) : (double)NAN;
    if (value == 0 && error == 0)
        return (gb_figure){0};
    return value > 0
               ? (gb_figure){.value = value, .error = error, .low = value / reach, .high = value * reach}
               : symmetric(value, error, freedom);
}

gb_figure gb_figure_of_mean(size_t count, const double *values, bool is_positive)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    if (count < 2)
        return (gb_figure){mean, (double)NAN, (double)NAN, (double)NAN};
    const double freedom = (double)count - 1, error = sqrt(squares / freedom / (double)count);
    return (is_positive ? positive : symmetric)(mean, error, freedom);
}

/* ---- statistics of groups ---- */

typedef struct statistics {
    double variance, of_draws, of_batches, snr2;
} statistics;

/* `within` is the mean over the groups, `off` the sum. */
static statistics of(double groups, double each, bool are_batches, double length, double within, double off)
{
    statistics s;
    const double between = off / (groups - 1), all = groups * each;
    if (are_batches) {
        s.of_draws = each > 1 ? within : (double)NAN;
        s.of_batches = between - within / each;
        s.variance = between + within * (1 - 1 / each);
        s.snr2 = (length - between / groups) / s.variance;
    } else {
        s.variance = s.of_draws = (groups * (each - 1) * within + each * off) / (all - 1);
        s.of_batches = (double)NAN;
        s.snr2 = (length - s.variance / all) / s.variance;
    }
    return s;
}

static double mean_within(const gb_watch_groups *g)
{
    double sum = 0;
    for (size_t i = 0; i < g->groups; i++)
        sum += g->within[i];
    return sum / (double)g->groups;
}

static double sum_off(const gb_watch_groups *g)
{
    double sum = 0;
    for (size_t i = 0; i < g->groups; i++)
        sum += g->off[i];
    return sum;
}

static statistics of_all(const gb_watch_groups *g)
{
    return of((double)g->groups, g->each, g->are_batches, g->length, mean_within(g), sum_off(g));
}

/* Without a group the mean moves by −(mean of the group − mean) / (groups − 1). */
static statistics without(const gb_watch_groups *g, size_t i, double within, double off)
{
    const double n = (double)g->groups, rest = n - 1;
    return of(rest, g->each, g->are_batches, g->length - 2 * g->along[i] / rest + g->off[i] / (rest * rest),
              (n * within - g->within[i]) / rest, off - g->off[i] * n / rest);
}

/* ---- the jackknife ---- */

/* Sums of the values without one group each, and of their squares: from the value of all. */
typedef struct spread {
    double origin, count, sum, squares;
} spread;

static void add(spread *s, double value)
{
    const double off = value - s->origin;
    s->count++;
    s->sum += off;
    s->squares += off * off;
}

static double error_of(const spread *s)
{
    const double n = s->count, about = fmax(s->squares - s->sum * s->sum / n, 0);
    return sqrt((n - 1) / n * about);
}

/* The interval of the square, which may be negative, where the root is 0. */
static gb_figure root_of(double square, double error, double freedom)
{
    const double root = sqrt(fmax(square, 0)), reach = student(freedom) * error;
    return (gb_figure){.value = root,
                       .error = root > 0 ? error / (2 * root) : sqrt(error),
                       .low = sqrt(fmax(square - reach, 0)),
                       .high = sqrt(fmax(square + reach, 0))};
}

gb_watched gb_watched_of(const gb_watch_groups *g)
{
    const double within = mean_within(g), off = sum_off(g), freedom = (double)g->groups - 1;
    const statistics all = of_all(g);
    spread variance = {all.variance, 0, 0, 0}, draws = {all.of_draws, 0, 0, 0},
           batches = {all.of_batches, 0, 0, 0}, snr2 = {all.snr2, 0, 0, 0};
    for (size_t i = 0; i < g->groups; i++) {
        const statistics s = without(g, i, within, off);
        add(&variance, s.variance);
        add(&draws, s.of_draws);
        add(&batches, s.of_batches);
        add(&snr2, s.snr2);
    }
    const bool varies = all.variance > 0;
    return (gb_watched){.variance = positive(all.variance, error_of(&variance), freedom),
                        .of_draws = positive(all.of_draws, error_of(&draws), freedom),
                        .of_batches = symmetric(all.of_batches, error_of(&batches), freedom),
                        .snr = varies ? root_of(all.snr2, error_of(&snr2), freedom) : gb_figure_unknown(),
                        .mean = gb_figure_unknown()};
}

gb_figure gb_watch_ratio(double a, const gb_watch_groups *one, double b, const gb_watch_groups *to)
{
    const double value = a * of_all(one).variance / (b * of_all(to).variance),
                 freedom = (double)one->groups - 1;
    const double within[] = {mean_within(one), mean_within(to)}, off[] = {sum_off(one), sum_off(to)};
    spread ratio = {value, 0, 0, 0};
    for (size_t i = 0; i < one->groups; i++)
        add(&ratio, a * without(one, i, within[0], off[0]).variance /
                        (b * without(to, i, within[1], off[1]).variance));
    return isfinite(value) ? positive(value, error_of(&ratio), freedom) : gb_figure_unknown();
}

void gb_watch_groups_add(gb_watch_groups *a, const gb_watch_groups *b)
{
    a->length += b->length;
    for (size_t i = 0; i < a->groups; i++) {
        a->within[i] += b->within[i];
        a->off[i] += b->off[i];
        a->along[i] += b->along[i];
    }
}
