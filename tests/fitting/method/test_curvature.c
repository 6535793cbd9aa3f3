/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laplace's normal and linear response: exact where the posterior is normal, nearer elsewhere, rejected in
 * words where there is nothing to invert. */
#include "support/close.h"

#include "distributions/domain.h"
#include "fitting/fit.h"
#include "fitting/method.h"
#include "fitting/normal_target.h"
#include "fitting/nuts.h"
#include "ops/linear.h"
#include "ops/matrix.h"
#include "support/counted_memory.h"

enum { N = 6 };

static const gb_curvature *good(const gb_curvature *c, gb_tape *t)
{
    if (!c)
        fail_msg("%s", gb_error_text(t));
    return c;
}

/* ---- normal posteriors ---- */

static void assert_moments(const gb_curvature *c, const normal_target *a)
{
    assert_int_equal(c->count, N);
    for (int i = 0; i < N; i++) {
        const double own = sqrt(a->covariance[i * (N + 1)]);
        assert_near(c->mean[i], a->mean[i], 1e-6 * own);
        assert_near(c->sd[i], own, 1e-6 * own);
        for (int j = 0; j < N; j++)
            assert_near(c->covariance[i * N + j], a->covariance[i * N + j],
                        1e-6 * own * sqrt(a->covariance[j * (N + 1)]));
    }
}

TEST(laplace_is_exact_for_a_normal)
{
    normal_target a;
    normal_target_fill(&a, N, 1e4, 20, 3, 5);
    gb_elbo *const e = normal_target_elbo(t, &a, gb_mean_field(gb_shape(N)));
    const gb_curvature *const c = good(gb_laplace_normal(e), t);
    assert_moments(c, &a);
    assert_null(c->sd_of_q);
    assert_true(c->gain < 1e-12 && c->gradients > 0);
    double log_determinant = 0; /* of the precision: 10^(4 k / 5) / 9 */
    for (int k = 0; k < N; k++)
        log_determinant += 4.0 * k / (N - 1) * log(10) - 2 * log(3);
    assert_near(c->log_evidence, N / 2.0 * 1.83787706640934548356 - log_determinant / 2, 1e-8);
    double raw[N];
    gb_read(gb_variable_named(t, "w.raw_scale"), raw, N); /* q is as it was */
    assert_near(log1p(exp(raw[0])), 0.1, 1e-12);
    const gb_curvature *const again = good(gb_laplace_normal(e, .density = c->density, .at = c->mean), t);
    assert_near(again->sd[2], c->sd[2], 1e-12);
}

TEST(linear_response_is_exact_for_a_normal)
{
    for (unsigned seed = 1; seed <= 5; seed++) {
        normal_target a;
        gb_tape *const tape = test_tape(.seed = seed);
        normal_target_fill(&a, N, 1e4, 5, 0.01, seed);
        gb_elbo *const e = normal_target_elbo(tape, &a, gb_mean_field(gb_shape(N)));
        assert_int_equal(gb_fit(e).end, GB_FIT_CONVERGED);
        const gb_curvature *const c = good(gb_linear_response(e), tape);
        assert_moments(c, &a);
        for (int i = 0; i < N; i++)
            assert_near(c->sd_of_q[i], 1 / sqrt(a.precision[i * (N + 1)]), 1e-6 * c->sd[i]);
        assert_true(isnan(c->log_evidence));
    }
}

/* N(0, 1): what a natural step gains is half of the squared distance, and of twice the squared log ratio. */
TEST(linear_response_knows_what_is_left_to_gain)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_mean_field(gb_shape(), .location = 0.05, .scale = 1.05),
              gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const gb_curvature *const c = good(gb_linear_response(e), t);
    assert_near(c->gain, 0.05 * 0.05 / 2 + log(1.05) * log(1.05), 1e-6);
    assert_true(c->mean[0] == 0.05);
}

