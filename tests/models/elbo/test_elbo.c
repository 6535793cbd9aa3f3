/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ELBO of Bayesian linear regression, whose every part is known; then Adam; then what is rejected. */
#include "support/close.h"

#include <stdio.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "estimators/visit.h"
#include "models/elbo.h"
#include "models/optimiser.h"
#include "models/printed.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "support/regression.h"

enum { N = REGRESSION_ROWS, D = REGRESSION_COLUMNS };
static const double LOG_TWO_PI = 1.837877066409345483560659472811;

/* ---- the model ---- */

typedef struct model {
    gb_tape *t;
    gb_node x, y, w, loss;
    gb_elbo *e;
} model;

static model model_of(gb_family family, gb_estimator estimator, gb_kl_mode kl, double data_size)
{
    model m = {.t = test_tape(.seed = 4, .samples = 16)};
    m.x = gb_input_rows(m.t, "x", gb_shape(D));
    m.y = gb_input_rows(m.t, "y", gb_shape());
    m.e = gb_elbo_new(m.t, .data_size = data_size, .kl = kl);
    m.w = gb_latent(m.e, "w", family, gb_normal(gb_num(m.t, 0), gb_num(m.t, REGRESSION_PRIOR)), estimator);
    gb_observe(m.e, "y", gb_normal(gb_dot(m.x, m.w), gb_num(m.t, REGRESSION_NOISE)), m.y);
    m.loss = gb_elbo_loss(m.e);
    return m;
}

static void feed(const model *m, const regression *r)
{
    assert_int_equal(gb_feed(m->x, r->x, N), GB_OK);
    assert_int_equal(gb_feed(m->y, r->y, N), GB_OK);
}

static void train(const model *m)
{
    const gb_node rate = gb_variable(m->t, "rate", gb_shape(), gb_fill(0));
    gb_program *p = gb_compile(m->t, gb_roots(m->loss), gb_minimise(m->loss, gb_adam(.rate = rate)));
    assert_fine(m->t);
    for (double lr = 0.1; lr > 1e-5; lr *= 0.8) {
        gb_set(rate, gb_fill(lr));
        for (int i = 0; i < 200; i++)
            assert_int_equal(gb_run(p), GB_OK);
    }
}

/* By 100,000 draws, no worse than 6 standard errors from the optimum of mean field, which four fits with a
 * right gradient miss by chance less than once in 10⁸; the fits are some 1e-3 away from it. */
TEST(mean_field_reaches_its_best_elbo)
{
    const regression r = regression_solved();
    const struct {
        gb_estimator estimator;
        gb_kl_mode kl;
    } ways[] = {{gb_pathwise(), GB_KL_EXACT},
                {gb_pathwise(), GB_KL_SAMPLED},
                {gb_score(.baseline = gb_leave_one_out()), GB_KL_AUTO},
                {gb_score(.baseline = gb_leave_one_out()), GB_KL_SAMPLED}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const model m = model_of(gb_mean_field(gb_shape(D)), ways[i].estimator, ways[i].kl, N);
        feed(&m, &r);
        train(&m);
        size_t count;
        double location[D], scale[D];
        const gb_elbo_term *terms = gb_elbo_terms(m.e, &count);
        const gb_dist q = gb_elbo_posterior(m.e, "w");
        const gb_elbo_term total = terms[count - 1];
        gb_program *look =
            gb_compile(m.t, gb_roots(total.value, total.error, q.param[1], m.loss), gb_no_update);
        gb_program_set_samples(look, 100000);
        assert_int_equal(gb_run(look), GB_OK);
        const double elbo = gb_value(total.value), error = gb_value(total.error), best = r.log_z - r.gap;
        if (fabs(elbo - best) > 6 * error + 5e-3 || elbo > r.log_z + 6 * error)
            fail_msg("way %zu: ELBO %g ± %g, not %g (log Z %g)", i, elbo, error, best, r.log_z);
        assert_true(error > 0 && error < 0.1 * r.gap);
        assert_close(gb_value(m.loss), -elbo, 16);
        assert_int_equal(gb_read(q.param[0], location, D), GB_OK);
        assert_int_equal(gb_read(q.param[1], scale, D), GB_OK);
        for (int d = 0; d < D; d++) {
            assert_true(fabs(location[d] - r.mean[d]) < 0.1 / sqrt(r.precision[d]));
            assert_true(fabs(scale[d] * sqrt(r.precision[d]) - 1) < 0.05);
        }
    }
}

