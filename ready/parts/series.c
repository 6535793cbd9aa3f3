/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/series.h"

#include "distributions/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"

gb_series gb_series_of(gb_model_site *s, gb_shrinkage prior, bool raw, size_t least)
{
    gb_series is = {
        .site = s, .centre = raw ? 0 : s->outcome_mean, .scale = raw ? 1 : s->outcome_sd, .raw = raw};
    if ((size_t)s->rows < least + s->missing)
        gb_fail(s->tape, GB_EARGUMENT, "model: series %s has %zu outcomes, and the model needs at least %zu",
                s->outcome, (size_t)s->rows - s->missing, least);
    else if (s->columns > 0)
        is.columns = gb_coefficients_new(s, .prior = prior, .raw = raw, .scale = is.scale, .centred = !raw);
    return is;
}

/* ---- latents ---- */

size_t gb_series_number(const gb_series *is, const char *name, gb_shape shape, double scale)
{
    gb_tape *const t = is->site->tape;
    return gb_model_part_of(is->site, "", name, shape, gb_normal(gb_num(t, 0), gb_num(t, scale)));
}

size_t gb_series_spread(const gb_series *is, const char *name, gb_shape shape, double scale)
{
    return gb_model_part_of(is->site, "", name, shape, gb_half_normal(gb_num(is->site->tape, scale)));
}

gb_node gb_series_scaled(const gb_series *is, gb_node x)
{
    return is->raw ? x : gb_scale(x, is->scale);
}

gb_node gb_series_place(const gb_series *is, gb_node x)
{
    return is->raw ? x : gb_shift(gb_scale(x, is->scale), is->centre);
}

/* ---- columns ---- */

static gb_node means(const gb_series *is)
{
    const gb_model_site *const s = is->site;
    return gb_constant(s->tape, gb_shape(s->columns), gb_values_of(s->mean, (size_t)s->columns));
}

gb_node gb_series_effect(const gb_series *is)
{
    if (!is->columns)
        return gb_num(is->site->tape, 0);
    return gb_coefficients_predictor(is->columns, is->raw ? is->site->x : gb_sub(is->site->x, means(is)));
}

void gb_series_show(const gb_series *is, gb_node level)
{
    if (gb_node_ok(level))
        gb_model_show(is->site, "intercept",
                      is->columns && !is->raw
                          ? gb_sub(level, gb_coefficients_predictor(is->columns, means(is)))
                          : level);
    gb_coefficients_show(is->columns, NULL);
}

gb_node gb_series_weight(const gb_series *is)
{
    const gb_model_site *const s = is->site;
    return gb_node_ok(s->weight) ? s->weight : gb_ones(s->tape, gb_shape(s->rows));
}
