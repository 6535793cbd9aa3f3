/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families in the ELBO, against models whose evidence is known: where q is the posterior, each
 * single draw gives log p − log q = log Z. */
#include "support/close.h"

#include <gsl/gsl_sf_gamma.h>

#include "core/gradient.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/list.h"
#include "models/elbo/elbo_impl.h"
#include "models/optimiser.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"
#include "support/regression.h"

enum { N = REGRESSION_ROWS, D = REGRESSION_COLUMNS };
static const double LOG_TWO_PI = 1.837877066409345483560659472811;

static double run_and_read(gb_node node)
{
    gb_program *p = gb_compile(node.tape, gb_roots(node), gb_no_update);
    assert_fine(node.tape);
    if (gb_run(p) != GB_OK)
        fail_msg("%s", gb_error_text(node.tape));
    const double value = gb_value(node);
    assert_fine(node.tape);
    gb_program_free(p);
    return value;
}

/* ---- linear regression ---- */

typedef struct model {
    gb_tape *t;
    gb_elbo *e;
    gb_node loss;
} model;

/* How the weights come in: as a vector, a column, a row, or a block of two parts. */
typedef enum layout { VECTOR, COLUMN, ROW, BLOCK, FORMS } layout;

static gb_node weights(const model *m, layout form, gb_family family, gb_estimator estimator)
{
    const gb_dist prior = gb_normal(gb_num(m->t, 0), gb_num(m->t, REGRESSION_PRIOR));
    const gb_latent_part parts[] = {{.name = "two", .shape = gb_shape(2), .prior = prior},
                                    {.name = "one", .shape = gb_shape(), .prior = prior}};
    gb_node part[2];
    if (form == BLOCK) {
        family.shape = gb_shape();
        gb_latent_block(m->e, "w", family, 2, parts, estimator, part);
        return gb_concat(2, (const gb_node[]){part[0], gb_reshape(part[1], gb_shape(1))}, 0);
    }
    family.shape = form == VECTOR ? gb_shape(D) : form == COLUMN ? gb_shape(D, 1) : gb_shape(1, D);
    return gb_reshape(gb_latent(m->e, "w", family, prior, estimator), gb_shape(D));
}

/* The likelihood of draws, or in place of draws its expectation under a normal q, which has no noise. */
typedef enum likelihood { OF_DRAWS, EXPECTED } likelihood;

/* L of the covariance of q. */
static gb_node root_of(gb_dist q, gb_node *mean)
{
    while (q.base)
        q = *q.base;
    *mean = gb_reshape(gb_broadcast(q.param[0], gb_dist_shape(q)), gb_shape(D));
    return q.type == &gb_multivariate_normal_type ? q.param[1] : gb_diag(gb_reshape(q.param[1], gb_shape(D)));
}

static gb_node expected_log_likelihood(gb_dist q, gb_node x, gb_node y)
{
    gb_node mean;
    const gb_node root = root_of(q, &mean);
    const gb_node off = gb_sub(y, gb_dot(x, mean));
    const gb_node spread = gb_sum(gb_square(gb_matmul(gb_reshape(x, gb_shape(1, D)), root)));
    const gb_node squares =
        gb_scale(gb_add(gb_square(off), spread), 1 / (REGRESSION_NOISE * REGRESSION_NOISE));
    return gb_scale(gb_shift(squares, LOG_TWO_PI + 2 * log(REGRESSION_NOISE)), -0.5);
}

static model model_of(const regression *r, layout form, gb_family family, gb_kl_mode kl, likelihood of)
{
    model m = {.t = test_tape(.seed = 4, .samples = 16)};
    const gb_node x = gb_input_rows(m.t, "x", gb_shape(D)), y = gb_input_rows(m.t, "y", gb_shape());
    m.e = gb_elbo_new(m.t, .data_size = N, .kl = kl);
    const gb_node w = weights(&m, form, family, gb_pathwise());
    if (of == OF_DRAWS)
        gb_observe(m.e, "y", gb_normal(gb_dot(x, w), gb_num(m.t, REGRESSION_NOISE)), y);
    else
        gb_factor(m.e, "y", expected_log_likelihood(gb_elbo_posterior(m.e, "w"), x, y));
    m.loss = gb_elbo_loss(m.e);
    assert_fine(m.t);
    gb_feed(x, r->x, N);
    gb_feed(y, r->y, N);
    return m;
}

static void set_root(const model *m, const regression *r, gb_scale_map map)
{
    double raw[D];
    for (int d = 0; d < D; d++) {
        const double scale = r->root[d * D + d];
        raw[d] = map == GB_SCALE_EXP ? log(scale) : inverse_softplus(scale);
    }
    set_variable(m->t, "w.location", r->mean, D);
    set_variable(m->t, map == GB_SCALE_EXP ? "w.log_scale" : "w.raw_scale", raw, D);
    set_variable(m->t, "w.lower", r->root, D * D);
}

