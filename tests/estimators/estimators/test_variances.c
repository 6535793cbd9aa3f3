/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact means and variances of estimates under a normal, by quadrature over the noise they are made of; what
 * follows of them; and that measured variances are these. */
#include "support/close.h"

#include "compare/compare.h"
#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/hermite.h"
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { NODES = 200 };

/* ---- quadrature over estimates ---- */

/* The noise of the draw that is next recorded: a number that is fed. */
static gb_node noise;

static gb_node moved(gb_site *site)
{
    return gb_widen(gb_add(site->q.param[0], gb_mul(site->q.param[1], noise)), site->axes);
}

static gb_node stopped(gb_site *site)
{
    return gb_stop(moved(site));
}

typedef gb_node cost_function(gb_node x, gb_node k);

static gb_node square(gb_node x, gb_node k)
{
    return gb_square(gb_sub(x, k));
}

static gb_node bump(gb_node x, gb_node k)
{
    return gb_exp(gb_neg(gb_mul(k, gb_square(x))));
}

static gb_node wave(gb_node x, gb_node k)
{
    return gb_cos(gb_mul(k, x));
}

static gb_node growth(gb_node x, gb_node k)
{
    return gb_exp(gb_mul(k, x));
}

/* In mu and sigma. */
typedef struct exact_moments {
    double mean[2], variance[2];
} exact_moments;

static exact_moments over_noise(const gb_program *program, const gb_node gradient[2])
{
    exact_moments m = {{0}, {0}};
    double node[NODES], weight[NODES], square_of[2] = {0};
    assert_true(gb_hermite_rule(NODES, node, weight));
    for (int i = 0; i < NODES; i++) {
        gb_feed(noise, &node[i], 1);
        assert_int_equal(gb_run((gb_program *)(uintptr_t)program), GB_OK);
        for (int j = 0; j < 2; j++) {
            const double g = gb_value(gradient[j]);
            m.mean[j] += weight[i] * g;
            square_of[j] += weight[i] * g * g;
        }
    }
    for (int j = 0; j < 2; j++)
        m.variance[j] = square_of[j] - m.mean[j] * m.mean[j];
    return m;
}

/* Of one sample of pathwise, or of the score function less a constant. */
static exact_moments moments_of(const gb_estimator_type *of, double baseline, cost_function *cost, double mu,
                                double sigma, double k)
{
    gb_tape *const t = test_tape(.seed = 1);
    gb_expect *e = gb_expect_new(t);
    gb_estimator_type type = *of;
    gb_estimator by =
        of == &gb_score_estimator_type ? gb_score(.baseline = gb_constant_baseline(baseline)) : gb_pathwise();
    by.type = &type;
    type.draw = of == &gb_score_estimator_type ? stopped : moved;
    noise = gb_input(t, "noise", gb_shape());
    const gb_node m = gb_variable(t, "mu", gb_shape(), gb_fill(mu)),
                  s = gb_variable(t, "sigma", gb_shape(), gb_fill(sigma));
    const gb_node loss = gb_expected(e, cost(gb_draw(e, "x", gb_normal(m, s), by), gb_num(t, k)));
    const gb_node gradient[] = {gb_grad(loss, m), gb_grad(loss, s)};
    const gb_program *program = gb_compile(t, gb_roots(gradient[0], gradient[1]), gb_no_update);
    assert_fine(t);
    const exact_moments moments = over_noise(program, gradient);
    return moments;
}

static exact_moments pathwise(cost_function *cost, double mu, double sigma, double k)
{
    return moments_of(&gb_pathwise_estimator_type, 0, cost, mu, sigma, k);
}

static exact_moments score(cost_function *cost, double mu, double sigma, double k)
{
    return moments_of(&gb_score_estimator_type, 0, cost, mu, sigma, k);
}

