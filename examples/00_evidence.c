/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence of Bayesian linear regression, beside the answer in closed form.
 *
 *     y ~ N(X w, sigma^2 I),   w ~ N(0, tau^2 I)
 *
 * Its log evidence log Z is known, its posterior mean m (the ridge solution), and by how much the best ELBO
 * of independent normals stays below log Z: the gap. Two estimators of the same gradient have to find that
 * ELBO, and a point has to find m. What differs between them is one argument of gb_latent. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 40, D = 4 };
static const double sigma = 0.5, tau = 1;

typedef struct problem {
    double x[N][D], y[N];
    double log_z, gap, m[D]; /* the answer */
} problem;

/* Columns that resemble each other, so that the posterior is no product and mean field pays a price. */
static void make_data(problem *p)
{
    static const double w[D] = {1, -2, 0.5, 0};
    double noise[N][D + 2];
    gb_tape *t = gb_tape_new(.seed = 7);
    gb_read(gb_normal_noise(gb_stream(t, "data"), gb_shape(N, D + 2), 0), &noise[0][0], N * (D + 2));
    gb_tape_free(t);
    for (int i = 0; i < N; i++) {
        p->y[i] = sigma * noise[i][D];
        for (int d = 0; d < D; d++) {
            p->x[i][d] = 0.6 * noise[i][d] + 0.8 * noise[i][D + 1];
            p->y[i] += w[d] * p->x[i][d];
        }
    }
}

/* With the precision A = X'X / sigma^2 + I / tau^2 = L L' and b = X'y / sigma^2:  m = A^-1 b,
 * log Z = -(N log 2 pi sigma^2 + D log tau^2 + log |A| + y'y / sigma^2 - m'A m) / 2. */
static void solve(problem *p)
{
    double a[D][D] = {{0}}, m[D] = {0}, log_det = 0, rest = 0;
    for (int i = 0; i < N; i++) {
        rest += log(2 * 3.141592653589793 * sigma * sigma) + p->y[i] * p->y[i] / (sigma * sigma);
        for (int r = 0; r < D; r++) {
            m[r] += p->x[i][r] * p->y[i] / (sigma * sigma);
            for (int c = 0; c <= r; c++)
                a[r][c] += p->x[i][r] * p->x[i][c] / (sigma * sigma);
        }
    }
    p->gap = 0;
    for (int r = 0; r < D; r++) { /* A becomes L, and m L^-1 b, row after row */
        a[r][r] += 1 / (tau * tau);
        p->gap += 0.5 * log(a[r][r]);
        for (int c = 0; c <= r; c++) {
            for (int k = 0; k < c; k++)
                a[r][c] -= a[r][k] * a[c][k];
            a[r][c] = c < r ? a[r][c] / a[c][c] : sqrt(a[r][r]);
        }
        for (int c = 0; c < r; c++)
            m[r] -= a[r][c] * m[c];
        m[r] /= a[r][r];
        log_det += 2 * log(a[r][r]);
        rest += log(tau * tau) - m[r] * m[r];
    }
    for (int r = D; r-- > 0;) { /* and m becomes A^-1 b */
        for (int k = r + 1; k < D; k++)
            m[r] -= a[k][r] * p->m[k];
        p->m[r] = m[r] / a[r][r];
    }
    p->gap -= 0.5 * log_det;
    p->log_z = -0.5 * (rest + log_det);
}

/* The model, written for one datum and one draw of w; trained by smaller and smaller steps; then its ELBO
 * with the standard error from many fresh draws, and the middle of the posterior. Returns the tape's
 * status. */
static gb_status fit(const problem *p, gb_family family, gb_estimator estimator, double elbo[2],
                     double middle[D])
{
    gb_tape *t = gb_tape_new(.seed = 1, .samples = 32);
    gb_node x = gb_input_rows(t, "x", gb_shape(D)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_node w = gb_latent(e, "w", family, gb_normal(gb_num(t, 0), gb_num(t, tau)), estimator);
    gb_observe(e, "y", gb_normal(gb_dot(x, w), gb_num(t, sigma)), y);
    gb_node loss = gb_elbo_loss(e);

    gb_node rate = gb_variable(t, "rate", gb_shape(), gb_fill(0));
    gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.rate = rate)));
    gb_feed(x, &p->x[0][0], N);
    gb_feed(y, p->y, N);
    for (double lr = 0.1; lr > 1e-5 && gb_error(t) == GB_OK; lr *= 0.8) {
        gb_set(rate, gb_fill(lr));
        for (int step = 0; step < 200; step++)
            gb_run(train);
    }

    size_t count;
    const gb_elbo_term *terms = gb_elbo_terms(e, &count);
    gb_program *look = gb_compile(t, gb_elbo_roots(e), gb_no_update);
    gb_set_samples(look, 200000);
    gb_run(look);
    if (gb_error(t) == GB_OK) {
        elbo[0] = gb_value(terms[count - 1].value); /* the last one is the sum */
        elbo[1] = gb_value(terms[count - 1].error);
        gb_dist q = gb_posterior(e, "w");
        gb_read(gb_dist_ok(q) ? q.param[0] : w, middle, D);
    }
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

int main(void)
{
    static problem p;
    make_data(&p);
    solve(&p);

    const struct {
        const char *name;
        gb_estimator estimator;
    } ways[] = {
        {"pathwise", gb_pathwise()},
        {"score, leave-one-out", gb_score(.baseline = gb_leave_one_out)},
    };
    double elbo[2], middle[D], off = 0;
    bool good = true;

    printf("%-22s %9s   %-7s %9s %8s %8s %6s\n", "mean field, fitted by", "ELBO", "+- se", "log Z", "gap",
           "must be", "z");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (fit(&p, gb_mean_field(gb_shape(D)), ways[i].estimator, elbo, middle) != GB_OK)
            return 1;
        const double gap = p.log_z - elbo[0], z = (p.gap - gap) / elbo[1];
        printf("%-22s %9.4f   %-7.4f %9.4f %8.4f %8.4f %6.2f\n", ways[i].name, elbo[0], elbo[1], p.log_z, gap,
               p.gap, z);
        good = good && fabs(z) < 5;
    }
    if (fit(&p, gb_point(gb_shape(D)), gb_pathwise(), elbo, middle) != GB_OK)
        return 1;
    for (int d = 0; d < D; d++)
        off = fmax(off, fabs(middle[d] - p.m[d]));
    printf("point (MAP): max |w - ridge solution| = %.1e\n", off);
    good = good && off < 1e-6;
    puts(good ? "All as it must be." : "Something is off.");
    return good ? 0 : 1;
}
