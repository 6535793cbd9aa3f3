/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From err + Omega to Bayes by Backprop: a point is a posterior.
 *
 *     y_i ~ N(x_i . w, sigma^2), two weights, a large one and a small one
 *
 * Training with a penalty minimises  err + Omega = sum (y_i - x_i . w)^2 / 2 sigma^2 + Omega(w).  That is
 * -log p(y, w) up to a constant, if the prior is exp(-Omega):
 *
 *     w ~ N(0, tau^2):       Omega = sum w^2 / 2 tau^2       (L2, weight decay)
 *     w ~ Laplace(0, b):     Omega = sum |w| / b             (L1, lasso)
 *
 * So a point posterior takes the same steps as training with a penalty. With gb_mean_field in place of
 * gb_point the same program is Bayes by Backprop. The columns of x are orthogonal, so each weight has a
 * closed form. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 16, D = 2, STEPS = 4000 };
static const double sigma = 0.5, tau = 0.5, width = 0.1, pi = 3.141592653589793;

typedef struct problem {
    double x[N][D], y[N], least[D]; /* least squares: X'y / N, as X'X = N */
} problem;

static void make_data(problem *p)
{
    gb_tape *t = gb_tape_new(.seed = 11);
    gb_read(gb_normal_noise(gb_stream(t, "y"), gb_shape(N), 0), p->y, N);
    gb_tape_free(t);
    for (int i = 0; i < N; i++) {
        p->x[i][0] = i % 2 ? 1 : -1;
        p->x[i][1] = i / 2 % 2 ? 1 : -1;
        p->y[i] = p->x[i][0] - 0.1 * p->x[i][1] + sigma * p->y[i];
        for (int d = 0; d < D; d++)
            p->least[d] += p->x[i][d] * p->y[i] / N;
    }
}

/* By hand: a gradient step on err + Omega. */
static void descend(const problem *p, bool is_l1, double rate, double w[D])
{
    double g[D];
    for (int d = 0; d < D; d++) {
        g[d] = is_l1 ? copysign(w[d] != 0, w[d]) / width : w[d] / (tau * tau);
        for (int i = 0; i < N; i++)
            g[d] -= (p->y[i] - p->x[i][0] * w[0] - p->x[i][1] * w[1]) * p->x[i][d] / (sigma * sigma);
    }
    for (int d = 0; d < D; d++)
        w[d] -= rate * g[d];
}

typedef struct answer {
    double location[D], scale[D]; /* scale: 0 for a point */
    double by_hand[D], apart;     /* where `descend` ends; the largest difference from it in any step */
} answer;

/* The same model in grebe. A point and Bayes by Backprop differ in `family` alone. */
static gb_status fit(const problem *p, gb_family family, bool is_l1, answer *a)
{
    gb_tape *t = gb_tape_new(.seed = 1, .samples = 32);
    gb_node x = gb_input_rows(t, "x", gb_shape(D)), y = gb_input_rows(t, "y", gb_shape());
    gb_node zero = gb_num(t, 0), b = gb_num(t, width);
    gb_dist prior = is_l1 ? gb_laplace(zero, b) : gb_normal(zero, gb_num(t, tau));
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_node w = gb_latent(e, "w", family, prior, gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_dot(x, w), gb_num(t, sigma)), y);
    gb_node loss = gb_elbo_loss(e);

    gb_schedule rate = gb_robbins_monro(100, 1); /* 1 / (100 + step) */
    gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_sgd(.lr = 1, .schedule = rate)));
    *a = (answer){.apart = 0};
    gb_feed(x, &p->x[0][0], N);
    gb_feed(y, p->y, N);
    for (int step = 0; step < STEPS && gb_run(train) == GB_OK; step++) {
        descend(p, is_l1, 1 / (100.0 + step), a->by_hand);
        gb_elbo_posterior_read(e, "w", a->location, a->scale, D); /* the scale of a point: 0 */
        for (int d = 0; d < D; d++)
            a->apart = fmax(a->apart, fabs(a->location[d] - a->by_hand[d]));
    }
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

/* The minimum of err + Omega: the ridge solution; the soft threshold. */
static double least_of(double least, bool is_l1)
{
    const double soft = copysign(fmax(fabs(least) - sigma * sigma / (N * width), 0), least);
    return is_l1 ? soft : least * N / (N + sigma * sigma / (tau * tau));
}

/* The best N(m, s^2). With the normal prior it is the posterior. With Laplace's prior the derivatives of the
 * ELBO are 0 at
 *
 *     m = least - sigma^2 erf(m / s sqrt 2) / N b
 *     1 / s^2 = N / sigma^2 + sqrt(2 / pi) exp(-m^2 / 2 s^2) / b s */
static void best_normal(double least, bool is_l1, double *m, double *s)
{
    *m = least_of(least, false);
    *s = 1 / sqrt(N / (sigma * sigma) + 1 / (tau * tau));
    for (int i = 0; i < 1000 && is_l1; i++) { /* half a step each time: it converges */
        const double slope = sqrt(2 / pi) * exp(-0.5 * pow(*m / *s, 2)) / (width * *s);
        *m += 0.5 * (least - sigma * sigma * erf(*m / *s / sqrt(2)) / (N * width) - *m);
        *s += 0.5 * (1 / sqrt(N / (sigma * sigma) + slope) - *s);
    }
}

/* For the picture, of the second weight: the point; the posterior, up to a constant; q. */
static void draw(FILE *file, double least, bool is_l1, const answer *point, const answer *q)
{
    fprintf(file, "%g\n\n\n", point->location[1]);
    for (double w = -0.5; w < 0.6; w += 0.005) {
        const double omega = is_l1 ? fabs(w) / width : 0.5 * w * w / (tau * tau), s = q->scale[1];
        const double joint = exp(-0.5 * N * pow((w - least) / sigma, 2) - omega);
        fprintf(file, "%g %g %g\n", w, joint,
                exp(-0.5 * pow((w - q->location[1]) / s, 2)) / s / sqrt(2 * pi));
    }
    fputs("\n\n", file);
}

int main(int argc, char **argv)
{
    static const char *const name[] = {"normal", "Laplace"};
    static problem p;
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    bool good = true;
    make_data(&p);
    puts("prior    least squ.  err + Omega  gb_point  closed form  gb_mean_field    closed form");
    for (int l1 = 0; l1 < 2; l1++) {
        answer point, q;
        if (fit(&p, gb_point(gb_shape(D)), l1, &point) || fit(&p, gb_mean_field(gb_shape(D)), l1, &q))
            return 1;
        for (int d = 0; d < D; d++) {
            const double end = point.by_hand[d], least = least_of(p.least[d], l1);
            double m, s;
            best_normal(p.least[d], l1, &m, &s);
            printf("%-8s %10.4f %12.4f %9.4f %12.4f", name[l1], p.least[d], end, point.location[d], least);
            printf("  %6.3f +- %.3f  %6.3f +- %.3f\n", q.location[d], q.scale[d], m, s);
            good = good && point.apart < 1e-12 && fabs(end - least) < 2e-3;
            good = good && fabs(q.location[d] - m) < 0.1 * s && fabs(q.scale[d] / s - 1) < 0.05;
        }
        if (picture)
            draw(picture, p.least[1], l1, &point, &q);
    }
    puts(good ? "All checks passed." : "FAILED: the paths differ, or end away from the closed forms.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
