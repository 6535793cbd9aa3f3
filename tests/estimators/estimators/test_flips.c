/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bitflip-1 and UGC: their formulas draw by draw, and their exact means and variances. */
#include "support/close.h"

#include "compare/compare.h"
#include "estimators/outcomes.h"

static const double P[BITS] = {0.1, 0.4, 0.9}; /* the second is not within 1 / 6 of 0 or 1 */

/* The evaluations are the draw and, at last, the flipped one. Returns the one element that differs. */
static int chosen_of(const double *b, const double *flipped)
{
    int chosen = -1, differ = 0;
    for (int i = 0; i < BITS; i++)
        if (b[i] != flipped[i])
            chosen = i, differ++;
    assert_int_equal(differ, 1);
    return chosen;
}

/* n times the difference that bit i makes, if it was chosen: the derivative in its probability. */
static double by_flip(const double *b, const double *flipped, int i)
{
    const double difference = cost_of_bits(flipped, BITS) - cost_of_bits(b, BITS);
    return chosen_of(b, flipped) == i ? BITS * difference * (flipped[i] - b[i]) : 0;
}

static double by_pair(const double *b, const double *twin, int i, double p)
{
    return (cost_of_bits(b, BITS) - cost_of_bits(twin, BITS)) * (b[i] - twin[i]) * fmax(p, 1 - p) / 2;
}

static double ugc_at(const double *x, int i, double p)
{
    const bool is_near = p < 1.0 / 6 || p > 5.0 / 6;
    return is_near ? p * (1 - p) * by_flip(x, x + 2 * BITS, i) : by_pair(x, x + BITS, i, p);
}

TEST(bitflip_is_its_formula_draw_by_draw)
{
    const bits_trial c = bits_by(gb_bitflip(), BITS, 2 * BITS, 1, P);
    for (int run = 0; run < 200; run++) {
        double x[2 * BITS], g[BITS];
        const double loss = run_bits(&c, x, g);
        assert_true(near(loss, cost_of_bits(x, BITS)));
        for (int i = 0; i < BITS; i++)
            assert_true(near(g[i], P[i] * (1 - P[i]) * by_flip(x, x + BITS, i)));
    }
}

TEST(ugc_is_its_formula_draw_by_draw)
{
    const bits_trial c = bits_by(gb_ugc(), BITS, 3 * BITS, 1, P);
    for (int run = 0; run < 200; run++) {
        double x[3 * BITS], g[BITS];
        const double loss = run_bits(&c, x, g);
        assert_true(near(loss, (cost_of_bits(x, BITS) + cost_of_bits(x + BITS, BITS)) / 2));
        for (int i = 0; i < BITS; i++)
            assert_true(near(g[i], ugc_at(x, i, P[i])));
    }
}

/* ---- means ---- */

static double chance_of_flip(const double *x, const double *p, int bits)
{
    double chance = 1.0 / bits;
    for (int i = 0; i < bits; i++)
        chance *= x[i] == 1 ? p[i] : 1 - p[i];
    return chance;
}

/* Both are the rarer value never, one of them with its chance. */
static double chance_of_twins(double b, double twin, double p)
{
    const double rarer = fmin(p, 1 - p);
    if (b != twin)
        return rarer;
    return b == (p > 0.5) ? 1 - 2 * rarer : 0;
}

static double chance_of_all(const double *x, const double *p, int bits)
{
    double chance = 1.0 / bits;
    for (int i = 0; i < bits; i++)
        chance *= chance_of_twins(x[i], x[bits + i], p[i]);
    return chance;
}

TEST(sums_over_all_outcomes_are_exact)
{
    const bits_trial flip = bits_by(gb_bitflip(), BITS, 2 * BITS, 1, P),
                     ugc = bits_by(gb_ugc(), BITS, 3 * BITS, 1, P);
    bits_moments *const of_flip = over_outcomes(&flip, P, chance_of_flip), *const of_ugc = over_outcomes(
                                                                               &ugc, P, chance_of_all);
    assert_unbiased(of_flip, BITS, P);
    assert_unbiased(of_ugc, BITS, P);
    free(of_flip);
    free(of_ugc);
}

