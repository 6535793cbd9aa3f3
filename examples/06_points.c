/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From err + Omega to Bayes by Backprop: a point is a posterior.
 *
 *     y_i ~ N(x_i . w, sigma^2), two weights, one that matters and one that hardly does
 *
 * Training with a penalty goes down  err + Omega = sum (y_i - x_i . w)^2 / 2 sigma^2 + Omega(w).
 * That is -log p(y, w) but for a constant, with the prior exp(-Omega):
 *
 *     w ~ N(0, tau^2):       Omega = sum w^2 / 2 tau^2       (L2, weight decay)
 *     w ~ Laplace(0, b):     Omega = sum |w| / b             (L1, lasso)
 *
 * So the point posterior with a prior takes, step for step, the steps of training with a penalty. Where gb_point
 * becomes gb_mean_field, the same program is Bayes by Backprop, and says how sure it is. The two columns of x are
 * +-1 and orthogonal, so each weight has a closed form of its own. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 16, D = 2, STEPS = 4000 };
static const double sigma = 0.5, tau = 0.5, width = 0.1, pi = 3.141592653589793;

typedef struct problem {
    double x[N][D], y[N], least[D]; /* least squares: X'y / N, since X'X = N */
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

static double sign(double w)
{
    return (w > 0) - (w < 0);
}

/* What everybody writes: gradient descent on err + Omega, in plain C. */
static void descend(const problem *p, bool is_l1, const double *rate, double path[STEPS][D])
{
    double w[D] = {0};
    for (int step = 0; step < STEPS; step++) {
        double g[D];
        for (int d = 0; d < D; d++)
            g[d] = is_l1 ? sign(w[d]) / width : w[d] / (tau * tau);
        for (int i = 0; i < N; i++)
            for (int d = 0; d < D; d++)
                g[d] -= (p->y[i] - p->x[i][0] * w[0] - p->x[i][1] * w[1]) * p->x[i][d] / (sigma * sigma);
        for (int d = 0; d < D; d++)
            path[step][d] = w[d] -= rate[step] * g[d];
    }
}

typedef struct answer {
    double location[D], scale[D]; /* scale: 0 for a point */
    double off;                   /* how far from the path by hand, at most */
} answer;

/* The same model in grebe: `family` is what a point and Bayes by Backprop differ in. */
static gb_status fit(const problem *p, gb_family family, bool is_l1, const double *rates,
                     double path[STEPS][D], answer *a)
{
    gb_tape *t = gb_tape_new(.seed = 1, .samples = 32);
    gb_node x = gb_input_rows(t, "x", gb_shape(D)), y = gb_input_rows(t, "y", gb_shape());
    gb_node zero = gb_num(t, 0);
    gb_dist prior = is_l1 ? gb_laplace(zero, gb_num(t, width)) : gb_normal(zero, gb_num(t, tau));

    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_node w = gb_latent(e, "w", family, prior, gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_dot(x, w), gb_num(t, sigma)), y);
    gb_node loss = gb_elbo_loss(e), rate = gb_variable(t, "rate", gb_shape(), gb_fill(0));

    gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_sgd(.rate = rate)));
    gb_dist q = gb_posterior(e, "w"); /* inert for a point, which is w itself */
    gb_node location = gb_dist_ok(q) ? q.param[0] : w;
    *a = (answer){.off = 0};
    gb_feed(x, &p->x[0][0], N);
    gb_feed(y, p->y, N);
    for (int step = 0; step < STEPS && gb_error(t) == GB_OK; step++) {
        gb_set(rate, gb_fill(rates[step]));
        gb_run(train);
        gb_read(location, a->location, D);
        for (int d = 0; d < D; d++)
            a->off = fmax(a->off, fabs(a->location[d] - path[step][d]));
    }
    if (gb_dist_ok(q)) {
        gb_run(gb_compile(t, gb_roots(q.param[1]), gb_no_update));
        gb_read(q.param[1], a->scale, D);
    }
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

