/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/models/processes/kernel_impl.h"

#include <math.h>
#include <stdio.h>

#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

const char *const gb_kernel_names[] = {"rbf", "periodic", "sum", NULL};

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

static bool options_fit(const gb_kernel_parts *k)
{
    gb_tape *const t = k->site->tape;
    const char *const words =
        k->site->columns == 0 ? "a Gaussian process needs columns: \"y ~ x\""
        : k->is_periodic && !(k->options->period > 0)
            ? "a periodic kernel needs .period, a number in the units of the first column"
        : k->is_periodic && !k->is_smooth && k->site->columns > 1
            ? "a periodic kernel is one of the first column, so others need .kernel = GB_KERNEL_SUM"
            : NULL;
    return !words || gb_fail(t, GB_EARGUMENT, "gaussian_process: %s", words) == GB_OK;
}

bool gb_kernel_declare(gb_kernel_parts *k, gb_model_site *s, const gb_process_options *o)
{
    *k = (gb_kernel_parts){.site = s,
                           .options = o,
                           .is_smooth = o->kernel != GB_KERNEL_PERIODIC,
                           .is_periodic = o->kernel != GB_KERNEL_RBF};
    if (!options_fit(k))
        return false;
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
    return gb_error(s->tape) == GB_OK;
}

/* ---- draws ---- */

static void show_lengths(const gb_kernel_parts *k, gb_node length)
{
    const gb_model_site *const s = k->site;
    char name[160];
    for (int64_t i = 0; i < s->columns; i++) {
        snprintf(name, sizeof name, "length[%.100s]", s->column[i]);
        gb_model_show(k->site, name, gb_scale(gb_at(length, i), s->sd[i]));
    }
}

static void use_smooth(gb_kernel_parts *k, double unit)
{
    const gb_node amplitude = gb_model_value(k->site, k->amplitude),
                  length = gb_model_value(k->site, k->length);
    k->variance = gb_square(amplitude);
    k->inverse_length = gb_reciprocal(length);
    gb_model_show(k->site, "amplitude", gb_scale(amplitude, unit));
    show_lengths(k, length);
}

static void use_periodic(gb_kernel_parts *k, double unit)
{
    gb_model_site *const s = k->site;
    const bool is_known = !(k->options->period_spread > 0);
    const gb_node amplitude = gb_model_value(s, k->wave), length = gb_model_value(s, k->wave_length),
                  period = is_known ? gb_num(s->tape, k->options->period)
                                    : gb_scale(gb_model_value(s, k->period), k->options->period);
    k->wave_variance = gb_square(amplitude);
    k->wave_factor = gb_scale(gb_reciprocal(gb_square(length)), -2);
    k->angle = gb_div(gb_num(s->tape, GB_PI * s->sd[0]), period);
    gb_model_show(s, "amplitude.periodic", gb_scale(amplitude, unit));
    gb_model_show(s, "length.periodic", length);
    if (!is_known)
        gb_model_show(s, "period", period);
}

void gb_kernel_use(gb_kernel_parts *k, double unit)
{
    if (k->is_smooth)
        use_smooth(k, unit);
    if (k->is_periodic)
        use_periodic(k, unit);
}

/* ---- values ---- */

/* The mean has a normal prior, and is integrated out: its variance is part of every covariance. */
static gb_node of_mean(const gb_kernel_parts *k)
{
    return gb_num(k->site->tape, k->options->mean_scale * k->options->mean_scale);
}

gb_node gb_kernel_value(const gb_kernel_parts *k, gb_node difference)
{
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

gb_node gb_kernel_variance(const gb_kernel_parts *k)
{
    gb_node sum = of_mean(k);
    if (k->is_smooth)
        sum = gb_add(sum, k->variance);
    return k->is_periodic ? gb_add(sum, k->wave_variance) : sum;
}

gb_node gb_kernel_places(const gb_model_site *s, gb_node x)
{
    const size_t count = (size_t)s->columns;
    return gb_div(gb_sub(x, gb_constant(s->tape, gb_shape(s->columns), gb_values_of(s->mean, count))),
                  gb_constant(s->tape, gb_shape(s->columns), gb_values_of(s->sd, count)));
}

gb_node gb_kernel_differences(gb_node u, gb_node v)
{
    return gb_sub(gb_expand(u, 1), gb_expand(v, 0));
}
