/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/watching/watch_impl.h"

#include <math.h>

#include "compare/replicates/figure_impl.h"

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
        s.of_batches = each > 1 ? between - within / each : (double)NAN;
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
    const double n = s->count, about = s->squares - s->sum * s->sum / n;
    return sqrt((n - 1) / n * (about < 0 ? 0 : about));
}

/* The interval of the square, which may be negative, where the root is 0. */
static gb_figure root_of(double square, double error, double freedom)
{
    const double root = sqrt(fmax(square, 0)), reach = gb_student_quantile(freedom) * error;
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
    return (gb_watched){.variance = gb_figure_positive(all.variance, error_of(&variance), freedom),
                        .of_draws = gb_figure_positive(all.of_draws, error_of(&draws), freedom),
                        .of_batches = gb_figure_symmetric(all.of_batches, error_of(&batches), freedom),
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
    return isfinite(value) ? gb_figure_positive(value, error_of(&ratio), freedom) : gb_figure_unknown();
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
