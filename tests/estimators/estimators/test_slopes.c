/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators with slopes of the cost at draws of 0 and 1: double control variates, RODEO, and
 * straight-through as the identity. Their formulas draw by draw, and their exact means and variances. */
#include "support/close.h"

#include "compare/compare.h"
#include "estimators/outcomes.h"

enum { MOST_SAMPLES = 5 };
static const double P[BITS] = {0.3, 0.5, 0.8};

static double chance_of_draws(const double *b, const double *p, int bits, int samples)
{
    double chance = 1;
    for (int i = 0; i < samples * bits; i++)
        chance *= b[i] == 1 ? p[i % bits] : 1 - p[i % bits];
    return chance;
}

static double chance_of_one(const double *b, const double *p, int bits)
{
    return chance_of_draws(b, p, bits, 1);
}

static double chance_of_two(const double *b, const double *p, int bits)
{
    return chance_of_draws(b, p, bits, 2);
}

static double chance_of_three(const double *b, const double *p, int bits)
{
    return chance_of_draws(b, p, bits, 3);
}

/* ---- by samples ---- */

/* The costs of some samples, and their slopes in each bit. */
typedef struct sampled {
    int samples, bits;
    const double *b, *p;
    double f[MOST_SAMPLES], slope[MOST_SAMPLES][BITS];
} sampled;

static double mean_of_others(const double *x, int samples, int left_out)
{
    double sum = 0;
    for (int k = 0; k < samples; k++)
        sum += k == left_out ? 0 : x[k];
    return sum / (samples - 1);
}

static double slope_of_others(const sampled *s, int left_out, int bit)
{
    double x[MOST_SAMPLES];
    for (int k = 0; k < s->samples; k++)
        x[k] = s->slope[k][bit];
    return mean_of_others(x, s->samples, left_out);
}

/* Σ g_i (b_i − p_i) at any b, with the slopes of the samples other than k. */
static double linear(const sampled *s, int k, const double *b)
{
    double sum = 0;
    for (int i = 0; i < s->bits; i++)
        sum += slope_of_others(s, k, i) * (b[i] - s->p[i]);
    return sum;
}

/* The gradient in the logit of a bit, as Titsias and Shi (2022) write it: a score function whose baseline is
 * the mean of f − α c over the other samples. */
static double double_cv_at(const sampled *s, int bit, double alpha)
{
    double rest[MOST_SAMPLES], sum = 0;
    for (int k = 0; k < s->samples; k++)
        rest[k] = s->f[k] - alpha * linear(s, k, s->b + k * s->bits);
    for (int k = 0; k < s->samples; k++) {
        const double score = s->b[k * s->bits + bit] - s->p[bit];
        sum += (rest[k] - mean_of_others(rest, s->samples, k)) * score;
        sum += alpha * slope_of_others(s, k, bit) * s->p[bit] * (1 - s->p[bit]);
    }
    return sum / s->samples;
}

/* (A h)(b) = Σ_i q(1 − b_i) (h(b with b_i flipped) − h(b)), where h is l, or l times the score of a bit if
 * `bit` is not negative. */
static double stein(const sampled *s, int k, int bit)
{
    const double *const b = s->b + k * s->bits;
    const double here = linear(s, k, b) * (bit < 0 ? 1 : b[bit] - s->p[bit]);
    double sum = 0;
    for (int i = 0; i < s->bits; i++) {
        double flipped[BITS];
        memcpy(flipped, b, (size_t)s->bits * sizeof *b);
        flipped[i] = 1 - b[i];
        const double there = linear(s, k, flipped) * (bit < 0 ? 1 : flipped[bit] - s->p[bit]);
        sum += (flipped[i] == 1 ? s->p[i] : 1 - s->p[i]) * (there - here);
    }
    return sum;
}

/* As Shi et al. (2022) write it. */
static double rodeo_at(const sampled *s, int bit, double alpha, double beta)
{
    double rest[MOST_SAMPLES], sum = 0;
    for (int k = 0; k < s->samples; k++)
        rest[k] = s->f[k] + alpha * stein(s, k, -1);
    for (int k = 0; k < s->samples; k++) {
        const double score = s->b[k * s->bits + bit] - s->p[bit];
        sum += (s->f[k] - mean_of_others(rest, s->samples, k)) * score + beta * stein(s, k, bit);
    }
    return sum / s->samples;
}

static void sample_costs(sampled *s)
{
    for (int k = 0; k < s->samples; k++) {
        s->f[k] = cost_of_bits(s->b + k * s->bits, s->bits);
        for (int i = 0; i < s->bits; i++)
            s->slope[k][i] = BIT_WEIGHT[i] * slope_of_bits(s->b + k * s->bits, s->bits);
    }
}

