/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log joint density of an ELBO, held against formulas by hand, differences, and integrals. */
#include "support/close.h"

#include <stdio.h>

#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/list.h"
#include "fitting/density.h"
#include "fitting/fit.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/hold.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

static const double PI_2 = 6.283185307179586476925;

/* A number from −1 to 1 that looks random. */
static double pseudo(size_t i)
{
    return sin(12.9898 * (double)(i + 1)) * cos(78.233 * (double)(i * i + 3));
}

static double log_normal(double x, double m, double s)
{
    return -0.5 * (x - m) * (x - m) / (s * s) - log(s) - 0.5 * log(PI_2);
}

/* ---- eight schools, by hand ---- */

static const double effect[8] = {28, 8, -3, 7, -1, 1, 18, 12}, error[8] = {15, 10, 16, 11, 9, 11, 10, 18};

static gb_elbo *eight_schools(gb_tape *t, gb_family (*family)(gb_shape), gb_estimator how, gb_node weight)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 8, .kl_weight = weight);
    const gb_node mu = gb_latent(e, "mu", family(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 5)), how);
    const gb_node tau = gb_latent(e, "tau", family(gb_shape()), gb_half_cauchy(gb_num(t, 5)), how);
    const gb_node theta = gb_latent(e, "theta", family(gb_shape(8)), gb_normal(mu, tau), how);
    gb_observe(e, "y", gb_normal(theta, gb_constant(t, gb_shape(8), gb_values_of(error, 8))),
               gb_constant(t, gb_shape(8), gb_values_of(effect, 8)));
    return e;
}

static gb_family a_mean_field(gb_shape shape)
{
    return gb_mean_field(shape);
}

static gb_family a_point(gb_shape shape)
{
    return gb_point(shape);
}

/* z: mu, log tau, theta. */
static double schools_by_hand(const double *z, double *gradient, bool jacobian)
{
    const double mu = z[0], tau = exp(z[1]);
    double log_p =
        log_normal(mu, 0, 5) + log(2 / (PI_2 / 2 * 5)) - log1p(tau * tau / 25) + (jacobian ? z[1] : 0);
    gradient[0] = -mu / 25;
    gradient[1] = -2 * tau * tau / (25 + tau * tau) + (jacobian ? 1 : 0);
    for (int i = 0; i < 8; i++) {
        const double u = (z[2 + i] - mu) / tau, v = (effect[i] - z[2 + i]) / error[i];
        log_p += log_normal(z[2 + i], mu, tau) + log_normal(effect[i], z[2 + i], error[i]);
        gradient[0] += u / tau;
        gradient[1] += u * u - 1;
        gradient[2 + i] = -u / tau + v / error[i];
    }
    return log_p;
}

enum { SCHOOLS = 10, MANY = 300 };

static void fill_points(double *z, size_t count, double scale)
{
    for (size_t i = 0; i < count; i++)
        z[i] = scale * pseudo(i);
}

static const struct {
    const char *name;
    gb_family (*family)(gb_shape);
    bool after_loss, score;
    double weight; /* of KL; 0: 1 */
    bool by_height;
} ways[] = {
    {"eight_schools_before_the_loss", a_mean_field, false, false, 0, false},
    {"eight_schools_after_the_loss", a_mean_field, true, false, 0, false},
    {"eight_schools_with_score_and_a_weight_of_kl", a_mean_field, true, true, 0.1, false},
    {"eight_schools_of_points", a_point, true, false, 0.1, false},
    {"eight_schools_of_points_by_height", a_point, false, false, 0, true},
};

TEST_EACH(eight_schools_by_hand, ways)
{
    const __typeof__(*ways) *way = row;
    gb_elbo *e = eight_schools(t, way->family, way->score ? gb_score() : gb_pathwise(),
                               way->weight > 0 ? gb_num(t, way->weight) : (gb_node){0});
    if (way->after_loss)
        gb_elbo_loss(e);
    gb_density *d = gb_density_new(e, .points_by_height = way->by_height);
    static double z[MANY * SCHOOLS], log_p[MANY], gradient[MANY * SCHOOLS];
    size_t lost;
    assert_int_equal(gb_density_count(d), SCHOOLS);
    fill_points(z, MANY * SCHOOLS, 4);
    if (gb_density_evaluate(d, MANY, z, log_p, gradient, &lost) != GB_OK)
        fail_msg("%s", gb_error_text(t));
    assert_int_equal(lost, 0);
    for (size_t i = 0; i < MANY; i++) {
        double should[SCHOOLS];
        const double p = schools_by_hand(z + i * SCHOOLS, should, !way->by_height);
        assert_near(log_p[i], p, 1e-13 * (fabs(p) + 100));
        for (size_t k = 0; k < SCHOOLS; k++)
            assert_near(gradient[i * SCHOOLS + k], should[k], 1e-13 * (fabs(should[k]) + fabs(p)));
    }
}

/* ---- supports: the density integrates to 1, its gradient is its slope ---- */

typedef gb_dist prior_of(gb_tape *t);

static gb_dist a_gamma(gb_tape *t)
{
    return gb_gamma(gb_num(t, 2.5), gb_num(t, 0.3));
}

static gb_dist a_half_cauchy(gb_tape *t)
{
    return gb_half_cauchy(gb_num(t, 5));
}

static gb_dist a_beta(gb_tape *t)
{
    return gb_beta(gb_num(t, 2), gb_num(t, 0.7));
}

static gb_dist a_uniform(gb_tape *t)
{
    return gb_uniform(gb_num(t, -3), gb_num(t, 8));
}

static gb_dist a_student(gb_tape *t)
{
    return gb_student_t(gb_num(t, 4), gb_num(t, 2), gb_num(t, 0.5));
}

