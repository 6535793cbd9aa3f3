/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ARMS: its formula draw by draw, the law of its draws, and its exact mean and variance. */
#include "support/close.h"

#include "compare/compare.h"
#include "estimators/moments.h"
#include "estimators/outcomes.h"

/* The chance that two of K draws are 1 (Dimitriev and Zhou 2021). */
static double both_ones(double p, int draws)
{
    const double r = p < 0.5 ? p : 1 - p, k = draws - 1;
    const double both_rarer = pow(fmax(0, 2 * pow(r, 1 / k) - 1), k);
    return p < 0.5 ? both_rarer : 2 * p - 1 + both_rarer;
}

/* Of one bit: Σ (f − mean f) (b − p) / (K − 1), times p (1 − p) / (p − P(two ones)). */
static double arms_at(const double *f, const double *b, int stride, double p, int draws)
{
    double mean = 0, sum = 0;
    for (int k = 0; k < draws; k++)
        mean += f[k] / draws;
    for (int k = 0; k < draws; k++)
        sum += (f[k] - mean) * (b[k * stride] - p) / (draws - 1);
    return sum * p * (1 - p) / (p - both_ones(p, draws));
}

TEST(arms_is_its_formula_draw_by_draw)
{
    static const double p[BITS] = {0.3, 0.5, 0.85};
    for (int draws = 2; draws <= 7; draws++) {
        const bits_trial c = bits_by(gb_arms(.draws = draws), BITS, (size_t)draws * BITS, 1, p);
        for (int run = 0; run < 100; run++) {
            double b[7 * BITS], g[BITS], f[7], mean = 0;
            const double loss = run_bits(&c, b, g);
            for (int k = 0; k < draws; k++)
                mean += (f[k] = cost_of_bits(b + k * BITS, BITS)) / draws;
            assert_true(near(loss, mean));
            for (int i = 0; i < BITS; i++)
                assert_true(near(g[i], arms_at(f, b + i, BITS, p[i], draws)));
        }
    }
}

TEST(two_draws_are_disarm)
{
    static const double p[BITS] = {0.3, 0.5, 0.85};
    const bits_trial c = bits_by(gb_arms(.draws = 2), BITS, 2 * BITS, 1, p);
    for (int run = 0; run < 200; run++) {
        double b[2 * BITS], g[BITS];
        run_bits(&c, b, g);
        const double difference = cost_of_bits(b, BITS) - cost_of_bits(b + BITS, BITS);
        for (int i = 0; i < BITS; i++)
            assert_true(near(g[i], difference * (b[i] - b[BITS + i]) * fmax(p[i], 1 - p[i]) / 2));
    }
}

/* ---- the law of the draws ---- */

static double choose(int n, int k)
{
    return k == 0 ? 1 : choose(n, k - 1) * (n - k + 1) / k;
}

/* The chance of one outcome of K draws of one bit, in which `rarer` draws have the rarer value: for m given
 * draws the chance is max(0, 1 − m (1 − r^(1/(K − 1))))^(K − 1), whatever the others are. */
static double chance_of(int rarer, int draws, double r)
{
    const double k = draws - 1, at = 1 - pow(r, 1 / k);
    double sum = 0;
    for (int more = 0; more <= draws - rarer; more++)
        sum += (more % 2 ? -1 : 1) * choose(draws - rarer, more) * pow(fmax(0, 1 - (rarer + more) * at), k);
    return fmax(0, sum);
}

static double chance_of_bits(const double *b, const double *p, int bits, int draws)
{
    double chance = 1;
    for (int i = 0; i < bits; i++) {
        int rarer = 0;
        for (int k = 0; k < draws; k++)
            rarer += b[k * bits + i] == (p[i] < 0.5);
        chance *= chance_of(rarer, draws, fmin(p[i], 1 - p[i]));
    }
    return chance;
}

static double chance_of_three(const double *b, const double *p, int bits)
{
    return chance_of_bits(b, p, bits, 3);
}

static double chance_of_four(const double *b, const double *p, int bits)
{
    return chance_of_bits(b, p, bits, 4);
}

