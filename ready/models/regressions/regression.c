/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/models/regressions/regression_impl.h"

#include <math.h>

#include "distributions/list.h"
#include "ops/elementwise.h"

gb_coefficients *gb_regression_coefficients(gb_model_site *s, const void *options,
                                            gb_coefficients_options more)
{
    const gb_regression_options *const o = options;
    more.size = sizeof more;
    more.prior = o->prior;
    more.intercept_scale = o->intercept_scale;
    more.group_scale = o->group_scale;
    more.raw = o->raw;
    return gb_coefficients_new_with(s, &more);
}

size_t gb_regression_sigma(gb_model_site *s, double scale)
{
    return gb_model_part(s,
                         (gb_latent_part){.name = "sigma", .prior = gb_half_normal(gb_num(s->tape, scale))});
}

gb_node gb_regression_sigma_value(const gb_model_site *s, size_t part, bool raw)
{
    const gb_node sigma = gb_model_value(s, part);
    return raw ? sigma : gb_mul(gb_num(s->tape, s->outcome_sd), sigma);
}

double gb_log_of_mean(const gb_model_site *s)
{
    /* Half a count in all rows stands for none. */
    const double mean = s->outcome_mean;
    return log(mean > 0 ? mean : 0.5 / s->counted_rows);
}