/* Draw by draw, where KL is taken from the draws; in closed form, where it is. */
TEST(full_rank_can_be_the_posterior)
{
    const regression r = regression_solved();
    for (layout form = VECTOR; form < FORMS; form++)
        for (int i = 0; i < 4; i++) {
            const gb_scale_map map = i / 2 ? GB_SCALE_EXP : GB_SCALE_SOFTPLUS;
            const bool exact = i % 2;
            const model m = model_of(&r, form, gb_full_rank(gb_shape(), .map = map),
                                     exact ? GB_KL_EXACT : GB_KL_SAMPLED, exact ? EXPECTED : OF_DRAWS);
            set_root(&m, &r, map);
            const double elbo = -run_and_read(m.loss);
            if (!(fabs(elbo - r.log_z) <= 1e-10))
                fail_msg("form %d, way %d: the ELBO is %.15g, and log Z %.15g", (int)form, i, elbo, r.log_z);
            assert_true(gb_elbo_terms(m.e, NULL)[0].exact == exact);
        }
}

/* Roeder et al. 2017: where q is the posterior, each draw's gradient is 0. GB_KL_AUTO
 * takes the KL that the estimator needs. */
TEST(sticking_the_landing_is_still_at_the_posterior, .seed = 4, .samples = 3)
{
    const regression r = regression_solved();
    const model m = {.t = t, .e = gb_elbo_new(t, .data_size = N)};
    const gb_node x = gb_input_rows(t, "x", gb_shape(D)), y = gb_input_rows(t, "y", gb_shape());
    const gb_node w = weights(&m, VECTOR, gb_full_rank(gb_shape()), gb_sticking_the_landing());
    gb_observe(m.e, "y", gb_normal(gb_dot(x, w), gb_num(t, REGRESSION_NOISE)), y);
    const gb_node loss = gb_elbo_loss(m.e), location = gb_variable_named(t, "w.location"),
                  lower = gb_variable_named(t, "w.lower");
    const gb_node slope =
        gb_add(gb_sum(gb_square(gb_grad(loss, location))), gb_sum(gb_square(gb_grad(loss, lower))));
    gb_feed(x, r.x, N);
    gb_feed(y, r.y, N);
    assert_true(run_and_read(slope) > 1e-3);
    set_root(&m, &r, GB_SCALE_SOFTPLUS);
    assert_true(run_and_read(slope) < 1e-20);
}

TEST(mean_field_misses_by_its_gap)
{
    const regression r = regression_solved();
    double raw[D], scale[D];
    for (int d = 0; d < D; d++)
        raw[d] = inverse_softplus(scale[d] = 1 / sqrt(r.precision[d]));
    for (layout form = VECTOR; form < FORMS; form++) {
        const model m = model_of(&r, form, gb_mean_field(gb_shape()), GB_KL_EXACT, EXPECTED);
        set_variable(m.t, "w.location", r.mean, D);
        set_variable(m.t, "w.raw_scale", raw, D);
        assert_true(fabs(-run_and_read(m.loss) - (r.log_z - r.gap)) <= 1e-10);
    }
}

/* Of low rank with a factor that is next to nothing: the divergence of mean field. */
TEST(low_rank_without_a_factor_is_mean_field)
{
    const regression r = regression_solved();
    double raw[D], scale[D], should = 0;
    for (int d = 0; d < D; d++) {
        raw[d] = inverse_softplus(scale[d] = 1 / sqrt(r.precision[d]));
        should += log(REGRESSION_PRIOR / scale[d]) - 0.5 +
                  (scale[d] * scale[d] + r.mean[d] * r.mean[d]) / (2 * REGRESSION_PRIOR * REGRESSION_PRIOR);
    }
    for (layout form = VECTOR; form < FORMS; form++) {
        const model m =
            model_of(&r, form, gb_low_rank(gb_shape(), .rank = 2, .factor = 1e-9), GB_KL_EXACT, OF_DRAWS);
        set_variable(m.t, "w.location", r.mean, D);
        set_variable(m.t, "w.raw_scale", raw, D);
        assert_true(fabs(run_and_read(gb_elbo_terms(m.e, NULL)[0].value) + should) <= 1e-10);
    }
}

TEST(full_rank_reaches_the_evidence)
{
    const regression r = regression_solved();
    const model m = model_of(&r, COLUMN, gb_full_rank(gb_shape()), GB_KL_EXACT, EXPECTED);
    const gb_node rate = gb_variable(m.t, "rate", gb_shape(), gb_fill(0));
    gb_program *p = gb_compile(m.t, gb_roots(m.loss), gb_minimise(m.loss, gb_adam(.rate = rate)));
    for (double lr = 0.1; lr > 1e-5; lr *= 0.7) {
        gb_set(rate, gb_fill(lr));
        for (int i = 0; i < 150; i++)
            assert_int_equal(gb_run(p), GB_OK);
    }
    const double below = r.log_z + gb_value(m.loss);
    assert_true(below > -1e-9 && below < 1e-6);
}

