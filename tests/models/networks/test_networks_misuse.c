/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lazy latents and layers reject, and in which words. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "models/networks.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/misuse.h"

static gb_dist unit(gb_tape *t)
{
    return gb_normal(gb_num(t, 0), gb_num(t, 1));
}

static gb_elbo *elbo(world *w)
{
    return gb_elbo_new(w->t, .data_size = 10);
}

/* x of two numbers for each row. */
static gb_node x(world *w)
{
    return gb_input_rows(w->t, "x", gb_shape(2));
}

static gb_lazy *weights(gb_elbo *e, gb_tape *t, gb_family family, gb_estimator how)
{
    return gb_latent_lazy(e, "w", family, unit(t), how);
}

static gb_family normals(void)
{
    return gb_mean_field(gb_shape(2, 3), .spread = 1);
}

/* ---- one use ---- */

MISUSE_BY(a_second_layer_with_a_site_of_its_own, GB_EARGUMENT,
          "latent w: a second use is rejected, since a layer with a site of its own uses it already")
{
    gb_lazy *const l = weights(elbo(w), w->t, normals(), gb_pathwise());
    const gb_node at = x(w);
    assert_true(gb_node_ok(gb_lazy_affine(at, l, NULL, GB_NOISE_LOCAL)));
    assert_false(gb_node_ok(gb_lazy_affine(at, l, NULL, GB_NOISE_LOCAL)));
}

MISUSE_BY(a_draw_beside_a_layer, GB_EARGUMENT, "a layer with a site of its own uses it already")
{
    gb_lazy *const l = weights(elbo(w), w->t, normals(), gb_pathwise());
    assert_true(gb_node_ok(gb_lazy_affine(x(w), l, NULL, GB_NOISE_FLIPOUT)));
    assert_false(gb_node_ok(gb_lazy_draw(l)));
}

MISUSE_BY(a_layer_beside_a_draw, GB_EARGUMENT,
          "since one draw for all rows is in use already, and the uses would differ; with GB_NOISE_SHARED")
{
    gb_lazy *const l = weights(elbo(w), w->t, normals(), gb_pathwise());
    assert_true(gb_node_ok(gb_lazy_draw(l)) && gb_node_same(gb_lazy_draw(l), l->value));
    assert_false(gb_node_ok(gb_lazy_affine(x(w), l, NULL, GB_NOISE_LOCAL)));
}

MISUSE_BY(rows_beside_a_draw, GB_EARGUMENT, "since draws for each row are in use already")
{
    gb_lazy *const l = weights(elbo(w), w->t, normals(), gb_pathwise());
    assert_true(gb_node_ok(gb_lazy_draw_rows(l)));
    assert_false(gb_node_ok(gb_lazy_draw(l)));
}

MISUSE_BY(no_use, GB_EARGUMENT, "elbo: latent w was made by gb_latent_lazy, and no layer uses it")
{
    gb_elbo *const e = elbo(w);
    weights(e, w->t, normals(), gb_pathwise());
    assert_false(gb_node_ok(gb_elbo_loss(e)));
}

MISUSE_BY(a_draw_aside_without_a_layer, GB_EARGUMENT, "no layer uses it")
{
    gb_elbo *const e = elbo(w);
    gb_lazy_draw_aside(weights(e, w->t, normals(), gb_pathwise()), false);
    assert_false(gb_node_ok(gb_elbo_loss(e)));
}

MISUSE_BY(a_lazy_latent_after_the_loss, GB_EARGUMENT, "latent v: the ELBO is complete")
{
    gb_elbo *const e = elbo(w);
    gb_lazy_draw(weights(e, w->t, normals(), gb_pathwise()));
    assert_true(gb_node_ok(gb_elbo_loss(e)));
    assert_null(gb_latent_lazy(e, "v", normals(), unit(w->t), gb_pathwise()));
}

MISUSE_BY(a_name_twice, GB_ENAME, "latent w: that is the name of a latent of this ELBO already")
{
    gb_elbo *const e = elbo(w);
    assert_non_null(weights(e, w->t, normals(), gb_pathwise()));
    assert_null(weights(e, w->t, normals(), gb_pathwise()));
}

/* ---- what does not fit ---- */

