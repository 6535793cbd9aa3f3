/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/model.h"

#include <math.h>

#include "distributions/list.h"
#include "distributions/transforms.h"
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

/* s = exp(−log(1/s²) / 2). */
gb_dist gb_model_sd_prior(const gb_model_site *s, double scale, double floor)
{
    gb_tape *const t = s->tape;
    const gb_dist precision =
        gb_inverse_gaussian(gb_num(t, 1 / (scale * floor)), gb_num(t, 1 / (scale * scale)));
    const gb_transform log = gb_inverted_transform(gb_exponential_transform(t)),
                       half = gb_affine_transform(gb_num(t, 0), gb_num(t, -0.5));
    return gb_transformed(
        precision, gb_composed_transform(gb_exponential_transform(t), gb_composed_transform(half, log)));
}

double gb_model_log_mean(const gb_model_site *s)
{
    return log(s->outcome_mean > 0 ? s->outcome_mean : 0.5 / s->counted_rows);
}