/* ---- conjugate priors on other supports: q of the same kind is the posterior ---- */

static const double counts[] = {3, 1, 4, 1, 5}, tosses[] = {1, 0, 1, 1, 0, 1};

static double log_beta(double a, double b)
{
    return gsl_sf_lngamma(a) + gsl_sf_lngamma(b) - gsl_sf_lngamma(a + b);
}

/* λ ~ gamma(2, 0.5): the posterior is gamma(2 + Σ, 0.5 + n). */
static double poisson_evidence(void)
{
    double sum = 0, factorials = 0;
    for (int i = 0; i < 5; i++)
        sum += counts[i], factorials += gsl_sf_lngamma(counts[i] + 1);
    return 2 * log(0.5) - gsl_sf_lngamma(2) + gsl_sf_lngamma(2 + sum) - (2 + sum) * log(0.5 + 5) - factorials;
}

TEST(gamma_can_be_the_posterior)
{
    for (int mode = 0; mode < 2; mode++) {
        gb_tape *const tape = test_tape(.samples = 1 + mode * 200000);
        gb_elbo *e = gb_elbo_new(tape, .data_size = 1, .kl = mode ? GB_KL_EXACT : GB_KL_SAMPLED);
        const gb_dist prior = gb_gamma(gb_num(tape, 2), gb_num(tape, 0.5));
        const gb_node rate = gb_latent(e, "rate", gb_mean_field_matching(gb_shape()), prior, gb_pathwise());
        gb_observe(e, "y", gb_poisson(rate), gb_constant(tape, gb_shape(5), gb_values_of(counts, 5)));
        const gb_node loss = gb_elbo_loss(e);
        set_variable(tape, "rate.centre", GB_VALUES(log(16 / 5.5)).data, 1);
        set_variable(tape, "rate.raw_spread", GB_VALUES(inverse_softplus(0.25)).data, 1);
        /* with an exact KL the likelihood is a mean of 200,000 draws of deviation 4.2; 6 standard errors */
        assert_true(fabs(-run_and_read(loss) - poisson_evidence()) < (mode ? 6 * 4.2 / sqrt(2e5) : 1e-10));
    }
}

TEST(beta_can_be_the_posterior, .samples = 4)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1, .kl = GB_KL_SAMPLED);
    const gb_node p = gb_latent(e, "p", gb_mean_field_matching(gb_shape(), .map = GB_SCALE_EXP),
                                gb_beta(gb_num(t, 2), gb_num(t, 3)), gb_pathwise());
    gb_observe(e, "y", gb_bernoulli(p), gb_constant(t, gb_shape(6), gb_values_of(tosses, 6)));
    const gb_node loss = gb_elbo_loss(e);
    /* beta(6, 5): a = 1 / s² (1 − m), b = 1 / s² m */
    const double m = 6.0 / 11;
    set_variable(t, "p.centre", GB_VALUES(log(m / (1 - m))).data, 1);
    set_variable(t, "p.log_spread", GB_VALUES(-0.5 * log(6 * (1 - m))).data, 1);
    assert_true(fabs(-run_and_read(loss) - (log_beta(6, 5) - log_beta(2, 3))) < 1e-10);
}

TEST(dirichlet_can_be_the_posterior, .samples = 4)
{
    const double seen[] = {3, 1, 2}, after[] = {4, 2, 3};
    gb_elbo *e = gb_elbo_new(t, .data_size = 1, .kl = GB_KL_SAMPLED);
    const gb_node p = gb_latent(e, "p", gb_mean_field_matching(gb_shape(3)),
                                gb_dirichlet(gb_ones(t, gb_shape(3))), gb_pathwise());
    gb_factor(e, "y", gb_sum(gb_mul(gb_constant(t, gb_shape(3), gb_values_of(seen, 3)), gb_log(p))));
    const gb_node loss = gb_elbo_loss(e);
    double location[3], should = gsl_sf_lngamma(3) - gsl_sf_lngamma(9);
    for (int i = 0; i < 3; i++) {
        location[i] = log(after[i]);
        should += gsl_sf_lngamma(after[i]);
    }
    set_variable(t, "p.centre", location, 3);
    set_variable(t, "p.raw_spread", GB_VALUES(inverse_softplus(sqrt(3.0 / 9))).data,
                 1); /* Σ concentration = n / s² = 9 */
    assert_true(fabs(-run_and_read(loss) - should) < 1e-10);
}

/* ---- points ---- */