MISUSE(sticking_the_landing_of_rows, GB_EARGUMENT,
       "latent w: its estimator needs log q of the draw that the layer uses, and there is none; take "
       "GB_NOISE_SHARED",
       gb_lazy_affine(x(w), weights(elbo(w), w->t, normals(), gb_sticking_the_landing()), NULL,
                      GB_NOISE_LOCAL))

MISUSE(sticking_the_landing_of_flipout, GB_EARGUMENT, "latent w: its estimator needs log q",
       gb_lazy_affine(x(w), weights(elbo(w), w->t, normals(), gb_sticking_the_landing()), NULL,
                      GB_NOISE_FLIPOUT))

MISUSE(an_estimator_that_normals_lack, GB_EARGUMENT, "draw w.local: arm needs a",
       gb_lazy_affine(x(w), weights(elbo(w), w->t, normals(), gb_arm()), NULL, GB_NOISE_LOCAL))

static gb_node under_another_bound(world *w, gb_noise_sharing noise)
{
    gb_elbo *const e = gb_elbo_new(w->t, .data_size = 10, .bound = gb_iwae(.draws = 3));
    return gb_lazy_affine(x(w), weights(e, w->t, normals(), gb_pathwise()), NULL, noise);
}

MISUSE(local_noise_under_another_bound, GB_EARGUMENT,
       "latent w: the bound needs log p - log q of one draw for all rows; take GB_NOISE_SHARED",
       under_another_bound(w, GB_NOISE_LOCAL))
MISUSE(flipout_under_another_bound, GB_EARGUMENT, "the bound needs log p",
       under_another_bound(w, GB_NOISE_FLIPOUT))
MISUSE(rows_under_another_bound, GB_EARGUMENT, "the bound needs log p",
       under_another_bound(w, GB_NOISE_WEIGHTS))

MISUSE_BY(a_latent_by_row_under_another_bound, GB_EARGUMENT,
          "latent w: the bound iwae needs log p - log q of one draw for all rows, and there is one for each")
{
    gb_elbo *const e = gb_elbo_new(w->t, .data_size = 10, .bound = gb_iwae(.draws = 3));
    assert_false(gb_node_ok(gb_latent(e, "w", gb_row_by_row(normals()), unit(w->t), gb_pathwise())));
}

TEST(shared_noise_fits_any_bound)
{
    world w = {.t = t};
    assert_true(gb_node_ok(under_another_bound(&w, GB_NOISE_SHARED)));
}

MISUSE(
    local_noise_of_dependent_weights, GB_EARGUMENT,
    "layer w: GB_NOISE_LOCAL needs independent normal weights, or gb_unit_dropout; GB_NOISE_SHARED takes any",
    gb_lazy_affine(x(w), weights(elbo(w), w->t, gb_full_rank(gb_shape(2, 3)), gb_pathwise()), NULL,
                   GB_NOISE_LOCAL))

MISUSE(flipout_of_dependent_weights, GB_EARGUMENT,
       "layer w: GB_NOISE_FLIPOUT needs independent weights that are symmetric around a point",
       gb_lazy_affine(x(w), weights(elbo(w), w->t, gb_full_rank(gb_shape(2, 3)), gb_pathwise()), NULL,
                      GB_NOISE_FLIPOUT))

MISUSE(local_noise_of_masks_of_weights, GB_EARGUMENT, "GB_NOISE_LOCAL needs independent normal weights",
       gb_lazy_affine(x(w),
                      weights(elbo(w), w->t, gb_dropout_posterior(gb_shape(2, 3), .keep = 0.9),
                              gb_pathwise()),
                      NULL, GB_NOISE_LOCAL))

MISUSE(local_noise_of_a_family_by_row, GB_EARGUMENT,
       "latent w: its family is to draw for each row (gb_row_by_row), and the layer draws something else",
       gb_lazy_affine(x(w), weights(elbo(w), w->t, gb_row_by_row(normals()), gb_pathwise()), NULL,
                      GB_NOISE_LOCAL))

MISUSE(local_noise_of_several_vectors, GB_EARGUMENT,
       "layer w: GB_NOISE_LOCAL needs one vector for each row, and x has several",
       gb_lazy_affine(gb_input_rows(w->t, "x", gb_shape(4, 2)),
                      weights(elbo(w), w->t, normals(), gb_pathwise()), NULL, GB_NOISE_LOCAL))

