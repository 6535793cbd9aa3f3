/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gb_fit finds is the best member of the family: stationary by quadrature, as by formula, as by brute
 * force, for each of 20 seeds. */
#include "support/close.h"

#include "estimators/hermite.h"
#include "estimators/visit.h"
#include "fitting/density.h"
#include "fitting/fit.h"
#include "fitting/posteriors.h"

enum { SEEDS = 20, NODES = 40 };

static gb_node num(gb_node w, double x)
{
    return gb_num(w.tape, x);
}

/* ---- two numbers: by quadrature ---- */

static gb_node banana(gb_node w)
{
    const gb_node x = gb_at(w, 0), y = gb_at(w, 1);
    const gb_node bent = gb_sub(y, gb_scale(gb_shift(gb_square(x), -1), 0.3));
    return gb_neg(gb_add(gb_scale(gb_square(x), 0.5), gb_square(bent)));
}

static gb_node counts(gb_node w)
{
    double x[20], y[20];
    for (int i = 0; i < 20; i++) {
        x[i] = i - 9.5;
        y[i] = floor(exp(0.5 + 0.12 * x[i]) + 0.5);
    }
    const gb_node line =
        gb_add(gb_at(w, 0), gb_mul(gb_at(w, 1), gb_constant(w.tape, gb_shape(20), gb_values_of(x, 20))));
    const gb_node seen = gb_constant(w.tape, gb_shape(20), gb_values_of(y, 20));
    return gb_sum(gb_sub(gb_mul(seen, line), gb_exp(line)));
}

/* Separated data, and a prior. */
static gb_node decisions(gb_node w)
{
    const gb_node x = gb_constant(w.tape, gb_shape(6), GB_VALUES(-2, -1, -0.5, 0.5, 1, 2)),
                  sign = gb_constant(w.tape, gb_shape(6), GB_VALUES(-1, -1, -1, 1, 1, 1));
    const gb_node line = gb_mul(sign, gb_add(gb_at(w, 0), gb_mul(gb_at(w, 1), x)));
    return gb_neg(gb_add(gb_sum(gb_softplus(gb_neg(line))), gb_scale(gb_sum(gb_square(w)), 0.08)));
}

static gb_node heavy(gb_node w)
{
    return gb_sum(gb_log_prob(gb_student_t(num(w, 3), num(w, 1), num(w, 2)), w));
}

static const struct shape {
    const char *name;
    gb_node (*log_p)(gb_node);
} shapes[] = {
    {"banana", banana}, {"poisson", counts}, {"separated_logistic", decisions}, {"student_t", heavy}};

/* With g the gradient of log p at m + L ε, the best member has E g = 0 and, in the elements of L that it has,
 * E Lᵀ g ε' = −1. Here in standard deviations; a Hessian of F is about −1, so that is how far off m and L
 * are. */
static void assert_is_stationary(gb_elbo *e, bool full, const char *who)
{
    gb_density *const d = gb_density_new(e);
    double node[NODES], weight[NODES], mean[2], raw[2], lower[4] = {0}, l[4] = {0};
    static double z[2 * NODES * NODES], log_p[NODES * NODES], g[2 * NODES * NODES];
    gb_tape *const t = gb_density_tape(d);
    gb_hermite_rule(NODES, node, weight);
    gb_read(gb_variable_named(t, "w.location"), mean, 2);
    gb_read(gb_variable_named(t, "w.raw_scale"), raw, 2);
    if (full)
        gb_read(gb_variable_named(t, "w.lower"), lower, 4);
    l[0] = log1p(exp(raw[0])), l[3] = log1p(exp(raw[1])), l[2] = lower[2];
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) {
            z[2 * (i * NODES + j)] = mean[0] + l[0] * node[i];
            z[2 * (i * NODES + j) + 1] = mean[1] + l[2] * node[i] + l[3] * node[j];
        }
    assert_int_equal(gb_density_evaluate(d, NODES * NODES, z, log_p, g, NULL), GB_OK);
    double slope[2] = {0}, of_l[4] = {0};
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) {
            const double *const own = g + 2 * (i * NODES + j), w = weight[i] * weight[j];
            const double turned[] = {l[0] * own[0] + l[2] * own[1], l[3] * own[1]},
                         draw[] = {node[i], node[j]};
            for (int a = 0; a < 2; a++) {
                slope[a] += w * turned[a];
                for (int b = 0; b < 2; b++)
                    of_l[2 * a + b] += w * turned[a] * draw[b];
            }
        }
    const double off[] = {of_l[0] + 1, of_l[3] + 1, full ? of_l[2] : 0};
    for (int i = 0; i < 2; i++)
        if (!(fabs(slope[i]) < 0.03))
            fail_msg("%s: mean %d is %g standard deviations off", who, i, slope[i]);
    for (int i = 0; i < 3; i++)
        if (!(fabs(off[i]) < 0.06))
            fail_msg("%s: element %d of L is %g off", who, i, off[i] / 2);
}