/* The mode of the density over the rate itself; that over its logarithm is (2 + Σ) / 5.5. */
TEST(a_point_is_the_mode_over_the_support)
{
    const struct {
        bool has_prior;
        double mode;
    } cases[] = {{true, (2 + 14 - 1) / 5.5}, {false, 14 / 5.0}};
    for (int i = 0; i < 2; i++) {
        gb_tape *const tape = test_tape();
        gb_elbo *e = gb_elbo_new(tape, .data_size = 1);
        const gb_dist prior = gb_gamma(gb_num(tape, 2), gb_num(tape, 0.5));
        const gb_node rate = gb_latent(e, "rate", gb_point(gb_shape(), .location = 1),
                                       cases[i].has_prior ? prior : gb_no_prior, gb_pathwise());
        gb_observe(e, "y", gb_poisson(rate), gb_constant(tape, gb_shape(5), gb_values_of(counts, 5)));
        const gb_node loss = gb_elbo_loss(e);
        size_t count;
        gb_elbo_terms(e, &count);
        assert_int_equal(count, cases[i].has_prior ? 3 : 2);
        const gb_node at = gb_variable_named(tape, cases[i].has_prior ? "rate.location" : "rate");
        const double value = cases[i].has_prior ? log(cases[i].mode) : cases[i].mode;
        const gb_node slope = gb_grad(loss, at);
        gb_set(at, gb_fill(value));
        assert_true(fabs(run_and_read(slope)) < 1e-12);
        gb_set(at, gb_fill(value + 0.1));
        assert_true(run_and_read(slope) > 0.1);
        assert_true(e->has_point && !e->latents->is_flat);
    }
}

/* ---- no prior ---- */

TEST(without_a_prior_the_entropy_is_the_term_and_that_is_remembered)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node one = gb_num(t, 1);
    const gb_node a = gb_latent(e, "a", gb_mean_field(gb_shape(2)), gb_no_prior, gb_pathwise());
    assert_true(e->latents->is_flat);
    gb_latent(e, "b", gb_mean_field(gb_shape(2)), gb_normal(gb_num(t, 0), one), gb_pathwise());
    assert_false(e->latents->is_flat);
    gb_observe(e, "y", gb_normal(a, one), gb_zeros(t, gb_shape(2)));
    gb_node part;
    const gb_latent_part parts[] = {{.name = "c", .prior = gb_no_prior, .support = GB_POSITIVE}};
    gb_latent_block(e, "block", gb_full_rank(gb_shape()), 1, parts, gb_pathwise(), &part);
    assert_true(e->latents->before->is_flat);
    assert_true(gb_value(gb_select(part, GB_SAMPLES, 0)) > 0);
    size_t count;
    gb_elbo_terms(e, &count);
    assert_int_equal(count, 5);
    assert_fine(t);
}

/* ---- which divergences are exact ---- */

typedef gb_dist make_prior(gb_tape *t);

static gb_dist wide(gb_tape *t)
{
    return gb_normal(gb_num(t, 0.3), gb_num(t, 2));
}
static gb_dist of_vectors(gb_tape *t)
{
    return gb_independent(gb_normal(gb_constant(t, gb_shape(3), GB_VALUES(0.1, 0.2, 0.3)), gb_num(t, 2)), 1);
}
static gb_dist correlated(gb_tape *t)
{
    return gb_multivariate_normal(gb_zeros(t, gb_shape(3)),
                                  gb_constant(t, gb_shape(3, 3), GB_VALUES(1, 0, 0, 0.5, 2, 0, 0.1, 0.2, 1)));
}
static gb_dist laplace(gb_tape *t)
{
    return gb_laplace(gb_num(t, 0), gb_num(t, 1));
}
static gb_dist lognormal(gb_tape *t)
{
    return gb_lognormal(gb_num(t, 0), gb_num(t, 1));
}
static gb_dist gamma_prior(gb_tape *t)
{
    return gb_gamma(gb_num(t, 2), gb_num(t, 1));
}