MISUSE(noise_of_no_number, GB_EARGUMENT, "layer w: there is no noise number 9",
       gb_lazy_affine(x(w), weights(elbo(w), w->t, normals(), gb_pathwise()), NULL, (gb_noise_sharing)9))

MISUSE(weights_of_another_width, GB_ESHAPE,
       "layer w: the weights have shape (2×3) and what enters (3); these must be (n, k) and (…, n)",
       gb_lazy_affine(w->vector, weights(elbo(w), w->t, normals(), gb_pathwise()), NULL, GB_NOISE_SHARED))

MISUSE_BY(a_bias_of_another_width, GB_ESHAPE, "layer w: the bias b has shape (2), and must have (3)")
{
    gb_elbo *const e = elbo(w);
    gb_lazy *const b = gb_latent_lazy(e, "b", gb_mean_field(gb_shape(2)), unit(w->t), gb_pathwise());
    assert_false(
        gb_node_ok(gb_lazy_affine(x(w), weights(e, w->t, normals(), gb_pathwise()), b, GB_NOISE_SHARED)));
}

MISUSE_BY(a_bias_of_another_elbo, GB_EARGUMENT, "layer w: the bias b is of another ELBO")
{
    gb_lazy *const b = gb_latent_lazy(elbo(w), "b", gb_mean_field(gb_shape(3)), unit(w->t), gb_pathwise());
    assert_false(gb_node_ok(
        gb_lazy_affine(x(w), weights(elbo(w), w->t, normals(), gb_pathwise()), b, GB_NOISE_SHARED)));
}

/* ---- rows that depend on each other ---- */

static void observe_a_sum_of_rows(world *w, gb_noise_sharing noise)
{
    gb_elbo *const e = elbo(w);
    const gb_node f = gb_dense(e, "h", x(w), 1, .noise = noise);
    const gb_node centred = gb_sub(f, gb_mean_over(f, GB_ROWS));
    gb_observe(e, "y", gb_normal(centred, gb_num(w->t, 1)), gb_input_rows(w->t, "y", gb_shape(1)));
    assert_false(gb_node_ok(gb_elbo_loss(e)));
}

#define ROWS_DEPEND(name, noise)                                                                             \
    MISUSE_BY(name, GB_EARGUMENT, "which needs a sum over rows that do not depend on each other's draws")    \
    {                                                                                                        \
        observe_a_sum_of_rows(w, noise);                                                                     \
    }
ROWS_DEPEND(local_noise_of_rows_that_depend, GB_NOISE_LOCAL)
ROWS_DEPEND(flipout_of_rows_that_depend, GB_NOISE_FLIPOUT)
ROWS_DEPEND(draws_of_rows_that_depend, GB_NOISE_WEIGHTS)

TEST(shared_noise_allows_rows_that_depend)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 10);
    const gb_node f = gb_dense(e, "h", gb_input_rows(t, "x", gb_shape(2)), 1);
    gb_observe(e, "y", gb_normal(gb_sub(f, gb_mean_over(f, GB_ROWS)), gb_num(t, 1)),
               gb_input_rows(t, "y", gb_shape(1)));
    assert_true(gb_node_ok(gb_elbo_loss(e)));
}

MISUSE_BY(masks_of_rows_that_depend, GB_EARGUMENT, "elbo: latent mask has noise of its own in each row")
{
    gb_elbo *const e = elbo(w);
    const gb_node f = gb_dropout(e, "mask", x(w), 0.5, false);
    gb_observe(e, "y", gb_normal(gb_sub(f, gb_mean_over(f, GB_ROWS)), gb_num(w->t, 1)),
               gb_input_rows(w->t, "y", gb_shape(2)));
    assert_false(gb_node_ok(gb_elbo_loss(e)));
}

/* ---- a layer of one's own ---- */

MISUSE_BY(a_layer_of_another_shape, GB_ESHAPE,
          "stand_in w: it has shape (2), and with one draw for all rows (2×3); both must be the same")
{
    gb_lazy *const l = weights(elbo(w), w->t, normals(), gb_pathwise());
    const gb_node aside = gb_lazy_draw_aside(l, false);
    assert_false(gb_node_ok(gb_lazy_replace(1, &l, x(w), aside)));
}