static gb_dist a_truncated(gb_tape *t)
{
    return gb_truncated_normal(gb_num(t, 0), gb_num(t, 1), gb_num(t, -1), gb_num(t, 3));
}

static gb_dist a_pareto(gb_tape *t)
{
    return gb_pareto(gb_num(t, 2), gb_num(t, 3));
}

static const struct {
    const char *name;
    prior_of *prior;
    double reach; /* the integral is over ± this */
} priors[] = {{"gamma", a_gamma, 60},         {"half_cauchy", a_half_cauchy, 60},
              {"beta", a_beta, 80},           {"uniform", a_uniform, 60},
              {"student_t", a_student, 4000}, {"truncated_normal", a_truncated, 60},
              {"pareto", a_pareto, 60}};

TEST_EACH(a_prior_alone_integrates_to_1_over_its_free_number, priors)
{
    const __typeof__(*priors) *it = row;
    enum { STEPS = 40000 };
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_mean_field(gb_shape()), it->prior(t), gb_pathwise());
    gb_density *d = gb_density_new(e);
    double *z = calloc(STEPS, sizeof *z), *log_p = calloc(STEPS, sizeof *z), *g = calloc(STEPS, sizeof *z),
           sum = 0;
    const double step = 2 * it->reach / STEPS;
    for (int i = 0; i < STEPS; i++)
        z[i] = -it->reach + (i + 0.5) * step;
    assert_int_equal(gb_density_evaluate(d, STEPS, z, log_p, g, NULL), GB_OK);
    for (int i = 0; i < STEPS; i++)
        sum += exp(log_p[i]) * step;
    assert_near(sum, 1, 1e-6);
    for (int i = 0; i < 60; i++) { /* pairs, and the middle of each */
        const double at = (i / 3 - 10) * 0.7;
        z[i] = i % 3 == 0 ? at : i % 3 == 1 ? at - 1e-5 : at + 1e-5;
    }
    assert_int_equal(gb_density_evaluate(d, 60, z, log_p, g, NULL), GB_OK);
    for (int i = 0; i < 60; i += 3)
        assert_near(g[i], (log_p[i + 2] - log_p[i + 1]) / 2e-5, 1e-6 * (1 + fabs(g[i]) + fabs(log_p[i])));
    free(z);
    free(log_p);
    free(g);
}

TEST(a_simplex_integrates_to_1_over_its_free_numbers)
{
    enum { SIDE = 240 };
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "p", gb_mean_field(gb_shape(3)),
              gb_dirichlet(gb_constant(t, gb_shape(3), GB_VALUES(2, 3, 1.5))), gb_pathwise());
    gb_density *d = gb_density_new(e);
    assert_int_equal(gb_density_count(d), 2);
    assert_int_equal(gb_density_value_count(d), 3);
    const double step = 30.0 / SIDE;
    double *z = calloc(2 * SIDE * SIDE, sizeof *z), *log_p = calloc(SIDE * SIDE, sizeof *z), sum = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        z[2 * i] = -15 + ((double)(i / SIDE) + 0.5) * step;
        z[2 * i + 1] = -15 + ((double)(i % SIDE) + 0.5) * step;
    }
    assert_int_equal(gb_density_evaluate(d, SIDE * SIDE, z, log_p, NULL, NULL), GB_OK);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        sum += exp(log_p[i]) * step * step;
    assert_near(sum, 1, 1e-6);
    free(z);
    free(log_p);
}

/* A model with every kind of latent at once: a block, a hierarchy, ends of a support that depend on a
 * latent, a simplex, a factor of a correlation matrix, a flat latent, a point, a factor. */
static gb_elbo *everything(gb_tape *t)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1), two = gb_num(t, 2);
    gb_elbo *e = gb_elbo_new(t, .data_size = 4);
    const gb_latent_part parts[] = {
        {.name = "slope", .shape = gb_shape(2), .prior = gb_normal(zero, two)},
        {.name = "noise", .shape = gb_shape(), .prior = gb_half_normal(one)},
        {.name = "flat", .shape = gb_shape(), .prior = gb_no_prior, .support = GB_POSITIVE}};
    gb_node w[3];
    const gb_node vector = gb_latent_block(e, "theta", gb_full_rank(gb_shape()), 3, parts, gb_pathwise(), w);
    const gb_node level =
        gb_latent(e, "level", gb_mean_field(gb_shape(2)), gb_normal(w[0], w[1]), gb_score());
    const gb_node inside = gb_latent(e, "inside", gb_mean_field(gb_shape()),
                                     gb_uniform(gb_neg(w[2]), gb_add(w[2], w[1])), gb_pathwise());
    const gb_node p =
        gb_latent(e, "p", gb_mean_field(gb_shape(3)), gb_dirichlet(gb_ones(t, gb_shape(3))), gb_pathwise());
    const gb_node r =
        gb_latent(e, "r", gb_mean_field(gb_shape(3, 3)), gb_lkj_cholesky(3, two), gb_pathwise());
    const gb_node c = gb_latent(e, "c", gb_point(gb_shape()), gb_gamma(two, one), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_sum(gb_mul(level, w[0])), w[1]),
               gb_constant(t, gb_shape(4), GB_VALUES(1, 2, 0, 3)));
    gb_factor(e, "f", gb_neg(gb_add(gb_square(w[2]), gb_mul(inside, gb_sum(gb_mul(p, p))))));
    gb_factor(e, "g", gb_mul(c, gb_sum(gb_mul(r, r))));
    gb_factor(e, "h", gb_neg(gb_sum(gb_square(gb_square(vector)))));
    return e;
}

