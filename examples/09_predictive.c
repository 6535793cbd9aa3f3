/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The predictive distribution: epistemic + noise, and the log score.
 *
 * A line through N data, whose posterior is the normal N(m, S) of lesson 4:
 *
 *     y_i ~ N(w_0 + w_1 x_i, sigma^2),   w ~ N(0, tau^2 I)
 *
 * What y will be at a new x follows from all lines that the data leave possible:
 *
 *     p(y | x, D) = E_q[N(y; w.x, sigma^2)] = N(y; m.x, x'S x + sigma^2)
 *
 * The variance has two parts: x'S x is epistemic, and falls with more data; sigma^2 is noise, and stays.
 * A prediction is scored by the log of its density at what then came, E_q inside the log. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 6, GRID = 61, NEW = 200, DRAWS = 20000 };
static const double sigma = 0.3, tau = 1, truth[2] = {0.2, 0.6};

typedef struct data {
    double x[NEW][2], y[NEW];
    double m[2], s[2][2]; /* the posterior of the first N */
} data;

/* x goes from low to high in equal steps. */
static void make_data(data *d, uint64_t seed, int rows, double low, double high)
{
    double e[NEW];
    gb_tape *t = gb_tape_new(.seed = seed);
    gb_read(gb_normal_noise(gb_stream(t, "y"), gb_shape(rows), 0), e, (size_t)rows);
    gb_tape_free(t);
    for (int i = 0; i < rows; i++) {
        d->x[i][0] = 1;
        d->x[i][1] = low + (high - low) * i / (rows - 1);
        d->y[i] = truth[0] + truth[1] * d->x[i][1] + sigma * e[i];
    }
}

/* S^-1 = X'X / sigma^2 + I / tau^2, m = S X'y / sigma^2. */
static void solve(data *d)
{
    double a = 1 / (tau * tau), b = 0, c = a, u[2] = {0, 0};
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 2; k++) {
            a += k ? 0 : 1 / (sigma * sigma);
            b += k ? d->x[i][1] / (sigma * sigma) : 0;
            c += k ? d->x[i][1] * d->x[i][1] / (sigma * sigma) : 0;
            u[k] += d->x[i][k] * d->y[i] / (sigma * sigma);
        }
    const double det = a * c - b * b, s[2][2] = {{c / det, -b / det}, {-b / det, a / det}};
    for (int k = 0; k < 2; k++) {
        d->s[k][0] = s[k][0];
        d->s[k][1] = s[k][1];
        d->m[k] = s[k][0] * u[0] + s[k][1] * u[1];
    }
}

static double log_normal(double y, double mean, double variance)
{
    return -0.5 * (log(2 * GB_PI * variance) + (y - mean) * (y - mean) / variance);
}

/* The mean, and the epistemic variance, at x. */
static double mean_at(const data *d, double x, double *epistemic)
{
    *epistemic = d->s[0][0] + 2 * x * d->s[0][1] + x * x * d->s[1][1];
    return d->m[0] + d->m[1] * x;
}

/* Predicts the rows of `new`, whose outcomes score the prediction. */
static gb_prediction *predict(gb_elbo *e, gb_node x, gb_node y, const data *new, int rows)
{
    gb_feed(x, new->x[0], rows);
    gb_feed(y, new->y, rows);
    return gb_predictive(e, "y", .draws = DRAWS);
}

/* 0.02 is six standard errors of a standard deviation by DRAWS draws, and more. */
static bool show_curve(const data *d, const gb_prediction *p, const data *grid, FILE *picture)
{
    bool good = true;
    puts("    x    mean  exact  epistemic  exact  noise     sd  exact");
    for (int i = 0; i < GRID; i++) {
        double v;
        const double at = grid->x[i][1], mean = mean_at(d, at, &v), sd = sqrt(v + sigma * sigma);
        good = good && fabs(p->mean[i] - mean) < 6 * sqrt(v / DRAWS) + 0.02 * sqrt(v);
        good = good && fabs(p->epistemic[i] / sqrt(v) - 1) < 0.04 && fabs(p->sd[i] / sd - 1) < 0.04;
        good = good && fabs(p->noise[i] - sigma) < 1e-12;
        if (i % 15 == 0)
            printf("%5.1f %7.2f %6.2f %10.3f %6.3f %6.3f %6.3f %6.3f\n", at, p->mean[i], mean,
                   p->epistemic[i], sqrt(v), p->noise[i], p->sd[i], sd);
        if (picture)
            fprintf(picture, "%g %g %g %g\n", at, p->mean[i], p->epistemic[i], p->sd[i]);
    }
    return good;
}

static bool show_scores(const data *d, const gb_prediction *p, const data *new)
{
    double exact = 0, plugged = 0, mean_of_logs = 0, error = 0;
    for (int i = 0; i < NEW; i++) {
        double v;
        const double mean = mean_at(d, new->x[i][1], &v),
                     at_mean = log_normal(new->y[i], mean, sigma * sigma);
        exact += log_normal(new->y[i], mean, v + sigma * sigma) / NEW;
        plugged += at_mean / NEW;
        mean_of_logs += (at_mean - v / (2 * sigma * sigma)) / NEW;
        error += p->log_density_error[i] / NEW; /* all rows share the draws, so errors add up at worst */
    }
    const double score = gb_prediction_score(p, "log density").value;
    printf("\nlog score of a new datum, for x from -1 to 3\n");
    printf("%-38s %7.3f   exact %7.3f\n", "log of the mean density: the score", score, exact);
    printf("%-38s %7s         %7.3f\n", "density at the mean of w", "", plugged);
    printf("%-38s %7s         %7.3f\n", "mean of the log densities", "", mean_of_logs);
    return fabs(score - exact) < 6 * error + 0.01 && plugged > mean_of_logs;
}

int main(int argc, char **argv)
{
    static data d, grid, new;
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    make_data(&d, 4, N, 0, 1);
    make_data(&grid, 0, GRID, -1, 3);
    make_data(&new, 7, NEW, -1, 3);
    solve(&d);

    gb_tape *t = gb_tape_new(.seed = 1);
    gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, tau));
    gb_node w = gb_latent(e, "w", gb_full_rank(gb_shape(2)), prior, gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_dot(x, w), gb_num(t, sigma)), y);
    gb_feed(x, d.x[0], N);
    gb_feed(y, d.y, N);
    gb_fit(e);

    for (int i = 0; picture && i < N; i++)
        fprintf(picture, i < N - 1 ? "%g %g\n" : "%g %g\n\n\n", d.x[i][1], d.y[i]);
    gb_prediction *curve = predict(e, x, y, &grid, GRID), *scored = predict(e, x, y, &new, NEW);
    bool good = gb_complain(t, stderr) == GB_OK;
    good = good && show_curve(&d, curve, &grid, picture);
    good = good && show_scores(&d, scored, &new);
    gb_prediction_free(curve);
    gb_prediction_free(scored);
    gb_tape_free(t);
    puts(good ? "All checks passed." : "FAILED: a number differs from its closed form.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
