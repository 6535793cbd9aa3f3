/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the conformance kit does not know of positive distributions and of those on the unit interval and the
 * circle: which is which of another one, divergences near q = p, quantiles in far tails. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/gamma_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- tails ---- */

/* Values of references/positive.py, to all digits that the exponent −a²/2 leaves. */
TEST(both_tails_of_an_inverse_gaussian_keep_their_digits)
{
    static const struct {
        double mean, shape, x, below, above;
    } rows[] = {{1, 1, 60, 0.9999999999999995868633717, 4.131366282830359925060748e-16},
                {1, 1, 900, 1, 2.955773293951102698697172e-200},
                {1, 1, 0.001, 4.879144301085083055841047e-219, 1},
                {2.5, 0.125, 2250, 0.99999999999997791, 2.208983243806122421629182e-14},
                {2.5, 0.125, 1e4, 1, 5.435317519051439771155042e-49},
                {2.5, 0.125, 0.001, 5.350358947925316561115984e-29, 1},
                {1e6, 1e-6, 9e8, 0.99999997340484796, 2.659515203875703656558271e-8},
                {0.5, 300, 0.375, 8.806190263225545803453359e-13, 0.9999999999991193809736774},
                {3, 1e8, 3.0009765625, 0.96988978092221022, 0.03011021907778977751684714}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const gb_dist d = gb_inverse_gaussian(gb_num(t, rows[i].mean), gb_num(t, rows[i].shape));
        const gb_node x = gb_num(t, rows[i].x);
        assert_close(gb_value(gb_cdf(d, x)), rows[i].below, 4000);
        assert_close(gb_value(gb_survival(d, x)), rows[i].above, 4000);
    }
    assert_fine(t);
}

/* ---- one distribution as another ---- */

static void same_density(gb_dist one, gb_dist other, gb_node x)
{
    double a[4], b[4];
    assert_int_equal(gb_read(gb_log_prob(one, x), a, 4), GB_OK);
    assert_int_equal(gb_read(gb_log_prob(other, x), b, 4), GB_OK);
    for (int i = 0; i < 4; i++)
        assert_true(a[i] == b[i] || fabs(a[i] - b[i]) <= 1e-14 * fmax(1, fabs(b[i])));
}

TEST(special_cases_are_the_distributions_they_are, .seed = 7)
{
    const gb_node one = gb_num(t, 1), two = gb_num(t, 2), half = gb_num(t, 0.5), rate = gb_num(t, 0.7);
    const gb_node x = gb_constant(t, gb_shape(4), GB_VALUES(0, 0.3, 1, 20));
    const gb_node u = gb_constant(t, gb_shape(4), GB_VALUES(0, 0.1, 0.75, 1));
    same_density(gb_gamma(one, rate), gb_exponential(rate), x);
    same_density(gb_chi_squared(two), gb_exponential(half), x);
    same_density(gb_weibull(one, gb_reciprocal(rate)), gb_exponential(rate), x);
    same_density(gb_beta(one, one), gb_uniform(gb_num(t, 0), one), u);
    same_density(gb_kumaraswamy(one, two), gb_beta(one, two), u);
    same_density(gb_kumaraswamy(two, one), gb_beta(two, one), u);
    same_density(gb_von_mises(one, gb_num(t, 0)), gb_uniform(gb_num(t, -GB_PI), gb_num(t, GB_PI)), x);
    assert_fine(t);
}

TEST(a_dirichlet_of_two_is_beta, .seed = 7)
{
    const gb_node q = gb_constant(t, gb_shape(2), GB_VALUES(2.5, 0.7)),
                  p = gb_constant(t, gb_shape(2), GB_VALUES(30, 4));
    const gb_dist beta_q = gb_beta(gb_num(t, 2.5), gb_num(t, 0.7)),
                  beta_p = gb_beta(gb_num(t, 30), gb_num(t, 4));
    const gb_node x = gb_constant(t, gb_shape(2), GB_VALUES(0.375, 0.625));
    assert_close(gb_value(gb_log_prob(gb_dirichlet(q), x)), gb_value(gb_log_prob(beta_q, gb_num(t, 0.375))),
                 16);
    assert_close(gb_value(gb_dist_entropy(gb_dirichlet(q))), gb_value(gb_dist_entropy(beta_q)), 16);
    assert_close(gb_value(gb_kl(gb_dirichlet(q), gb_dirichlet(p))), gb_value(gb_kl(beta_q, beta_p)), 16);
}

/* ---- divergences ---- */

/* KL is ½ F δ² near q = p, with the Fisher information F, and exactly 0 there. */
TEST(divergences_of_neighbours_are_of_second_order, .seed = 7)
{
    const double a = 1e6, step = 0.25, trigamma = 1 / a + 1 / (2 * a * a);
    const gb_node here = gb_num(t, a), there = gb_num(t, a + step), one = gb_num(t, 1);
    const double of_gamma = gb_value(gb_kl(gb_gamma(here, one), gb_gamma(there, one)));
    assert_true(fabs(of_gamma / (0.5 * trigamma * step * step) - 1) < 1e-5);
    /* with the same mean, where what is of the order of a goes out: F = 1/2a² */
    const double same_mean = gb_value(gb_kl(gb_gamma(here, here), gb_gamma(there, there)));
    assert_true(fabs(same_mean / (0.25 * step * step / (a * a)) - 1) < 1e-5);
    const double of_beta = gb_value(gb_kl(gb_beta(here, here), gb_beta(there, there)));
    assert_true(fabs(of_beta / (0.25 * step * step / (a * a)) - 1) < 1e-5);
    assert_true(gb_value(gb_kl(gb_gamma(here, one), gb_gamma(here, one))) == 0);
    assert_true(gb_value(gb_kl(gb_beta(here, one), gb_beta(here, one))) == 0);
    assert_true(gb_value(gb_kl(gb_weibull(one, here), gb_weibull(one, here))) == 0);
}