TEST(gradients_and_hessians_of_every_kind_of_latent_are_differences)
{
    gb_density *d = gb_density_new(everything(t));
    if (!d)
        fail_msg("%s", gb_error_text(t));
    const size_t n = gb_density_count(d);
    assert_int_equal(n, 4 + 2 + 1 + 2 + 3 + 1);
    assert_int_equal(gb_density_value_count(d), 4 + 2 + 1 + 3 + 9 + 1);
    double z[32], points[64 * 32], log_p[64], gradient[64 * 32], hessian[32 * 32], g[32];
    fill_points(z, n, 0.8);
    const double h = 1e-5;
    for (size_t k = 0; k < n; k++)
        for (int side = 0; side < 2; side++) {
            double *const point = points + (2 * k + (size_t)side) * n;
            memcpy(point, z, n * sizeof *z);
            point[k] += side ? h : -h;
        }
    size_t lost;
    assert_int_equal(gb_density_evaluate(d, 1, z, log_p, g, &lost), GB_OK);
    assert_int_equal(lost, 0);
    assert_int_equal(gb_density_evaluate(d, 2 * n, points, log_p, gradient, &lost), GB_OK);
    assert_int_equal(lost, 0);
    if (gb_density_hessian(d, z, hessian) != GB_OK)
        fail_msg("%s", gb_error_text(t));
    for (size_t k = 0; k < n; k++) {
        assert_near(g[k], (log_p[2 * k + 1] - log_p[2 * k]) / (2 * h), 1e-6 * (1 + fabs(g[k])));
        for (size_t i = 0; i < n; i++) {
            const double slope = (gradient[(2 * k + 1) * n + i] - gradient[2 * k * n + i]) / (2 * h);
            assert_near(hessian[k * n + i], slope, 1e-6 * (1 + fabs(slope)));
            assert_true(hessian[k * n + i] == hessian[i * n + k]);
        }
    }
}

TEST(values_lead_back_to_the_free_numbers)
{
    gb_density *d = gb_density_new(everything(t));
    const size_t n = gb_density_count(d), m = gb_density_value_count(d);
    double z[20 * 32], values[20 * 32], back[20 * 32];
    fill_points(z, 20 * n, 2);
    assert_int_equal(gb_density_values(d, 20, z, values), GB_OK);
    if (gb_density_free_numbers(d, 20, values, back) != GB_OK)
        fail_msg("%s", gb_error_text(t));
    for (size_t i = 0; i < 20 * n; i++)
        assert_near(back[i], z[i], 1e-11);
    for (size_t i = 0; i < 20; i++) {
        const double *const v = values + i * m, *const p = z + i * n;
        assert_true(v[0] == p[0] && v[1] == p[1]);
        assert_close(v[2], exp(p[2]), 2);
        assert_true(v[6] > -v[3] && v[6] < v[3] + v[2]);
        assert_near(v[7] + v[8] + v[9], 1, 1e-14);
    }
}

TEST(numbers_have_names_with_indices)
{
    gb_density *d = gb_density_new(everything(t));
    char text[GB_DENSITY_TEXT];
    static const char *const values[] = {"theta.slope[0]", "theta.slope[1]", "theta.noise", "theta.flat",
                                         "level[0]",       "level[1]",       "inside",      "p[0]",
                                         "p[1]",           "p[2]",           "r[0,0]",      "r[0,1]"};
    static const char *const free[] = {
        "theta.slope[0]", "theta.slope[1]", "theta.noise.free", "theta.flat.free", "level[0]",
        "level[1]",       "inside.free",    "p.free[0]",        "p.free[1]",       "r.free[0]"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_string_equal(gb_density_value_name(d, i, text), values[i]);
    for (size_t i = 0; i < sizeof free / sizeof *free; i++)
        assert_string_equal(gb_density_free_name(d, i, text), free[i]);
    assert_string_equal(gb_density_value_name(d, gb_density_value_count(d), text), "");
    assert_string_equal(gb_density_free_name(d, gb_density_count(d), text), "");
    size_t count;
    const gb_density_part *part = gb_density_parts(d, &count);
    assert_int_equal(count, 8);
    assert_true(part[7].is_point && !part[6].is_point && part[0].is_free && !part[1].is_free);
    assert_int_equal(part[6].first_value, 10);
    assert_int_equal(part[6].values, 9);
    assert_int_equal(part[6].count, 3);
}

/* ---- points that have no density ---- */

TEST(a_point_without_density_does_not_disturb_the_others)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(2)), gb_normal(zero, one), gb_pathwise());
    const gb_node first = gb_sum(gb_slice(w, 0, 0, 1));
    gb_observe(e, "y", gb_normal(zero, first), one);            /* rejects a scale below 0 */
    gb_factor(e, "pole", gb_log(gb_sum(gb_slice(w, 0, 1, 2)))); /* NaN below 0, −∞ at 0 */
    gb_density *d = gb_density_new(e);
    const double z[] = {1, 1, -1, 1, 2, 3, 1, -2, 1, 0, NAN, 1, 0.5, 0.25, 1, INFINITY};
    static const bool good[] = {true, false, true, false, false, false, true, false};
    double log_p[8], gradient[16], alone, slope[2];
    size_t lost;
    assert_int_equal(gb_density_evaluate(d, 8, z, log_p, gradient, &lost), GB_OK);
    assert_int_equal(lost, 5);
    for (size_t i = 0; i < 8; i++) {
        if (good[i]) {
            const double a = z[2 * i], b = z[2 * i + 1];
            const double should = log_normal(a, 0, 1) + log_normal(b, 0, 1) + log_normal(1, 0, a) + log(b);
            assert_near(log_p[i], should, 1e-14);
            assert_near(gradient[2 * i], -a - 1 / a + 1 / (a * a * a), 1e-13);
            assert_near(gradient[2 * i + 1], -b + 1 / b, 1e-13);
            assert_int_equal(gb_density_evaluate(d, 1, z + 2 * i, &alone, slope, &lost), GB_OK);
            assert_true(alone == log_p[i] && slope[0] == gradient[2 * i] && slope[1] == gradient[2 * i + 1]);
            continue;
        }
        assert_true(log_p[i] == -INFINITY);
        assert_true(gradient[2 * i] == 0 && gradient[2 * i + 1] == 0);
    }
    assert_int_equal(gb_density_evaluate(d, 8, z, NULL, NULL, &lost), GB_OK);
    assert_int_equal(lost, 5);
    assert_int_equal(gb_density_explain(d, z), GB_OK);
    assert_int_equal(gb_density_explain(d, z + 2), GB_EARGUMENT);
    assert_non_null(strstr(gb_error_text(t), "normal"));
}

