/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pathwise draws that are made together: antithetic pairs and Sobol points. Each has the law of the
 * distribution, and their mean is known better. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "estimators/moments.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const double MU = 0.6, SIGMA = 0.8;

typedef struct drawn {
    gb_tape *t;
    gb_expect *e;
    gb_node mu, sigma, z;
} drawn;

typedef gb_dist law(gb_node mu, gb_node sigma);

static drawn drawn_by(gb_estimator estimator, law *q, int samples, uint64_t seed)
{
    drawn d = {.t = test_tape(.seed = seed, .samples = samples)};
    d.e = gb_expect_new(d.t);
    d.mu = gb_variable(d.t, "mu", gb_shape(), gb_fill(MU));
    d.sigma = gb_variable(d.t, "sigma", gb_shape(), gb_fill(SIGMA));
    d.z = gb_draw(d.e, "z", q(d.mu, d.sigma), estimator);
    return d;
}

/* ---- the noise ---- */

TEST(pairs_of_uniforms_add_up_to_one)
{
    for (int real = 0; real < 2; real++) {
        double u[5 * 6];
        gb_tape *const tape = test_tape(.seed = 3, .samples = 5, .real = real ? GB_FLOAT : GB_DOUBLE);
        const gb_node x = gb_antithetic_noise(gb_stream(tape, "u"), gb_shape(2, 3), GB_SAMPLES);
        gb_program *p = gb_compile(tape, gb_roots(x), gb_no_update);
        for (int run = 0; run < 20; run++) {
            assert_int_equal(gb_run(p), GB_OK);
            assert_int_equal(gb_read(x, u, 30), GB_OK);
            for (int i = 0; i < 12; i++) {
                const int at = i < 6 ? i : 6 + i;
                assert_true(u[at] > 0 && u[at] < 1 && u[at] + u[at + 6] == 1);
            }
            assert_true(u[0] != u[12] && u[24] != u[0] && u[0] != u[1]);
        }
        gb_antithetic_noise(gb_stream(tape, "v"), gb_shape(), 0);
        assert_rejected(tape, GB_EARGUMENT, "antithetic_noise: pairs are along the samples");
    }
}

/* ---- antithetic pairs ---- */

TEST(a_linear_cost_has_no_variance_within_pairs)
{
    drawn d = drawn_by(gb_pathwise(.draws = GB_ANTITHETIC), gb_normal, 6, 4);
    const gb_node loss = gb_expected(d.e, gb_scale(d.z, 3)), of_mu = gb_grad(loss, d.mu),
                  of_sigma = gb_grad(loss, d.sigma);
    gb_program *p = gb_compile(d.t, gb_roots(d.z, loss, of_mu, of_sigma), gb_no_update);
    assert_fine(d.t);
    for (int run = 0; run < 50; run++) {
        double z[6];
        assert_int_equal(gb_run(p), GB_OK);
        assert_int_equal(gb_read(d.z, z, 6), GB_OK);
        for (int i = 0; i < 6; i += 2)
            assert_true(fabs(z[i] + z[i + 1] - 2 * MU) <= 1e-12 && fabs(z[i] - MU) > 1e-9);
        assert_true(fabs(gb_value(loss) - 3 * MU) <= 1e-12);
        assert_true(gb_value(of_mu) == 3 && fabs(gb_value(of_sigma)) <= 1e-12);
    }
}

static gb_dist exp_of_normal(gb_node mu, gb_node sigma)
{
    return gb_transformed(gb_normal(mu, sigma), gb_exponential_transform(mu.tape));
}

/* A draw and its derivatives do not depend on how the draw is made: log z = μ + σ ε. */
TEST(draws_move_with_their_parameters)
{
    law *const laws[] = {gb_lognormal, exp_of_normal};
    for (int i = 0; i < 4; i++) {
        double z;
        drawn d = drawn_by(gb_pathwise(.draws = i % 2 ? GB_SOBOL : GB_ANTITHETIC), laws[i / 2], 1, 4);
        const gb_node loss = gb_expected(d.e, d.z), of_mu = gb_grad(loss, d.mu),
                      of_sigma = gb_grad(loss, d.sigma);
        gb_program *p = gb_compile(d.t, gb_roots(d.z, of_mu, of_sigma), gb_no_update);
        assert_fine(d.t);
        for (int run = 0; run < 20; run++) {
            assert_int_equal(gb_run(p), GB_OK);
            z = gb_value(d.z);
            assert_close(gb_value(of_mu), z, 8);
            assert_true(fabs(gb_value(of_sigma) - z * (log(z) - MU) / SIGMA) <= 1e-12 * (1 + z));
        }
    }
}