MISUSE_BY(a_layer_of_nothing, GB_ENODE, "stand_in w: it is not a usable node of the ELBO's tape")
{
    gb_lazy *const l = weights(elbo(w), w->t, normals(), gb_pathwise());
    assert_false(gb_node_ok(gb_lazy_replace(1, &l, w->foreign, gb_lazy_draw_aside(l, false))));
}

MISUSE_BY(a_layer_without_a_draw_aside, GB_EARGUMENT,
          "lazy_replace: latent w must have been drawn by gb_lazy_draw")
{
    gb_lazy *const l = weights(elbo(w), w->t, normals(), gb_pathwise());
    const gb_node drawn = gb_lazy_draw(l);
    assert_false(gb_node_ok(gb_lazy_replace(1, &l, drawn, drawn)));
}

/* ---- layers ---- */

MISUSE(a_layer_without_a_name, GB_ENAME, "dense: a name is required", gb_dense(elbo(w), NULL, x(w), 3))
MISUSE(a_layer_without_units, GB_ESHAPE, "dense h: 0 units were asked for", gb_dense(elbo(w), "h", x(w), 0))
MISUSE(a_layer_of_a_number, GB_ESHAPE,
       "dense h: what enters has shape (), and must have a last axis of inputs",
       gb_dense(elbo(w), "h", w->scalar, 3))
MISUSE(an_unknown_activation, GB_ENAME, "activate: there is no activation rellu; did you mean relu?",
       gb_dense(elbo(w), "h", x(w), 3, .activation = "rellu"))
MISUSE(no_activation, GB_ENAME, "activate: there is no activation (NULL) (gb_activations lists all)",
       gb_activate(w->vector, NULL))
MISUSE(a_posterior_of_another_shape, GB_ESHAPE,
       "dense h: .posterior has the shape (3×3), but the layer needs (2×3); gb_shape() takes what there is",
       gb_dense(elbo(w), "h", x(w), 3, .posterior = gb_mean_field(gb_shape(3, 3))))
MISUSE(dropout_of_everything, GB_EARGUMENT, "dense h: .dropout is 1, and must be from 0 to below 1",
       gb_dense(elbo(w), "h", x(w), 3, .dropout = 1))
MISUSE(a_rate_without_a_term, GB_EARGUMENT,
       "dense h: .learned_dropout needs a rate to start from (.dropout), and no "
       ".posterior",
       gb_dense(elbo(w), "h", x(w), 3, .dropout = 0.1, .learned_dropout = true,
                .posterior = gb_point(gb_shape())))
MISUSE(dropout_twice, GB_EARGUMENT, "dense h: .dropout and a .posterior of dropout would drop twice",
       gb_dense(elbo(w), "h", x(w), 3, .dropout = 0.1,
                .posterior = gb_dropout_posterior(gb_shape(), .keep = 0.9)))
MISUSE(a_mask_of_a_fixed_rate, GB_EARGUMENT, "dense h: .mask is for .learned_dropout",
       gb_dense(elbo(w), "h", x(w), 3, .dropout = 0.1, .mask = gb_arm()))
MISUSE(a_prior_of_no_bias, GB_EARGUMENT, "dense h: with .no_bias there is no bias",
       gb_dense(elbo(w), "h", x(w), 3, .no_bias = true, .bias_prior = unit(w->t)))
MISUSE(a_perceptron_without_a_name, GB_ENAME, "mlp: a name is required",
       gb_mlp(elbo(w), "", x(w), gb_widths(3)))
MISUSE(a_perceptron_without_widths, GB_EARGUMENT, "mlp net: no widths were given: gb_widths(50, 50, 1)",
       gb_mlp(elbo(w), "net", x(w), gb_widths_of(0, NULL)))
MISUSE(a_norm_of_a_number, GB_ESHAPE, "layer_norm: a number has no axis to normalise over",
       gb_layer_norm(w->scalar))
MISUSE(a_norm_of_one_unit, GB_ESHAPE,
       "layer_norm: the last axis has one number, and that less its mean is always 0",
       gb_mlp(elbo(w), "net", x(w), gb_widths(1, 1), .layer_norm = true))
