/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MuProp: its formula draw by draw, its exact means and variances, chains at their means together, and what
 * it rejects. */
#include "support/close.h"

#include "compare/compare.h"
#include "estimators/outcomes.h"

static const double P[BITS] = {0.3, 0.5, 0.8};

/* ---- bits ---- */

/* What the series at the means leaves of the cost, and its slope in a bit. */
static double left_of(const double *b, const double *p, int bits)
{
    double series = cost_of_bits(p, bits);
    for (int i = 0; i < bits; i++)
        series += BIT_WEIGHT[i] * slope_of_bits(p, bits) * (b[i] - p[i]);
    return cost_of_bits(b, bits) - series;
}

/* In the logit of a bit. */
static double muprop_at(const double *b, const double *p, int bits, int bit, double baseline)
{
    return (left_of(b, p, bits) - baseline) * (b[bit] - p[bit]) +
           BIT_WEIGHT[bit] * slope_of_bits(p, bits) * p[bit] * (1 - p[bit]);
}

TEST(it_is_its_formula_draw_by_draw)
{
    const bits_trial c = bits_by(gb_muprop(), BITS, 2 * BITS, 1, P);
    for (int run = 0; run < 200; run++) {
        double x[2 * BITS], g[BITS];
        const double loss = run_bits(&c, x, g);
        assert_true(near(loss, cost_of_bits(x, BITS)));
        for (int i = 0; i < BITS; i++) {
            assert_true(near(x[BITS + i], P[i]));
            assert_true(near(g[i], muprop_at(x, P, BITS, i, 0)));
        }
    }
}

/* The mean of the other samples is one of what the series leaves. */
TEST(a_baseline_is_of_what_is_left)
{
    enum { SAMPLES = 3 };
    const bits_trial c =
        bits_by(gb_muprop(.baseline = gb_leave_one_out()), BITS, 2 * BITS * SAMPLES, SAMPLES, P);
    for (int run = 0; run < 100; run++) {
        double x[2 * BITS * SAMPLES], g[BITS], left[SAMPLES];
        run_bits(&c, x, g);
        for (int k = 0; k < SAMPLES; k++)
            left[k] = left_of(x + 2 * BITS * k, P, BITS);
        for (int i = 0; i < BITS; i++) {
            double mean = 0;
            for (int k = 0; k < SAMPLES; k++) {
                const double others = (left[0] + left[1] + left[2] - left[k]) / (SAMPLES - 1);
                mean += muprop_at(x + 2 * BITS * k, P, BITS, i, others) / SAMPLES;
            }
            assert_true(near(g[i], mean));
        }
    }
}

static double chance_of_bits(const double *b, const double *p, int bits)
{
    double chance = 1;
    for (int i = 0; i < bits; i++)
        chance *= b[i] == 1 ? p[i] : 1 - p[i];
    return chance;
}

static double variance_of(int bits, int bit, const double *p)
{
    double mean = 0, second = 0;
    for (int code = 0; code < 1 << bits; code++) {
        double b[BITS];
        for (int i = 0; i < bits; i++)
            b[i] = code >> i & 1;
        const double g = muprop_at(b, p, bits, bit, 0), chance = chance_of_bits(b, p, bits);
        mean += chance * g;
        second += chance * g * g;
    }
    return second - mean * mean;
}

TEST(the_sum_over_all_outcomes_is_exact)
{
    for (int bits = 2; bits <= BITS; bits++) {
        const bits_trial c = bits_by(gb_muprop(), bits, 2 * (size_t)bits, 1, P);
        bits_moments *const m = over_outcomes(&c, P, chance_of_bits);
        double gradient[BITS], value;
        exact_bits(bits, P, gradient, &value);
        assert_near(m->value, value, 1e-12);
        for (int i = 0; i < bits; i++) {
            assert_near(m->mean[i], gradient[i], 1e-12);
            assert_near(m->variance[i], variance_of(bits, i, P), 1e-12);
        }
        free(m);
    }
}