TEST(normal_vectors_are_mirrored_at_their_mean, .seed = 3, .samples = 2)
{
    double z[4];
    gb_expect *e = gb_expect_new(t);
    const gb_node loc = gb_constant(t, gb_shape(2), GB_VALUES(1, -2)),
                  root = gb_constant(t, gb_shape(2, 2), GB_VALUES(1, 0, 0.5, 2));
    const gb_node x = gb_draw(e, "x", gb_multivariate_normal(loc, root), gb_pathwise(.draws = GB_ANTITHETIC));
    gb_program *p = gb_compile(t, gb_roots(x), gb_no_update);
    assert_fine(t);
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(p), GB_OK);
        gb_read(x, z, 4);
        assert_true(fabs(z[0] + z[2] - 2) <= 1e-12 && fabs(z[1] + z[3] + 4) <= 1e-12);
    }
}

/* ---- moments ---- */

/* Of the gradient in mu of E[e^z], by `samples` draws: the mean, and the variance from run to run. */
static moments gradient_by(gb_draws draws, int samples, size_t runs)
{
    moments m;
    drawn d = drawn_by(gb_pathwise(.draws = draws), gb_normal, samples, 4);
    const gb_node g = gb_grad(gb_expected(d.e, gb_exp(d.z)), d.mu);
    gb_program *p = gb_compile(d.t, gb_roots(g), gb_no_update);
    assert_fine(d.t);
    collect(p, runs, 1, &g, &m);
    return m;
}

/* Two tests of means, one of a variance: the covariance of a pair is e^2μ − e^(2μ + σ²). */
TEST(their_mean_is_right_and_its_variance_falls)
{
    const double s2 = SIGMA * SIGMA, exact = exp(MU + s2 / 2), bound = z_bound(1e-6, 3);
    const double each = exp(2 * MU + 2 * s2) - exp(2 * MU + s2), pair = exp(2 * MU) - exp(2 * MU + s2);
    const moments antithetic = gradient_by(GB_ANTITHETIC, 2, 100000), sobol = gradient_by(GB_SOBOL, 64, 2000);
    assert_true(fabs(antithetic.mean - exact) < bound * antithetic.mean_error);
    assert_true(fabs(antithetic.variance - (each + pair) / 2) < bound * antithetic.variance_error);
    assert_true(fabs(sobol.mean - exact) < bound * sobol.mean_error);
    assert_true(sees_bias(&antithetic, 0.05 * exact) && sees_bias(&sobol, 0.05 * exact));
    assert_true(sobol.variance < each / 64 / 4);
}

/* ∂α E log x = ψ′(α), by the quantile function. */
TEST(quantiles_of_other_laws_have_their_gradients)
{
    moments m;
    drawn d = drawn_by(gb_pathwise(.draws = GB_ANTITHETIC), gb_gamma, 64, 9);
    const gb_node g = gb_grad(gb_expected(d.e, gb_log(d.z)), d.mu);
    gb_program *p = gb_compile(d.t, gb_roots(g), gb_no_update);
    assert_fine(d.t);
    collect(p, 1000, 1, &g, &m);
    const double exact = 3.6362097; /* ψ′(0.6) */
    if (!sees_bias(&m, 0.05 * exact) || fabs(m.mean - exact) > z_bound(1e-6, 1) * m.mean_error)
        fail_msg("%.9g ± %g, not %.9g", m.mean, m.mean_error, exact);
}

/* ---- what is rejected ---- */

TEST(what_has_no_quantiles_is_rejected)
{
    gb_expect *e = gb_expect_new(t);
    const gb_dist q = gb_dirichlet(gb_ones(t, gb_shape(3)));
    assert_true(gb_node_ok(gb_draw(e, "a", q, gb_pathwise())));
    gb_draw(e, "b", q, gb_pathwise(.draws = GB_SOBOL));
    assert_rejected(
        t, GB_EARGUMENT,
        "draw b: pathwise:draws=sobol needs a quantile function in closed form, for antithetic or Sobol "
        "draws; "
        "dirichlet has none");
}

/* E (mean z)² is another one where the samples depend on each other. */
TEST(costs_that_mix_samples_are_rejected)
{
    drawn d = drawn_by(gb_pathwise(.draws = GB_ANTITHETIC), gb_normal, 2, 4);
    gb_expected(d.e, gb_square(gb_mean_over(d.z, GB_SAMPLES)));
    assert_rejected(d.t, GB_EARGUMENT, "depends on other samples");
}
