/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ReinMax: its formula draw by draw, and its exact mean, which is the gradient of quadratic costs. The
 * Rao-Blackwellised straight-through: its mean given the draw and its variance, by integrals over the
 * noise. */
#include "support/close.h"

#include <gsl/gsl_integration.h>

#include "compare/compare.h"
#include "estimators/categories.h"
#include "estimators/moments.h"

/* ---- ReinMax ---- */

enum { N = 2, K = 4, SIZE = N * K };

static double weight_of(int i, int j)
{
    return sin(1.0 + 0.7 * i + 1.3 * j + 0.2 * i * j);
}

/* Σ_ij w_ij d_i d_j + Σ_i w_ii d_i + cubic · (Σ_i w_0i d_i)³, of both vectors behind each other. */
static double cost_at(const double *d, double cubic, double *slope)
{
    double sum = 0, line = 0;
    for (int i = 0; i < SIZE; i++)
        line += weight_of(0, i) * d[i];
    for (int i = 0; i < SIZE; i++) {
        sum += weight_of(i, i) * d[i];
        slope[i] = weight_of(i, i) + 3 * cubic * line * line * weight_of(0, i);
        for (int j = 0; j < SIZE; j++) {
            sum += weight_of(i, j) * d[i] * d[j];
            slope[i] += (weight_of(i, j) + weight_of(j, i)) * d[j];
        }
    }
    return sum + cubic * line * line * line;
}

static gb_node cost_node(gb_node d, double cubic)
{
    double all[SIZE * SIZE], own[SIZE], line[SIZE];
    for (int i = 0; i < SIZE; i++) {
        own[i] = weight_of(i, i);
        line[i] = weight_of(0, i);
        for (int j = 0; j < SIZE; j++)
            all[i * SIZE + j] = weight_of(i, j);
    }
    gb_tape *const t = d.tape;
    const gb_node flat = gb_reshape(d, gb_shape(SIZE)),
                  w = gb_constant(t, gb_shape(SIZE, SIZE), gb_values_of(all, SIZE * SIZE));
    const gb_node pairs = gb_mul(gb_mul(w, flat), gb_reshape(flat, gb_shape(SIZE, 1)));
    const gb_node s = gb_sum(gb_mul(flat, gb_constant(t, gb_shape(SIZE), gb_values_of(line, SIZE))));
    const gb_node linear = gb_sum(gb_mul(flat, gb_constant(t, gb_shape(SIZE), gb_values_of(own, SIZE))));
    return gb_add(gb_add(gb_sum(pairs), linear), gb_scale(gb_mul(s, gb_square(s)), cubic));
}

static void softmax_of(const setting *at, int choice, double temperature, double *p)
{
    double sum = 0;
    for (int k = 0; k < at->k; k++)
        sum += p[k] = exp(logit_of(choice, k) / temperature);
    for (int k = 0; k < at->k; k++)
        p[k] /= sum;
}

/* Σ_i f'_i (2 J(halfway) − J(p) / 2)_ik, J(p)_ik = p_i ([i = k] − p_k). */
static void reinmax_at(const setting *at, const double *d, const double *slope, double temperature, double *g)
{
    for (int choice = 0; choice < N; choice++) {
        const double *const b = d + choice * K, *const f = slope + choice * K;
        double p[K], half[K], of_p = 0, of_half = 0;
        softmax_of(at, choice, temperature, half);
        softmax_of(at, choice, 1, p);
        for (int k = 0; k < K; k++) {
            half[k] = (half[k] + b[k]) / 2;
            of_p += p[k] * f[k];
            of_half += half[k] * f[k];
        }
        for (int k = 0; k < K; k++)
            g[choice * K + k] = 2 * half[k] * (f[k] - of_half) - p[k] * (f[k] - of_p) / 2;
    }
}