TEST(a_point_reaches_the_ridge_solution)
{
    double w[D];
    const regression r = regression_solved();
    const model m = model_of(gb_point(gb_shape(D), .location = 0.3), gb_pathwise(), GB_KL_AUTO, N);
    feed(&m, &r);
    train(&m);
    assert_int_equal(gb_read(m.w, w, D), GB_OK);
    for (int d = 0; d < D; d++)
        assert_true(fabs(w[d] - r.mean[d]) < 1e-6);
    gb_read(gb_elbo_posterior_mean(m.e, "w"), w, D);
    for (int d = 0; d < D; d++)
        assert_true(fabs(w[d] - r.mean[d]) < 1e-6);
}

static double log_normal(double x, double loc, double scale)
{
    const double z = (x - loc) / scale;
    return -0.5 * z * z - log(scale) - 0.5 * LOG_TWO_PI;
}

/* With the draws read back, the terms are what one computes by hand, and sum to minus the loss. */
TEST(terms_are_their_formulas_draw_by_draw)
{
    enum { S = 16 };
    const regression r = regression_solved();
    for (int sampled = 0; sampled < 2; sampled++) {
        const model m = model_of(gb_mean_field(gb_shape(D), .location = 0.2, .scale = 0.4), gb_pathwise(),
                                 sampled ? GB_KL_SAMPLED : GB_KL_EXACT, N);
        feed(&m, &r);
        size_t count;
        const gb_elbo_term *term = gb_elbo_terms(m.e, &count);
        assert_int_equal(count, 3);
        gb_program *p =
            gb_compile(m.t, gb_roots(m.w, m.loss, term[0].value, term[1].value, term[2].value, term[1].error),
                       gb_no_update);
        assert_int_equal(gb_run(p), GB_OK);
        double w[S * D], each[S] = {0}, data = 0, kl = 0, squares = 0;
        assert_int_equal(gb_read(m.w, w, S * D), GB_OK);
        for (int s = 0; s < S; s++) {
            for (int i = 0; i < N; i++) {
                double f = 0;
                for (int d = 0; d < D; d++)
                    f += r.x[i * D + d] * w[s * D + d];
                each[s] += log_normal(r.y[i], f, REGRESSION_NOISE);
            }
            data += each[s] / S;
            for (int d = 0; d < D; d++)
                kl +=
                    (log_normal(w[s * D + d], 0.2, 0.4) - log_normal(w[s * D + d], 0, REGRESSION_PRIOR)) / S;
        }
        for (int s = 0; s < S; s++)
            squares += (each[s] - data) * (each[s] - data);
        if (!sampled)
            kl = D * (log(REGRESSION_PRIOR / 0.4) +
                      (0.4 * 0.4 + 0.2 * 0.2) / (2 * REGRESSION_PRIOR * REGRESSION_PRIOR) - 0.5);
        assert_true(term[0].kind == GB_TERM_KL && term[0].exact == !sampled && term[1].kind == GB_TERM_DATA &&
                    !term[1].exact);
        assert_close(gb_value(term[0].value), -kl, 1e4);
        assert_close(gb_value(term[1].value), data, 1e4);
        assert_close(gb_value(term[2].value), data - kl, 1e4);
        assert_close(gb_value(term[1].error), sqrt(squares / (S * (S - 1))), 1e4);
        assert_close(gb_value(m.loss), kl - data, 1e4);
    }
}