/* Exact where there is a pair, whatever the axes of the events; and equal to the mean over draws. */
TEST(divergences_find_their_pair)
{
    const struct {
        gb_family family;
        make_prior *prior;
        bool exact;
    } cases[] = {
        {gb_mean_field(gb_shape(3), .location = 0.4), wide, true},
        {gb_mean_field(gb_shape(3), .location = 0.4), of_vectors, true},
        {gb_mean_field(gb_shape(3), .location = 0.4), correlated, true},
        {gb_mean_field(gb_shape(3), .location = 0.4), laplace, true},
        {gb_mean_field(gb_shape(3), .location = 0.4), lognormal, true},
        {gb_mean_field(gb_shape(3), .location = 0.4), gamma_prior, false},
        {gb_full_rank(gb_shape(3), .location = 0.4), wide, true},
        {gb_full_rank(gb_shape(3), .location = 0.4), of_vectors, true},
        {gb_full_rank(gb_shape(3), .location = 0.4), correlated, true},
        {gb_full_rank(gb_shape(2, 3), .location = 0.4), wide, true},
        {gb_full_rank(gb_shape(2, 3), .location = 0.4), of_vectors, true},
        {gb_full_rank(gb_shape(), .location = 0.4), wide, true},
        {gb_full_rank(gb_shape(3), .location = 0.4), laplace, false},
        {gb_low_rank(gb_shape(2, 3), .location = 0.4), wide, true},
        {gb_low_rank(gb_shape(3), .location = 0.4), correlated, true},
        {gb_mean_field_matching(gb_shape(3), .location = 0.4), gamma_prior, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value[2], error = 0;
        for (int mode = 0; mode < 2; mode++) {
            gb_tape *const tape = test_tape(.samples = 20000);
            gb_elbo *e = gb_elbo_new(tape, .data_size = 1, .kl = mode ? GB_KL_SAMPLED : GB_KL_AUTO);
            gb_latent(e, "w", cases[i].family, cases[i].prior(tape), gb_pathwise());
            const gb_elbo_term *term = gb_elbo_terms(e, NULL);
            assert_fine(tape);
            if (term[0].exact != (cases[i].exact && !mode))
                fail_msg("case %zu: exact is %d", i, term[0].exact);
            gb_program *p = gb_compile(tape, gb_roots(term[0].value, term[0].error), gb_no_update);
            assert_int_equal(gb_run(p), GB_OK);
            value[mode] = gb_value(term[0].value);
            error += gb_value(term[0].error);
        }
        if (!(fabs(value[0] - value[1]) <= 6.2 * error + 1e-12))
            fail_msg("case %zu: %g and %g, error %g", i, value[0], value[1], error);
    }
}

/* ---- blocks ---- */

/* As two latents of their own, where the family says that they are independent: by 100,000 draws. */
/* Priors of one type are joined, and each part keeps the numbers of its own. */
TEST(a_block_with_priors_of_one_type_has_the_divergence_of_its_parts)
{
    double kl[2];
    for (int is_block = 0; is_block < 2; is_block++) {
        gb_tape *const tape = test_tape();
        gb_elbo *const e = gb_elbo_new(tape, .data_size = 1, .kl = GB_KL_EXACT);
        const gb_family family = gb_mean_field(gb_shape(), .location = 0.2, .scale = 0.3);
        const gb_latent_part parts[] = {
            {.name = "a", .shape = gb_shape(2), .prior = gb_normal(gb_num(tape, 0), gb_num(tape, 1))},
            {.name = "b", .shape = gb_shape(), .prior = gb_normal(gb_num(tape, 3), gb_num(tape, 2))}};
        gb_node x[2];
        if (is_block)
            gb_latent_block(e, "theta", family, 2, parts, gb_pathwise(), x);
        for (int i = 0; i < 2 && !is_block; i++) {
            gb_family own = family;
            own.shape = parts[i].shape;
            gb_latent(e, parts[i].name, own, parts[i].prior, gb_pathwise());
        }
        size_t count;
        const gb_elbo_term *const term = gb_elbo_terms(e, &count);
        kl[is_block] = gb_value(term[count - 1].value);
        assert_int_equal(gb_error(tape), GB_OK);
    }
    assert_true(fabs(kl[1] - kl[0]) <= 1e-12 * fabs(kl[0]));
}

TEST(a_block_of_independent_parts_is_its_parts)
{
    double value[2], error[2];
    for (int is_block = 0; is_block < 2; is_block++) {
        gb_tape *const tape = test_tape(.samples = 100000);
        gb_elbo *e = gb_elbo_new(tape, .data_size = 1, .kl = GB_KL_SAMPLED);
        const gb_dist of_slope = gb_normal(gb_num(tape, 0), gb_num(tape, 1)),
                      of_noise = gb_gamma(gb_num(tape, 2), gb_num(tape, 1.5));
        const gb_latent_part parts[] = {{.name = "slope", .shape = gb_shape(1), .prior = of_slope},
                                        {.name = "noise", .shape = gb_shape(), .prior = of_noise}};
        const gb_family family = gb_mean_field(gb_shape(), .location = 0.2, .scale = 0.3);
        gb_node x[2];
        if (is_block) {
            assert_true(gb_node_ok(gb_latent_block(e, "theta", family, 2, parts, gb_pathwise(), x)));
            assert_string_equal(gb_node_name(x[1]), "theta.noise");
        } else
            for (int i = 0; i < 2; i++) {
                gb_family own = family;
                own.shape = parts[i].shape;
                x[i] = gb_latent(e, parts[i].name, own, parts[i].prior, gb_pathwise());
            }
        gb_observe(e, "y", gb_normal(x[0], x[1]), gb_constant(tape, gb_shape(1), GB_VALUES(1.3)));
        size_t count;
        const gb_elbo_term *term = gb_elbo_terms(e, &count);
        const gb_elbo_term total = term[count - 1];
        gb_program *p = gb_compile(tape, gb_roots(total.value, total.error), gb_no_update);
        assert_int_equal(gb_run(p), GB_OK);
        value[is_block] = gb_value(total.value);
        error[is_block] = gb_value(total.error);
    }
    assert_true(fabs(value[1] - value[0]) <= 6.2 * hypot(error[0], error[1]));
    assert_true(error[0] < 0.01);
}

/* Supports of every kind: each draw has the log q that the pieces say.
 * The simplex has one free number less. */
TEST(a_block_cuts_and_maps, .samples = 3)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node one = gb_num(t, 1), zero = gb_num(t, 0);
    const gb_latent_part parts[] = {
        {.name = "a", .shape = gb_shape(2, 2), .prior = gb_normal(zero, one)},
        {.name = "b", .shape = gb_shape(2), .prior = gb_half_normal(one)},
        {.name = "c", .shape = gb_shape(2, 3), .prior = gb_dirichlet(gb_ones(t, gb_shape(3)))},
        {.name = "d", .shape = gb_shape(), .prior = gb_uniform(zero, gb_num(t, 2))}};
    gb_node x[4];
    const gb_node u =
        gb_latent_block(e, "theta", gb_full_rank(gb_shape(11), .scale = 0.5), 4, parts, gb_pathwise(), x);
    assert_fine(t);
    for (int i = 0; i < 4; i++)
        assert_true(gb_shape_same(gb_node_shape(x[i]), parts[i].shape));
    const gb_elbo_term *term = gb_elbo_terms(e, NULL);
    assert_fine(t);
    assert_false(term[0].exact);
    /* log p − log q in the free numbers, put together by hand */
    const gb_dist q = gb_elbo_posterior(e, "theta");
    assert_true(q.type == &gb_multivariate_normal_type);
    const gb_node b = gb_slice(u, 0, 4, 6), c = gb_slice(u, 0, 6, 10), d = gb_slice(u, 0, 10, 11);
    gb_node sum = gb_neg(gb_log_prob(q, u));
    for (int i = 0; i < 4; i++)
        sum = gb_add(sum, gb_sum(gb_log_prob(parts[i].prior, x[i])));
    sum = gb_add(sum, gb_sum(b));
    sum = gb_add(sum, gb_sum(gb_transform_log_jacobian(gb_stick_breaking_transform(t),
                                                       gb_reshape(c, gb_shape(2, 2)), x[2])));
    sum = gb_add(sum,
                 gb_sum(gb_add(gb_log(gb_num(t, 2)), gb_add(gb_log_sigmoid(d), gb_log_sigmoid(gb_neg(d))))));
    const gb_node mean = gb_mean_over(sum, GB_SAMPLES);
    gb_program *p = gb_compile(t, gb_roots(mean, term[0].value), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    assert_close(gb_value(term[0].value), gb_value(mean), 1e3);
}

TEST(a_point_may_be_a_block)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_dist prior = gb_gamma(gb_num(t, 2), gb_num(t, 1));
    const gb_latent_part parts[] = {{.name = "a", .shape = gb_shape(2), .prior = prior},
                                    {.name = "b", .shape = gb_shape(), .prior = gb_no_prior}};
    gb_node x[2];
    gb_latent_block(e, "theta", gb_point(gb_shape(), .location = 0.5), 2, parts, gb_pathwise(), x);
    const gb_node loss = gb_elbo_loss(e);
    assert_fine(t);
    assert_close(gb_value(loss), -2 * (0.5 - exp(0.5)), 64); /* log x − x, no Jacobian */
    assert_values(x[0], exp(0.5), exp(0.5));
    assert_close(gb_value(x[1]), 0.5, 1);
}

