/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a latent may be made of, and its draw. */
#include "models/elbo/latent_impl.h"

#include "estimators/list.h"
#include "models/elbo/elbo_impl.h"

/* A type of its own, to distinguish gb_no_prior from an inert distribution. */
static const gb_dist_type none_type = {.size = sizeof(gb_dist_type), .name = "none"};
const gb_dist gb_no_prior = {.type = &none_type};

bool gb_elbo_prior_fits(gb_elbo *e, const char *name, gb_shape shape, gb_dist prior)
{
    gb_shape both;
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    if (prior.type == &none_type)
        return true;
    if (!gb_dist_ok(prior) || prior.tape != e->tape)
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: no prior of this tape was given (gb_normal(mean, scale) …, or gb_no_prior)",
                name);
    else if (!gb_shape_broadcast(shape, gb_dist_shape(prior), &both) || !gb_shape_same(both, shape))
        gb_fail(e->tape, GB_ESHAPE,
                "latent %s: the prior has shape %s, which does not broadcast to the posterior's %s; the "
                "shape of the family is that of the latent",
                name, gb_shape_text(gb_dist_shape(prior), a), gb_shape_text(shape, b));
    else
        return true;
    return false;
}

bool gb_elbo_rows_fit(gb_elbo *e, const char *name, gb_axes posterior, gb_axes prior)
{
    if (!(prior & ~posterior & GB_ROWS))
        return true;
    gb_fail(e->tape, GB_ESHAPE,
            "latent %s: the prior varies over rows, the posterior does not; a latent of each row takes "
            "gb_posterior_of(q), where q has parameters for each row",
            name);
    return false;
}

gb_node gb_elbo_draw(gb_elbo *e, const char *name, const gb_family *family, gb_dist q, gb_estimator estimator)
{
    const gb_axes axes = family->row_by_row ? GB_ROWS : 0;
    if (gb_dist_axes(q) & axes) {
        gb_fail(
            e->tape, GB_EARGUMENT,
            "latent %s: q has parameters for each row, so it is drawn for each row; leave gb_row_by_row out",
            name);
        return (gb_node){0};
    }
    e->has_draw = true;
    e->drawn++;
    if (estimator.type == &gb_sleep_estimator_type) {
        e->sleepers++;
        gb_expect_has_model(e->expect);
    }
    return gb_draw_over(e->expect, name, q, axes, estimator);
}