/* The mean over all 6 batches of 2 of 4 rows, with the same draws, is the whole: loss and gradients. */
TEST(batches_of_rows_are_exactly_unbiased)
{
    enum { ROWS = 4, PAIRS = 6 };
    const regression r = regression_solved();
    const gb_estimator estimators[] = {gb_pathwise(), gb_score(.baseline = gb_leave_one_out())};
    for (int k = 0; k < 2; k++) {
        const model m = model_of(gb_mean_field(gb_shape(D), .scale = 0.4), estimators[k], GB_KL_AUTO, ROWS);
        const gb_dist q = gb_elbo_posterior(m.e, "w");
        const gb_node g = gb_grad(m.loss, q.param[0]);
        gb_program *p = gb_compile(m.t, gb_roots(m.loss, g), gb_no_update);
        double mean[1 + D] = {0}, whole[1 + D];
        for (int a = 0; a < ROWS; a++)
            for (int b = a + 1; b < ROWS; b++) {
                double x[2 * D], y[2] = {r.y[a], r.y[b]}, out[1 + D];
                memcpy(x, &r.x[a * D], D * sizeof *x);
                memcpy(x + D, &r.x[b * D], D * sizeof *x);
                gb_feed(m.x, x, 2);
                gb_feed(m.y, y, 2);
                gb_program_set_step(p, 0);
                assert_int_equal(gb_run(p), GB_OK);
                out[0] = gb_value(m.loss);
                gb_read(g, out + 1, D);
                for (int i = 0; i <= D; i++)
                    mean[i] += out[i] / PAIRS;
            }
        gb_feed(m.x, r.x, ROWS);
        gb_feed(m.y, r.y, ROWS);
        gb_program_set_step(p, 0);
        assert_int_equal(gb_run(p), GB_OK);
        whole[0] = gb_value(m.loss);
        gb_read(g, whole + 1, D);
        for (int i = 0; i <= D; i++)
            assert_true(fabs(mean[i] - whole[i]) <= 1e-12 * (1 + fabs(whole[i])) * 10);
    }
}

/* Data without rows are the whole, whatever data_size says. */
TEST(data_without_rows_are_not_scaled)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1000);
    const gb_node one = gb_num(t, 1), zero = gb_num(t, 0);
    const gb_node w =
        gb_latent(e, "w", gb_point(gb_shape(), .location = 0.5), gb_normal(zero, one), gb_pathwise());
    const gb_node each = gb_observe(e, "y", gb_normal(w, one), gb_constant(t, gb_shape(2), GB_VALUES(1, 3)));
    gb_factor(e, "penalty", gb_neg(gb_square(w)));
    const double log_p[] = {log_normal(1, 0.5, 1), log_normal(3, 0.5, 1)};
    assert_close(gb_value(gb_elbo_loss(e)), -(log_p[0] + log_p[1] + log_normal(0.5, 0, 1) - 0.25), 64);
    assert_values_at(each, 2, log_p, 16, "each", __LINE__);
}

/* A latent whose prior depends on another: with both estimators the loss is closed, and the KL is sampled
 * through. */
TEST(a_prior_may_depend_on_an_earlier_latent, .samples = 4)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node one = gb_num(t, 1);
    const gb_node mu =
        gb_latent(e, "mu", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), one), gb_pathwise());
    const gb_node theta = gb_latent(e, "theta", gb_mean_field(gb_shape(8)), gb_normal(mu, one),
                                    gb_score(.baseline = gb_leave_one_out()));
    gb_observe(e, "y", gb_normal(theta, one), gb_zeros(t, gb_shape(8)));
    const gb_node loss = gb_elbo_loss(e);
    size_t count;
    const gb_elbo_term *terms = gb_elbo_terms(e, &count);
    assert_true(terms[0].exact && !terms[1].exact && terms[1].kind == GB_TERM_KL);
    gb_program *p = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam()));
    assert_int_equal(gb_run(p), GB_OK);
}

/* ---- printing ---- */

TEST(printing_tells_each_term_and_its_error)
{
    char text[1000];
    const regression r = regression_solved();
    const model m = model_of(gb_mean_field(gb_shape(D)), gb_pathwise(), GB_KL_AUTO, 10 * N);
    feed(&m, &r);
    gb_program *look = gb_compile(m.t, gb_elbo_roots(m.e), gb_no_update);
    assert_int_equal(gb_run(look), GB_OK);
    print_to(m.e, text, sizeof text);
    assert_non_null(strstr(text, "-KL(q || prior)  w "));
    assert_non_null(strstr(text, "exact"));
    assert_non_null(strstr(text, "log likelihood   y "));
    assert_non_null(strstr(text, "(MC)  scale 10\n"));
    assert_non_null(strstr(text, "sum              ELBO "));
    gb_program_set_samples(look, 1);
    assert_int_equal(gb_run(look), GB_OK);
    print_to(m.e, text, sizeof text);
    assert_non_null(strstr(text, "± n/a"));

    const model point = model_of(gb_point(gb_shape(D)), gb_pathwise(), GB_KL_AUTO, N);
    feed(&point, &r);
    assert_int_equal(gb_run(gb_compile(point.t, gb_elbo_roots(point.e), gb_no_update)), GB_OK);
    print_to(point.e, text, sizeof text);
    assert_non_null(strstr(text, "Not a bound: a point has no entropy"));
    assert_null(strstr(text, "ELBO"));
}