TEST_EACH(the_best_member_is_stationary_by_quadrature, shapes)
{
    const struct shape *const is = row;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int full = 0; full < 2; full++) {
            gb_tape *const tape = gb_tape_new(.seed = seed, .threads = 1);
            gb_elbo *const e = gb_elbo_new(tape, .data_size = 1);
            const gb_family family = full ? gb_full_rank(gb_shape(2)) : gb_mean_field(gb_shape(2));
            gb_factor(e, "f", is->log_p(gb_latent(e, "w", family, gb_no_prior, gb_pathwise())));
            const gb_fit_result r = gb_fit(e, .unjudged = true);
            if (r.end != GB_FIT_CONVERGED)
                fail_msg("%s; %s", r.words, gb_error_text(tape));
            assert_is_stationary(e, full, full ? "full rank" : "mean field");
            gb_tape_free(tape);
        }
}

static int64_t gradients_of(uint64_t seed, bool unjudged)
{
    gb_tape *const tape = gb_tape_new(.seed = seed, .threads = 1);
    gb_elbo *const e = gb_elbo_new(tape, .data_size = 1);
    gb_factor(e, "f", decisions(gb_latent(e, "w", gb_full_rank(gb_shape(2)), gb_no_prior, gb_pathwise())));
    const gb_fit_result r = gb_fit(e, .unjudged = unjudged);
    assert_int_equal(r.end, GB_FIT_CONVERGED);
    gb_tape_free(tape);
    return r.gradients;
}

/* Coordinates of its own for each number of draws, in which no pair is known, take 150,000 gradients. All
 * three other starts lead to the same place, and all but the first are followed there over few draws only;
 * over all draws, they take 110,000. */
TEST(searches_go_on_from_those_before)
{
    int64_t first = 0, others = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const int64_t own = gradients_of(seed, true);
        first += own;
        others += gradients_of(seed, false) - own;
    }
    if (first > 140000 || others > 80000)
        fail_msg("%lld gradients, and %lld of others", (long long)first, (long long)others);
}

/* ---- by formula ---- */

/* v ~ N(0, 3²), nine x ~ N(0, e^v). The best mean field has v at 0 with variance 1 / (1/9 + 9/2), and
 * x of variance e^(−var v / 2). Paths lead into the neck, where log p is highest. */
TEST(the_funnel_s_best_mean_field_is_found)
{
    const double variance = 1 / (1 / 9.0 + 4.5);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double mean[10], sd[10];
        gb_tape *const tape = gb_tape_new(.seed = seed, .threads = 1);
        gb_elbo *const e = gb_elbo_new(tape, .data_size = 1);
        const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(10)), gb_no_prior, gb_pathwise()),
                      v = gb_at(w, 0), x = gb_slice(w, 0, 1, 10);
        gb_factor(e, "v", gb_log_prob(gb_normal(num(w, 0), num(w, 3)), v));
        gb_factor(e, "x", gb_log_prob(gb_normal(num(w, 0), gb_exp(gb_scale(v, 0.5))), x));
        assert_int_equal(gb_fit(e, .unjudged = true).end, GB_FIT_CONVERGED);
        gb_elbo_posterior_read(e, "w", mean, sd, 10);
        assert_near(mean[0], 0, 0.1 * sqrt(variance)); /* by symmetry of scales */
        assert_near(sd[0], sqrt(variance), 0.05 * sqrt(variance));
        for (int i = 1; i < 10; i++) {
            const double own = exp(mean[0] / 2 - variance / 4);
            assert_near(mean[i], 0, 0.03 * own);
            assert_near(sd[i], own, 0.05 * own);
        }
        gb_tape_free(tape);
    }
}