MISUSE(dropout_between_layers_of_a_single_one, GB_EARGUMENT,
       "mlp net: .dropout is 0.5, of what enters all layers but the first, and there is one layer; "
       ".input_dropout is of what enters that",
       gb_mlp(elbo(w), "net", x(w), gb_widths(3), .dropout = 0.5))
MISUSE(rates_of_other_layers, GB_EARGUMENT,
       "mlp net: .dropouts has 1 rates, in place of .dropout; 3 layers need 2, one for each but the first",
       gb_mlp(elbo(w), "net", x(w), gb_widths(3, 3, 1), .dropouts = gb_rates(0.1)))
MISUSE(rates_beside_a_rate, GB_EARGUMENT, "mlp net: .dropouts has 1 rates, in place of .dropout",
       gb_mlp(elbo(w), "net", x(w), gb_widths(3, 1), .dropout = 0.1, .dropouts = gb_rates(0.1)))
MISUSE(a_rate_below_0, GB_EARGUMENT, "dropout m: the rate is -1, and must be from 0 to below 1",
       gb_dropout(elbo(w), "m", w->vector, -1, false))
MISUSE(units_of_a_number, GB_ESHAPE, "dropout m: a number has no axis of units",
       gb_dropout(elbo(w), "m", w->scalar, 0.5, false))
MISUSE(a_layer_on_another_tape, GB_ENODE, "dense: what enters is of another tape than the ELBO",
       gb_dense(elbo(w), "h", w->foreign, 3))
MISUSE(a_perceptron_on_another_tape, GB_ENODE, "mlp: what enters is of another tape than the ELBO",
       gb_mlp(elbo(w), "net", w->foreign, gb_widths(3)))
MISUSE(dropout_on_another_tape, GB_ENODE, "dropout: what enters is of another tape than the ELBO",
       gb_dropout(elbo(w), "m", w->foreign, 0.5, false))
MISUSE(a_whole_function_on_another_tape, GB_ENODE, "elbo_whole: what enters is of another tape than the ELBO",
       gb_elbo_whole(elbo(w), w->foreign))
MISUSE(a_head_of_three, GB_ESHAPE, "head: the network has outputs (3), and must have two for each number",
       gb_head_of(w->vector, 0.1).mean)
MISUSE(a_head_that_may_vanish, GB_EARGUMENT, "head: the least scale is 0, and must be positive",
       gb_head_of(w->input, 0).mean)
MISUSE(an_ensemble_of_none, GB_EARGUMENT, "ensemble: members is 0",
       gb_dense(elbo(w), "h", x(w), 3, .posterior = gb_ensemble(gb_shape())))
MISUSE(an_ensemble_of_a_half, GB_EARGUMENT, "ensemble: members is 2.5, and must be a whole number above 0",
       gb_dense(elbo(w), "h", x(w), 3, .posterior = gb_ensemble(gb_shape(), .members = 2.5)))

/* A NULL ELBO or latent means that an earlier call failed: nothing is recorded. */
TEST(nothing_comes_of_nothing)
{
    const gb_node at = gb_variable(t, "x", gb_shape(2), gb_fill(1));
    assert_null(gb_latent_lazy(NULL, "w", normals(), unit(t), gb_pathwise()));
    assert_false(
        gb_node_ok(gb_lazy_draw(NULL)) || gb_node_ok(gb_lazy_draw_rows(NULL)) ||
        gb_node_ok(gb_lazy_draw_aside(NULL, false)) || gb_node_ok(gb_lazy_site(NULL, "s", unit(t), 0)) ||
        gb_node_ok(gb_lazy_affine(at, NULL, NULL, GB_NOISE_LOCAL)) ||
        gb_node_ok(gb_lazy_replace(1, (gb_lazy *[]){NULL}, at, at)) ||
        gb_node_ok(gb_lazy_replace(0, NULL, at, at)) || gb_node_ok(gb_elbo_stand_in(NULL, "x", at, at)) ||
        gb_node_ok(gb_elbo_whole(NULL, at)) || gb_node_ok(gb_dense(NULL, "h", at, 1)) ||
        gb_node_ok(gb_mlp(NULL, "h", at, gb_widths(1))) || gb_node_ok(gb_dropout(NULL, "m", at, 0.5, false)));
    assert_fine(t);
}
