/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "distributions/list.h"
#include "models/family.h"
#include "ops/elementwise.h"

/* x with softplus(x) = y, for y > 0; does not overflow. */
static double inverse_softplus(double y)
{
    return y + log(-expm1(-y));
}

static gb_dist posterior(const gb_family *family, gb_tape *tape, const char *name)
{
    const gb_mean_field_options *const options = gb_family_options(family);
    const double scale = options->scale == 0 ? 0.1 : options->scale;
    if (!isfinite(options->location) || !gb_domain_holds(GB_POSITIVE, scale)) {
        gb_fail(tape, GB_EARGUMENT,
                "mean_field %s: starts at location %g, which must be finite, and scale %g, which must be %s",
                name, options->location, scale, GB_POSITIVE->must_be);
        return (gb_dist){0};
    }
    const gb_node location = gb_part_variable(tape, name, "location", family->shape, options->location);
    const gb_node raw = gb_part_variable(tape, name, "raw_scale", family->shape, inverse_softplus(scale));
    return gb_normal(location, gb_softplus(raw));
}

const gb_family_type gb_mean_field_type = {
    .size = sizeof(gb_family_type),
    .name = "mean_field",
    .formula = "independent normals",
    .posterior = posterior,
};

gb_family gb_mean_field_with(gb_mean_field_options options)
{
    return gb_family_of(&gb_mean_field_type, options.shape, &options, sizeof options);
}