/* Points have no scale, and respond too. */
TEST(points_respond)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node a = gb_latent(e, "a", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise()),
                  b = gb_latent(e, "b", gb_point(gb_shape()), gb_no_prior, gb_pathwise());
    gb_factor(e, "f", gb_scale(gb_sub(gb_mul(a, b), gb_add(gb_square(a), gb_square(b))), 0.5));
    assert_int_equal(gb_fit(e).end, GB_FIT_CONVERGED);
    const gb_curvature *const c = good(gb_linear_response(e), t);
    /* Precision (1, −½; −½, 1), inverted. */
    assert_near(c->covariance[0], 4 / 3.0, 1e-7);
    assert_near(c->covariance[1], 2 / 3.0, 1e-7);
    assert_near(c->sd_of_q[0], 1, 1e-7);
    assert_true(c->sd_of_q[1] == 0);
}

/* a w − e^w: E e^w = a and a s² = 1 at the optimum; the Hessian of F is −(a, 1; 1, 2 + 1/a). */
static gb_node log_rate(gb_node w)
{
    return gb_sub(gb_scale(w, 2), gb_exp(w));
}

TEST(linear_response_sees_how_scales_move_with_means)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_factor(e, "f", log_rate(gb_latent(e, "w", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise())));
    assert_int_equal(gb_fit(e).end, GB_FIT_CONVERGED);
    const gb_curvature *const c = good(gb_linear_response(e, .draws = 4096), t);
    assert_near(c->covariance[0], 2.5 / 4, 1e-3);
    assert_near(c->sd_of_q[0], sqrt(0.5), 0.01);
}

/* ---- elsewhere, nearer than a mean field ---- */

/* A Poisson Gaussian process, whose latents are correlated. */
enum { PLACES = 12 };
static gb_elbo *process(gb_tape *t, gb_family family)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    double k[PLACES * PLACES], y[PLACES];
    for (int i = 0; i < PLACES; i++) {
        for (int j = 0; j < PLACES; j++)
            k[i * PLACES + j] = exp(-0.125 * (i - j) * (i - j)) + (i == j ? 1e-3 : 0);
        y[i] = floor(3 + 2 * sin(0.8 * i));
    }
    const gb_node root =
        gb_cholesky(gb_constant(t, gb_shape(PLACES, PLACES), gb_values_of(k, PLACES * PLACES)));
    const gb_node m = gb_latent(e, "m", family, gb_normal(gb_num(t, 0), gb_num(t, 2)), gb_pathwise());
    family.shape = gb_shape(PLACES);
    const gb_node z = gb_latent(e, "z", family, gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_poisson(gb_exp(gb_add(m, gb_matmul(root, z)))),
               gb_constant(t, gb_shape(PLACES), gb_values_of(y, PLACES)));
    return e;
}

TEST(linear_response_is_nearer_than_the_mean_field, .seed = 3)
{
    gb_elbo *const e = process(t, gb_mean_field(gb_shape()));
    assert_int_equal(gb_fit(e).end, GB_FIT_CONVERGED);
    const gb_curvature *const c = good(gb_linear_response(e), t);
    gb_nuts *const r = gb_sample_nuts(e, .chains = 4, .draws = 2000);
    assert_non_null(r);
    double by_q = 0, by_response = 0;
    for (size_t i = 0; i < r->count; i++) {
        const double sd = r->convergence[i].sd;
        by_q = fmax(by_q, fabs(log(c->sd_of_q[i] / sd)));
        by_response = fmax(by_response, fabs(log(c->sd[i] / sd)));
    }
    gb_nuts_free(r);
    assert_true(by_q > 0.15 && by_response < 0.5 * by_q);
}

/* ---- rejected in words ---- */

static gb_elbo *with_factor(gb_tape *t, gb_family family, gb_node (*f)(gb_node))
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_factor(e, "f", gb_sum(f(gb_latent(e, "w", family, gb_no_prior, gb_pathwise()))));
    return e;
}

static gb_node saddle(gb_node w)
{
    const gb_node at = gb_constant(w.tape, gb_shape(2), GB_VALUES(-1, 0));
    return gb_mul(at, gb_square(w));
}

static gb_node slope(gb_node w)
{
    return w;
}

static gb_node level(gb_node w)
{
    return gb_neg(gb_softplus(gb_neg(w)));
}

static gb_node bowl(gb_node w)
{
    return gb_neg(gb_square(w));
}