/* ---- Adam ---- */

TEST(adam_is_its_formula)
{
    const double lr = 0.02, beta1 = 0.8, beta2 = 0.95, epsilon = 1e-3;
    double x[] = {1, -2, 0.5}, m[3] = {0}, v[3] = {0}, is[3];
    const gb_node variable = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, -2, 0.5));
    const gb_node loss =
        gb_sum(gb_mul(gb_square(variable), gb_constant(t, gb_shape(3), GB_VALUES(1, 10, 0.01))));
    const double weight[] = {1, 10, 0.01};
    gb_program *p =
        gb_compile(t, gb_roots(loss),
                   gb_minimise(loss, gb_adam(.lr = lr, .beta1 = beta1, .beta2 = beta2, .epsilon = epsilon)));
    for (int step = 1; step <= 5; step++) {
        assert_int_equal(gb_run(p), GB_OK);
        assert_int_equal(gb_read(variable, is, 3), GB_OK);
        for (int i = 0; i < 3; i++) {
            const double g = 2 * weight[i] * x[i];
            m[i] = beta1 * m[i] + (1 - beta1) * g;
            v[i] = beta2 * v[i] + (1 - beta2) * g * g;
            x[i] -= lr * (m[i] / (1 - pow(beta1, step))) / (sqrt(v[i] / (1 - pow(beta2, step))) + epsilon);
            assert_close(is[i], x[i], 64);
        }
    }
}

TEST(minimise_finds_the_variables_that_the_loss_moves_with)
{
    gb_node found[8];
    const gb_node a = gb_variable(t, "a", gb_shape(), gb_fill(1)),
                  b = gb_variable(t, "b", gb_shape(2), gb_fill(2)),
                  fixed = gb_variable(t, "fixed", gb_shape(), gb_fill(3)),
                  unused = gb_variable(t, "unused", gb_shape(), gb_fill(4)),
                  step = gb_variable(t, "step", gb_shape(), gb_fill(5));
    const gb_node above = gb_to_real(gb_greater(step, a));
    const gb_node loss = gb_mul(gb_mul(gb_square(a), above), gb_add(gb_sum(gb_square(b)), gb_stop(fixed)));
    assert_int_equal(gb_node_variables(loss, found, 8), 3);
    assert_true(gb_node_same(found[0], a) && gb_node_same(found[1], b) && gb_node_same(found[2], step));
    assert_int_equal(gb_node_variables(loss, found, 1), 3);
    gb_program *p = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.1)));
    assert_int_equal(gb_run(p), GB_OK);
    assert_true(gb_value(a) < 1 && gb_value(fixed) == 3 && gb_value(unused) == 4 && gb_value(step) == 5);
    gb_minimise(loss, gb_adam());
    assert_rejected(t, GB_ENAME, "adam");
    gb_minimise(gb_square(gb_stop(a)), gb_adam());
    assert_rejected(t, GB_EARGUMENT, "no gradient in any variable");
    gb_minimise(loss, (gb_optimiser){0});
    assert_rejected(t, GB_EARGUMENT, "no optimiser was given");
}

/* ---- rejections ---- */

