/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ready/shrinkage.h"

enum { Z, LOCAL, GLOBAL, SLAB };

static bool declare(gb_model_site *s, const char *name, gb_shape shape, const void *options, size_t *part)
{
    const gb_horseshoe_options *const o = options;
    const gb_node zero = gb_num(s->tape, 0), one = gb_num(s->tape, 1);
    const double half = o->slab_freedom / 2, scale = o->scale > 0 ? o->scale : 1 / sqrt(s->counted_rows);
    part[Z] = gb_model_part_of(s, name, "slopes.z", shape, gb_normal(zero, one));
    part[LOCAL] = gb_model_part_of(s, name, "slopes.local", shape, gb_half_cauchy(one));
    part[GLOBAL] =
        gb_model_part_of(s, name, "slopes.global", gb_shape(), gb_half_cauchy(gb_num(s->tape, scale)));
    part[SLAB] =
        gb_model_part_of(s, name, "slopes.slab", gb_shape(),
                         gb_inverse_gamma(gb_num(s->tape, half), gb_num(s->tape, half * o->slab * o->slab)));
    return gb_error(s->tape) == GB_OK;
}

static gb_node value(const gb_model_site *s, gb_shape shape, const void *options, const size_t *part)
{
    (void)shape;
    (void)options;
    const gb_node spread = gb_mul(gb_model_value(s, part[LOCAL]), gb_model_value(s, part[GLOBAL])),
                  slab = gb_model_value(s, part[SLAB]);
    /* λ̃ τ = λ τ √(c² / (c² + λ² τ²)) = 1 / √(1 / (λ τ)² + 1 / c²), without squares that overflow */
    const gb_node ratio = gb_div(spread, gb_sqrt(slab));
    const gb_node held = gb_div(spread, gb_sqrt(gb_add(gb_num(s->tape, 1), gb_square(ratio))));
    return gb_mul(gb_model_value(s, part[Z]), held);
}

static const gb_option table[] = {
    GB_OPTION_NUMBER(gb_horseshoe_options, scale, 0, GB_NON_NEGATIVE, "of the global scale; 0: 1/sqrt(rows)"),
    GB_OPTION_NUMBER(gb_horseshoe_options, slab, 2.5, GB_POSITIVE, "size of coefficients that matter"),
    GB_OPTION_NUMBER(gb_horseshoe_options, slab_freedom, 4, GB_POSITIVE, "degrees of freedom of the slab"),
    {0}};

const gb_shrinkage_type gb_horseshoe_shrinkage_type = {
    .size = sizeof(gb_shrinkage_type),
    .name = "horseshoe",
    .cite = "Piironen and Vehtari 2017",
    .formula = "b = z lambda tau, cut at a slab",
    .options = table,
    .option_bytes = sizeof(gb_horseshoe_options),
    .declare = declare,
    .value = value,
    .shares_scale = true,
};

gb_shrinkage gb_horseshoe_with(const gb_horseshoe_options *options)
{
    return gb_shrinkage_of(&gb_horseshoe_shrinkage_type, options);
}