static gb_node kink(gb_node w)
{
    return gb_log(gb_shift(gb_scale(w, 0), -1));
}

static const struct rejected {
    const char *name;
    gb_node (*f)(gb_node);
    const char *words;
} rejected[] = {{"a_saddle", saddle, "laplace_normal: "},
                {"a_slope", slope, "laplace_normal: the Hessian is not negative definite"},
                {"a_level", level, "laplace_normal: log p levels off there, and does not fall beyond"},
                {"no_density", kink, "laplace_normal: log p is not finite at any starting point"}};

TEST_EACH(laplace_rejects_what_is_no_mode, rejected)
{
    const struct rejected *const is = row;
    gb_elbo *const e = with_factor(t, gb_mean_field(gb_shape(2)), is->f);
    assert_null(gb_laplace_normal(e));
    assert_rejected(t, GB_ENONFINITE, is->words);
}

TEST(laplace_rejects_a_place_that_is_not_stationary)
{
    gb_elbo *const e = with_factor(t, gb_mean_field(gb_shape(2)), bowl);
    assert_null(gb_laplace_normal(e, .at = (const double[]){0, 0.1}));
    assert_rejected(t, GB_ENONFINITE, "laplace_normal: the place is not stationary");
    good(gb_laplace_normal(e, .at = (const double[]){0, 0}), t);
}

TEST(linear_response_rejects_what_is_not_the_best_member)
{
    gb_elbo *const e = with_factor(t, gb_mean_field(gb_shape(2)), bowl);
    assert_null(gb_linear_response(e));
    assert_rejected(t, GB_ENONFINITE,
                    "linear_response: q is not the best member of its family: w[0] has mean 0 and "
                    "standard deviation 0.1, and is best at ");
    assert_int_equal(gb_fit(e).end, GB_FIT_CONVERGED);
    good(gb_linear_response(e), t);
    assert_null(gb_linear_response(e, .draws = -1));
    assert_rejected(t, GB_EARGUMENT, "linear_response: .draws is -1");
    set_variable(t, "w.location", (const double[]){0, 0.2}, 2);
    assert_null(gb_linear_response(e));
    assert_rejected(t, GB_ENONFINITE, "is not the best member of its family: w[1] has mean 0.2");
}

TEST(linear_response_rejects_a_flat_elbo)
{
    gb_elbo *const e = with_factor(t, gb_mean_field(gb_shape(2)), slope);
    assert_null(gb_linear_response(e));
    assert_rejected(t, GB_ENONFINITE,
                    "linear_response: no optimum was found near q: not converged: the ELBO rises "
                    "without end");
}

TEST(linear_response_rejects_other_families)
{
    gb_elbo *e = with_factor(t, gb_full_rank(gb_shape(2)), bowl);
    assert_null(gb_linear_response(e));
    assert_rejected(t, GB_EARGUMENT, "and not for gb_full_rank: latent w");
    gb_tape *const tape = test_tape();
    e = with_factor(tape, gb_low_rank(gb_shape(2)), bowl);
    assert_null(gb_linear_response(e));
    assert_rejected(tape, GB_EARGUMENT, "linear_response: it is for gb_mean_field: q is no normal");
    assert_null(gb_linear_response(NULL));
    assert_null(gb_laplace_normal(NULL));
}

static gb_status use_laplace(gb_tape *t, const void *what)
{
    (void)what;
    gb_laplace_normal(with_factor(t, gb_mean_field(gb_shape(2)), bowl));
    return gb_error(t);
}

static gb_status use_response(gb_tape *t, const void *what)
{
    (void)what;
    gb_elbo *const e = with_factor(t, gb_mean_field(gb_shape(1), .scale = 0.70710678118654752440), bowl);
    gb_linear_response(e, .draws = 8);
    return gb_error(t);
}

TEST(lack_of_memory_is_an_error)
{
    assert_outlives_lack_of_memory(use_laplace, NULL, "laplace", 60, (gb_tape_options){.threads = 1});
    assert_outlives_lack_of_memory(use_response, NULL, "linear response", 60,
                                   (gb_tape_options){.threads = 1});
}