/* The least of err + Omega: the ridge solution; the soft threshold. */
static double least_of(double least, bool is_l1)
{
    if (is_l1)
        return sign(least) * fmax(fabs(least) - sigma * sigma / (N * width), 0);
    return least * N / (N + sigma * sigma / (tau * tau));
}

/* The best N(m, s^2). For the normal prior it is the posterior. For Laplace's the ELBO's derivatives in m and s are 0
 * where  m = least - sigma^2 erf(m / s sqrt 2) / N b,  1 / s^2 = N / sigma^2 + sqrt(2 / pi) exp(-m^2 / 2 s^2) / b s:
 * the threshold has become soft in earnest. */
static void best_normal(double least, bool is_l1, double *m, double *s)
{
    *m = least_of(least, false);
    *s = 1 / sqrt(N / (sigma * sigma) + 1 / (tau * tau));
    for (int i = 0; i < 1000 && is_l1; i++) { /* half a step each time: it settles */
        const double slope = sqrt(2 / pi) * exp(-0.5 * pow(*m / *s, 2)) / (width * *s);
        *m += 0.5 * (least - sigma * sigma * erf(*m / *s / sqrt(2)) / (N * width) - *m);
        *s += 0.5 * (1 / sqrt(N / (sigma * sigma) + slope) - *s);
    }
}

/* exp(-(err + Omega)) of one weight, but for a constant. */
static double joint(double w, double least, bool is_l1)
{
    const double omega = is_l1 ? fabs(w) / width : 0.5 * w * w / (tau * tau);
    return exp(-0.5 * N * pow((w - least) / sigma, 2) - omega);
}

/* For the picture: the posterior of the second weight, the normal for it, the point. */
static void draw(FILE *file, double least, bool l1, const answer *point, const answer *q)
{
    double integral = 0;
    for (int i = -2000; i <= 2000; i++)
        integral += joint(i * 0.001, least, l1) * 0.001;
    for (int i = -500; i <= 600; i++) {
        const double w = i * 0.001, z = (w - q->location[1]) / q->scale[1];
        fprintf(file, "%g %g %g\n", w, joint(w, least, l1) / integral,
                exp(-0.5 * z * z) / sqrt(2 * pi) / q->scale[1]);
    }
    fprintf(file, "\n\n%g\n\n\n", point->location[1]);
}

int main(int argc, char **argv)
{
    static problem p;
    static double rate[STEPS], path[STEPS][D];
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    bool good = true;
    make_data(&p);
    for (int step = 0; step < STEPS; step++)
        rate[step] = 0.01 / (1 + step / 100.0);
    printf("%-8s %8s %12s %10s %12s %9s   %s\n", "prior", "least sq", "err + Omega", "gb_point",
           "closed form", "mean field", "closed form");
    for (int l1 = 0; l1 < 2; l1++) {
        answer point, q;
        descend(&p, l1, rate, path);
        if (fit(&p, gb_point(gb_shape(D)), l1, rate, path, &point) != GB_OK ||
            fit(&p, gb_mean_field(gb_shape(D)), l1, rate, path, &q) != GB_OK)
            return 1;
        for (int d = 0; d < D; d++) {
            const double end = path[STEPS - 1][d], least = least_of(p.least[d], l1);
            double m, s;
            best_normal(p.least[d], l1, &m, &s);
            printf("%-8s %8.4f %12.4f %10.4f %12.4f %9.3f +- %.3f %7.3f +- %.3f\n", l1 ? "Laplace" : "normal",
                   p.least[d], end, point.location[d], least, q.location[d], q.scale[d], m, s);
            good = good && fabs(end - least) < 2e-3 && fabs(q.location[d] - m) < 0.1 * s &&
                   fabs(q.scale[d] / s - 1) < 0.05;
        }
        good = good && point.off < 1e-12; /* in all steps */
        if (picture)
            draw(picture, p.least[1], l1, &point, &q);
    }
    puts(good ? "As it must be."
              : "OFF: the paths are not the same, or do not end where the closed forms say.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
