/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/numbers/normal_measure_impl.h"

#include <math.h>

#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

/* ---- one side of a normal's derivative ---- */

static double sign_of(const gb_dist *d)
{
    return (double)d->count;
}

static gb_node side_log_prob(const gb_dist *d, gb_node x)
{
    const gb_node z = gb_scale(gb_to_standard(d, x), sign_of(d)), is_here = gb_greater(z, gb_num(d->tape, 0));
    const gb_node log_p = gb_sub(gb_sub(gb_log(z), gb_scale(gb_square(z), 0.5)), gb_log(d->param[1]));
    return gb_where(is_here, log_p, gb_where(gb_equal(z, z), gb_num(d->tape, -INFINITY), z));
}

gb_node gb_normal_side_noise(const gb_source *from)
{
    return gb_sqrt(gb_scale(gb_exponential_noise(from->noise, from->shape, from->axes), 2));
}

static gb_node side_rsample(const gb_dist *d, const gb_source *from)
{
    return gb_from_standard(d, gb_scale(gb_normal_side_noise(from), sign_of(d)));
}

static const gb_dist_type side_type = {
    .size = sizeof(gb_dist_type),
    .name = "normal_side",
    .formula = "log |x - loc| - ((x - loc) / scale)^2 / 2 - 2 log scale, on one side of loc",
    .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
    .support = GB_REAL,
    .moving_support = true,
    .log_prob = side_log_prob,
    .rsample = side_rsample,
};

gb_dist gb_normal_side(gb_node loc, gb_node scale, int sign)
{
    return gb_dist_checked((gb_dist){.type = &side_type, .param = {loc, scale}, .count = sign});
}

/* ---- Maxwell on both sides ---- */

static gb_node maxwells_log_prob(const gb_dist *d, gb_node x)
{
    const gb_node z = gb_abs(gb_to_standard(d, x));
    const gb_node log_p = gb_sub(gb_scale(gb_log(z), 2), gb_scale(gb_square(z), 0.5));
    return gb_sub(log_p, gb_shift(gb_log(d->param[1]), GB_HALF_LOG_TWO_PI));
}

/* The square of a Maxwell draw is that of a normal in three dimensions: 2 exponential + normal². */
gb_node gb_two_maxwells_noise(const gb_source *from)
{
    const gb_node of_two = gb_scale(gb_exponential_noise(from->noise, from->shape, from->axes), 2);
    const gb_node third = gb_normal_noise(from->noise, from->shape, from->axes);
    const gb_node sign = gb_rademacher_noise(from->noise, from->shape, from->axes);
    return gb_mul(sign, gb_sqrt(gb_add(of_two, gb_square(third))));
}

static gb_node maxwells_rsample(const gb_dist *d, const gb_source *from)
{
    return gb_from_standard(d, gb_two_maxwells_noise(from));
}

static const gb_dist_type maxwells_type = {
    .size = sizeof(gb_dist_type),
    .name = "two_maxwells",
    .formula = "2 log |(x - loc) / scale| - ((x - loc) / scale)^2 / 2 - log scale - log(2 pi) / 2",
    .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
    .support = GB_REAL,
    .log_prob = maxwells_log_prob,
    .rsample = maxwells_rsample,
};

gb_dist gb_two_maxwells(gb_node loc, gb_node scale)
{
    return gb_dist_of(&maxwells_type, (const gb_node[]){loc, scale});
}
