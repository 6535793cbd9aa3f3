/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posteriors with a q that is planted, not fitted. Include support/close.h first. */
#ifndef GREBE_TESTS_PLANTED_H
#define GREBE_TESTS_PLANTED_H

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/judge.h"
#include "models/elbo/elbo_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* How q is given: as a family, whose gradient is looked at too, or as a distribution, which has weights
 * alone. */
typedef enum planted_form { PLANTED_FAMILY, PLANTED_GIVEN } planted_form;

static inline gb_family planted_q(gb_tape *t, planted_form form, int64_t n, const double *mean,
                                  const double *sd)
{
    const gb_node location = gb_constant(t, gb_shape(n), gb_values_of(mean, (size_t)n));
    if (form == PLANTED_GIVEN)
        return gb_posterior_of(gb_normal(location, gb_constant(t, gb_shape(n), gb_values_of(sd, (size_t)n))));
    return gb_mean_field(gb_shape(n), .locations = location, .scale = sd[0]);
}

/* An ELBO whose log p is the standard normal, of `n` numbers, with the q N(off, sd²) for each. */
static inline gb_elbo *planted_normal(gb_tape *t, planted_form form, int64_t n, double off, double scale)
{
    double mean[64], sd[64];
    for (int64_t i = 0; i < n; i++)
        mean[i] = off, sd[i] = scale;
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", planted_q(t, form, n, mean, sd), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    return e;
}

/* Two standard normals, of weights 1/2, whose means are the vectors ± centre; q is the one at + centre. */
static inline gb_elbo *planted_at(gb_tape *t, planted_form form, int64_t n, const double *centre)
{
    double sd[64];
    for (int64_t i = 0; i < n; i++)
        sd[i] = 1;
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_dist flat = gb_no_prior;
    const gb_node w = gb_latent(e, "w", planted_q(t, form, n, centre, sd), flat, gb_pathwise());
    const gb_node along =
        gb_abs(gb_sum(gb_mul(w, gb_constant(t, gb_shape(n), gb_values_of(centre, (size_t)n)))));
    /* log N(x; a, 1) + log N(x; −a, 1) as one: −x²/2 + log cosh(a x), up to a constant. */
    gb_factor(e, "p", gb_scale(gb_sum(gb_square(w)), -0.5));
    gb_factor(e, "two", gb_add(along, gb_softplus(gb_scale(along, -2))));
    return e;
}

/* They are `apart` along the first number. */
static inline gb_elbo *planted_modes(gb_tape *t, planted_form form, int64_t n, double apart)
{
    const double centre[64] = {apart / 2};
    return planted_at(t, form, n, centre);
}

static inline gb_judgement *judged(gb_judgement *j, const gb_tape *t)
{
    if (!j)
        fail_msg("%s", gb_error_text(t));
    return j;
}

#endif