TEST(why_log_p_is_not_finite_is_said)
{
    enum { ROWS = 4 };
    const double y[ROWS] = {1, 2, NAN, 3}, nan = NAN, z = 0;
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node mu = gb_latent(e, "mu", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)),
                                 gb_pathwise()),
                  in = gb_input_rows(t, "y", gb_shape());
    gb_observe(e, "y", gb_normal(mu, gb_num(t, 1)), in);
    gb_density *const fed = gb_density_new(e);
    gb_density *const summed = gb_density_new(
        e, .data = gb_batches_new(t, .rows = ROWS, .batch = 2, .columns = GB_COLUMNS({in, gb_doubles(y)})));
    assert_int_equal(gb_density_explain(fed, &nan), GB_ENONFINITE);
    assert_rejected(t, GB_ENONFINITE, "density: number 0 of the point (mu) is nan");
    gb_feed(in, y, ROWS);
    assert_int_equal(gb_density_explain(fed, &z), GB_ENONFINITE);
    assert_rejected(t, GB_ENONFINITE, "observe y: row 2 is nan, and must be finite");
    assert_int_equal(gb_density_explain(summed, &z), GB_ENONFINITE);
    assert_rejected(t, GB_ENONFINITE, "observe y: row ");
    gb_feed(in, (const double[]){1, 2, 3, 4}, ROWS);
    assert_int_equal(gb_density_explain(fed, &z), GB_OK);
}

TEST(programs_of_others_are_not_run)
{
    gb_tape *const other = test_tape(.seed = 1);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node x =
        gb_latent(e, "x", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const double z[] = {1, 2};
    double v[2];
    gb_density *const d = gb_density_new(e), *const another = gb_density_new(e, .part_of_data = true);
    gb_program *const wrong[] = {gb_compile(other, gb_roots(gb_num(other, 7)), gb_no_update),
                                 gb_compile(t, gb_roots(x), gb_no_update),
                                 gb_density_program(another, gb_roots(x))};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gb_density_run(d, wrong[i], 2, z), GB_EPROGRAM);
        assert_rejected(t, GB_EPROGRAM,
                        "density_run: the program was not made by gb_density_program for this density");
    }
    gb_program *const right = gb_density_program(d, gb_roots(x));
    assert_int_equal(gb_density_run(d, right, 2, z), GB_OK);
    gb_read_root(right, 0, v);
    assert_true(v[0] == 1 && v[1] == 2);
}

/* ---- data ---- */

typedef struct regression {
    gb_node x, y;
    gb_elbo *e;
} regression;

static regression record_regression(gb_tape *t, double rows)
{
    regression r = {.x = gb_input_rows(t, "x", gb_shape(2)), .y = gb_input_rows(t, "y", gb_shape())};
    r.e = gb_elbo_new(t, .data_size = rows);
    const gb_node w =
        gb_latent(r.e, "w", gb_mean_field(gb_shape(2)), gb_normal(gb_num(t, 0), gb_num(t, 3)), gb_pathwise());
    const gb_node s = gb_latent(r.e, "s", gb_row_by_row(gb_mean_field(gb_shape())),
                                gb_half_normal(gb_num(t, 1)), gb_pathwise());
    gb_observe(r.e, "y", gb_normal(gb_sum_along(gb_mul(r.x, w), gb_axis(-1)), s), r.y);
    return r;
}

static double regression_by_hand(const double *z, const double *x, const double *y, int rows, double scale)
{
    const double s = exp(z[2]);
    double log_p = log_normal(z[0], 0, 3) + log_normal(z[1], 0, 3) + log(2) + log_normal(s, 0, 1) + z[2];
    for (int i = 0; i < rows; i++)
        log_p += scale * log_normal(y[i], x[2 * i] * z[0] + x[2 * i + 1] * z[1], s);
    return log_p;
}

