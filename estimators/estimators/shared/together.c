/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/shared/together_impl.h"

#include "estimators/estimators/shared/standard_impl.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

const char *const gb_draws_choices[] = {"independent", "antithetic", "sobol", NULL};

gb_node gb_site_drawn_together(const gb_site *site, gb_draws draws)
{
    const gb_dist *const q = &site->q;
    const bool of_normals = gb_is_of_normals(q);
    const gb_shape shape = of_normals ? gb_shape_of_normals(q) : gb_dist_shape(*q);
    const gb_node u = draws == GB_SOBOL ? gb_sobol_noise(site->noise, shape, site->axes)
                                        : gb_antithetic_noise(site->noise, shape, site->axes);
    return of_normals ? gb_draw_of_normals(q, gb_ndtri(u)) : gb_icdf(*q, u);
}

const char *gb_draws_lack(const gb_dist *q, gb_draws draws)
{
    return draws == GB_INDEPENDENT || gb_is_of_normals(q) || gb_dist_can(*q, GB_CAN_ICDF)
               ? NULL
               : "quantile function in closed form, for antithetic or Sobol draws";
}

/* A cost that mixes samples has a different mean if the samples depend on each other. */
unsigned gb_draws_need(gb_draws draws)
{
    if (draws == GB_INDEPENDENT)
        return 0;
    return GB_NEEDS_SEPARATE_SAMPLES | GB_JOINS_SAMPLES | (draws == GB_ANTITHETIC ? GB_JOINS_PAIRS : 0);
}
