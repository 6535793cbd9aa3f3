/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weights of rows that have a latent each: in KL, in entropies, in priors and in data. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/density.h"
#include "models/elbo.h"
#include "ops/elementwise.h"

/* ---- a row that counts twice is two rows ---- */

/* z of each row is a bit, q(z) = Bernoulli(sigmoid(x)), and y ~ N(2 z, 1). All values of z are summed. */
typedef enum term { EXACT_KL, SAMPLED_KL, EXACT_ENTROPY, SAMPLED_ENTROPY } term;

static double bound(gb_tape *t, term how, size_t rows, const double *x, const double *y, const double *weight)
{
    const bool has_prior = how == EXACT_KL || how == SAMPLED_KL,
               is_exact = how == EXACT_KL || how == EXACT_ENTROPY;
    const gb_node of_x = gb_input_rows(t, "x", gb_shape()), of_y = gb_input_rows(t, "y", gb_shape()),
                  w = weight ? gb_input_rows(t, "weight", gb_shape()) : (gb_node){0};
    gb_elbo *const e =
        gb_elbo_new(t, .data_size = (double)rows, .kl = is_exact ? GB_KL_EXACT : GB_KL_SAMPLED);
    const gb_dist prior = gb_bernoulli(gb_num(t, 0.3));
    const gb_node z = gb_latent(e, "z", gb_posterior_of(gb_bernoulli_logits(of_x)),
                                has_prior ? prior : gb_no_prior, gb_enumerated(), .weight = w);
    if (!has_prior)
        gb_prior(e, "prior of z", prior, z, .weight = w);
    gb_observe(e, "y", gb_normal(gb_scale(z, 2), gb_num(t, 1)), of_y, .weight = w);
    gb_feed(of_x, x, (int64_t)rows);
    gb_feed(of_y, y, (int64_t)rows);
    if (weight)
        gb_feed(w, weight, (int64_t)rows);
    const double value = gb_value(gb_elbo_term_named(e, "ELBO").value);
    assert_fine(t);
    return value;
}

static const struct {
    const char *name;
    term how;
} terms[] = {{"exact_kl", EXACT_KL},
             {"sampled_kl", SAMPLED_KL},
             {"exact_entropy", EXACT_ENTROPY},
             {"sampled_entropy", SAMPLED_ENTROPY}};

TEST(a_row_of_weight_2_is_two_rows_and_one_of_weight_0_is_none)
{
    static const double x[] = {-1, 0.5, 2, 7}, y[] = {0.1, 2.2, 1, -5}, weight[] = {1, 2, 1, 0};
    static const double copies_x[] = {-1, 0.5, 0.5, 2}, copies_y[] = {0.1, 2.2, 2.2, 1};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        assert_close(bound(test_tape(), terms[i].how, 4, x, y, weight),
                     bound(test_tape(), terms[i].how, 4, copies_x, copies_y, NULL), 8);
}

/* The gradient of the weighted bound in a parameter of q, by draws, is that of the sum over all values. */
TEST(gradients_by_draws_have_the_weights)
{
    enum { DRAWS = 40000 };
    static const double y[] = {0.1, 2.2, 1}, weight[] = {0.5, 2, 3};
    double gradient[2] = {0};
    for (int drawn = 0; drawn < 2; drawn++) {
        gb_tape *const u = test_tape(.seed = 5);
        const gb_node a = gb_variable(u, "a", gb_shape(), gb_fill(-1)),
                      of_y = gb_input_rows(u, "y", gb_shape()), w = gb_input_rows(u, "weight", gb_shape());
        gb_elbo *const e = gb_elbo_new(u, .data_size = 3, .kl = GB_KL_SAMPLED, .samples = drawn ? DRAWS : 1);
        const gb_node z =
            gb_latent(e, "z", gb_posterior_of(gb_bernoulli_logits(gb_mul(a, of_y))),
                      gb_bernoulli(gb_num(u, 0.3)), drawn ? gb_score() : gb_enumerated(), .weight = w);
        gb_observe(e, "y", gb_normal(gb_scale(z, 2), gb_num(u, 1)), of_y, .weight = w);
        gb_feed(of_y, y, 3);
        gb_feed(w, weight, 3);
        gradient[drawn] = gb_value(gb_grad(gb_elbo_loss(e), a));
        assert_fine(u);
    }
    assert_near(gradient[1], gradient[0], 0.1);
    assert_true(fabs(gradient[0]) > 0.5);
}

/* ---- misuse ---- */

TEST(one_latent_of_all_rows_has_no_weights_of_rows)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 3);
    const gb_node w = gb_input_rows(t, "w", gb_shape()), zero = gb_num(t, 0), one = gb_num(t, 1);
    gb_latent(e, "z", gb_mean_field(gb_shape()), gb_normal(zero, one), gb_pathwise(), .weight = w);
    assert_rejected(t, GB_EARGUMENT, "latent z: .weight is for a latent of each row");
}

static gb_node of_rows(gb_elbo *e, gb_tape *t, gb_estimator how, gb_node weight)
{
    const gb_node x = gb_input_rows(t, "x", gb_shape()), one = gb_num(t, 1);
    return gb_latent(e, "z", gb_posterior_of(gb_normal(x, one)), gb_normal(gb_num(t, 0), one), how,
                     .weight = weight);
}

TEST(a_weight_is_one_real_number)
{
    of_rows(gb_elbo_new(t, .data_size = 3), t, gb_pathwise(), gb_constant(t, gb_shape(2), GB_VALUES(1, 2)));
    assert_rejected(t, GB_ENODE, "latent z: .weight is to be one real number for each row");
}

TEST(an_estimator_that_needs_its_own_log_q_takes_no_weight)
{
    of_rows(gb_elbo_new(t, .data_size = 3), t, gb_sticking_the_landing(), gb_input_rows(t, "w", gb_shape()));
    assert_rejected(t, GB_EARGUMENT, "latent z: .weight fits neither");
}

TEST(a_prior_takes_weights_that_fit)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 3);
    const gb_node a = gb_latent(e, "a", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
    gb_prior(e, "prior of a", gb_normal(gb_num(t, 0), gb_num(t, 1)), a,
             .weight = gb_input_rows(t, "w", gb_shape()));
    assert_rejected(t, GB_ESHAPE, "prior prior of a: .weight varies over rows, the data do not");
}
