/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latents without a prior of their own: a flat density over their support, and priors that are added. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/domain.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "models/elbo.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { DATA = 10 };

static gb_node data_of(gb_tape *tape)
{
    return gb_constant(tape, gb_shape(DATA), GB_VALUES(0.3, -0.4, 1.2, 0.8, -1.1, 0.2, 0.9, 1.6, -0.3, 0.8));
}

static gb_node normals(gb_tape *tape, gb_node mean)
{
    return gb_log_prob(gb_normal(mean, gb_num(tape, 1)), data_of(tape));
}

/* ---- supports ---- */

TEST(a_block_reaches_every_support_of_vectors_and_matrices)
{
    static const gb_domain *const supports[] = {&gb_ordered_domain,
                                                &gb_positive_ordered_domain,
                                                &gb_simplex_domain,
                                                &gb_covariance_cholesky_domain,
                                                &gb_correlation_cholesky_domain,
                                                &gb_positive_definite_domain,
                                                &gb_correlation_domain};
    enum { COUNT = sizeof supports / sizeof *supports };
    gb_latent_part part[COUNT];
    gb_node w[COUNT], outside = gb_num(t, 0);
    for (int i = 0; i < COUNT; i++) {
        const gb_shape shape = supports[i]->event_rank == 1 ? gb_shape(3) : gb_shape(3, 3);
        part[i] = (gb_latent_part){supports[i]->name, shape, gb_no_prior, supports[i], NULL, NULL};
    }
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_latent_block(e, "w", gb_full_rank(gb_shape()), COUNT, part, gb_pathwise(), w);
    for (int i = 0; i < COUNT; i++) {
        const gb_node is_outside = gb_to_real(gb_domain_outside(supports[i], w[i]));
        outside = gb_add(outside, gb_sum_over(is_outside, gb_node_axes(is_outside)));
    }
    gb_factor(e, "f", gb_neg(gb_sum(gb_square(gb_add(w[5], w[6])))));
    const gb_node loss = gb_elbo_loss(e);
    gb_program *const p = gb_compile(t, gb_roots(outside, loss), gb_no_update);
    assert_int_equal(gb_program_set_samples(p, 500), GB_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gb_run(p), GB_OK);
        assert_true(gb_value(outside) == 0);
        assert_true(isfinite(gb_value(loss)));
    }
    gb_program_free(p);
}

/* ---- the entropy is kept ---- */

/* Ten data of N(mu, 1), flat: the posterior is N(mean, 1/10), and there the gradient of the ELBO is 0. */
static void assert_optimal(gb_elbo *e, gb_node location, gb_node scale)
{
    gb_tape *const tape = location.tape;
    gb_node slopes[2];
    gb_grads(gb_elbo_loss(e), (const gb_node[]){location, scale}, 2, slopes);
    gb_set(location, gb_fill(0.4));
    gb_set(scale, gb_fill(-0.5 * log(10)));
    gb_program *const p = gb_compile(tape, gb_roots(slopes[0], slopes[1]), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    double at[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gb_read(slopes[i], &at[i], 1), GB_OK);
        if (fabs(at[i]) > 1e-12)
            fail_msg("slope %d is %g", i, at[i]);
    }
    assert_fine(tape);
}

TEST(a_flat_latent_has_the_posterior_of_the_likelihood)
{
    for (int kl = 0; kl < 3; kl++) {
        gb_tape *const tape = test_tape(.seed = 4);
        gb_elbo *const e = gb_elbo_new(tape, .data_size = 1, .kl = (gb_kl_mode)kl);
        const gb_node mu = gb_latent(e, "mu", gb_mean_field(gb_shape(), .map = GB_SCALE_EXP), gb_no_prior,
                                     gb_quadrature(.nodes = 5));
        if (kl == 0)
            gb_factor(e, "y", normals(tape, mu)); /* Stan's target += */
        else
            gb_observe(e, "y", gb_normal(mu, gb_num(tape, 1)), data_of(tape));
        assert_optimal(e, gb_variable_named(tape, "mu.location"), gb_variable_named(tape, "mu.log_scale"));
        assert_int_equal(gb_elbo_term_named(e, "mu").kind, GB_TERM_ENTROPY);
    }
}

