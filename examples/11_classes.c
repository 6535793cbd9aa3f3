/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classification, and its two uncertainties.
 *
 * y is 1 with probability p = sigmoid(w_0 + w_1 x), w ~ N(0, tau^2 I). At a new x the prediction is the
 * mean of p over the posterior. How uncertain is it? With h(p) = -p log p - (1 - p) log(1 - p), in nats,
 *
 *     h(E p) = E h(p) + I           total = noise + information
 *
 * E h(p) is the entropy that remains when w is known: the classes overlap there. I is what y would tell
 * about w (the mutual information): more data would reduce it. The posterior has no formula, but two
 * weights: the program integrates over a grid, and compares. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 16, GRID = 61, PLACES = 300 };
static const double tau = 3;
static const double xs[N] = {-2,  -1.8, -1.5, -1.3, -1,  -0.8, -0.5, -0.2,
                             0.1, 0.3,  0.6,  0.8,  1.1, 1.4,  1.7,  2};
static const double ys[N] = {0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1};

typedef struct prediction {
    double p, total, noise;
} prediction;

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double entropy(double p)
{
    return p > 0 && p < 1 ? -p * log(p) - (1 - p) * log(1 - p) : 0;
}

static double grid_x(int i)
{
    return -6 + 0.2 * i;
}

/* p(w | y) at each place of a grid, up to a constant. */
static void solve(double *weight)
{
    for (int i = 0; i < PLACES * PLACES; i++) {
        const double w[2] = {-5 + 10 * (i / PLACES + 0.5) / PLACES, -2 + 12 * (i % PLACES + 0.5) / PLACES};
        double log_p = -0.5 * (w[0] * w[0] + w[1] * w[1]) / (tau * tau);
        for (int n = 0; n < N; n++)
            log_p += log(sigmoid((ys[n] > 0 ? 1 : -1) * (w[0] + w[1] * xs[n])));
        weight[i] = exp(log_p);
    }
}

static prediction at(const double *weight, double x)
{
    double sum = 0, p = 0, noise = 0;
    for (int i = 0; i < PLACES * PLACES; i++) {
        const double w[2] = {-5 + 10 * (i / PLACES + 0.5) / PLACES, -2 + 12 * (i % PLACES + 0.5) / PLACES};
        const double each = sigmoid(w[0] + w[1] * x);
        sum += weight[i];
        p += weight[i] * each;
        noise += weight[i] * entropy(each);
    }
    return (prediction){p / sum, entropy(p / sum), noise / sum};
}

/* Predicts the classes on the grid: by draws of q, which its judgement weights towards the posterior. */
static gb_prediction *fit(gb_tape *t)
{
    static double grid[GRID];
    gb_node x = gb_input_rows(t, "x", gb_shape()), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, tau));
    gb_node w = gb_latent(e, "w", gb_full_rank(gb_shape(2)), prior, gb_pathwise());
    gb_observe(e, "y", gb_bernoulli_logits(gb_add(gb_at(w, 0), gb_mul(gb_at(w, 1), x))), y);
    gb_feed(x, xs, N);
    gb_feed(y, ys, N);
    gb_fit_result r = gb_fit(e);
    for (int i = 0; i < GRID; i++)
        grid[i] = grid_x(i);
    gb_batches *new = gb_batches_new(t, .rows = GRID, .columns = GB_COLUMNS({x, gb_doubles(grid)}));
    return gb_predictive(e, "y", .data = new, .judgement = r.judgement, .only_moments = true);
}

int main(int argc, char **argv)
{
    static double weight[PLACES * PLACES];
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_prediction *p = fit(t);
    bool good = gb_complain(t, stderr) == GB_OK;
    solve(weight);
    puts("    x    P(1)  exact    total  exact    noise  exact    information  exact");
    for (int i = 0; p && i < GRID; i++) {
        const prediction is = at(weight, grid_x(i));
        const double one = p->probability[2 * i + 1], noise = p->expected_entropy[i];
        if (i % 6 == 0)
            printf("%5.1f  %6.3f %6.3f   %6.3f %6.3f   %6.3f %6.3f   %12.3f %6.3f\n", grid_x(i), one, is.p,
                   p->entropy[i], is.total, noise, is.noise, p->information[i], is.total - is.noise);
        good = good && fabs(one - is.p) < 0.01 && fabs(noise - is.noise) < 0.01 &&
               fabs(p->information[i] - (is.total - is.noise)) < 0.01 &&
               fabs(p->entropy[i] - noise - p->information[i]) < 1e-12;
        if (picture)
            fprintf(picture, "%g %g %g %g\n", grid_x(i), one, p->entropy[i], noise);
    }
    if (picture)
        fputs("\n\n", picture);
    for (int n = 0; picture && n < N; n++)
        fprintf(picture, "%g %g\n", xs[n], ys[n]);
    gb_prediction_free(p);
    gb_tape_free(t);
    puts(good ? "All checks passed." : "FAILED: a number differs by 0.01 from its integral over the grid.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
