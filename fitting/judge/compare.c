/* SPDX-License-Identifier: GPL-3.0-or-later */
/* q's mean and standard deviation of a number against those of the weighted draws. */
#include <math.h>

#include "fitting/judge/judging_impl.h"

/* The distance from the 5 % to the 95 % quantile of a normal, in standard deviations. */
static const double WIDTH = 3.2897072539029444;
static const double probabilities[] = {0.05, 0.5, 0.95};

/* The draws of number i. */
typedef struct column {
    const gb_psis *w;
    const double *x;
    size_t stride;
} column;

static column column_of(const gb_own_judgement *j, const gb_weighed *from, size_t i)
{
    const bool is_free = i < j->n;
    return (column){&from->weights, is_free ? from->z + i : from->value + (i - j->n),
                    is_free ? j->n : j->values};
}

static void mean_and_sd(const column *c, double *mean, double *sd)
{
    double sum = 0, squares = 0;
    const size_t count = c->w->count;
    for (size_t s = 0; s < count; s++)
        sum += (c->x[s * c->stride] - c->x[0]) / (double)count;
    *mean = c->x[0] + sum;
    for (size_t s = 0; s < count; s++) {
        const double d = c->x[s * c->stride] - *mean;
        squares += d * d / (double)(count - 1);
    }
    *sd = sqrt(squares);
}

/* Mean and sd under the weights come from the same draws as q's. So the errors are those of the differences:
 * Σ (w − 1/S) (…), which is 0 if all weights are equal. */
static void by_moments(const column *c, gb_judged *out)
{
    const double mean = out->corrected_mean.value, sd = out->corrected_sd.value,
                 equal = 1 / (double)c->w->count;
    double of_mean = 0, of_square = 0;
    for (size_t s = 0; s < c->w->count; s++) {
        const double w = exp(c->w->log_weights[s]) - equal, d = (c->x[s * c->stride] - mean) / sd;
        of_mean += w * d * w * d;
        of_square += w * (d * d - 1) * w * (d * d - 1);
    }
    out->mean_off = (out->mean - mean) / sd;
    out->mean_error = sqrt(of_mean);
    out->sd_off = out->sd / sd - 1;
    out->sd_error = out->sd / sd * sqrt(of_square) / 2;
}

/* Median and width of the weighted draws against q's, with their errors. */
static void by_quantiles(const column *c, const gb_estimate q[3], double off[2], double error[2])
{
    gb_estimate p[3];
    if (gb_psis_quantiles(c->w, c->x, c->stride, 3, probabilities, p) != GB_OK) {
        off[0] = off[1] = error[0] = error[1] = (double)NAN;
        return;
    }
    const double width = (p[2].value - p[0].value) / WIDTH;
    off[0] = (q[1].value - p[1].value) / width;
    error[0] = hypot(p[1].error, q[1].error) / width;
    off[1] = (q[2].value - q[0].value) / WIDTH / width - 1;
    error[1] = hypot(hypot(p[0].error, p[2].error), hypot(q[0].error, q[2].error)) / WIDTH / width;
}

static void quantiles_of_q(gb_own_judgement *j, const column *c, gb_estimate q[3])
{
    const gb_chains chain = {.x = c->x,
                             .chains = 1,
                             .length = c->w->count,
                             .chain_stride = c->w->count * c->stride,
                             .draw_stride = c->stride,
                             .memory = gb_watched_memory(&j->watched)};
    gb_chains_quantiles(&chain, 3, probabilities, q);
}

static void look_at_own(gb_own_judgement *j, size_t i, gb_judged *out)
{
    const column c = column_of(j, &j->own, i);
    mean_and_sd(&c, &out->mean, &out->sd);
    out->corrected_mean = gb_psis_mean(c.w, c.x, c.stride);
    out->corrected_sd = gb_psis_sd(c.w, c.x, c.stride);
    out->by_quantiles = c.w->k < c.w->threshold && !(out->corrected_sd.k < c.w->threshold);
    by_moments(&c, out);
    if (out->by_quantiles) {
        gb_estimate q[3];
        double off[2], error[2];
        quantiles_of_q(j, &c, q);
        by_quantiles(&c, q, off, error);
        out->mean_off = off[0], out->mean_error = error[0];
        out->sd_off = off[1], out->sd_error = error[1];
    }
}

static void look_at_wide(gb_own_judgement *j, size_t i, gb_judged *out)
{
    const column c = column_of(j, &j->wide, i), own = column_of(j, &j->own, i);
    double off[2], error[2];
    const gb_estimate mean = gb_psis_mean(c.w, c.x, c.stride), sd = gb_psis_sd(c.w, c.x, c.stride);
    const bool has_tail = !(own.w->k < own.w->threshold) && !(sd.k < c.w->threshold);
    if (out->by_quantiles || has_tail) {
        gb_estimate q[3];
        quantiles_of_q(j, &own, q);
        by_quantiles(&c, q, off, error);
    } else {
        const double own_error = out->sd / sqrt((double)own.w->count);
        off[0] = (out->mean - mean.value) / sd.value;
        error[0] = hypot(mean.error, own_error) / sd.value;
        off[1] = out->sd / sd.value - 1;
        error[1] = out->sd / sd.value * hypot(sd.error / sd.value, own_error / out->sd / sqrt(2));
    }
    out->wide_mean_off = off[0], out->wide_mean_error = error[0];
    out->wide_sd_off = off[1], out->wide_sd_error = error[1];
}

void gb_judge_number(gb_own_judgement *j, size_t i)
{
    gb_judged *const out = &j->judged[i];
    look_at_own(j, i, out);
    if (j->is_point[i])
        out->wide_mean_off = out->wide_mean_error = out->wide_sd_off = out->wide_sd_error = (double)NAN;
    else
        look_at_wide(j, i, out);
}

const char *gb_judge_name(const gb_own_judgement *j, size_t i, char text[GB_DENSITY_TEXT])
{
    return i < j->n ? gb_density_free_name(j->shown.density, i, text)
                    : gb_density_value_name(j->shown.density, i - j->n, text);
}