/* One bit of four draws, two bits of three. */
TEST(the_sum_over_all_outcomes_is_exact_and_they_have_their_chances)
{
    static const double p[] = {0.4, 0.65};
    for (int bits = 1; bits <= 2; bits++) {
        const int draws = 5 - bits;
        const bits_trial c = bits_by(gb_arms(.draws = draws), bits, (size_t)(draws * bits), 1, p);
        bits_moments *const m = over_outcomes(&c, p, bits == 1 ? chance_of_four : chance_of_three);
        assert_unbiased(m, bits, p);
        int outcomes = 0;
        for (int code = 0; code < MOST_CODES; code++)
            outcomes += m->seen[code] > 0;
        assert_true(outcomes >= 10);
        free(m);
    }
}

TEST(outcomes_come_as_often_as_they_should)
{
    enum { RUNS = 200000, CODES = 8 };
    static const double p[] = {0.4, 0.65, 0.02};
    for (int which = 0; which < 3; which++) {
        const bits_trial c = bits_by(gb_arms(.draws = 3), 1, 3, 1, p + which);
        int seen[CODES] = {0};
        for (int run = 0; run < RUNS; run++) {
            double b[3], g;
            run_bits(&c, b, &g);
            seen[4 * (b[0] == 1) + 2 * (b[1] == 1) + (b[2] == 1)]++;
        }
        for (int code = 0; code < CODES; code++) {
            const double b[] = {code >> 2 & 1, code >> 1 & 1, code & 1}, q = chance_of_three(b, p + which, 1);
            const double error = sqrt(q * (1 - q) / RUNS);
            if (!(fabs((double)seen[code] / RUNS - q) <= z_bound(1e-6, 3 * CODES) * error))
                fail_msg("%d: outcome %d came %d times, not %g", which, code, seen[code], q * RUNS);
        }
    }
}

/* ---- the variance ---- */

/* Of three Bernoullis (the problem bernoulli-3), by the sum over all outcomes of four draws. */
static void exact_variances(const double *p, double *variance)
{
    enum { DRAWS = 4, CODES = 1 << (DRAWS * BITS) };
    double mean[BITS] = {0};
    memset(variance, 0, BITS * sizeof *variance);
    for (int code = 0; code < CODES; code++) {
        double b[DRAWS * BITS], f[DRAWS];
        for (int i = 0; i < DRAWS * BITS; i++)
            b[i] = code >> i & 1;
        for (int k = 0; k < DRAWS; k++) {
            const double *const z = b + k * BITS;
            f[k] = z[0] * z[1] * z[2];
            for (int i = 0; i < BITS; i++)
                f[k] += (z[i] - 0.45) * (z[i] - 0.45);
        }
        const double chance = chance_of_bits(b, p, BITS, DRAWS);
        for (int i = 0; i < BITS; i++) {
            const double g = arms_at(f, b + i, BITS, p[i], DRAWS) / (p[i] * (1 - p[i]));
            mean[i] += chance * g;
            variance[i] += chance * g * g;
        }
    }
    for (int i = 0; i < BITS; i++)
        variance[i] -= mean[i] * mean[i];
}

TEST(the_measured_variance_is_the_exact_one)
{
    static const double p[] = {0.3, 0.5, 0.7};
    double exact[BITS];
    const gb_estimator by = gb_arms();
    exact_variances(p, exact);
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("bernoulli-3"), .estimators = 1, .estimator = &by,
                   .draws = 100000, .samples = 2, .seed = 3, .threads = 1);
    assert_non_null(c);
    for (int i = 0; i < BITS; i++) {
        const gb_measured *const m = &c->estimator[0].parameter[i];
        assert_near(m->variance, exact[i] / 2, 6 * m->variance_stderr);
        assert_true(m->variance_stderr < 0.02 * m->variance);
    }
    gb_comparison_free(c);
}

/* ---- what it rejects ---- */

TEST(arms_needs_two_draws_and_has_a_first_gradient_only)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node phi = gb_variable(t, "phi", gb_shape(), gb_fill(0.3));
    assert_false(gb_node_ok(gb_draw(e, "one", gb_bernoulli_logits(phi), gb_arms(.draws = 1))));
    assert_rejected(t, GB_EARGUMENT, "draws is 1, and must be a whole number from 2 to 1024");
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), gb_arms());
    const gb_node g = gb_grad(gb_expected(e, gb_square(gb_shift(b, -0.2))), phi);
    assert_fine(t);
    assert_false(gb_node_ok(gb_grad(g, phi)));
    assert_rejected(t, GB_EGRADIENT, "the gradient of arms for draw b cannot be differentiated");
}