TEST(a_flat_block_has_it_too_alone_or_beside_a_part_with_a_prior)
{
    for (int parts = 1; parts <= 2; parts++) {
        gb_tape *const tape = test_tape(.seed = 4);
        gb_elbo *const e = gb_elbo_new(tape, .data_size = 1);
        const gb_dist unit = gb_normal(gb_num(tape, 0), gb_num(tape, 1));
        const gb_latent_part part[] = {{.name = "mu", .prior = gb_no_prior}, {.name = "b", .prior = unit}};
        gb_node w[2];
        gb_latent_block(e, "w", gb_mean_field(gb_shape(), .map = GB_SCALE_EXP), (size_t)parts, part,
                        gb_quadrature(.nodes = 3), w);
        gb_observe(e, "y", gb_normal(w[0], gb_num(tape, 1)), data_of(tape));
        const gb_node location = gb_variable_named(tape, "w.location"),
                      scale = gb_variable_named(tape, "w.log_scale");
        gb_node slopes[2];
        gb_grads(gb_elbo_loss(e), (const gb_node[]){location, scale}, 2, slopes);
        gb_set(location, gb_values_of((const double[]){0.4, 0}, (size_t)parts));
        gb_set(scale, gb_values_of((const double[]){-0.5 * log(10), 0}, (size_t)parts));
        double at[2];
        gb_run(gb_compile(tape, gb_roots(slopes[0], slopes[1]), gb_no_update));
        for (int i = 0; i < 2; i++) {
            assert_int_equal(gb_read(slopes[i], at, (size_t)parts), GB_OK);
            assert_true(fabs(at[0]) < 1e-12 && (parts == 1 || fabs(at[1]) < 1e-12));
        }
    }
}

TEST(a_flat_latent_of_whole_numbers_keeps_its_entropy)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_dist q = gb_bernoulli(gb_num(t, 0.3));
    const gb_node z = gb_latent(e, "z", gb_posterior_of(q), gb_no_prior, gb_enumerated());
    gb_factor(e, "f", gb_scale(z, 2));
    const double entropy = -0.3 * log(0.3) - 0.7 * log(0.7);
    assert_close(gb_value(gb_elbo_loss(e)), -(0.6 + entropy), 16);
}

/* ---- over a support, in the latent's own units ---- */

/* log p of the draw is the same, whether it comes with the latent or is added. */
TEST(an_added_prior_equals_one_of_the_latent)
{
    double loss[2][3];
    for (int added = 0; added < 2; added++) {
        gb_tape *const tape = test_tape(.seed = 9, .samples = 7);
        gb_elbo *const e =
            gb_elbo_new(tape, .data_size = 1, .kl = GB_KL_SAMPLED, .kl_weight = gb_num(tape, 0.7));
        const gb_dist p = gb_gamma(gb_num(tape, 2), gb_num(tape, 3));
        const gb_node s = added
                              ? gb_latent(e, "s", gb_mean_field(gb_shape(), .scale = 0.5), gb_no_prior,
                                          gb_pathwise(), .support = GB_POSITIVE)
                              : gb_latent(e, "s", gb_mean_field(gb_shape(), .scale = 0.5), p, gb_pathwise());
        if (added)
            gb_prior(e, "p(s)", p, s);
        gb_observe(e, "y", gb_normal(gb_num(tape, 0), s), data_of(tape));
        const gb_node node = gb_elbo_loss(e);
        const gb_node of[] = {node, gb_grad(node, gb_variable_named(tape, "s.location")),
                              gb_grad(node, gb_variable_named(tape, "s.raw_scale"))};
        gb_run(gb_compile(tape, gb_roots(of[0], of[1], of[2]), gb_no_update));
        for (int i = 0; i < 3; i++)
            loss[added][i] = gb_value(of[i]);
        assert_fine(tape);
    }
    for (int i = 0; i < 3; i++)
        assert_close(loss[1][i], loss[0][i], 256);
}

/* Factors count as priors, and keep their weight 1. */
TEST(the_weight_of_kl_multiplies_entropies_and_priors_but_no_factor)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .kl_weight = gb_num(t, 0.25));
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape(), .scale = 1), gb_no_prior, gb_quadrature(.nodes = 3));
    gb_prior(e, "prior", gb_normal(gb_num(t, 0), gb_num(t, 1)), w);
    gb_factor(e, "factor", gb_square(w));
    const double two_pi = 2 * 3.14159265358979323846;
    assert_close(gb_value(gb_elbo_term_named(e, "w").value), 0.25 * 0.5 * (log(two_pi) + 1), 16);
    assert_close(gb_value(gb_elbo_term_named(e, "prior").value), -0.25 * 0.5 * (log(two_pi) + 1), 16);
    assert_close(gb_value(gb_elbo_term_named(e, "factor").value), 1, 16);
    assert_int_equal(gb_elbo_term_named(e, "prior").kind, GB_TERM_PRIOR);
}

