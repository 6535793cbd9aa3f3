/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write an estimator, and prove it.
 *
 * n independent bits, b_i = 1 with probability p_i = sigmoid(phi_i), and a cost f(b) of all of them:
 *
 *     dE f/dp_i = E[f(b with b_i = 1) - f(b with b_i = 0)]
 *
 * So: draw b, flip each bit in turn, and take the differences (local expectation gradients; Titsias and
 * Lazaro-Gredilla 2015). The proof: at each b the estimate is the formula in plain C; the sum over all b of
 * p(b) times the estimate is the gradient; mean and variance of many agree with sums over all b. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 3, STATES = 1 << N, RUNS = 1000 };

static int64_t evaluations(const gb_site *site)
{
    return 1 + (int64_t)gb_shape_count(gb_dist_batch_shape(site->q));
}

/* b, and b with one bit flipped: b + (1 - 2 b) times a row of the identity. */
static gb_node draw(gb_site *site)
{
    const gb_node b = gb_sample(site->q, site->noise, site->axes);
    const int64_t n = evaluations(site) - 1;
    const gb_node flip[] = {gb_zeros(b.tape, gb_shape(1, n)), gb_eye(b.tape, n)}; /* none, or one */
    return gb_stop(gb_add(b, gb_mul(gb_concat(2, flip, 0), gb_shift(gb_scale(b, -2), 1))));
}

/* The value is f(b); its gradient gets (f(b_i = 1) - f(b_i = 0)) dp_i. */
static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node b = gb_site_value(site, 0), cost = gb_evaluation(costs, 0);
    const gb_node change = gb_sub(gb_slice(costs, 0, 1, evaluations(site)), cost);
    return gb_site_inject(site, cost, gb_dist_mean(site->q), gb_mul(change, gb_shift(gb_scale(b, -2), 1)));
}

static const char *lacks(const gb_dist *q, const void *options)
{
    (void)options;
    return q->type == &gb_bernoulli_type && gb_dist_batch_shape(*q).rank == 1 ? NULL : "vector of bits";
}

static const gb_estimator_type flips_type = {
    .size = sizeof(gb_estimator_type),
    .name = "flips",
    .needs = GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SEPARATE_ROWS,
    .lacks = lacks,
    .expansion = GB_PROBES,
    .evaluations = evaluations,
    .first_order = true,
    .drops_own_path = true,
    .draw = draw,
    .combine = combine,
};

#define flips() gb_estimator_of(&flips_type, NULL)

static const double phi[N] = {-0.8, 0.2, 1}, a[N] = {1, 0.7, -0.5}; /* (a.b - 1.3)^2 + b_1 b_2 b_3 */

static gb_node cost_of(gb_node b)
{
    const gb_node sum = gb_dot(b, gb_constant(b.tape, gb_shape(N), gb_values_of(a, N)));
    return gb_add(gb_square(gb_shift(sum, -1.3)), gb_prod(b));
}

/* The estimates of grebe at each b: one draw in a run, and so many runs that each b comes. */
static void by_grebe(double g_at[STATES][N])
{
    double b[N];
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_node logits = gb_variable(t, "phi", gb_shape(N), gb_values_of(phi, N));
    gb_expect *e = gb_expect_new(t);
    gb_node bits = gb_draw(e, "b", gb_bernoulli_logits(logits), flips());
    gb_node g = gb_grad(gb_expected(e, cost_of(bits)), logits), shown = gb_mean_of_draws(e, bits);
    gb_program *look = gb_compile(t, gb_roots(g, shown), gb_no_update);
    for (int run = 0; run < RUNS && gb_run(look) == GB_OK; run++) {
        gb_read(shown, b, N);
        gb_read(g, g_at[(b[0] > 0.5) | (b[1] > 0.5) << 1 | (b[2] > 0.5) << 2], N);
    }
    gb_complain(t, stderr);
    gb_tape_free(t);
}

/* Steps one and two; bit i of `s` is b_i. Writes exact gradients, and variances of means of two estimates. */
static bool prove(double exact[N], double variance[N])
{
    double f[STATES], p[STATES], one[N], g[STATES][N] = {{0}}, off = 0, apart = 0;
    by_grebe(g);
    for (int s = 0; s < STATES; s++) { /* the cost, and its probability */
        double sum = -1.3;
        p[s] = 1;
        for (int i = 0; i < N; i++) {
            one[i] = 1 / (1 + exp(-phi[i]));
            sum += s >> i & 1 ? a[i] : 0;
            p[s] *= s >> i & 1 ? one[i] : 1 - one[i];
        }
        f[s] = sum * sum + (s == STATES - 1);
    }
    for (int i = 0; i < N; i++) {
        double sum = exact[i] = variance[i] = 0;
        for (int s = 0; s < STATES; s++) {
            off = fmax(off, fabs(g[s][i] - one[i] * (1 - one[i]) * (f[s | 1 << i] - f[s & ~(1 << i)])));
            sum += p[s] * g[s][i];
            variance[i] += p[s] * g[s][i] * g[s][i];
            exact[i] += p[s] * f[s] * ((s >> i & 1) - one[i]); /* the derivative of the sum of p(b) f(b) */
        }
        variance[i] = (variance[i] - exact[i] * exact[i]) / 2;
        apart = fmax(apart, fabs(sum - exact[i]));
    }
    printf("by hand:     at all %d values of b %s\n", STATES, off < 1e-14 ? "the formula" : "ANOTHER NUMBER");
    printf("enumeration: the mean over all b %s\n\n", apart < 1e-14 ? "is the gradient" : "IS WRONG");
    return off < 1e-14 && apart < 1e-14;
}

static gb_node cost(gb_trial *trial)
{
    gb_node logits = gb_trial_parameter(trial, "phi", gb_shape(N), gb_values_of(phi, N));
    return cost_of(gb_trial_draw(trial, "b", gb_bernoulli_logits(logits)));
}

int main(int argc, char **argv)
{
    static const gb_problem bits = {
        .size = sizeof(gb_problem), .name = "bits", .formula = "E f", .cost = cost, .exact = "enumerate"};
    const gb_estimator all[] = {flips(), gb_disarm(), gb_bitflip(), gb_score(.baseline = gb_leave_one_out())};
    double exact[N], variance[N];
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    gb_comparison *c = gb_compare(.problem = &bits, .estimators = 4, .estimator = all, .draws = 100000,
                                  .samples = 2, .seed = 1);
    bool good = prove(exact, variance) && c->status == GB_OK;
    puts("by draws:    mean     exact   variance     exact");
    for (int i = 0; i < N && c->status == GB_OK; i++) {
        const gb_measured *m = &c->estimator[0].parameter[i];
        printf("  phi_%d  %9.4f %9.4f %10.4f %9.4f\n", i + 1, m->mean, exact[i], m->variance, variance[i]);
        good = good && fabs(m->mean - exact[i]) < 6 * m->stderr_;
        good = good && fabs(m->variance - variance[i]) < 6 * m->variance_stderr;
    }
    puts("\nestimator    variance, all   evaluations");
    for (const gb_compared *of = c->estimator; of < c->estimator + c->estimators; of++) {
        printf("%-12s %13.3f %13.0f\n", of->name, of->total_variance, of->evaluations);
        if (picture)
            fprintf(picture, "%s %g %g\n", of->name, of->total_variance, of->evaluations);
    }
    gb_comparison_free(c);
    puts(good ? "All checks passed." : "FAILED: the proof has a gap.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
