/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write an estimator, and prove it.
 *
 * n independent bits, b_i = 1 with probability p_i = sigmoid(phi_i), and a cost f(b) of all of them. Since
 * E f = p_i E[f | b_i = 1] + (1 - p_i) E[f | b_i = 0],
 *
 *     dE f/dp_i = E[f(b with b_i = 1) - f(b with b_i = 0)]
 *
 * So: draw b, flip each bit in turn, and take the differences (local expectation gradients; Titsias and
 * Lazaro-Gredilla 2015). It takes 1 + n evaluations. An estimator is a `draw` and a `combine`. The proof has
 * three steps, the certain ones first:
 *
 *     by hand       at each draw the estimate equals the formula in plain C
 *     enumeration   the sum over all b of p(b) times the estimate is the gradient
 *     by draws      mean and variance of many estimates agree with sums over all b */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 3, STATES = 1 << N, RUNS = 1000 };

/* ---- the estimator ---- */

static int64_t evaluations(const gb_site *site)
{
    return 1 + (int64_t)gb_shape_count(gb_dist_batch_shape(site->q));
}

/* b, and b with one bit flipped: b + (1 - 2 b) times a row of the identity. */
static gb_node draw(gb_site *site)
{
    const gb_node b = gb_sample(site->q, site->noise, site->axes);
    const int64_t n = evaluations(site) - 1;
    const gb_node none = gb_zeros(b.tape, gb_shape(1, n)), each = gb_eye(b.tape, n);
    const gb_node flip = gb_concat(2, (const gb_node[]){none, each}, 0);
    return gb_stop(gb_add(b, gb_mul(flip, gb_shift(gb_scale(b, -2), 1))));
}

/* The value is f(b); its gradient gets (f(b_i = 1) - f(b_i = 0)) dp_i. */
static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node b = gb_site_value(site, 0), cost = gb_evaluation(costs, 0);
    const gb_node flipped = gb_slice(costs, 0, 1, evaluations(site));
    const gb_node rise = gb_mul(gb_sub(flipped, cost), gb_shift(gb_scale(b, -2), 1));
    return gb_site_inject(site, cost, gb_dist_mean(site->q), rise);
}

static const char *lacks(const gb_dist *q, const void *options)
{
    (void)options;
    return q->type == &gb_bernoulli_type && gb_dist_batch_shape(*q).rank == 1 ? NULL : "vector of bits";
}

static const gb_estimator_type flips_type = {
    .size = sizeof(gb_estimator_type),
    .name = "flips",
    .formula = "sum over i of (f(b with b_i = 1) - f(b with b_i = 0)) dp_i",
    .needs = GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SEPARATE_ROWS,
    .lacks = lacks,
    .expansion = GB_PROBES,
    .evaluations = evaluations,
    .first_order = true,
    .drops_own_path = true,
    .draw = draw,
    .combine = combine,
};

static gb_estimator flips(void)
{
    return gb_estimator_of(&flips_type, NULL);
}

/* ---- a problem to prove it on: (a.b - 1.3)^2 + b_1 b_2 b_3 ---- */

static const double phi[N] = {-0.8, 0.2, 1}, a[N] = {1, 0.7, -0.5};

static gb_node cost_of(gb_node b)
{
    const gb_node sum = gb_dot(b, gb_constant(b.tape, gb_shape(N), gb_values_of(a, N)));
    return gb_add(gb_square(gb_shift(sum, -1.3)), gb_prod(b));
}

static double cost_by_hand(int state)
{
    double sum = -1.3;
    for (int i = 0; i < N; i++)
        sum += state >> i & 1 ? a[i] : 0;
    return sum * sum + (state == STATES - 1);
}

static double probability(int i)
{
    return 1 / (1 + exp(-phi[i]));
}

static double probability_of(int state)
{
    double all = 1;
    for (int i = 0; i < N; i++)
        all *= state >> i & 1 ? probability(i) : 1 - probability(i);
    return all;
}

/* The estimate at one b, in the logit: dp = p (1 - p) dphi. */
static double by_hand(int state, int i)
{
    const double p = probability(i);
    return p * (1 - p) * (cost_by_hand(state | 1 << i) - cost_by_hand(state & ~(1 << i)));
}