/* A linear cost is its series. */
TEST(it_has_no_variance_if_the_cost_is_linear)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node phi = gb_variable(t, "phi", gb_shape(BITS), GB_VALUES(-0.5, 0.3, 2));
    const gb_node w = gb_constant(t, gb_shape(BITS), gb_values_of(BIT_WEIGHT, BITS));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), gb_muprop());
    const gb_node g = gb_grad(gb_expected(e, gb_sum(gb_mul(w, b))), phi);
    gb_program *const program = gb_compile(t, gb_roots(g), gb_no_update);
    assert_fine(t);
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

/* ---- a chain ---- */

enum { PHI, SHIFT, PARAMETERS };

/* b sets the logit 1.5 b + shift of c. */
typedef struct outcome {
    double p, q, q_at_mean; /* of b; of c after b; of c in the mean field, after p */
    double b, c;
} outcome;

static double cost_of(double b, double c)
{
    return (b + 2 * c - 1.2) * (b + 2 * c - 1.2) + b * c * c;
}

static outcome outcome_of(double b, double c)
{
    const double p = sigmoid(-0.4);
    return (outcome){
        .p = p, .q = sigmoid(1.5 * b - 0.5), .q_at_mean = sigmoid(1.5 * p - 0.5), .b = b, .c = c};
}

/* The slope in b is the whole one of the mean field, through the mean of c. */
static void by_hand(const outcome *o, double g[PARAMETERS])
{
    const double s = 2 * (o->p + 2 * o->q_at_mean - 1.2), m = o->q_at_mean;
    const double in_c = 2 * s + 2 * o->p * m, in_b = s + m * m + in_c * 1.5 * m * (1 - m);
    const double off = cost_of(o->b, o->c) - cost_of(o->p, m);
    g[PHI] = (off - in_b * (o->b - o->p)) * (o->b - o->p) + in_b * o->p * (1 - o->p);
    g[SHIFT] = (off - in_c * (o->c - m)) * (o->c - o->q) + in_c * o->q * (1 - o->q);
}

/* The sum over the four outcomes is the gradient to 1e-12; so is its variance that of the formula. */
TEST(a_chain_is_at_its_means_together, .seed = 8, .samples = 1)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node phi = gb_variable(t, "phi", gb_shape(), gb_fill(-0.4)),
                  shift = gb_variable(t, "shift", gb_shape(), gb_fill(-0.5));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), gb_muprop());
    const gb_node c = gb_draw(e, "c", gb_bernoulli_logits(gb_add(gb_scale(b, 1.5), shift)), gb_muprop());
    const gb_node cost =
        gb_add(gb_square(gb_shift(gb_add(b, gb_scale(c, 2)), -1.2)), gb_mul(b, gb_square(c)));
    assert_true(gb_expect_evaluations(e, cost) == 2);
    gb_node g[PARAMETERS];
    gb_grads(gb_expected(e, cost), (const gb_node[]){phi, shift}, PARAMETERS, g);
    gb_program *const program = gb_compile(t, gb_roots(b, c, g[PHI], g[SHIFT]), gb_no_update);
    assert_fine(t);
    bool seen[4] = {false};
    double all = 0, mean[PARAMETERS] = {0, 0}, exact[PARAMETERS] = {0, 0};
    for (int run = 0; run < 2000 && all < 1 - 1e-12; run++) {
        double x[2], y[2], should[PARAMETERS]; /* the draw, and the mean */
        assert_int_equal(gb_run(program), GB_OK);
        gb_read(b, x, 2);
        gb_read(c, y, 2);
        const outcome o = outcome_of(x[0], y[0]);
        const int code = 2 * (x[0] == 1) + (y[0] == 1);
        assert_true(near(x[1], o.p) && near(y[1], o.q_at_mean));
        by_hand(&o, should);
        for (int i = 0; i < PARAMETERS; i++) {
            assert_true(near(gb_value(g[i]), should[i]));
            mean[i] +=
                seen[code] ? 0 : (x[0] == 1 ? o.p : 1 - o.p) * (y[0] == 1 ? o.q : 1 - o.q) * gb_value(g[i]);
        }
        all += seen[code] ? 0 : (x[0] == 1 ? o.p : 1 - o.p) * (y[0] == 1 ? o.q : 1 - o.q);
        seen[code] = true;
    }
    for (int k = 0; k < 4; k++) {
        const outcome o = outcome_of(k / 2, k % 2);
        const double f = cost_of(o.b, o.c);
        exact[PHI] += (o.b == 1 ? 1 : -1) * o.p * (1 - o.p) * (o.c == 1 ? o.q : 1 - o.q) * f;
        exact[SHIFT] += (o.b == 1 ? o.p : 1 - o.p) * (o.c == 1 ? 1 : -1) * o.q * (1 - o.q) * f;
    }
    assert_near(all, 1, 1e-12);
    for (int i = 0; i < PARAMETERS; i++)
        assert_near(mean[i], exact[i], 1e-12);
}