static void are_near(const exact_moments *m, const double mean[2], const double variance[2], int line)
{
    for (int j = 0; j < 2; j++) {
        if (fabs(m->mean[j] - mean[j]) > 1e-12 * (1 + fabs(mean[j])))
            fail_msg("line %d: mean %d is %.17g, not %.17g", line, j, m->mean[j], mean[j]);
        if (variance && fabs(m->variance[j] - variance[j]) > 1e-11 * (1 + fabs(variance[j])))
            fail_msg("line %d: variance %d is %.17g, not %.17g", line, j, m->variance[j], variance[j]);
    }
}
#define assert_moments(m, mean, variance) are_near(&(m), (mean), (variance), __LINE__)

TEST(squares_have_their_closed_forms)
{
    const double at[][2] = {{1, 1}, {-0.5, 1}, {2, 0.7}, {0, 1.5}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const double d = at[i][0], s = at[i][1], d2 = d * d, s2 = s * s, mean[] = {2 * d, 2 * s};
        const exact_moments path = pathwise(square, 1, s, 1 - d), plain = score(square, 1, s, 1 - d);
        assert_moments(path, mean, ((const double[]){4 * s2, 4 * d2 + 8 * s2}));
        assert_moments(
            plain, mean,
            ((const double[]){d2 * d2 / s2 + 14 * d2 + 15 * s2, 2 * d2 * d2 / s2 + 60 * d2 + 74 * s2}));
    }
}

TEST(baselines_of_squares_have_their_closed_forms)
{
    const double d = -0.7, d2 = d * d, mean[] = {2 * d, 2};
    const double baseline[] = {1 + d2, 3 + d2, 5 + d2};
    const double variance[][2] = {
        {10 + 8 * d2, 56 + 40 * d2}, {6 + 8 * d2, 32 + 40 * d2}, {10 + 8 * d2, 24 + 40 * d2}};
    for (int i = 0; i < 3; i++) {
        const exact_moments m = moments_of(&gb_score_estimator_type, baseline[i], square, 1, 1, 1 - d);
        assert_moments(m, mean, variance[i]);
    }
}

TEST(waves_and_growth_have_their_closed_forms)
{
    for (double k = 0.5; k < 2.1; k += 0.5) {
        const double f = exp(-k * k / 2), mean[] = {-k * sin(k) * f, -k * k * cos(k) * f};
        const double of_mu = k * k * (0.5 - 0.5 * cos(2 * k) * pow(f, 4) - pow(sin(k) * f, 2));
        const exact_moments path = pathwise(wave, 1, 1, k), plain = score(wave, 1, 1, k);
        assert_moments(path, mean, ((const double[]){of_mu, path.variance[1]}));
        assert_moments(plain, mean, NULL);
    }
    const double mu = 0.4, s = 0.8, s2 = s * s, growing = exp(mu + s2 / 2);
    const exact_moments m = pathwise(growth, mu, s, 1);
    assert_moments(m, ((const double[]){growing, s * growing}),
                   ((const double[]){exp(2 * mu + 2 * s2) - exp(2 * mu + s2), m.variance[1]}));
}

/* ---- lessons ---- */

/* Beyond which k the variance of pathwise is the larger one. */
static double crossing(cost_function *cost, int parameter, double low, double high)
{
    while (high - low > 1e-5) {
        const double k = (low + high) / 2;
        const bool beyond =
            pathwise(cost, 1, 1, k).variance[parameter] > score(cost, 1, 1, k).variance[parameter];
        *(beyond ? &high : &low) = k;
    }
    return (low + high) / 2;
}

TEST(pathwise_has_the_larger_variance_beyond_known_frequencies)
{
    const struct {
        cost_function *cost;
        int parameter;
        double at, digits;
    } known[] = {
        {bump, 0, 0.870, 5e-4}, {bump, 1, 1.0028, 5e-5}, {wave, 0, 1.0638, 5e-5}, {wave, 1, 1.2973, 5e-5}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const double is = crossing(known[i].cost, known[i].parameter, 0.7, 1.5);
        if (fabs(is - known[i].at) > known[i].digits + 1e-5)
            fail_msg("crossing %zu is at %.6g, not %g", i, is, known[i].at);
    }
}