/* ---- parts that depend on each other ---- */

/* One block: sum of log p of all parts, and log q of the vector, by hand for the draw. */
TEST(priors_of_a_block_may_depend_on_other_parts)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .kl = GB_KL_SAMPLED);
    enum { MEAN, SPREAD, EFFECTS };
    const gb_latent_part part[] = {{.name = "mean", .prior = gb_no_prior},
                                   {.name = "spread", .prior = gb_no_prior, .support = GB_POSITIVE},
                                   {.name = "effects", .shape = gb_shape(2), .prior = gb_no_prior}};
    gb_node w[3];
    const gb_node all =
        gb_latent_block(e, "w", gb_full_rank(gb_shape(), .scale = 0.5), 3, part, gb_pathwise(), w);
    gb_prior(e, "p(mean)", gb_normal(gb_num(t, 0), gb_num(t, 5)), w[MEAN]);
    gb_prior(e, "p(spread)", gb_half_cauchy(gb_num(t, 5)), w[SPREAD]);
    gb_prior(e, "p(effects)", gb_normal(w[MEAN], w[SPREAD]), w[EFFECTS]);
    const gb_node loss = gb_elbo_loss(e), free = gb_select(all, GB_SAMPLES, 0);
    double z[4];
    gb_run(gb_compile(t, gb_roots(loss, free), gb_no_update));
    assert_int_equal(gb_read(free, z, 4), GB_OK);
    assert_fine(t);
    const double two_pi = 2 * 3.14159265358979323846, tau = exp(z[1]);
    double log_q = 0, log_p = -0.5 * log(two_pi * 25) - z[0] * z[0] / 50;
    log_p += log(2 / (3.14159265358979323846 * 5)) - log1p(tau * tau / 25) + z[1]; /* and log dtau/dz */
    for (int i = 2; i < 4; i++)
        log_p += -0.5 * log(two_pi) - z[1] - (z[i] - z[0]) * (z[i] - z[0]) / (2 * tau * tau);
    for (int i = 0; i < 4; i++)
        log_q += -0.5 * log(two_pi * 0.25) - z[i] * z[i] / 0.5;
    assert_close(gb_value(loss), log_q - log_p, 1024);
}

TEST(supports_may_end_at_other_parts)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .kl = GB_KL_SAMPLED, .samples = 1);
    const gb_latent_part part[] = {
        {.name = "a", .prior = gb_no_prior},
        {.name = "b", .shape = gb_shape(2), .prior = gb_no_prior, .above = "a"},
        {.name = "c", .prior = gb_no_prior, .below = "a"},
        {.name = "d", .shape = gb_shape(2), .prior = gb_no_prior, .above = "c", .below = "b"}};
    gb_node w[4];
    const gb_node all =
        gb_latent_block(e, "w", gb_mean_field(gb_shape(), .scale = 1), 4, part, gb_pathwise(), w);
    const gb_node loss = gb_elbo_loss(e);
    gb_node seen[5];
    for (int i = 0; i < 5; i++)
        seen[i] = gb_select(i < 4 ? w[i] : all, GB_SAMPLES, 0);
    gb_run(gb_compile(t, gb_roots(loss, seen[0], seen[1], seen[2], seen[3], seen[4]), gb_no_update));
    double a, b[2], c, d[2], z[6];
    gb_read(seen[0], &a, 1), gb_read(seen[1], b, 2), gb_read(seen[2], &c, 1), gb_read(seen[3], d, 2);
    assert_int_equal(gb_read(seen[4], z, 6), GB_OK);
    double log_q = 0, log_jacobian = z[1] + z[2] + z[3];
    for (int i = 0; i < 2; i++) {
        const double share = 1 / (1 + exp(-z[4 + i]));
        assert_true(fabs(b[i] - (z[0] + exp(z[1 + i]))) < 1e-14);
        assert_true(fabs(d[i] - (c + (b[i] - c) * share)) < 1e-14);
        assert_true(b[i] > a && c < a && d[i] > c && d[i] < b[i]);
        log_jacobian += log((b[i] - c) * share * (1 - share));
    }
    assert_true(fabs(c - (z[0] - exp(z[3]))) < 1e-14);
    for (int i = 0; i < 6; i++)
        log_q += -0.5 * log(2 * 3.14159265358979323846) - 0.5 * z[i] * z[i];
    assert_close(gb_value(loss), log_q - log_jacobian, 256);
}