static const struct slopes_case {
    const char *name;
    double alpha, beta; /* beta 0: double control variates */
} cases[] = {{"double_cv:alpha=1", 1, 0},
             {"double_cv:alpha=-0.6", -0.6, 0},
             {"rodeo:alpha=1:beta=0.5", 1, 0.5},
             {"rodeo:alpha=1.5:beta=-0.7", 1.5, -0.7}};

static gb_estimator estimator_of(const char *text)
{
    gb_estimator by;
    char error[200];
    if (!gb_estimator_parse(text, &by, error, sizeof error))
        fail_msg("%s", error);
    return by;
}

TEST_EACH(it_is_its_formula_draw_by_draw, cases)
{
    const struct slopes_case *const is = row;
    for (int samples = 2; samples <= MOST_SAMPLES; samples++) {
        const size_t values = (size_t)samples * BITS;
        const bits_trial c = bits_by(estimator_of(is->name), BITS, values, samples, P);
        for (int run = 0; run < 100; run++) {
            double b[MOST_SAMPLES * BITS], g[BITS], mean = 0;
            sampled s = {.samples = samples, .bits = BITS, .b = b, .p = P};
            const double loss = run_bits(&c, b, g);
            sample_costs(&s);
            for (int k = 0; k < samples; k++)
                mean += s.f[k] / samples;
            assert_true(near(loss, mean));
            for (int i = 0; i < BITS; i++)
                assert_true(near(g[i], is->beta == 0 ? double_cv_at(&s, i, is->alpha)
                                                     : rodeo_at(&s, i, is->alpha, is->beta)));
        }
    }
}

/* Three bits of two samples, two of three. */
TEST_EACH(the_sum_over_all_outcomes_is_exact, cases)
{
    const struct slopes_case *const is = row;
    for (int samples = 2; samples <= 3; samples++) {
        const int bits = 5 - samples;
        const bits_trial c = bits_by(estimator_of(is->name), bits, (size_t)(samples * bits), samples, P);
        bits_moments *const m = over_outcomes(&c, P, samples == 2 ? chance_of_two : chance_of_three);
        assert_unbiased(m, bits, P);
        free(m);
    }
}

/* ---- two draws, one of which sets the parameters of the other ---- */

/* b sets the logit 1.5 b − 0.5 of c, and the cost is (b + 2 c − 1.2)² + b c; the gradient in the logit of b,
 * over all outcomes of two samples. */
TEST_EACH(a_draw_may_set_the_parameters_of_the_next, cases)
{
    enum { SAMPLES = 2, OUTCOMES = 16 };
    const struct slopes_case *const is = row;
    gb_tape *const tape = test_tape(.seed = 8, .samples = SAMPLES);
    gb_expect *const e = gb_expect_new(tape);
    const gb_node phi = gb_variable(tape, "phi", gb_shape(), gb_fill(-0.4));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), estimator_of(is->name));
    const gb_node c =
        gb_draw(e, "c", gb_bernoulli_logits(gb_shift(gb_scale(b, 1.5), -0.5)), estimator_of(is->name));
    const gb_node cost = gb_add(gb_square(gb_shift(gb_add(b, gb_scale(c, 2)), -1.2)), gb_mul(b, c));
    const gb_node g = gb_grad(gb_expected(e, cost), phi);
    gb_program *const program = gb_compile(tape, gb_roots(b, c, g), gb_no_update);
    assert_fine(tape);
    const double p = sigmoid(-0.4);
    bool seen[OUTCOMES] = {false};
    double all = 0, mean = 0, exact = 0;
    for (int run = 0; run < 20000 && all < 1 - 1e-12; run++) {
        double x[SAMPLES], y[SAMPLES], chance = 1;
        int code = 0;
        assert_int_equal(gb_run(program), GB_OK);
        gb_read(b, x, SAMPLES);
        gb_read(c, y, SAMPLES);
        for (int k = 0; k < SAMPLES; k++) {
            const double q = sigmoid(1.5 * x[k] - 0.5);
            chance *= (x[k] == 1 ? p : 1 - p) * (y[k] == 1 ? q : 1 - q);
            code = 4 * code + 2 * (x[k] == 1) + (y[k] == 1);
        }
        mean += seen[code] ? 0 : chance * gb_value(g);
        all += seen[code] ? 0 : chance;
        seen[code] = true;
    }
    for (int k = 0; k < 4; k++) {
        const double x = k / 2, y = k % 2, q = sigmoid(1.5 * x - 0.5);
        exact += (x == 1 ? 1 : -1) * p * (1 - p) * (y == 1 ? q : 1 - q) * (pow(x + 2 * y - 1.2, 2) + x * y);
    }
    assert_near(all, 1, 1e-12);
    assert_near(mean, exact, 1e-11);
}

/* ---- what is known of linear costs, and of one among several ---- */