/* Runs until all draws have come: the mean of the estimates, and the exact gradient. */
static void over_draws(double cubic, double temperature, double *mean, double *exact)
{
    const setting at = {.n = N, .k = K};
    gb_tape *const t = test_tape(.seed = 9, .samples = 1);
    gb_expect *const e = gb_expect_new(t);
    const gb_node logits = gb_variable(t, "logits", gb_shape(N, K), gb_fill(0));
    const gb_node z =
        gb_draw(e, "z", gb_one_hot_categorical_logits(gb_add(logits, table_of(t, &at, logit_of))),
                gb_reinmax(.temperature = temperature));
    const gb_node loss = gb_expected(e, cost_node(z, cubic)), g = gb_grad(loss, logits);
    gb_program *const program = gb_compile(t, gb_roots(z, loss, g), gb_no_update);
    assert_fine(t);
    bool seen[K * K] = {false};
    int missing = K * K;
    memset(mean, 0, SIZE * sizeof *mean);
    memset(exact, 0, SIZE * sizeof *exact);
    for (int run = 0; run < 20000 && missing > 0; run++) {
        double d[SIZE], is[SIZE], should[SIZE], slope[SIZE], number[N] = {0};
        assert_int_equal(gb_run(program), GB_OK);
        gb_read(z, d, SIZE);
        gb_read(g, is, SIZE);
        assert_true(near(gb_value(loss), cost_at(d, cubic, slope)));
        reinmax_at(&at, d, slope, temperature, should);
        for (int i = 0; i < SIZE; i++) {
            assert_true(near(is[i], should[i]));
            number[i / K] += d[i] * (i % K);
        }
        const int code = number_of_value(&at, number);
        if (seen[code])
            continue;
        seen[code] = true;
        missing--;
        const double q = exp(log_q_of(&at, number));
        for (int i = 0; i < SIZE; i++) {
            mean[i] += q * is[i];
            exact[i] += q * score_of(&at, number, i / K, i % K) * cost_at(d, cubic, slope);
        }
    }
    assert_int_equal(missing, 0);
}

static double gap(double cubic, double temperature)
{
    double mean[SIZE], exact[SIZE], most = 0;
    over_draws(cubic, temperature, mean, exact);
    for (int i = 0; i < SIZE; i++)
        most = fmax(most, fabs(mean[i] - exact[i]));
    return most;
}

TEST(reinmax_is_its_formula_and_exact_for_quadratic_costs)
{
    (void)t;
    assert_true(gap(0, 1) < 1e-13);
    assert_true(gap(0.3, 1) > 0.01);
    assert_true(gap(0, 2) > 0.01);
}

/* (b − 0.45)² has the exact gradient p (1 − p) / 10 in each mean over both draws. */
TEST(reinmax_of_bernoullis_is_exact_for_squares)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node logit = gb_variable(t, "logit", gb_shape(), gb_fill(0.6));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(logit), gb_reinmax());
    const gb_node g = gb_grad(gb_expected(e, gb_square(gb_shift(b, -0.45))), logit);
    gb_program *const program = gb_compile(t, gb_roots(b, g), gb_no_update);
    assert_fine(t);
    const double p = sigmoid(0.6);
    double of[2] = {NAN, NAN};
    for (int run = 0; run < 100; run++) {
        assert_int_equal(gb_run(program), GB_OK);
        of[gb_value(b) == 1] = gb_value(g);
    }
    assert_near(p * of[1] + (1 - p) * of[0], p * (1 - p) * (0.55 * 0.55 - 0.45 * 0.45), 1e-14);
}

TEST(impossible_categories_have_no_gradient, .samples = 50)
{
    static const char *const names[] = {"a", "b"};
    const gb_estimator by[] = {gb_reinmax(), gb_gumbel_rao()};
    gb_expect *const e = gb_expect_new(t);
    const gb_node own = gb_variable(t, "own", gb_shape(3), gb_fill(0));
    const gb_node logits = gb_add(own, gb_constant(t, gb_shape(3), GB_VALUES(0.3, -INFINITY, -0.4)));
    const gb_node w = gb_constant(t, gb_shape(3), GB_VALUES(1, 5, -2));
    for (int i = 0; i < 2; i++) {
        const gb_node z = gb_draw(e, names[i], gb_one_hot_categorical_logits(logits), by[i]);
        const gb_node g = gb_grad(gb_expected(e, gb_square(gb_sum(gb_mul(z, w)))), own);
        double slope[3];
        assert_fine(t);
        gb_read(g, slope, 3);
        assert_true(isfinite(slope[0]) && slope[1] == 0 && isfinite(slope[2]) && slope[0] != 0);
    }
}

/* ---- Rao–Blackwell ---- */