/* The estimates of grebe at each b, one draw in a run; and how many of the b were drawn. */
static int by_grebe(double found[STATES][N])
{
    double b[N];
    int seen = 0, states = 0;
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_node logits = gb_variable(t, "phi", gb_shape(N), gb_values_of(phi, N));
    gb_expect *e = gb_expect_new(t);
    gb_node bits = gb_draw(e, "b", gb_bernoulli_logits(logits), flips());
    gb_node g = gb_grad(gb_expected(e, cost_of(bits)), logits), shown = gb_mean_of_draws(e, bits);
    gb_program *look = gb_compile(t, gb_roots(g, shown), gb_no_update);
    for (int run = 0; run < RUNS && gb_run(look) == GB_OK; run++) {
        int state = 0;
        gb_read(shown, b, N);
        for (int i = 0; i < N; i++)
            state |= (b[i] > 0.5) << i;
        states += !(seen >> state & 1);
        seen |= 1 << state;
        gb_read(g, found[state], N);
    }
    gb_complain(t, stderr);
    gb_tape_free(t);
    return states;
}

static gb_node cost(gb_trial *trial)
{
    gb_node logits = gb_trial_parameter(trial, "phi", gb_shape(N), gb_values_of(phi, N));
    return cost_of(gb_trial_draw(trial, "b", gb_bernoulli_logits(logits)));
}

static const gb_problem bits = {.size = sizeof(gb_problem),
                                .name = "bits",
                                .formula = "E (a.b - 1.3)^2 + b_1 b_2 b_3",
                                .cost = cost,
                                .exact = "enumerate"};

/* Steps one and two: the formula at each b, and the sum over all b. Writes the exact variances. */
static bool prove(double exact[N], double variance[N])
{
    double found[STATES][N], sum[N] = {0}, off = 0, apart = 0;
    bool good = by_grebe(found) == STATES;
    for (int i = 0; i < N; i++) {
        exact[i] = variance[i] = 0;
        for (int s = 0; s < STATES; s++) {
            const double p = probability_of(s), g = found[s][i];
            off = fmax(off, fabs(g - by_hand(s, i)));
            sum[i] += p * g;
            variance[i] += p * g * g;
            exact[i] += p * cost_by_hand(s) * ((s >> i & 1) - probability(i)); /* of the sum of p(b) f(b) */
        }
        variance[i] -= exact[i] * exact[i];
        apart = fmax(apart, fabs(sum[i] - exact[i]));
    }
    good = good && off < 1e-14 && apart < 1e-14;
    printf("by hand:     at all %d values of b %s\n", STATES, off < 1e-14 ? "the formula" : "ANOTHER NUMBER");
    printf("enumeration: sum of p(b) times the estimate %s\n\n",
           apart < 1e-14 ? "is the gradient" : "IS WRONG");
    return good;
}

int main(int argc, char **argv)
{
    double exact[N], variance[N];
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    bool good = prove(exact, variance);
    const gb_estimator all[] = {flips(), gb_disarm(), gb_bitflip(), gb_score(.baseline = gb_leave_one_out())};
    gb_comparison *c = gb_compare(.problem = &bits, .estimators = 4, .estimator = all, .draws = 100000,
                                  .samples = 2, .seed = 1);
    good = good && c->status == GB_OK;
    puts("by draws:    mean     exact   variance     exact");
    for (int i = 0; i < N && c->status == GB_OK; i++) { /* two samples in an estimate: half the variance */
        const gb_measured *m = &c->estimator[0].parameter[i];
        printf("  phi_%d  %9.4f %9.4f %10.4f %9.4f\n", i + 1, m->mean, exact[i], m->variance,
               variance[i] / 2);
        good = good && fabs(m->mean - exact[i]) < 6 * m->stderr_ &&
               fabs(m->variance - variance[i] / 2) < 6 * m->variance_stderr;
    }
    puts("\nestimator    variance, all   evaluations");
    for (size_t k = 0; k < c->estimators; k++) {
        const gb_compared *of = &c->estimator[k];
        printf("%-12s %13.3f %13.0f\n", of->name, of->total_variance, of->evaluations);
        if (picture)
            fprintf(picture, "%zu %s %g %g\n", k, of->name, of->total_variance, of->evaluations);
    }
    gb_comparison_free(c);
    puts(good ? "All checks passed." : "FAILED: the proof has a gap.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