/* ---- rows ---- */

/* Of a table by the row's number: the mean over all batches of 2 of 4
 * rows is the whole, KL and gradient too. */
TEST(a_latent_of_each_row_is_scaled_with_its_rows)
{
    enum { ROWS = 4, PAIRS = 6 };
    const double y[ROWS] = {0.5, -1, 2, 0.1}, table[ROWS] = {0.3, -0.2, 1, 0.7};
    const int64_t all[ROWS] = {0, 1, 2, 3};
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node at = gb_input_rows_ints(t, "index", gb_shape()), data = gb_input_rows(t, "y", gb_shape());
    const gb_node one = gb_num(t, 1);
    const gb_node locations = gb_variable(t, "z.location", gb_shape(ROWS), gb_values_of(table, ROWS));
    const gb_dist q = gb_normal(gb_gather(locations, 0, at), gb_num(t, 0.5));
    const gb_node z = gb_latent(e, "z", gb_posterior_of(q), gb_normal(gb_num(t, 0), one), gb_pathwise());
    assert_true(gb_node_axes(z) == (GB_SAMPLES | GB_ROWS));
    /* E log N(y | z, 1), but for constants */
    gb_factor(e, "y", gb_scale(gb_square(gb_sub(data, q.param[0])), -0.5));
    const gb_node loss = gb_elbo_loss(e), slope = gb_grad(loss, locations);
    const gb_elbo_term *term = gb_elbo_terms(e, NULL);
    assert_fine(t);
    gb_program *p = gb_compile(t, gb_roots(loss, slope, term[0].value), gb_no_update);
    double mean[2 + ROWS] = {0}, whole[2 + ROWS], one_run[ROWS];
    for (int a = 0; a < ROWS; a++)
        for (int b = a + 1; b < ROWS; b++) {
            gb_feed_ints(at, (const int64_t[]){a, b}, 2);
            gb_feed(data, (const double[]){y[a], y[b]}, 2);
            assert_int_equal(gb_run(p), GB_OK);
            assert_int_equal(gb_read(slope, one_run, ROWS), GB_OK);
            mean[0] += gb_value(loss) / PAIRS;
            mean[1] += gb_value(term[0].value) / PAIRS;
            for (int i = 0; i < ROWS; i++)
                mean[2 + i] += one_run[i] / PAIRS;
        }
    gb_feed_ints(at, all, ROWS);
    gb_feed(data, y, ROWS);
    assert_int_equal(gb_run(p), GB_OK);
    whole[0] = gb_value(loss);
    whole[1] = gb_value(term[0].value);
    gb_read(slope, whole + 2, ROWS);
    double kl = 0;
    for (int i = 0; i < ROWS; i++)
        kl += log(1 / 0.5) + (0.25 + table[i] * table[i]) / 2 - 0.5;
    assert_close(whole[1], -kl, 64);
    for (int i = 0; i < 2 + ROWS; i++)
        assert_true(fabs(mean[i] - whole[i]) < 1e-12 * (1 + fabs(whole[i])));
}