/* Eight draws in a row, and one that is apart. */
TEST(any_number_of_draws_takes_two_evaluations)
{
    static const char *const names[] = {"z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7"};
    gb_expect *const e = gb_expect_new(t);
    const gb_node phi = gb_variable(t, "phi", gb_shape(), gb_fill(0.3));
    gb_node sum = gb_draw(e, "apart", gb_bernoulli_logits(phi), gb_muprop()), at = phi;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        at = gb_draw(e, names[i], i % 2 ? gb_bernoulli_logits(at) : gb_normal(at, gb_num(t, 0.5)),
                     gb_muprop());
        sum = gb_add(sum, at);
    }
    assert_true(gb_expect_evaluations(e, gb_square(sum)) == 2);
    gb_grad(gb_expected(e, gb_square(sum)), phi);
    assert_fine(t);
}

/* ---- normals ---- */

/* Of (x − k)² the series leaves σ² e², whatever k is: 15 σ² and 74 σ² for a sample. */
TEST(the_measured_variance_is_the_closed_form)
{
    const gb_estimator by = gb_muprop();
    gb_comparison *const c = gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 1,
                                        .estimator = &by, .draws = 400000, .seed = 3, .threads = 1);
    assert_non_null(c);
    const double exact[] = {15, 74};
    for (int i = 0; i < 2; i++) {
        const gb_measured *const m = &c->estimator[0].parameter[i];
        assert_near(m->variance, exact[i], 6 * m->variance_stderr);
        assert_true(m->variance_stderr < 0.04 * m->variance);
    }
    gb_comparison_free(c);
}

/* ---- what it rejects ---- */

TEST(it_needs_a_mean_and_a_cost_of_the_draw_alone)
{
    gb_expect *const e = gb_expect_new(t);
    gb_draw(e, "x", gb_von_mises(gb_num(t, 0), gb_num(t, 1)), gb_muprop());
    assert_rejected(t, GB_EARGUMENT, "draw x: muprop needs a mean in closed form; von_mises has none");
    gb_expect *const other = gb_expect_new(t);
    const gb_node mu = gb_variable(t, "mu", gb_shape(), gb_fill(0.3));
    const gb_node z = gb_draw(other, "z", gb_normal(mu, gb_num(t, 1)), gb_muprop(.baseline = gb_delta()));
    gb_expected(other, gb_square(z));
    assert_rejected(t, GB_EARGUMENT,
                    "draw z: the baseline delta evaluates the cost at values of its own, or depends on the "
                    "draw, and muprop has no place for that");
}

TEST(it_has_a_first_gradient_only)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node phi = gb_variable(t, "phi", gb_shape(), gb_fill(0.3));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), gb_muprop());
    gb_grad(gb_grad(gb_expected(e, gb_square(gb_shift(b, -0.2))), phi), phi);
    assert_rejected(t, GB_EGRADIENT, "the gradient of muprop for draw b cannot be differentiated");
}
