/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence of Bayesian linear regression, three ways, beside the answer in closed form.
 *
 *     y ~ N(X w, sigma^2 I),   w ~ N(0, tau^2 I)
 *
 * is conjugate: its log evidence log Z, its posterior mean m (the ridge solution), and the best ELBO that
 * independent normals can reach are all known. Two estimators of the same gradient have to find that ELBO,
 * and a point has to find m. What differs between them is one argument of gb_latent. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <grebe/grebe.h>

enum { N = 40, D = 4 };
static const double sigma = 0.5, tau = 1;

typedef struct problem {
    double x[N * D], y[N];
} problem;

typedef struct answer {
    double log_z, gap, mean[D];
} answer;

/* Columns that resemble each other, so that the posterior is not a product and mean field pays a price. */
static void make_data(problem *p)
{
    static const double w[D] = {1, -2, 0.5, 0};
    double noise[N * (D + 2)];
    gb_tape *t = gb_tape_new(.seed = 7);
    gb_read(gb_normal_noise(gb_stream(t, "data"), gb_shape(N, D + 2), 0), noise, N * (D + 2));
    gb_tape_free(t);
    for (int i = 0; i < N; i++) {
        const double *e = &noise[i * (D + 2)];
        p->y[i] = sigma * e[D];
        for (int d = 0; d < D; d++) {
            p->x[i * D + d] = 0.6 * e[d] + 0.8 * e[D + 1];
            p->y[i] += w[d] * p->x[i * D + d];
        }
    }
}

/* Precision A = X'X / sigma^2 + I / tau^2 = L L', b = X'y / sigma^2, m = A^-1 b. */
static answer solve(const problem *p)
{
    double a[D][D], b[D], l[D][D] = {{0}}, v[D], yy = 0, log_det = 0, log_diagonal = 0, quadratic = 0;
    answer exact;
    for (int i = 0; i < N; i++)
        yy += p->y[i] * p->y[i] / (sigma * sigma);
    for (int r = 0; r < D; r++) {
        b[r] = 0;
        for (int i = 0; i < N; i++)
            b[r] += p->x[i * D + r] * p->y[i] / (sigma * sigma);
        for (int c = 0; c < D; c++) {
            a[r][c] = r == c ? 1 / (tau * tau) : 0;
            for (int i = 0; i < N; i++)
                a[r][c] += p->x[i * D + r] * p->x[i * D + c] / (sigma * sigma);
        }
    }
    for (int r = 0; r < D; r++) {
        v[r] = b[r];
        for (int c = 0; c <= r; c++) {
            double sum = a[r][c];
            for (int k = 0; k < c; k++)
                sum -= l[r][k] * l[c][k];
            l[r][c] = c < r ? sum / l[c][c] : sqrt(sum);
        }
        for (int k = 0; k < r; k++)
            v[r] -= l[r][k] * v[k];
        v[r] /= l[r][r];
        quadratic += v[r] * v[r]; /* m'A m */
        log_det += 2 * log(l[r][r]);
        log_diagonal += log(a[r][r]);
    }
    for (int r = D - 1; r >= 0; r--) {
        exact.mean[r] = v[r];
        for (int k = r + 1; k < D; k++)
            exact.mean[r] -= l[k][r] * exact.mean[k];
        exact.mean[r] /= l[r][r];
    }
    const double two_pi = 6.283185307179586;
    exact.log_z = -0.5 * (N * log(two_pi * sigma * sigma) + D * log(tau * tau) + log_det + yy - quadratic);
    exact.gap = 0.5 * (log_diagonal - log_det);
    return exact;
}

/* The model, for one datum and one draw of w; trained with smaller and smaller steps; the ELBO and its
 * standard error from many fresh draws; where the posterior is. Returns the tape's status. */
static gb_status fit(const problem *p, gb_family family, gb_estimator estimator, double elbo[2],
                     double location[D])
{
    gb_tape *t = gb_tape_new(.seed = 1, .samples = 32);
    gb_node x = gb_input_rows(t, "x", gb_shape(D)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_node w = gb_latent(e, "w", family, gb_normal(gb_num(t, 0), gb_num(t, tau)), estimator);
    gb_observe(e, "y", gb_normal(gb_dot(x, w), gb_num(t, sigma)), y);
    gb_node loss = gb_elbo_loss(e);

    gb_node rate = gb_variable(t, "rate", gb_shape(), gb_fill(0));
    gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.rate = rate)));
    gb_feed(x, p->x, N);
    gb_feed(y, p->y, N);
    for (double lr = 0.1; lr > 1e-5 && gb_error(t) == GB_OK; lr *= 0.8) {
        gb_set(rate, gb_fill(lr));
        for (int step = 0; step < 200; step++)
            gb_run(train);
    }

    size_t terms;
    const gb_elbo_term *term = gb_elbo_terms(e, &terms);
    gb_program *look = gb_compile(t, gb_elbo_roots(e), gb_no_update);
    gb_set_samples(look, 200000);
    gb_run(look);
    if (gb_error(t) == GB_OK) {
        elbo[0] = gb_value(term[terms - 1].value);
        elbo[1] = gb_value(term[terms - 1].error);
        const gb_dist q = gb_posterior(e, "w");
        gb_read(gb_dist_ok(q) ? q.param[0] : w, location, D);
    }
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

int main(void)
{
    problem p;
    make_data(&p);
    const answer exact = solve(&p);
    const struct {
        const char *name;
        gb_estimator estimator;
    } way[] = {
        {"pathwise", gb_pathwise()},
        {"score, leave-one-out", gb_score(.baseline = gb_leave_one_out)},
    };
    double elbo[2], location[D], off = 0;
    bool good = true;

    printf("%d data, %d weights; log Z = %.4f\n\n", N, D, exact.log_z);
    printf("%-22s %10s   %-8s %10s %12s %6s\n", "mean field by", "ELBO", "± se", "log Z - it", "must be",
           "z");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        if (fit(&p, gb_mean_field(gb_shape(D)), way[i].estimator, elbo, location) != GB_OK)
            return 1;
        const double gap = exact.log_z - elbo[0], z = (exact.gap - gap) / elbo[1];
        printf("%-22s %10.4f   %-8.4f %10.4f %12.4f %6.2f\n", way[i].name, elbo[0], elbo[1], gap, exact.gap,
               z);
        good = good && fabs(z) < 5;
    }
    if (fit(&p, gb_point(gb_shape(D)), gb_pathwise(), elbo, location) != GB_OK)
        return 1;
    for (int d = 0; d < D; d++)
        off = fmax(off, fabs(location[d] - exact.mean[d]));
    printf("\nA point (MAP) is off the ridge solution by at most %.1e\n", off);
    good = good && off < 1e-6;
    puts(good ? "All as it must be." : "Something is off.");
    return good ? 0 : 1;
}