TEST(a_mean_baseline_can_raise_the_variance)
{
    const double mean_cost = exp(-1.0 / 3) / sqrt(3); /* c = 3 */
    const exact_moments without = score(bump, 1, 1, 1),
                        with = moments_of(&gb_score_estimator_type, mean_cost, bump, 1, 1, 1);
    assert_true(with.variance[1] > 1.01 * without.variance[1]);
    assert_true(with.variance[0] < without.variance[0]);
}

/* ---- measured ---- */

static void measured(const char *problem, gb_estimator by, int64_t samples, double k,
                     const double variance[2])
{
    const gb_compare_setting setting[] = {{"k", k}};
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find(problem), .estimators = 1, .estimator = &by, .settings = 1,
                   .setting = setting, .draws = 100000, .samples = samples, .seed = 3, .threads = 1);
    assert_non_null(c);
    for (size_t j = 0; j < 2; j++) {
        const gb_measured *const m = &c->estimator[0].parameter[j];
        if (!(fabs(m->variance - variance[j]) <= 6 * m->variance_stderr))
            fail_msg("%s, %s, %lld samples, %s: %.8g ± %.2g, not %.8g", problem, by.type->name,
                     (long long)samples, c->parameter[j], m->variance, m->variance_stderr, variance[j]);
        assert_true(m->variance_stderr < 0.05 * variance[j]);
    }
    gb_comparison_free(c);
}

TEST(measured_variances_are_the_exact_ones)
{
    for (double k = 0.5; k < 1.6; k += 0.5) {
        measured("gauss-exp", gb_pathwise(), 1, k, pathwise(bump, 1, 1, k).variance);
        measured("gauss-exp", gb_score(), 1, k, score(bump, 1, 1, k).variance);
        measured("gauss-cos", gb_pathwise(), 1, k, pathwise(wave, 1, 1, k).variance);
        measured("gauss-cos", gb_score(), 1, k, score(wave, 1, 1, k).variance);
    }
}

/* Leaving one out is a mean over pairs, h = (f − f′)(s − s′) / 2: 2 / S(S − 1)
 * times 2 (S − 2) Var E[h | x] + Var h. */
static double variance_of_left_out(int parameter, int64_t samples)
{
    enum { FEW = 30 };
    double node[FEW], weight[FEW], mean = 0, second = 0, second_given = 0;
    assert_true(gb_hermite_rule(FEW, node, weight));
    for (int i = 0; i < FEW; i++) {
        double given = 0;
        for (int j = 0; j < FEW; j++) {
            const double x = node[i], y = node[j];
            const double scores = parameter == 0 ? x - y : x * x - y * y;
            const double h = ((1 + x) * (1 + x) - (1 + y) * (1 + y)) * scores / 2;
            given += weight[j] * h;
            second += weight[i] * weight[j] * h * h;
        }
        mean += weight[i] * given;
        second_given += weight[i] * given * given;
    }
    const double s = (double)samples, of_given = second_given - mean * mean, of_pair = second - mean * mean;
    return 2 / (s * (s - 1)) * (2 * (s - 2) * of_given + of_pair);
}

TEST(variances_fall_with_the_samples)
{
    for (int64_t samples = 1; samples <= 8; samples *= 2) {
        const double s = (double)samples;
        measured("gauss-square", gb_score(), samples, 0, (const double[]){30 / s, 136 / s});
        measured("gauss-square", gb_measure_valued(), samples, 0,
                 (const double[]){(16 / acos(-1) - 4) / s, 8 / s});
        if (samples > 1)
            measured("gauss-square", gb_score(.baseline = gb_leave_one_out()), samples, 0,
                     (const double[]){variance_of_left_out(0, samples), variance_of_left_out(1, samples)});
    }
}