TEST(a_batch_that_was_fed_stands_for_all_data_and_batches_are_summed_up)
{
    enum { ROWS = 23 };
    double x[2 * ROWS], y[ROWS], z[9] = {0.3, -1, 0.2, 2, 0.5, -0.7, 0, 0, 1.5}, log_p[3], gradient[9],
                                 again[3], whole[9];
    for (size_t i = 0; i < 2 * ROWS; i++)
        x[i] = 2 * pseudo(i);
    for (size_t i = 0; i < ROWS; i++)
        y[i] = pseudo(100 + i);
    regression r = record_regression(t, ROWS);
    gb_density *fed = gb_density_new(r.e, .part_of_data = true);
    gb_feed(r.x, x, 7), gb_feed(r.y, y, 7);
    assert_int_equal(gb_density_evaluate(fed, 3, z, log_p, NULL, NULL), GB_OK);
    for (int i = 0; i < 3; i++)
        assert_near(log_p[i], regression_by_hand(z + 3 * i, x, y, 7, ROWS / 7.0), 1e-11);
    gb_feed(r.x, x, ROWS), gb_feed(r.y, y, ROWS);
    assert_int_equal(gb_density_evaluate(fed, 3, z, log_p, whole, NULL), GB_OK);
    for (int i = 0; i < 3; i++)
        assert_near(log_p[i], regression_by_hand(z + 3 * i, x, y, ROWS, 1), 1e-11);
    gb_batches *data = gb_batches_new(t, .rows = ROWS, .batch = 5,
                                      .columns = GB_COLUMNS({r.x, gb_doubles(x)}, {r.y, gb_doubles(y)}));
    gb_density *summed = gb_density_new(r.e, .data = data);
    gb_next_batch(data), gb_next_batch(data);
    assert_int_equal(gb_density_evaluate(summed, 3, z, again, gradient, NULL), GB_OK);
    for (int i = 0; i < 3; i++)
        assert_near(again[i], log_p[i], 1e-11);
    for (int i = 0; i < 9; i++)
        assert_near(gradient[i], whole[i], 1e-10);
    assert_int_equal(gb_batches_at(data).row, 10);
    double h[9], of_fed[9];
    assert_int_equal(gb_density_hessian(summed, z, h), GB_OK);
    gb_feed(r.x, x, ROWS), gb_feed(r.y, y, ROWS);
    assert_int_equal(gb_density_hessian(fed, z, of_fed), GB_OK);
    for (int i = 0; i < 9; i++)
        assert_near(h[i], of_fed[i], 1e-10);
    gb_batches *one = gb_batches_new(t, .rows = ROWS, .in_order = true,
                                     .columns = GB_COLUMNS({r.x, gb_doubles(x)}, {r.y, gb_doubles(y)}));
    gb_feed(r.x, x, 3), gb_feed(r.y, y, 3);
    assert_int_equal(gb_density_evaluate(gb_density_new(r.e, .data = one), 3, z, again, NULL, NULL), GB_OK);
    assert_memory_equal(again, log_p, sizeof log_p);
}

TEST(a_loss_whose_batches_have_no_density_is_lost)
{
    const gb_node y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = 4);
    const gb_node s =
        gb_latent(e, "s", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_log_likelihood(e, "y", gb_log(gb_add(s, y)));
    const double ys[] = {1, 2, 3, -0.5}, z[] = {0, 1};
    gb_density *d = gb_density_new(e, .data = gb_batches_new(t, .rows = 4, .batch = 2, .in_order = true,
                                                             .columns = GB_COLUMNS({y, gb_doubles(ys)})));
    double log_p[2], gradient[2];
    size_t lost;
    assert_int_equal(gb_density_evaluate(d, 2, z, log_p, gradient, &lost), GB_OK);
    assert_int_equal(lost, 1);
    assert_true(log_p[0] == -INFINITY && gradient[0] == 0);
    assert_near(log_p[1], log_normal(1, 0, 1) + log(2) + log(3) + log(4) + log(0.5), 1e-13);
}

TEST(variables_that_belong_to_no_latent_have_their_current_values)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node v = gb_variable(t, "v", gb_shape(), gb_fill(1));
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(v, gb_num(t, 1)), gb_pathwise());
    gb_factor(e, "f", w);
    gb_density *d = gb_density_new(e);
    double log_p;
    const double z = 0.5;
    assert_int_equal(gb_density_evaluate(d, 1, &z, &log_p, NULL, NULL), GB_OK);
    assert_close(log_p, log_normal(0.5, 1, 1) + 0.5, 4);
    gb_set(v, gb_fill(-2));
    assert_int_equal(gb_density_evaluate(d, 1, &z, &log_p, NULL, NULL), GB_OK);
    assert_close(log_p, log_normal(0.5, -2, 1) + 0.5, 4);
}

TEST(a_float_tape_has_the_density_to_its_digits, .real = GB_FLOAT)
{
    gb_density *d = gb_density_new(eight_schools(t, a_mean_field, gb_pathwise(), (gb_node){0}));
    double z[5 * SCHOOLS], log_p[5], gradient[5 * SCHOOLS], should[SCHOOLS];
    fill_points(z, 5 * SCHOOLS, 1);
    assert_int_equal(gb_density_evaluate(d, 5, z, log_p, gradient, NULL), GB_OK);
    for (size_t i = 0; i < 5; i++) {
        const double p = schools_by_hand(z + i * SCHOOLS, should, true);
        assert_near(log_p[i], p, 1e-5 * fabs(p));
        for (size_t k = 0; k < SCHOOLS; k++)
            assert_near(gradient[i * SCHOOLS + k], should[k], 1e-4 * (1 + fabs(should[k])));
    }
}

TEST(hessians_of_normals_are_their_precisions_at_any_number_of_points)
{
    enum { N = 300 }; /* more directions than points of one run */
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    double scale[N];
    for (size_t i = 0; i < N; i++)
        scale[i] = 1 + 0.5 * pseudo(i);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(N)),
                                gb_normal(gb_num(t, 0), gb_constant(t, gb_shape(N), gb_values_of(scale, N))),
                                gb_pathwise());
    gb_factor(e, "f", gb_scale(gb_square(gb_sum(w)), -0.5));
    gb_density *d = gb_density_new(e);
    double *h = calloc(N * N, sizeof *h), *z = calloc(N, sizeof *z);
    assert_int_equal(gb_density_hessian(d, z, h), GB_OK);
    for (size_t i = 0; i < N * N; i++)
        assert_near(h[i], -1 - (i / N == i % N ? 1 / (scale[i / N] * scale[i / N]) : 0), 1e-12);
    free(h);
    free(z);
}

TEST(a_second_call_asks_for_no_memory)
{
    counted_memory memory = {0};
    gb_tape *counting = gb_tape_new(.threads = 1, .memory = counted(&memory));
    gb_density *d = gb_density_new(everything(counting));
    double z[8 * 32] = {0}, v[8 * 32] = {1}, log_p[8], gradient[8 * 32];
    size_t before = 0;
    for (int call = 0; call < 3; call++) {
        before = call == 1 ? memory.asked : before;
        assert_int_equal(gb_density_evaluate(d, 8, z, log_p, gradient, NULL), GB_OK);
        assert_int_equal(gb_density_hessian_times(d, 8, z, v, gradient), GB_OK);
    }
    assert_int_equal(memory.asked, before);
    gb_tape_free(counting);
}