/* Of a Bernoulli: the derivative of the relaxed draw in the logit, given b, to a power. */
typedef struct derivative {
    double logit, temperature;
    int b, power;
} derivative;

static double derivative_at(double u, void *context)
{
    const derivative *const d = context;
    const double noise = log(u / (1 - u)), side = d->b ? d->logit : -d->logit;
    const double z = log1p(exp(noise) * (1 + exp(side))), s = sigmoid(z / d->temperature);
    return pow(s * (1 - s) / d->temperature, d->power);
}

static double mean_derivative(double logit, double temperature, int b, int power)
{
    derivative d = {logit, temperature, b, power};
    gsl_function f = {derivative_at, &d};
    gsl_integration_workspace *const space = gsl_integration_workspace_alloc(1000);
    double sum, error;
    gsl_integration_qags(&f, 0, 1, 1e-13, 1e-11, 1000, space, &sum, &error);
    gsl_integration_workspace_free(space);
    return sum;
}

/* With a hundred thousand relaxed draws for one draw. All tests together fail once in a million times. */
TEST(the_derivative_is_the_mean_given_the_draw)
{
    enum { MANY = 100000, RUNS = 12, FORMS = 2 };
    const double phi = 0.7, temperature = 0.4;
    (void)t;
    for (int form = 0; form < FORMS; form++) {
        gb_tape *const tape = test_tape(.seed = 2, .samples = 1);
        gb_expect *const e = gb_expect_new(tape);
        const gb_node logit = gb_variable(tape, "logit", gb_shape(), gb_fill(phi));
        const gb_node both = gb_mul(logit, gb_constant(tape, gb_shape(2), GB_VALUES(0, 1)));
        const gb_estimator by = gb_gumbel_rao(.temperature = temperature, .draws = MANY);
        const gb_node z = form ? gb_at(gb_draw(e, "z", gb_one_hot_categorical_logits(both), by), 1)
                               : gb_draw(e, "b", gb_bernoulli_logits(logit), by);
        const gb_node g = gb_grad(gb_expected(e, gb_scale(z, 1)), logit);
        gb_program *const program = gb_compile(tape, gb_roots(z, g), gb_no_update);
        assert_fine(tape);
        bool seen[2] = {false, false};
        for (int run = 0; run < RUNS; run++) {
            assert_int_equal(gb_run(program), GB_OK);
            const int b = gb_value(z) == 1;
            const double mean = mean_derivative(phi, temperature, b, 1),
                         second = mean_derivative(phi, temperature, b, 2);
            assert_near(gb_value(g), mean, z_bound(1e-6, RUNS * FORMS) * sqrt((second - mean * mean) / MANY));
            seen[b] = true;
        }
        assert_true(seen[0] && seen[1]);
    }
}

/* Of (b − 0.45)², whose slopes are 1.1 and −0.9. */
static double exact_variance(double logit, double temperature, double draws)
{
    double mean = 0, second = 0;
    for (int b = 0; b < 2; b++) {
        const double q = b ? sigmoid(logit) : sigmoid(-logit), slope = b ? 1.1 : -0.9;
        const double d = mean_derivative(logit, temperature, b, 1),
                     d2 = mean_derivative(logit, temperature, b, 2);
        mean += q * slope * d;
        second += q * slope * slope * (d * d + (d2 - d * d) / draws);
    }
    return second - mean * mean;
}

TEST(measured_variances_are_the_exact_ones)
{
    const double logit = 0.8;
    const gb_estimator by[] = {gb_straight_through(), gb_gumbel_rao(.draws = 1), gb_gumbel_rao()};
    const double draws[] = {1, 1, 10};
    const gb_compare_setting phi[] = {{"phi", logit}};
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("bernoulli-toy"), .estimators = 3, .estimator = by,
                   .settings = 1, .setting = phi, .draws = 100000, .samples = 1, .seed = 3, .threads = 1);
    (void)t;
    assert_non_null(c);
    for (int i = 0; i < 3; i++) {
        const gb_measured *const m = &c->estimator[i].parameter[0];
        assert_near(m->variance, exact_variance(logit, 0.5, draws[i]), 6 * m->variance_stderr);
        assert_true(m->variance_stderr < 0.02 * m->variance);
    }
    assert_true(exact_variance(logit, 0.5, 10) < exact_variance(logit, 0.5, 1));
    gb_comparison_free(c);
}