TEST(a_point_maximises_over_dependent_supports_without_jacobians)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_latent_part part[] = {{.name = "a", .prior = gb_no_prior},
                                   {.name = "b", .prior = gb_no_prior, .above = "a"}};
    gb_node w[2];
    gb_latent_block(e, "w", gb_point(gb_shape(), .location = 0.5), 2, part, gb_pathwise(), w);
    gb_prior(e, "p", gb_exponential(gb_num(t, 2)), gb_sub(w[1], w[0]));
    assert_close(gb_value(gb_elbo_loss(e)), -(log(2) - 2 * exp(0.5)), 64);
}

/* ---- in words ---- */

static void print_to(gb_elbo *e, char *text, size_t bytes)
{
    FILE *const file = fmemopen(text, bytes, "w");
    assert_int_equal(gb_elbo_print(e, file), GB_OK);
    fclose(file);
}

TEST(what_has_no_prior_is_said_and_called_an_elbo)
{
    char text[2000] = "";
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
    gb_log_likelihood(e, "y", gb_neg(gb_square(w)));
    print_to(e, text, sizeof text);
    assert_non_null(strstr(text, "entropy of q     w"));
    assert_non_null(strstr(text, "sum              ELBO"));
    assert_non_null(strstr(text, "w has no prior of its own"));
    assert_non_null(strstr(text, "up to a constant"));
    assert_null(strstr(text, "Warning"));
}

TEST(dropout_without_a_prior_lacks_its_entropy_and_says_so)
{
    char text[2000] = "";
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w =
        gb_latent(e, "w", gb_dropout_posterior(gb_shape(), .keep = 0.5), gb_no_prior, gb_pathwise());
    gb_log_likelihood(e, "y", gb_neg(gb_square(w)));
    print_to(e, text, sizeof text);
    assert_non_null(strstr(text, "Warning: w: it has no prior, and its posterior has no density"));
    assert_non_null(strstr(text, "sum              objective"));
}

TEST(wrong_supports_and_priors_are_rejected)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_dist unit = gb_normal(gb_num(t, 0), gb_num(t, 1));
    gb_latent(e, "a", gb_mean_field(gb_shape()), unit, gb_pathwise(), .support = GB_POSITIVE);
    assert_rejected(t, GB_EARGUMENT, "latent a: it has a prior, whose support holds");
    gb_latent(e, "a", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise(), .support = GB_COUNT);
    assert_rejected(t, GB_EARGUMENT, "latent a: no transform reaches the support");
    gb_latent_with(e, "a", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise(), &(gb_latent_options){0});
    assert_rejected(t, GB_EARGUMENT, "latent: the options struct has no size");
    gb_elbo *const exact = gb_elbo_new(t, .data_size = 1, .kl = GB_KL_EXACT);
    gb_latent(exact, "a", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise(), .support = GB_UNIT);
    assert_rejected(t, GB_EARGUMENT, "latent a: there is no exact entropy of transformed");
    gb_prior(e, "p", unit, (gb_node){0});
    assert_rejected(t, GB_ENODE, "prior p: the latents are not a usable node");
    gb_prior(e, "p", unit, gb_zeros(t, gb_shape()));
    assert_fine(t);
    gb_prior(e, "p", unit, gb_zeros(t, gb_shape()));
    assert_rejected(t, GB_ENAME, "prior p: that is the name of a term");
}

static void rejected_parts(gb_tape *t, size_t count, const gb_latent_part *part, gb_status code,
                           const char *words)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_node w[2];
    gb_latent_block(e, "j", gb_mean_field(gb_shape()), count, part, gb_pathwise(), w);
    assert_rejected(t, code, words);
}

TEST(wrong_ends_are_rejected)
{
    const gb_dist unit = gb_normal(gb_num(t, 0), gb_num(t, 1));
    const gb_latent_part unknown[] = {{.name = "a", .prior = gb_no_prior, .above = "b"},
                                      {.name = "b", .prior = gb_no_prior}};
    const gb_latent_part larger[] = {{.name = "a", .shape = gb_shape(3), .prior = gb_no_prior},
                                     {.name = "b", .prior = gb_no_prior, .below = "a"}};
    const gb_latent_part both[] = {{.name = "a", .prior = gb_no_prior},
                                   {.name = "b", .prior = unit, .below = "a"}};
    rejected_parts(t, 2, unknown, GB_ENAME, "latent_block j: a is to be above b, which is no earlier part");
    rejected_parts(t, 2, larger, GB_ESHAPE, "b is to be below a, whose shape (3) does not broadcast to ()");
    rejected_parts(t, 2, both, GB_EARGUMENT, "b has .above or .below, and so takes no prior and no .support");
}
