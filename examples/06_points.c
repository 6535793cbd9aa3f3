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

enum { N = 16, D = 2, STEPS = 4000, GRID = 20000 };
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
    double elbo;
    double off; /* how far from the path by hand, at most */
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
        size_t last;
        const gb_elbo_term *term = gb_elbo_terms(e, &last) + last - 1; /* the sum */
        gb_program *look = gb_compile(t, gb_roots(term->value, q.param[1]), gb_no_update);
        gb_set_samples(look, 100000);
        gb_run(look);
        gb_read(q.param[1], a->scale, D);
        a->elbo = gb_value(term->value);
    }
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

/* ---- the answers ---- */

/* The least of err + Omega: the ridge solution, and the soft threshold. */
static double least_of(double least, bool is_l1)
{
    if (is_l1)
        return sign(least) * fmax(fabs(least) - sigma * sigma / (N * width), 0);
    return least * N / (N + sigma * sigma / (tau * tau));
}

/* exp(-(err + Omega)), normalised but for the evidence; what depends on one weight. */
static double joint(double w, double least, bool is_l1)
{
    const double omega =
        is_l1 ? fabs(w) / width + log(2 * width) : 0.5 * w * w / (tau * tau) + log(tau) + 0.5 * log(2 * pi);
    return exp(-0.5 * N * pow((w - least) / sigma, 2) - omega);
}

/* log p(y): the rest of err, and an integral for each weight. */
static double log_evidence(const problem *p, bool is_l1)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum -= 0.5 * (log(2 * pi * sigma * sigma) + pow(p->y[i] / sigma, 2));
    for (int d = 0; d < D; d++) {
        double integral = 0;
        for (int i = -GRID; i <= GRID; i++)
            integral += joint(i * 2.0 / GRID, p->least[d], is_l1) * 2 / GRID;
        sum += 0.5 * N * pow(p->least[d] / sigma, 2) + log(integral);
    }
    return sum;
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

static void show(const char *what, const double *w, const char *more)
{
    printf("%-28s %8.4f %8.4f%s\n", what, w[0], w[1], more);
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
    show("least squares", p.least, "");
    for (int l1 = 0; l1 < 2; l1++) {
        answer point, q;
        descend(&p, l1, rate, path);
        if (fit(&p, gb_point(gb_shape(D)), l1, rate, path, &point) != GB_OK ||
            fit(&p, gb_mean_field(gb_shape(D)), l1, rate, path, &q) != GB_OK)
            return 1;
        const double least[D] = {least_of(p.least[0], l1), least_of(p.least[1], l1)};
        const double *end = path[STEPS - 1], log_z = log_evidence(&p, l1), gap = log_z - q.elbo;
        puts(l1 ? "\nw ~ Laplace(0, b)" : "\nw ~ N(0, tau^2)");
        show("  err + Omega, in C", end, "");
        show("  in closed form", least, l1 ? "   (soft threshold)" : "   (ridge)");
        show("  gb_point", point.location, point.off < 1e-12 ? "   (the same in all steps)" : "   OFF");
        show("  gb_mean_field in its place", q.location, "");
        show("    and its scales", q.scale, "");
        printf("    its ELBO %.2f, log Z %.2f\n", q.elbo, log_z);
        const double off = fmax(fabs(end[0] - least[0]), fabs(end[1] - least[1]));
        good = good && point.off < 1e-12 && off < 2e-3 && gap > -0.02 && gap < 0.05;
        if (picture)
            draw(picture, p.least[1], l1, &point, &q);
    }
    puts(good ? "As it must be." : "OFF: paths, their ends or an ELBO are not what the closed forms say.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