/* ---- a latent for each row ---- */

typedef struct of_rows {
    gb_node y, at;
    gb_elbo *e;
} of_rows;

static of_rows record_rows(gb_tape *t, int64_t count)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    of_rows r = {.y = gb_input_rows(t, "y", gb_shape(2)), .at = gb_input_rows_ints(t, "at", gb_shape())};
    r.e = gb_elbo_new(t, .data_size = (double)count);
    const gb_node loc = gb_gather(gb_variable(t, "loc", gb_shape(count, 2), gb_fill(0)), 0, r.at);
    const gb_node mu = gb_latent(r.e, "mu", gb_mean_field(gb_shape()), gb_normal(zero, one), gb_pathwise());
    const gb_node z =
        gb_latent(r.e, "z", gb_posterior_of(gb_normal(loc, one)), gb_normal(mu, one), gb_pathwise());
    const gb_node s = gb_latent(r.e, "s", gb_posterior_of(gb_lognormal(gb_sum_along(loc, gb_axis(-1)), one)),
                                gb_lognormal(mu, one), gb_pathwise());
    gb_observe(r.e, "y", gb_normal(z, gb_broadcast(gb_reshape(s, gb_shape(1)), gb_shape(2))), r.y);
    return r;
}

TEST(a_latent_of_each_row_has_numbers_for_all_rows_that_are_in_one_batch)
{
    enum { ROWS = 5, N = 1 + 3 * ROWS };
    static const double y[2 * ROWS] = {1, 2, -1, 0.5, 3, -2, 0, 1, 2, 2};
    static const int64_t at[ROWS] = {0, 1, 2, 3, 4};
    const of_rows r = record_rows(t, ROWS);
    gb_batches *all = gb_batches_new(t, .rows = ROWS,
                                     .columns = GB_COLUMNS({r.y, gb_doubles(y)}, {r.at, gb_int64s(at)})),
               *some = gb_batches_new(t, .rows = ROWS, .batch = 2,
                                      .columns = GB_COLUMNS({r.y, gb_doubles(y)}, {r.at, gb_int64s(at)}));
    gb_density *d = gb_density_new(r.e, .data = all);
    if (!d)
        fail_msg("%s", gb_error_text(t));
    assert_int_equal(gb_density_count(d), N);
    double z[3 * N], log_p[3], g[3 * N], values[3 * N], back[3 * N], ends[2], h = 1e-5;
    char text[GB_DENSITY_TEXT];
    fill_points(z, 3 * N, 1.5);
    assert_int_equal(gb_density_evaluate(d, 3, z, log_p, g, NULL), GB_OK);
    assert_int_equal(gb_density_values(d, 3, z, values), GB_OK);
    assert_int_equal(gb_density_free_numbers(d, 3, values, back), GB_OK);
    for (size_t i = 0; i < 3; i++) {
        const double *const p = z + i * N;
        double should = log_normal(p[0], 0, 1);
        for (size_t k = 0; k < ROWS; k++) {
            const double *const own = p + 1 + 2 * k, log_s = p[1 + 2 * ROWS + k];
            should += log_normal(log_s, p[0], 1);
            for (size_t j = 0; j < 2; j++)
                should += log_normal(own[j], p[0], 1) + log_normal(y[2 * k + j], own[j], exp(log_s));
            assert_close(values[i * N + 1 + 2 * ROWS + k], exp(log_s), 4);
        }
        assert_near(log_p[i], should, 1e-11);
    }
    for (size_t i = 0; i < 3 * N; i++)
        assert_near(back[i], z[i], 1e-13);
    for (size_t k = 0; k < N; k++) {
        double both[2 * N];
        memcpy(both, z, N * sizeof *z), memcpy(both + N, z, N * sizeof *z);
        both[k] -= h, both[N + k] += h;
        assert_int_equal(gb_density_evaluate(d, 2, both, ends, NULL, NULL), GB_OK);
        assert_near(g[k], (ends[1] - ends[0]) / (2 * h), 1e-6 * (1 + fabs(g[k])));
    }
    assert_string_equal(gb_density_value_name(d, 1 + 2 * 3 + 1, text), "z[3,1]");
    assert_string_equal(gb_density_free_name(d, 1 + 2 * ROWS + 4, text), "s.free[4]");
    gb_feed(r.y, y, ROWS), gb_feed_ints(r.at, at, ROWS);
    gb_density *fed = gb_density_new(r.e);
    assert_int_equal(gb_density_evaluate(fed, 3, z, back, NULL, NULL), GB_OK);
    assert_memory_equal(back, log_p, sizeof log_p);
    gb_feed(r.y, y, 3), gb_feed_ints(r.at, at, 3); /* too few */
    assert_true(gb_density_evaluate(fed, 1, z, back, NULL, NULL) != GB_OK);
    gb_forgive(t);
    assert_int_equal(gb_density_draw(d, 0, 1, z, NULL), GB_EARGUMENT);
    assert_non_null(strstr(gb_error_text(t), "density_draw: latent z is there for each row"));
    gb_forgive(t);
    assert_null(gb_density_new(r.e, .data = some));
    assert_non_null(
        strstr(gb_error_text(t),
               "density: latent z is there for each row, so all .data_size rows must be in one batch"));
    gb_forgive(t);
}

/* ---- draws of q ---- */