/* A linear cost is its linear part, whose gradient is known. */
TEST(double_control_variates_have_no_variance_if_the_cost_is_linear)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node phi = gb_variable(t, "phi", gb_shape(BITS), GB_VALUES(-0.5, 0.3, 2));
    const gb_node w = gb_constant(t, gb_shape(BITS), gb_values_of(BIT_WEIGHT, BITS));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), gb_double_cv());
    const gb_node g = gb_grad(gb_expected(e, gb_sum(gb_mul(w, b))), phi);
    gb_program *const program = gb_compile(t, gb_roots(g), gb_no_update);
    assert_int_equal(gb_program_set_samples(program, 3), GB_OK);
    for (int run = 0; run < 20; run++) {
        double slope[BITS];
        assert_int_equal(gb_run(program), GB_OK);
        gb_read(g, slope, BITS);
        for (int i = 0; i < BITS; i++) {
            const double p = sigmoid((const double[]){-0.5, 0.3, 2}[i]);
            assert_true(near(slope[i], BIT_WEIGHT[i] * p * (1 - p)));
        }
    }
}

static double cost_of_category(int k)
{
    return ((const double[]){0.5, -1, 2})[k];
}

/* By the nine outcomes of two samples of one among three. */
TEST(double_control_variates_of_one_among_several_are_exact, .samples = 2)
{
    static const double logits[] = {0.3, -0.4, 0.1};
    double p[3], all = 0, total = 0, mean[3] = {0};
    bool seen[9] = {false};
    gb_expect *const e = gb_expect_new(t);
    const gb_node phi = gb_variable(t, "phi", gb_shape(3), gb_values_of(logits, 3));
    const gb_node x = gb_draw(e, "x", gb_one_hot_categorical_logits(phi), gb_double_cv(.alpha = 0.8));
    const gb_node costs = gb_constant(t, gb_shape(3), GB_VALUES(0.5, -1, 2));
    const gb_node g = gb_grad(gb_expected(e, gb_sum(gb_mul(costs, gb_square(x)))), phi);
    gb_program *const program = gb_compile(t, gb_roots(x, g), gb_no_update);
    assert_fine(t);
    for (int k = 0; k < 3; k++)
        total += exp(logits[k]);
    for (int k = 0; k < 3; k++)
        p[k] = exp(logits[k]) / total;
    for (int run = 0; run < 2000 && all < 1 - 1e-12; run++) {
        double v[6], slope[3], chance = 1;
        int code = 0;
        assert_int_equal(gb_run(program), GB_OK);
        gb_read(x, v, 6);
        gb_read(g, slope, 3);
        for (int i = 0; i < 6; i++) {
            chance *= v[i] == 1 ? p[i % 3] : 1;
            code += v[i] == 1 ? (i < 3 ? 3 * i : i - 3) : 0;
        }
        for (int k = 0; k < 3; k++)
            mean[k] += seen[code] ? 0 : chance * slope[k];
        all += seen[code] ? 0 : chance;
        seen[code] = true;
    }
    assert_near(all, 1, 1e-12);
    for (int k = 0; k < 3; k++) {
        double exact = p[k] * cost_of_category(k);
        for (int j = 0; j < 3; j++)
            exact -= p[k] * p[j] * cost_of_category(j);
        assert_near(mean[k], exact, 1e-12);
    }
}

/* ---- straight-through as the identity ---- */

TEST(straight_through_mean_is_its_formula_draw_by_draw)
{
    const bits_trial c = bits_by(gb_straight_through_mean(), BITS, BITS, 1, P);
    for (int run = 0; run < 100; run++) {
        double b[BITS], g[BITS];
        const double loss = run_bits(&c, b, g);
        assert_true(near(loss, cost_of_bits(b, BITS)));
        for (int i = 0; i < BITS; i++)
            assert_true(near(g[i], BIT_WEIGHT[i] * slope_of_bits(b, BITS) * P[i] * (1 - P[i])));
    }
}

/* The value has the right mean. That of the gradient is E f′ p (1 − p), which is not the gradient. */
TEST(straight_through_mean_has_the_bias_that_it_says)
{
    double gradient[BITS], value, by_slopes = 0;
    const bits_trial c = bits_by(gb_straight_through_mean(), BITS, BITS, 1, P);
    bits_moments *const m = over_outcomes(&c, P, chance_of_one);
    exact_bits(BITS, P, gradient, &value);
    for (int code = 0; code < 1 << BITS; code++) {
        const double b[] = {code & 1, code >> 1 & 1, code >> 2 & 1};
        by_slopes += chance_of_one(b, P, BITS) * BIT_WEIGHT[0] * slope_of_bits(b, BITS) * P[0] * (1 - P[0]);
    }
    assert_near(m->value, value, 1e-12);
    assert_near(m->mean[0], by_slopes, 1e-12);
    assert_true(fabs(by_slopes - gradient[0]) > 0.01);
    assert_non_null(strstr(gb_straight_through_mean_estimator_type.bias, "linear"));
    free(m);
}