TEST(a_posterior_of_whole_numbers_may_be_given)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node logits = gb_variable(t, "z.logits", gb_shape(2), gb_fill(0.4));
    const gb_node half = gb_num(t, 0.5);
    gb_latent(e, "z", gb_posterior_of(gb_bernoulli_logits(logits)), gb_bernoulli(half), gb_enumerated());
    const double p = 1 / (1 + exp(-0.4));
    assert_close(run_and_read(gb_elbo_loss(e)), 2 * (p * log(2 * p) + (1 - p) * log(2 * (1 - p))), 1e3);
}

/* ---- dropout ---- */

TEST(dropout_has_the_approximation_of_gal)
{
    const double keep = 0.8, w = 0.3, h = -(keep * log(keep) + (1 - keep) * log(1 - keep));
    for (int by_unit = 0; by_unit < 2; by_unit++)
        for (int learned = 0; learned < 2; learned++) {
            gb_tape *const tape = test_tape();
            gb_elbo *e = gb_elbo_new(tape, .data_size = 1);
            const gb_family family = gb_dropout_posterior(gb_shape(4, 2), .location = w, .keep = keep,
                                                          .by_unit = by_unit, .is_learned = learned);
            gb_latent(e, "w", family, gb_normal(gb_num(tape, 0), gb_num(tape, 1)),
                      learned ? gb_dropout_draws(.mask = gb_arm()) : gb_dropout_draws());
            const gb_node loss = gb_elbo_loss(e);
            assert_fine(tape);
            assert_true(gb_elbo_terms(e, NULL)[0].exact);
            assert_close(run_and_read(loss), 8 * keep * w * w / 2 - (by_unit ? 4 : 8) * h, 64);
            if (learned)
                assert_close(run_and_read(gb_grad(loss, gb_variable_named(tape, "w.raw_keep"))),
                             keep * (1 - keep) *
                                 (8 * w * w / 2 - (by_unit ? 4 : 8) * (log(1 - keep) - log(keep))),
                             1e3);
        }
}

TEST(a_sampled_divergence_of_dropout_is_rejected)
{
    gb_elbo *sampled = gb_elbo_new(t, .data_size = 1, .kl = GB_KL_SAMPLED),
            *automatic = gb_elbo_new(t, .data_size = 1);
    const gb_node one = gb_num(t, 1), zero = gb_num(t, 0);
    gb_latent(sampled, "a", gb_dropout_posterior(gb_shape(2), .keep = 0.5), gb_normal(zero, one),
              gb_pathwise());
    assert_rejected(t, GB_EARGUMENT, "latent a: KL(bernoulli_dropout ‖ normal) cannot be sampled");
    gb_latent(automatic, "b", gb_dropout_posterior(gb_shape(2), .keep = 0.5), gb_laplace(zero, one),
              gb_pathwise());
    assert_rejected(t, GB_EARGUMENT, "take a normal prior and GB_KL_AUTO (Gal's approximation)");
    gb_latent(automatic, "c", gb_dropout_posterior(gb_shape(2), .keep = 0.5, .is_learned = true),
              gb_normal(zero, one), gb_pathwise());
    assert_rejected(t, GB_EARGUMENT, "draw c: pathwise needs a");
    gb_latent(sampled, "d", gb_dropout_posterior(gb_shape(2), .keep = 0.5), gb_no_prior, gb_pathwise());
    assert_fine(t);
}

