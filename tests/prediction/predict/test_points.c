/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions of points are as sure as if the points were known, and say so. */
#include "support/close.h"

#include "fitting/nuts.h"
#include "models/networks.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "prediction/predicted.h"

/* y ~ N(a + b, 1). */
static gb_elbo *model(gb_tape *t, gb_family a, gb_family b)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .samples = 2);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    const gb_node first = gb_latent(e, "a", a, gb_normal(zero, one), gb_pathwise()),
                  second = gb_latent(e, "b", b, gb_normal(zero, one), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_named(gb_add(first, second), "sum"), one), one);
    return e;
}

static bool says(gb_prediction *p, gb_tape *t)
{
    const bool does = strstr(predicted(p, t)->words, "all latents are points (such as ");
    gb_prediction_free(p);
    return does;
}

TEST(predictions_of_points_say_what_their_spread_lacks)
{
    gb_elbo *e = model(t, gb_point(gb_shape()), gb_point(gb_shape()));
    gb_nuts *n = gb_sample_nuts(e);
    assert_true(says(gb_predictive(e, "y"), t));
    assert_true(says(gb_predictive_node(e, gb_elbo_posterior_mean(e, "a")), t));
    assert_false(says(gb_predictive(e, "y", .nuts = n), t));
    gb_nuts_free(n);
}

/* The masks are drawn, so the epistemic part is that of MC dropout. */
TEST(masks_of_points_are_spread)
{
    const gb_node x = gb_constant(t, gb_shape(3, 2), GB_VALUES(1, 2, -1, 0.5, 3, 1));
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node f = gb_dense(e, "net", x, 1, .dropout = 0.2, .posterior = gb_point(gb_shape()));
    gb_observe(e, "y", gb_normal(f, gb_num(t, 1)), gb_zeros(t, gb_shape(3, 1)));
    gb_prediction *const p = gb_predictive(e, "y", .draws = 50);
    assert_true(predicted(p, t)->epistemic[0] > 0);
    assert_false(says(p, t));
    assert_true(says(gb_predictive_node(e, gb_elbo_posterior_mean(e, "net.weight")), t));
}

TEST(spread_of_some_latents_is_spread)
{
    gb_tape *const other = test_tape();
    const gb_family ensemble = gb_ensemble(gb_shape(), .members = 2);
    assert_false(says(gb_predictive(model(t, gb_point(gb_shape()), gb_mean_field(gb_shape())), "y"), t));
    assert_false(says(gb_predictive(model(other, ensemble, ensemble), "y"), other));
}