/* Of a linear cost it has the exact gradient, of one among several too. */
TEST(straight_through_mean_is_exact_for_linear_costs, .samples = 1)
{
    static const double logits[] = {0.3, -0.4, 0.1};
    double slope[3], p[3], total = 0, mean = 0;
    gb_expect *const e = gb_expect_new(t);
    const gb_node phi = gb_variable(t, "phi", gb_shape(3), gb_values_of(logits, 3));
    const gb_node x = gb_draw(e, "x", gb_one_hot_categorical_logits(phi), gb_straight_through_mean());
    const gb_node costs = gb_constant(t, gb_shape(3), GB_VALUES(0.5, -1, 2));
    const gb_node g = gb_grad(gb_expected(e, gb_sum(gb_mul(costs, x))), phi);
    gb_program *const program = gb_compile(t, gb_roots(x, g), gb_no_update);
    assert_int_equal(gb_run(program), GB_OK);
    gb_read(g, slope, 3);
    for (int k = 0; k < 3; k++)
        total += exp(logits[k]);
    for (int k = 0; k < 3; k++) {
        p[k] = exp(logits[k]) / total;
        mean += p[k] * cost_of_category(k);
    }
    for (int k = 0; k < 3; k++)
        assert_true(near(slope[k], p[k] * (cost_of_category(k) - mean)));
}

/* ---- variances ---- */

/* In the probabilities of the problem bernoulli-3, by the sum over all outcomes of two samples. */
static double variance_by(const struct slopes_case *is, int bit)
{
    static const double p[] = {0.3, 0.5, 0.7};
    double mean = 0, second = 0;
    for (int code = 0; code < 1 << 2 * BITS; code++) {
        double b[2 * BITS];
        sampled s = {.samples = 2, .bits = BITS, .b = b, .p = p};
        for (int i = 0; i < 2 * BITS; i++)
            b[i] = code >> i & 1;
        for (int k = 0; k < 2; k++) {
            const double *const z = b + k * BITS;
            s.f[k] = z[0] * z[1] * z[2];
            for (int i = 0; i < BITS; i++) {
                s.f[k] += (z[i] - 0.45) * (z[i] - 0.45);
                s.slope[k][i] = 2 * (z[i] - 0.45) + z[(i + 1) % BITS] * z[(i + 2) % BITS];
            }
        }
        const double of_logit =
            is->beta == 0 ? double_cv_at(&s, bit, is->alpha) : rodeo_at(&s, bit, is->alpha, is->beta);
        const double g = of_logit / (p[bit] * (1 - p[bit])), chance = chance_of_draws(b, p, BITS, 2);
        mean += chance * g;
        second += chance * g * g;
    }
    return second - mean * mean;
}

TEST_EACH(the_measured_variance_is_the_exact_one, cases)
{
    const struct slopes_case *const is = row;
    const gb_estimator by = estimator_of(is->name);
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("bernoulli-3"), .estimators = 1, .estimator = &by,
                   .draws = 100000, .samples = 2, .seed = 3, .threads = 1);
    assert_non_null(c);
    for (int i = 0; i < BITS; i++) {
        const gb_measured *const m = &c->estimator[0].parameter[i];
        assert_near(m->variance, variance_by(is, i), 6 * m->variance_stderr);
        assert_true(m->variance_stderr < 0.02 * m->variance);
    }
    gb_comparison_free(c);
}

/* ---- what they reject ---- */

TEST(slopes_need_two_samples_and_have_a_first_gradient_only, .samples = 1)
{
    const gb_estimator both[] = {gb_double_cv(), gb_rodeo()};
    static const char *const name[] = {"double_cv", "rodeo"};
    for (int k = 0; k < 2; k++) {
        char words[120];
        gb_expect *const e = gb_expect_new(t);
        const gb_node phi = gb_variable(t, k ? "phi" : "psi", gb_shape(), gb_fill(0.3));
        const gb_node b = gb_draw(e, name[k], gb_bernoulli_logits(phi), both[k]);
        const gb_node g = gb_grad(gb_expected(e, gb_square(gb_shift(b, -0.2))), phi);
        gb_program *const program = gb_compile(t, gb_roots(g), gb_no_update);
        assert_fine(t);
        assert_int_not_equal(gb_run(program), GB_OK);
        snprintf(words, sizeof words, "%s: a single sample has no others", name[k]);
        assert_rejected(t, GB_EARGUMENT, words);
        assert_false(gb_node_ok(gb_grad(g, phi)));
        snprintf(words, sizeof words, "the gradient of %s for draw %s cannot be differentiated", name[k],
                 name[k]);
        assert_rejected(t, GB_EGRADIENT, words);
    }
}