/* ---- starts ---- */

TEST(starts_are_spread_by_the_seed)
{
    enum { MANY = 4096 };
    static double first[MANY], again[MANY], other[MANY];
    double *const all[] = {first, again, other};
    for (int i = 0; i < 3; i++) {
        gb_tape *const tape = test_tape(.seed = i == 2 ? 8 : 7);
        gb_elbo *e = gb_elbo_new(tape, .data_size = 1);
        const gb_node w = gb_latent(e, "w", gb_point(gb_shape(MANY), .location = 3, .spread = 0.5),
                                    gb_no_prior, gb_pathwise());
        assert_int_equal(gb_read(w, all[i], MANY), GB_OK);
    }
    double mean = 0, square = 0, product = 0;
    for (int i = 0; i < MANY; i++) {
        mean += first[i] / MANY;
        square += (first[i] - 3) * (first[i] - 3) / MANY;
        product += (first[i] - 3) * (other[i] - 3) / MANY;
    }
    assert_memory_equal(first, again, sizeof first);
    assert_true(fabs(mean - 3) < 6 * 0.5 / 64 && fabs(square - 0.25) < 6 * 0.25 * sqrt(2.0) / 64);
    assert_true(fabs(product) < 6 * 0.25 / 64);
}

TEST(starts_may_be_given_one_by_one)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_dist prior = gb_dirichlet(gb_ones(t, gb_shape(3)));
    gb_latent(e, "p",
              gb_mean_field(gb_shape(3), .locations = gb_constant(t, gb_shape(2), GB_VALUES(0.5, -1))), prior,
              gb_pathwise());
    assert_values(gb_variable_named(t, "p.location"), 0.5, -1);
    gb_latent(e, "q",
              gb_mean_field(gb_shape(3), .locations = gb_constant(t, gb_shape(3), GB_VALUES(0.5, -1, 2))),
              prior, gb_pathwise());
    assert_true(gb_error(t) != GB_OK);
    assert_non_null(strstr(gb_error_text(t), "q.location"));
}

TEST(families_are_found_by_name)
{
    size_t count;
    const gb_family_type *const *const all = gb_families(&count);
    assert_int_equal(count, 15);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(gb_family_find(all[i]->name), all[i]);
    assert_null(gb_family_find("no such"));
    assert_null(gb_family_find(NULL));
}

/* ---- starts ---- */

/* The kit allows a start that holds to first order; W Wᵀ of many columns tells its rank. */
TEST(a_low_rank_starts_as_wide_as_it_says, .seed = 3)
{
    gb_slot slot;
    gb_family_start start;
    const gb_family family = gb_low_rank(gb_shape(500), .scale = 0.5, .rank = 16, .factor = 0.2);
    assert_true(gb_slot_of(t, "w", family, (gb_dist){0}, &slot));
    assert_true(gb_family_starts(family, &slot, &start));
    const gb_dist q = gb_family_posterior(family, &slot);
    assert_near(start.scale, sqrt(0.25 + 16 * 0.04), 1e-12);
    assert_near(sqrt(run_and_read(gb_mean(gb_dist_variance(q)))), start.scale, 0.03);
}

TEST(the_factor_of_a_low_rank_starts_at_a_tenth_of_its_scale, .seed = 3)
{
    gb_slot slot;
    const gb_family family = gb_low_rank(gb_shape(500), .scale = 2, .rank = 4);
    assert_true(gb_slot_of(t, "w", family, (gb_dist){0}, &slot));
    gb_family_posterior(family, &slot);
    const gb_node factor = gb_variable_named(t, "w.factor");
    assert_near(sqrt(run_and_read(gb_mean(gb_square(factor)))), 0.2, 0.02);
}

TEST(a_matching_kumaraswamy_has_its_median_at_its_location)
{
    gb_slot slot;
    const gb_family family =
        gb_mean_field_matching(gb_shape(), .location = 0.7, .scale = 0.3, .unit = GB_MATCHING_KUMARASWAMY);
    const gb_dist prior = gb_beta(gb_num(t, 2), gb_num(t, 2));
    assert_true(gb_slot_of(t, "w", family, prior, &slot));
    const gb_dist q = gb_family_posterior(family, &slot);
    assert_ptr_equal(q.type, &gb_kumaraswamy_type);
    assert_near(run_and_read(gb_cdf(q, gb_num(t, 1 / (1 + exp(-0.7))))), 0.5, 1e-12);
}