TEST(draws_of_q_have_its_density, .seed = 4)
{
    enum { S = 2000 };
    gb_elbo *e = everything(t);
    gb_density *d = gb_density_new(e);
    const size_t n = gb_density_count(d);
    set_variable(t, "level.location", (const double[]){0.4, -1}, 2);
    double *z = calloc(S * n, sizeof *z), *again = calloc(S * n, sizeof *z), *log_q = calloc(S, sizeof *z);
    if (gb_density_draw(d, 3, S, z, log_q) != GB_OK)
        fail_msg("%s", gb_error_text(t));
    /* All free numbers are normal with standard deviation 0.1 but the last, which is the point's. */
    for (size_t i = 0; i < S; i++) {
        double sum = 0;
        for (size_t k = 0; k + 1 < n; k++)
            sum += log_normal(z[i * n + k], k == 4 ? 0.4 : k == 5 ? -1 : 0, 0.1);
        assert_near(log_q[i], sum, 1e-9);
        assert_true(z[i * n + n - 1] == 0);
    }
    double mean = 0, square = 0; /* of 2000 draws: within 5 standard errors, once in 10⁶ */
    for (size_t i = 0; i < S; i++)
        mean += z[i * n] / S, square += z[i * n] * z[i * n] / S;
    assert_near(mean, 0, 5 * 0.1 / sqrt(S));
    assert_near(square, 0.01, 5 * 0.01 * sqrt(2.0 / S));
    assert_int_equal(gb_density_draw(d, 3, S, again, NULL), GB_OK);
    assert_memory_equal(z, again, S * n * sizeof *z);
    assert_int_equal(gb_density_draw(d, 4, S, again, NULL), GB_OK);
    assert_true(memcmp(z, again, S * n * sizeof *z) != 0);
    assert_int_equal(gb_density_draw(d, (uint64_t)1 << 31, S, again, NULL), GB_EARGUMENT);
    free(z);
    free(again);
    free(log_q);
}

TEST(q_that_depends_on_an_earlier_draw_is_drawn_after_it, .seed = 2)
{
    enum { S = 500 };
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node a =
        gb_latent(e, "a", gb_mean_field(gb_shape(), .scale = 2), gb_normal(zero, one), gb_pathwise());
    gb_latent(e, "b", gb_posterior_of(gb_lognormal(a, gb_num(t, 0.01))), gb_gamma(one, one), gb_pathwise());
    gb_density *d = gb_density_new(e);
    double z[2 * S], log_q[S];
    if (gb_density_draw(d, 0, S, z, log_q) != GB_OK)
        fail_msg("%s", gb_error_text(t));
    for (size_t i = 0; i < S; i++) {
        assert_near(z[2 * i + 1], z[2 * i], 0.06); /* six deviations */
        assert_near(log_q[i], log_normal(z[2 * i], 0, 2) + log_normal(z[2 * i + 1], z[2 * i], 0.01), 1e-9);
    }
}

/* ---- nodes of the user's ---- */

TEST(nodes_that_depend_on_draws_have_their_values_at_the_points, .seed = 5)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1), x = gb_input_rows(t, "x", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = 3);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), gb_lognormal(zero, one), gb_pathwise());
    const gb_node line = gb_mul(x, w),
                  next = gb_sample(gb_normal(w, gb_num(t, 0.001)), gb_stream(t, "next"), GB_SAMPLES);
    gb_observe(e, "y", gb_normal(line, one), x);
    gb_density *d = gb_density_new(e);
    gb_program *p = gb_density_program(d, gb_roots(line, next, one));
    if (!p)
        fail_msg("%s", gb_error_text(t));
    gb_feed(x, (const double[]){1, 10, 100}, 3);
    const double z[] = {0, log(2)};
    double value[6], drawn[2], again[2], ones[2];
    assert_int_equal(gb_density_run(d, p, 2, z), GB_OK);
    gb_read_root(p, 0, value), gb_read_root(p, 1, drawn), gb_read_root(p, 2, ones);
    static const double should[] = {1, 10, 100, 2, 20, 200};
    for (int i = 0; i < 6; i++)
        assert_close(value[i], should[i], 2);
    assert_near(drawn[0], 1, 0.006);
    assert_near(drawn[1], 2, 0.006);
    assert_true(drawn[0] != 1 && ones[0] == 1 && ones[1] == 1);
    assert_int_equal(gb_density_run(d, p, 2, z), GB_OK);
    gb_read_root(p, 1, again);
    assert_true(again[0] != drawn[0]);
}

/* ---- what is rejected ---- */

typedef struct scene {
    gb_tape *t;
    gb_elbo *e;
    gb_node zero, one, rows;
    gb_node w; /* a latent that is good */
} scene;

static void discrete(scene *s)
{
    gb_latent(s->e, "k", gb_posterior_of(gb_bernoulli(gb_num(s->t, 0.3))), gb_bernoulli(gb_num(s->t, 0.5)),
              gb_score());
}

static void dropout(scene *s)
{
    gb_latent(s->e, "m", gb_dropout_posterior(gb_shape(2), .keep = 0.5), gb_normal(s->zero, s->one),
              gb_dropout_draws());
}

static void local(scene *s)
{
    const gb_dist q = gb_uniform(gb_num(s->t, 0), gb_exp(s->rows));
    gb_latent(s->e, "l", gb_posterior_of(q), q, gb_pathwise());
}

static void noise(scene *s)
{
    const gb_node n = gb_normal_noise(gb_stream(s->t, "own"), gb_shape(), GB_SAMPLES);
    gb_factor(s->e, "f", gb_mul(s->w, gb_named(n, "shaken")));
}

static void noise_of_latent(scene *s)
{
    const gb_node n = gb_sample(gb_poisson(gb_exp(s->w)), gb_stream(s->t, "calls"), GB_SAMPLES);
    gb_factor(s->e, "f", gb_mul(s->w, n));
}

static void mixed(scene *s)
{
    gb_factor(s->e, "f", gb_square(gb_sub(s->w, gb_mean_over(s->w, GB_SAMPLES))));
}

