/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/covariances.h"

#include <math.h>
#include <stdio.h>

#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

const char *const gb_kernel_names[8] = {"rbf", "periodic", "sum", NULL};

struct gb_covariance {
    gb_model_site *site;
    gb_process_choices options;
    bool is_smooth, is_periodic;
    size_t amplitude, length, wave, wave_length, period; /* latents */
    gb_node inverse_length, variance;                    /* of the smooth part: (columns), () */
    gb_node wave_variance, wave_factor, angle;           /* of the periodic one: () */
    gb_node learned_period;
};

/* ---- latents ---- */

static size_t spread(gb_model_site *s, const char *name, double scale)
{
    return gb_model_part_of(s, "", name, gb_shape(), gb_half_normal(gb_num(s->tape, scale)));
}

static size_t around(gb_model_site *s, const char *name, gb_shape shape, double median, double log_sd)
{
    return gb_model_part_of(s, "", name, shape,
                            gb_lognormal(gb_num(s->tape, log(median)), gb_num(s->tape, log_sd)));
}

static bool options_fit(const gb_covariance *k)
{
    gb_tape *const t = k->site->tape;
    const char *const words =
        k->site->columns == 0 ? "a Gaussian process needs columns: \"y ~ x\""
        : k->is_periodic && !(k->options.period > 0)
            ? "a periodic kernel needs .period, a number in the units of the first column"
        : k->is_periodic && !k->is_smooth && k->site->columns > 1
            ? "a periodic kernel is one of the first column, so others need .kernel = GB_KERNEL_SUM"
            : NULL;
    return !words || gb_fail(t, GB_EARGUMENT, "gaussian_process: %s", words) == GB_OK;
}

gb_covariance *gb_covariance_new(gb_model_site *s, const void *options)
{
    const gb_process_choices *const o = options;
    gb_covariance *const k = gb_tape_keep(s->tape, sizeof *k);
    if (!k)
        return NULL;
    *k = (gb_covariance){.site = s,
                         .options = *o,
                         .is_smooth = o->kernel != GB_KERNEL_PERIODIC,
                         .is_periodic = o->kernel != GB_KERNEL_RBF};
    if (!options_fit(k))
        return NULL;
    if (k->is_smooth) {
        k->amplitude = spread(s, "amplitude", o->amplitude_scale);
        k->length = around(s, "length", gb_shape(s->columns), o->length_scale, o->length_spread);
    }
    if (k->is_periodic) {
        k->wave = spread(s, "amplitude.periodic", o->amplitude_scale);
        k->wave_length = around(s, "length.periodic", gb_shape(), 1, o->length_spread);
    }
    if (k->is_periodic && o->period_spread > 0)
        k->period = around(s, "period", gb_shape(), 1, o->period_spread);
    return gb_error(s->tape) == GB_OK ? k : NULL;
}

/* ---- draws ---- */

static void find_smooth(gb_covariance *k)
{
    k->variance = gb_square(gb_model_value(k->site, k->amplitude));
    k->inverse_length = gb_reciprocal(gb_model_value(k->site, k->length));
}

static void find_periodic(gb_covariance *k)
{
    const gb_model_site *const s = k->site;
    const double period = k->options.period;
    if (k->options.period_spread > 0)
        k->learned_period = gb_scale(gb_model_value(s, k->period), period);
    k->wave_variance = gb_square(gb_model_value(s, k->wave));
    k->wave_factor = gb_scale(gb_reciprocal(gb_square(gb_model_value(s, k->wave_length))), -2);
    k->angle = gb_div(gb_num(s->tape, GB_PI * s->sd[0]),
                      gb_node_ok(k->learned_period) ? k->learned_period : gb_num(s->tape, period));
}

/* The draws are read at the first use. */
static bool find(gb_covariance *k)
{
    if (!k || gb_error(k->site->tape) != GB_OK)
        return false;
    if (k->is_smooth && !gb_node_ok(k->variance))
        find_smooth(k);
    if (k->is_periodic && !gb_node_ok(k->angle))
        find_periodic(k);
    return gb_error(k->site->tape) == GB_OK;
}

static void show_lengths(const gb_covariance *k, gb_node length)
{
    const gb_model_site *const s = k->site;
    char name[160];
    for (int64_t i = 0; i < s->columns; i++) {
        snprintf(name, sizeof name, "length[%.100s]", s->column[i]);
        gb_model_show(k->site, name, gb_scale(gb_at(length, i), s->sd[i]));
    }
}

void gb_covariance_show(gb_covariance *k, double unit)
{
    if (!find(k))
        return;
    gb_model_site *const s = k->site;
    if (k->is_smooth) {
        gb_model_show(s, "amplitude", gb_scale(gb_model_value(s, k->amplitude), unit));
        show_lengths(k, gb_model_value(s, k->length));
    }
    if (k->is_periodic) {
        gb_model_show(s, "amplitude.periodic", gb_scale(gb_model_value(s, k->wave), unit));
        gb_model_show(s, "length.periodic", gb_model_value(s, k->wave_length));
        gb_model_show(s, "period", k->learned_period);
    }
}

/* ---- values ---- */

/* The mean has a normal prior, and is integrated out: its variance is part of every covariance. */
static gb_node of_mean(const gb_covariance *k)
{
    return gb_num(k->site->tape, k->options.mean_scale * k->options.mean_scale);
}

gb_node gb_covariance_of(gb_covariance *k, gb_node u, gb_node v)
{
    if (!find(k))
        return (gb_node){0};
    const gb_node difference = gb_sub(gb_expand(u, -2), v);
    gb_node sum = of_mean(k);
    if (k->is_smooth) {
        const gb_node squares = gb_square(gb_mul(difference, k->inverse_length));
        sum = gb_add(sum, gb_mul(k->variance, gb_exp(gb_scale(gb_sum_along(squares, gb_axis(-1)), -0.5))));
    }
    if (k->is_periodic) {
        const gb_node first = gb_squeeze(gb_slice(difference, -1, 0, 1), -1),
                      squares = gb_square(gb_sin(gb_mul(k->angle, first)));
        sum = gb_add(sum, gb_mul(k->wave_variance, gb_exp(gb_mul(k->wave_factor, squares))));
    }
    return sum;
}

gb_node gb_covariance_variance(gb_covariance *k)
{
    if (!find(k))
        return (gb_node){0};
    gb_node sum = of_mean(k);
    if (k->is_smooth)
        sum = gb_add(sum, k->variance);
    return k->is_periodic ? gb_add(sum, k->wave_variance) : sum;
}
