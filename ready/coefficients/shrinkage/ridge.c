/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ready/shrinkage.h"

enum { Z, SPREAD };

static bool declare(gb_model_site *s, const char *name, gb_shape shape, const void *options, size_t *part)
{
    const gb_ridge_options *const o = options;
    const gb_node zero = gb_num(s->tape, 0), one = gb_num(s->tape, 1);
    part[Z] = gb_model_part_of(s, name, "slopes.z", shape, gb_normal(zero, one));
    part[SPREAD] =
        gb_model_part_of(s, name, "slopes.scale", gb_shape(), gb_half_normal(gb_num(s->tape, o->scale)));
    return gb_error(s->tape) == GB_OK;
}

static gb_node value(const gb_model_site *s, gb_shape shape, const void *options, const size_t *part)
{
    (void)shape;
    (void)options;
    return gb_mul(gb_model_value(s, part[Z]), gb_model_value(s, part[SPREAD]));
}

static const gb_option table[] = {
    GB_OPTION_NUMBER(gb_ridge_options, scale, 1, GB_POSITIVE, "of the half-normal prior of the spread"), {0}};

const gb_shrinkage_type gb_ridge_shrinkage_type = {
    .size = sizeof(gb_shrinkage_type),
    .name = "ridge",
    .cite = "Hoerl and Kennard 1970",
    .formula = "b ~ N(0, tau^2), tau ~ half-normal(scale)",
    .options = table,
    .option_bytes = sizeof(gb_ridge_options),
    .declare = declare,
    .value = value,
    .shares_scale = true,
};

gb_shrinkage gb_ridge_with(const gb_ridge_options *options)
{
    return gb_shrinkage_of(&gb_ridge_shrinkage_type, options);
}