TEST(exponential_and_gamma_diverge_both_ways, .seed = 7)
{
    const gb_node one = gb_num(t, 1), rate = gb_num(t, 0.7);
    const gb_dist e = gb_exponential(rate), g = gb_gamma(gb_num(t, 2.5), gb_num(t, 1.5)),
                  chi = gb_chi_squared(gb_num(t, 3));
    assert_close(gb_value(gb_kl(e, g)), gb_value(gb_kl(gb_gamma(one, rate), g)), 4);
    assert_close(gb_value(gb_kl(g, e)), gb_value(gb_kl(g, gb_gamma(one, rate))), 4);
    assert_close(gb_value(gb_kl(e, chi)), gb_value(gb_kl(gb_gamma(one, rate), chi)), 4);
    assert_close(gb_value(gb_kl(chi, e)), gb_value(gb_kl(chi, gb_gamma(one, rate))), 4);
    assert_fine(t);
}

TEST(a_pareto_that_begins_below_the_other_diverges_infinitely, .seed = 7)
{
    const gb_node a = gb_num(t, 3), low = gb_variable(t, "low", gb_shape(), gb_fill(1));
    const gb_node kl = gb_kl(gb_pareto(low, a), gb_pareto(gb_num(t, 2), a));
    assert_true(gb_value(kl) == INFINITY);
    assert_true(gb_value(gb_grad(kl, low)) == 0);
}

/* ---- quantiles ---- */

TEST(quantiles_keep_their_digits_in_small_tails, .seed = 7)
{
    const gb_node u = gb_constant(t, gb_shape(3), GB_VALUES(1e-300, 1e-30, 1e-3)), two = gb_num(t, 2);
    const gb_dist laws[] = {gb_gamma(two, two),
                            gb_inverse_gamma(two, two),
                            gb_inverse_gamma(gb_num(t, 30), gb_num(t, 0.3)),
                            gb_beta(two, gb_num(t, 3)),
                            gb_weibull(two, two),
                            gb_kumaraswamy(two, gb_num(t, 1e-3))};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        const gb_node back = gb_div(gb_cdf(laws[i], gb_icdf(laws[i], u)), u);
        const double worst = gb_value(gb_maximum(gb_abs(gb_shift(back, -1))));
        if (!(worst < 1e-11))
            fail_msg("%s: %g", laws[i].type->name, worst);
    }
}

/* ---- draws ---- */

/* They have first derivatives, and a second one is rejected by name. */
TEST(implicit_gradients_move_the_quantile, .seed = 7)
{
    const gb_node a = gb_variable(t, "a", gb_shape(4), GB_VALUES(0.3, 1, 7, 200)), one = gb_num(t, 1);
    const gb_dist g = gb_gamma(a, one);
    const gb_node x = gb_rsample(g, gb_stream(t, "x"), 0), rank = gb_stop(gb_cdf(g, x));
    double is[4], should[4];
    assert_int_equal(gb_read(gb_grad(gb_sum(x), a), is, 4), GB_OK);
    assert_int_equal(gb_read(gb_grad(gb_sum(gb_icdf(g, rank)), a), should, 4), GB_OK);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(is[i] / should[i] - 1) < 1e-8);
    const gb_node slope = gb_grad(gb_sum(x), a);
    gb_grad(gb_sum(slope), a);
    assert_rejected(t, GB_EGRADIENT, "scaled_log_gamma_slope");
}

/* Where most draws would underflow, or round to 1, densities stay finite. */
TEST(draws_of_small_concentrations_are_not_at_the_ends, .seed = 3, .samples = 4000)
{
    const gb_node small = gb_num(t, 1e-3), one = gb_num(t, 1);
    const gb_dist laws[] = {gb_gamma(small, one),   gb_inverse_gamma(small, one),
                            gb_beta(small, small),  gb_kumaraswamy(small, small),
                            gb_weibull(small, one), gb_pareto(one, small)};
    char name[2] = "a";
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++, name[0]++) {
        const gb_node x = gb_sample(laws[i], gb_stream(t, name), GB_SAMPLES);
        const double sum = gb_value(gb_sum_over(gb_log_prob(laws[i], x), GB_SAMPLES));
        if (!isfinite(sum))
            fail_msg("%s: %g", laws[i].type->name, sum);
    }
}

TEST(angles_are_wrapped_and_move_with_loc, .seed = 5)
{
    enum { DRAWS = 1000 };
    gb_tape_set_samples(t, DRAWS);
    const gb_node loc = gb_variable(t, "loc", gb_shape(), gb_fill(9.4)), kappa = gb_num(t, 2);
    const gb_node x = gb_rsample(gb_von_mises(loc, kappa), gb_stream(t, "x"), GB_SAMPLES);
    assert_true(gb_value(gb_maximum_over(gb_abs(x), GB_SAMPLES)) <= GB_PI);
    assert_close(gb_value(gb_grad(gb_sum_over(x, GB_SAMPLES), loc)), DRAWS, 0);
}

TEST(invalid_parameters_are_rejected, .seed = 7)
{
    const gb_node one = gb_num(t, 1);
    gb_gamma(gb_num(t, -1), one);
    assert_rejected(t, GB_EARGUMENT, "gamma: concentration is -1, and must be positive and finite");
    gb_von_mises(one, gb_num(t, INFINITY));
    assert_rejected(t, GB_EARGUMENT, "von_mises: concentration is inf");
    gb_dirichlet(one);
    assert_rejected(t, GB_ESHAPE, "dirichlet: concentration");
}