/* Where a probability is 0 or 1, a draw does not show its derivative, but a flip does. */
TEST(probabilities_may_be_0_and_1)
{
    static const double p[BITS] = {0, 0.4, 1};
    const gb_estimator both[] = {gb_bitflip(), gb_ugc()};
    for (int k = 0; k < 2; k++) {
        gb_tape *const tape = test_tape(.seed = 3, .samples = 1);
        gb_expect *const e = gb_expect_new(tape);
        const gb_node prob = gb_variable(tape, "p", gb_shape(BITS), gb_values_of(p, BITS));
        const gb_node b = gb_draw(e, "b", gb_bernoulli(prob), both[k]);
        const gb_node g = gb_grad(gb_expected(e, cost_node(b, BITS)), prob);
        gb_program *const program = gb_compile(tape, gb_roots(b, g), gb_no_update);
        assert_fine(tape);
        for (int run = 0; run < 50; run++) {
            double x[3 * BITS], slope[BITS];
            assert_int_equal(gb_run(program), GB_OK);
            gb_read(b, x, (size_t)(2 + k) * BITS);
            gb_read(g, slope, BITS);
            assert_true(x[0] == 0 && x[2] == 1);
            for (int i = 0; i < BITS; i += 2)
                assert_true(near(slope[i], by_flip(x, x + (1 + k) * BITS, i)));
        }
    }
}

/* ---- variances ---- */

/* Of the problem bernoulli-3 in p_i: each bit changes the cost by 0.1 + the product of the two others. The
 * second moment of bitflip is n E[change²]. */
static double variance_of_flip(const double *p, int i)
{
    const double both = p[(i + 1) % BITS] * p[(i + 2) % BITS];
    return BITS * (0.01 + 0.2 * both + both) - (0.1 + both) * (0.1 + both);
}

static double cost_of_three(const double *b)
{
    double f = b[0] * b[1] * b[2];
    for (int i = 0; i < BITS; i++)
        f += (b[i] - 0.45) * (b[i] - 0.45);
    return f;
}

static double variance_of_pair(const double *p, int i)
{
    double mean = 0, second = 0;
    for (int code = 0; code < 1 << 2 * BITS; code++) {
        double b[BITS], twin[BITS], chance = 1;
        for (int j = 0; j < BITS; j++) {
            b[j] = code >> j & 1, twin[j] = code >> (BITS + j) & 1;
            chance *= chance_of_twins(b[j], twin[j], p[j]);
        }
        const double difference = cost_of_three(b) - cost_of_three(twin);
        const double g = difference * (b[i] - twin[i]) / (2 * fmin(p[i], 1 - p[i]));
        mean += chance * g;
        second += chance * g * g;
    }
    return second - mean * mean;
}

TEST(measured_variances_are_the_exact_ones)
{
    static const double p[BITS] = {0.02, 0.5, 0.95};
    const gb_estimator by[] = {gb_bitflip(), gb_ugc(), gb_disarm()};
    const gb_compare_setting setting[] = {{"p1", p[0]}, {"p2", p[1]}, {"p3", p[2]}};
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("bernoulli-3"), .estimators = 3, .estimator = by, .settings = 3,
                   .setting = setting, .draws = 200000, .samples = 2, .seed = 3, .threads = 1);
    assert_non_null(c);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < BITS; i++) {
            const gb_measured *const m = &c->estimator[k].parameter[i];
            const bool flips = k == 0 || (k == 1 && i != 1);
            const double exact = flips ? variance_of_flip(p, i) : variance_of_pair(p, i);
            assert_near(m->variance, exact / 2, 6 * m->variance_stderr);
            assert_true(m->variance_stderr < 0.05 * m->variance);
        }
    assert_true(variance_of_pair(p, 0) > 10 * variance_of_flip(p, 0));
    gb_comparison_free(c);
}

/* ---- what they reject ---- */

TEST(flips_need_rows_apart_and_have_a_first_gradient_only)
{
    const gb_estimator both[] = {gb_bitflip(), gb_ugc()};
    static const char *const words[] = {"the gradient of bitflip for draw b cannot be differentiated",
                                        "the gradient of ugc for draw b cannot be differentiated"};
    for (int k = 0; k < 2; k++) {
        gb_tape *const tape = test_tape(.seed = 3, .samples = 1);
        gb_expect *const e = gb_expect_new(tape);
        const gb_node phi = gb_variable(tape, "phi", gb_shape(), gb_fill(0.3));
        const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), both[k]);
        const gb_node g = gb_grad(gb_expected(e, gb_square(gb_shift(b, -0.2))), phi);
        assert_fine(tape);
        assert_false(gb_node_ok(gb_grad(g, phi)));
        assert_rejected(tape, GB_EGRADIENT, words[k]);
        const gb_node rows = gb_draw_over(e, "rows", gb_bernoulli_logits(phi), GB_SAMPLES | GB_ROWS, both[k]);
        assert_false(gb_node_ok(gb_expected(e, gb_square(gb_sum_over(rows, GB_ROWS)))));
        assert_rejected(tape, GB_EARGUMENT, "needs a cost that is a sum over rows");
    }
}