static void summed(scene *s)
{
    gb_factor(s->e, "f", gb_mul(s->w, gb_sum_over(s->w, GB_SAMPLES)));
}

static void place(scene *s)
{
    gb_factor(s->e, "f", gb_mul(s->w, gb_axis_index(s->t, GB_SAMPLES)));
}

static void unreachable(scene *s)
{
    gb_latent(s->e, "u", gb_posterior_of(gb_von_mises(s->zero, s->one)), gb_von_mises(s->zero, s->one),
              gb_pathwise());
    gb_latent(s->e, "v", gb_posterior_of(gb_poisson(s->one)), gb_no_prior, gb_score());
}

static const struct {
    const char *name;
    void (*add)(scene *s);
    const char *words;
} wrong[] = {
    {"a_discrete_latent_is_rejected", discrete, "density: latent k is discrete (bernoulli)"},
    {"dropout_is_rejected", dropout, "density: latent m is drawn by dropout"},
    {"a_support_of_each_row_is_rejected", local,
     "density: latent l is there for each row, with a support of its own"},
    {"noise_of_the_model_is_rejected", noise, "density: f depends on noise (shaken)"},
    {"a_draw_that_depends_on_a_latent_is_rejected", noise_of_latent,
     "lies between, and what depends on it would be random"},
    {"a_mean_over_samples_is_rejected", mixed, "density: f depends on several samples at once"},
    {"a_sum_over_samples_is_rejected", summed, "density: f depends on several samples at once (sum)"},
    {"the_place_of_a_sample_is_rejected", place,
     "density: f depends on several samples at once (axis_index)"},
    {"a_support_without_transform_is_rejected", unreachable, "reaches the support of latent v (poisson)"},
};

TEST_EACH(rejected, wrong)
{
    const __typeof__(*wrong) *it = row;
    scene s = {.t = t, .zero = gb_num(t, 0), .one = gb_num(t, 1), .rows = gb_input_rows(t, "x", gb_shape())};
    s.e = gb_elbo_new(t, .data_size = 3);
    s.w = gb_latent(s.e, "w", gb_mean_field(gb_shape()), gb_normal(s.zero, s.one), gb_pathwise());
    it->add(&s);
    if (gb_error(t) != GB_OK)
        fail_msg("%s", gb_error_text(t));
    assert_null(gb_density_new(s.e));
    if (gb_error(t) != GB_EARGUMENT || !strstr(gb_error_text(t), it->words))
        fail_msg("%s", gb_error_text(t));
    gb_forgive(t);
}

TEST(an_elbo_without_latents_and_data_of_another_tape_are_rejected)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 3);
    assert_null(gb_density_new(e));
    assert_non_null(strstr(gb_error_text(t), "density: the ELBO has no latents"));
    gb_forgive(t);
    gb_tape *other = test_tape(.seed = 1);
    const double xs[] = {1};
    gb_batches *data = gb_batches_new(
        other, .rows = 1, .columns = GB_COLUMNS({gb_input_rows(other, "x", gb_shape()), gb_doubles(xs)}));
    assert_null(gb_density_new(e, .data = data));
    assert_non_null(strstr(gb_error_text(t), "density: .data feeds another tape"));
    gb_forgive(t);
    assert_null(gb_density_new_with(NULL, NULL));
    assert_int_equal(gb_density_count(NULL), 0);
    assert_int_equal(gb_density_evaluate(NULL, 1, NULL, NULL, NULL, NULL), GB_EARGUMENT);
}

static gb_status use_density(gb_tape *t, const void *what)
{
    (void)what;
    if (!t)
        return GB_ENOMEM;
    gb_density *d = gb_density_new(everything(t));
    double z[32] = {0}, values[64], log_p, gradient[32], hessian[32 * 32];
    gb_density_evaluate(d, 1, z, &log_p, gradient, NULL);
    gb_density_values(d, 1, z, values);
    gb_density_free_numbers(d, 1, values, z);
    gb_density_draw(d, 0, 1, z, NULL);
    gb_density_hessian(d, z, hessian);
    return gb_error(t);
}

TEST(a_density_outlives_lack_of_memory)
{
    assert_outlives_lack_of_memory(use_density, NULL, "density", 60,
                                   (gb_tape_options){.size = sizeof(gb_tape_options), .threads = 1});
}

/* ---- priors that depend on other parts ---- */

/* gb_prior counts once, and without the weight of KL. */
TEST(a_prior_of_other_parts_counts)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .kl_weight = gb_num(t, 0.5));
    const gb_latent_part part[] = {
        {.name = "spread", .shape = gb_shape(), .prior = gb_exponential(gb_num(t, 2))},
        {.name = "effects", .shape = gb_shape(2), .prior = gb_no_prior}};
    gb_node w[2];
    gb_latent_block(e, "b", gb_mean_field(gb_shape()), 2, part, gb_pathwise(), w);
    gb_prior(e, "effects given spread", gb_normal(gb_num(t, 1), w[0]), w[1]);
    gb_density *const d = gb_density_new(e);
    assert_fine(t);
    const double spread = 1.5, x[] = {0.3, -2};
    double z[3], log_p, should = log(2) - 2 * spread;
    assert_int_equal(gb_density_free_numbers(d, 1, (const double[]){spread, x[0], x[1]}, z), GB_OK);
    assert_int_equal(gb_density_evaluate(d, 1, z, &log_p, NULL, NULL), GB_OK);
    for (int i = 0; i < 2; i++)
        should -= 0.91893853320467274178 + log(spread) + (x[i] - 1) * (x[i] - 1) / (2 * spread * spread);
    const double slope = -expm1(-spread);                                              /* of softplus, */
    const double by_exp = fabs(z[0] - log(spread)) < 1e-12 ? log(spread) : log(slope); /* or of exp */
    assert_near(log_p, should + by_exp, 1e-12);
}