TEST(what_would_be_wrong_is_rejected)
{
    assert_null(gb_elbo_new(t, .kl = GB_KL_AUTO));
    assert_rejected(t, GB_EARGUMENT,
                    "elbo: .data_size is 0; it must be the number of rows of the whole data set");
    gb_elbo *e = gb_elbo_new(t, .data_size = 10);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1), x = gb_input_rows(t, "x", gb_shape());
    const gb_dist unit = gb_normal(zero, one);

    gb_latent(e, "a", (gb_family){0}, unit, gb_pathwise());
    assert_rejected(t, GB_EARGUMENT, "latent a: no posterior family was given");
    gb_latent(e, "a", gb_mean_field(gb_shape(2)), (gb_dist){0}, gb_pathwise());
    assert_rejected(t, GB_EARGUMENT, "latent a: no prior");
    gb_latent(e, "a", gb_mean_field(gb_shape(2)), gb_normal(gb_zeros(t, gb_shape(3)), one), gb_pathwise());
    assert_rejected(t, GB_ESHAPE,
                    "latent a: the prior has shape (3), which does not broadcast to the posterior's (2)");
    gb_latent(e, "a", gb_mean_field(gb_shape(2), .scale = -1), unit, gb_pathwise());
    assert_rejected(t, GB_EARGUMENT, "latent a: mean_field: scale is -1, and must be positive");
    gb_latent(e, "b", gb_mean_field(gb_shape()), gb_normal(x, one), gb_pathwise());
    assert_rejected(t, GB_ESHAPE, "latent b: the prior varies over rows, the posterior does not");
    gb_latent(e, "", gb_mean_field(gb_shape()), unit, gb_pathwise());
    assert_rejected(t, GB_ENAME, "latent: a name is required");
    gb_observe(e, "y", gb_normal(gb_zeros(t, gb_shape(5)), one), zero);
    assert_rejected(t, GB_ESHAPE,
                    "observe y: the distribution has shape (5), the data (): a datum would not count once");
    gb_observe(e, "k", gb_categorical_logits(gb_zeros(t, gb_shape(3, 1))), zero);
    assert_rejected(
        t, GB_ESHAPE,
        "observe k: the distribution has shape (3) (categorical of logits (3×1), of which the last "
        "axis is of one draw), the data (): a datum would not count once");
    const gb_node logits = gb_input_rows(t, "logits", gb_shape(3)),
                  labels = gb_input_rows(t, "k", gb_shape(3));
    gb_observe(e, "k", gb_categorical_logits(logits), labels);
    assert_rejected(
        t, GB_ESHAPE,
        "observe k: the data have shape (3), one number for each class; categorical takes the number "
        "of the class (gb_table_levels), and gb_one_hot_categorical rows of 0 and 1");
    gb_observe(e, "y", gb_normal(x, one), zero);
    assert_rejected(t, GB_ESHAPE, "observe y: the distribution varies over rows, the data do not");
    gb_observe(e, "y", unit, (gb_node){0});
    assert_rejected(t, GB_ENODE, "observe y: the data are not a usable node");

    gb_observe(e, "y", unit, zero);
    gb_elbo_loss(e);
    assert_fine(t);
    gb_factor(e, "late", one);
    assert_rejected(t, GB_EARGUMENT, "factor late: the ELBO is complete");
    assert_false(gb_node_ok(gb_elbo_loss(NULL)));
    assert_null(gb_elbo_terms(NULL, NULL));
}

static gb_node nothing(const gb_dist *d, gb_node x)
{
    return gb_mul(d->param[0], x);
}
static gb_node draw_nothing(const gb_dist *d, const gb_source *from)
{
    return gb_mul(d->param[0], gb_uniform_noise(from->noise, from->shape, from->axes));
}
static const gb_dist_type strange = {.size = sizeof(gb_dist_type),
                                     .name = "strange",
                                     .formula = "a x",
                                     .param = {GB_PARAMETER("a", GB_REAL)},
                                     .support = GB_REAL,
                                     .log_prob = nothing,
                                     .rsample = draw_nothing};

TEST(an_exact_kl_that_is_not_known_is_rejected)
{
    const gb_node one = gb_num(t, 1);
    const gb_dist prior = gb_dist_of(&strange, &one);
    gb_elbo *exact = gb_elbo_new(t, .data_size = 1, .kl = GB_KL_EXACT),
            *automatic = gb_elbo_new(t, .data_size = 1);
    gb_latent(exact, "a", gb_mean_field(gb_shape()), prior, gb_pathwise());
    assert_rejected(t, GB_EARGUMENT, "latent a: there is no exact KL(normal ‖ strange)");
    gb_latent(automatic, "b", gb_mean_field(gb_shape()), prior, gb_pathwise());
    const gb_elbo_term *terms = gb_elbo_terms(automatic, NULL);
    assert_fine(t);
    assert_false(terms[0].exact);
}
