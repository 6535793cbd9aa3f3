/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/model.h"

#include <math.h>

#include "distributions/list.h"
#include "ops/elementwise.h"

size_t gb_model_sigma(gb_model_site *s, double scale)
{
    return gb_model_part_of(s, "", "sigma", gb_shape(), gb_half_normal(gb_num(s->tape, scale)));
}

gb_node gb_model_sigma_value(const gb_model_site *s, size_t part, bool raw)
{
    const gb_node sigma = gb_model_value(s, part);
    return raw ? sigma : gb_mul(gb_num(s->tape, s->outcome_sd), sigma);
}

gb_dist gb_model_precision_prior(const gb_model_site *s, double scale, double floor)
{
    return gb_inverse_gaussian(gb_num(s->tape, 1 / (scale * floor)), gb_num(s->tape, 1 / (scale * scale)));
}

double gb_model_log_mean(const gb_model_site *s)
{
    return log(s->outcome_mean > 0 ? s->outcome_mean : 0.5 / s->counted_rows);
}