/* Ten standard deviations apart, one mode is as good as the other. */
TEST(one_of_two_modes_is_found)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double mean, sd;
        gb_tape *const tape = gb_tape_new(.seed = seed, .threads = 1);
        gb_elbo *const e = gb_elbo_new(tape, .data_size = 1);
        const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
        const gb_node p[] = {gb_reshape(gb_log_prob(gb_normal(num(w, -5), num(w, 1)), w), gb_shape(1)),
                             gb_reshape(gb_log_prob(gb_normal(num(w, 5), num(w, 1)), w), gb_shape(1))};
        gb_factor(e, "modes", gb_logsumexp_along(gb_concat(2, p, 0), gb_axis(-1)));
        assert_int_equal(gb_fit(e, .unjudged = true).end, GB_FIT_CONVERGED);
        gb_elbo_posterior_read(e, "w", &mean, &sd, 1);
        assert_near(fabs(mean), 5, 1e-5);
        assert_near(sd, 1, 1e-4);
        gb_tape_free(tape);
    }
}

/* ---- by brute force: the posteriors with data ---- */

static gb_family a_mean_field(gb_shape shape)
{
    return gb_mean_field(shape);
}

/* Locations, and scales: a variable of each for every latent, one after the other. Returns how many. */
static size_t member_of(gb_elbo *e, double mean[64], double sd[64])
{
    gb_node variable[16];
    size_t count = 0;
    const size_t variables = gb_node_variables(gb_elbo_loss(e), variable, 16);
    for (size_t i = 0; i < variables; i += 2) {
        const size_t each = gb_value_count(variable[i]);
        assert_non_null(strstr(gb_variable_name(variable[i]), ".location"));
        assert_non_null(strstr(gb_variable_name(variable[i + 1]), ".raw_scale"));
        gb_read(variable[i], mean + count, each);
        gb_read(variable[i + 1], sd + count, each);
        for (size_t k = count; k < count + each; k++)
            sd[k] = sd[k] > 30 ? sd[k] : log1p(exp(sd[k]));
        count += each;
    }
    return count;
}

/* All seeds end at the same member, and long runs of stochastic steps, which share nothing with fixed draws
 * but the ELBO, gain nothing more. */
TEST_EACH(posteriors_have_one_best_mean_field, posterior_models)
{
    if (!posteriors_are_there())
        skip();
    double first[64], width[64], mean[64], sd[64], elbo = NAN, error = NAN;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        posterior p;
        gb_tape *const tape = gb_tape_new(.seed = seed, .threads = 1);
        posterior_begin(&p, tape, row, a_mean_field);
        const gb_fit_result r = gb_fit(p.e, .unjudged = true);
        if (r.end != GB_FIT_CONVERGED)
            fail_msg("%s: %s; %s", p.name, r.words, gb_error_text(tape));
        const size_t count = member_of(p.e, mean, sd);
        if (seed == 1) {
            memcpy(first, mean, sizeof mean);
            memcpy(width, sd, sizeof sd);
            elbo = r.elbo, error = r.error;
        }
        for (size_t i = 0; i < count; i++) {
            assert_near(mean[i], first[i], 0.04 * width[i]);
            assert_near(sd[i], width[i], 0.05 * width[i]);
        }
        assert_near(r.elbo, elbo, 6 * hypot(error, r.error));
        gb_tape_free(tape);
    }
}

TEST(stochastic_steps_find_the_schools_best_members)
{
    if (!posteriors_are_there())
        skip();
    for (int k = 0; k < 2; k++) {
        gb_fit_result r[2];
        for (int i = 0; i < 2; i++) {
            posterior p;
            posterior_begin(&p, test_tape(.seed = 4), &posterior_models[k], a_mean_field);
            r[i] = gb_fit(p.e, .method = i ? GB_FIT_STOCHASTIC : GB_FIT_USUAL, .unjudged = true);
            assert_int_equal(r[i].end, GB_FIT_CONVERGED);
        }
        assert_near(r[0].elbo, r[1].elbo, 0.05 + 5 * hypot(r[0].error, r[1].error));
    }
}
