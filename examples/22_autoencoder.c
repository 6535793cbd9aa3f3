/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A variational autoencoder (Kingma and Welling 2014), and how good it can be.
 *
 * Each datum has a latent of its own, z_n ~ N(0, 1), and x_n ~ N(f(z_n), sigma^2 I), in two dimensions. A
 * network, the encoder, makes q(z_n) = N(m, s^2) from x_n; another, the decoder, is f. Both are trained on
 * the same ELBO.
 *
 * First f is a line, f(z) = w z + b, and the encoder is linear too. That is probabilistic principal
 * components (Tipping and Bishop 1999): x ~ N(b, w w' + sigma^2 I), whose best likelihood has a formula.
 * With the eigenvalues e_1 >= e_2 of the covariance of the data, w is the first eigenvector times sqrt(e_1
 * - sigma^2), and
 *
 *     log p per datum = -log 2 pi - (log e_1 + log sigma^2) / 2 - (1 + e_2 / sigma^2) / 2
 *
 * The posterior of z is normal with one variance for all x: a linear encoder reaches it, and the ELBO is
 * log p. Then f is a network, and the data lie on an arc, where no line can follow. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 400, UNITS = 16, STEPS = 5000, GRID = 161 };
static const double sigma = 0.15;
static double x[N][2];

static void make_data(void)
{
    static double e[N][2], turn[N];
    gb_tape *t = gb_tape_new(.seed = 4);
    gb_read(gb_normal_noise(gb_stream(t, "noise"), gb_shape(N, 2), 0), e[0], 2 * N);
    gb_read(gb_normal_noise(gb_stream(t, "z"), gb_shape(N), 0), turn, N);
    gb_tape_free(t);
    for (int n = 0; n < N; n++) {
        x[n][0] = 1.5 * sin(turn[n]) + sigma * e[n][0];
        x[n][1] = cos(turn[n]) + sigma * e[n][1];
    }
}

/* The best log likelihood of a datum by a line. */
static double best_line(void)
{
    double mean[2] = {0, 0}, c[3] = {0, 0, 0};
    for (int n = 0; n < N; n++)
        for (int d = 0; d < 2; d++)
            mean[d] += x[n][d] / N;
    for (int n = 0; n < N; n++) {
        const double u = x[n][0] - mean[0], v = x[n][1] - mean[1];
        c[0] += u * u / N;
        c[1] += u * v / N;
        c[2] += v * v / N;
    }
    const double half = (c[0] + c[2]) / 2, root = sqrt(pow((c[0] - c[2]) / 2, 2) + c[1] * c[1]);
    return -log(2 * GB_PI) - (log(half + root) + 2 * log(sigma)) / 2 -
           (1 + (half - root) / (sigma * sigma)) / 2;
}

/* ---- two networks, and their ELBO ---- */

enum { W1, B1, W2, B2, WEIGHTS };

/* Weights without a prior, as points: they are trained to be the most likely ones. */
static gb_node weight(gb_elbo *e, const char *name, gb_shape shape, double spread)
{
    return gb_latent(e, name, gb_point(shape, .spread = spread), gb_no_prior, gb_pathwise());
}

/* A line, or a network with UNITS hidden tanh. */
static void make(gb_elbo *e, const char *const name[WEIGHTS], bool is_line, int in, int out,
                 gb_node w[WEIGHTS])
{
    const int hidden = is_line ? in : UNITS;
    if (!is_line) {
        w[W1] = weight(e, name[W1], gb_shape(in, hidden), 1);
        w[B1] = weight(e, name[B1], gb_shape(hidden), 1);
    }
    w[W2] = weight(e, name[W2], gb_shape(hidden, out), 1 / sqrt(hidden));
    w[B2] = weight(e, name[B2], gb_shape(out), 0);
}

static gb_node apply(bool is_line, const gb_node w[WEIGHTS], gb_node in)
{
    return gb_affine(is_line ? in : gb_tanh(gb_affine(in, w[W1], w[B1])), w[W2], w[B2]);
}

typedef struct result {
    double elbo, error;    /* per datum, and its standard error */
    double curve[GRID][2]; /* f(z) for z from -4 to 4 */
} result;

static double grid_z(int i)
{
    return -4 + 0.05 * i;
}

static gb_status train(bool is_line, result *r)
{
    double z_grid[GRID];
    gb_node en[WEIGHTS], de[WEIGHTS];
    gb_tape *t = gb_tape_new(.seed = 1, .threads = 1);
    gb_node in = gb_input_rows(t, "x", gb_shape(2)), at = gb_input_rows(t, "at", gb_shape(1));
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    make(e, (const char *const[]){"e1", "c1", "e2", "c2"}, is_line, 2, 2, en);
    make(e, (const char *const[]){"d1", "b1", "d2", "b2"}, is_line, 1, 2, de);
    gb_head h = gb_head_of(apply(is_line, en, in), 1e-3);
    gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 1));
    gb_node z = gb_latent(e, "z", gb_posterior_of(gb_normal(h.mean, h.scale)), prior, gb_pathwise());
    gb_observe(e, "x", gb_normal(apply(is_line, de, z), gb_num(t, sigma)), in);
    gb_feed(in, x[0], N);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.02, .schedule = gb_cosine(STEPS)), .steps = STEPS);

    gb_elbo_term all = gb_elbo_term_named(e, "ELBO");
    gb_node curve = apply(is_line, de, at);
    gb_program *look = gb_compile(t, gb_roots(all.value, all.error), gb_no_update);
    gb_program_set_samples(look, 1000);
    gb_run(look);
    r->elbo = gb_value(all.value) / N;
    r->error = gb_value(all.error) / N;
    for (int i = 0; i < GRID; i++)
        z_grid[i] = grid_z(i);
    gb_feed(at, z_grid, GRID);
    gb_run(gb_compile(t, gb_roots(curve), gb_no_update));
    gb_read(curve, r->curve[0], 2 * GRID);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

/* log p(x) of a datum, by the sum over z. */
static double evidence(double f[GRID][2])
{
    double sum = 0;
    for (int n = 0; n < N; n++) {
        double p = 0;
        for (int i = 0; i < GRID; i++) {
            const double u = (x[n][0] - f[i][0]) / sigma, v = (x[n][1] - f[i][1]) / sigma, z = grid_z(i);
            p += 0.05 * exp(-0.5 * (z * z + u * u + v * v)) / (pow(2 * GB_PI, 1.5) * sigma * sigma);
        }
        sum += log(p) / N;
    }
    return sum;
}

int main(int argc, char **argv)
{
    static result line, arc;
    static double truth[GRID][2];
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    make_data();
    for (int i = 0; i < GRID; i++) {
        truth[i][0] = 1.5 * sin(grid_z(i));
        truth[i][1] = cos(grid_z(i));
    }
    if (train(true, &line) != GB_OK || train(false, &arc) != GB_OK)
        return 1;
    const double best = best_line(), log_line = evidence(line.curve), log_arc = evidence(arc.curve);
    const double log_truth = evidence(truth);
    puts("per datum      ELBO   log p(x)   to compare");
    printf("line      %9.4f %10.4f   %.4f, the best line\n", line.elbo, log_line, best);
    printf("network   %9.4f %10.4f   %.4f, the curve that made the data\n", arc.elbo, log_arc, log_truth);
    bool good = fabs(log_line - best) < 1e-4 && fabs(line.elbo - best) < 6 * line.error + 1e-3;
    good = good && arc.elbo < log_arc + 6 * arc.error && arc.elbo > log_arc - 0.1;
    good = good && fabs(log_arc - log_truth) < 0.1;
    for (int n = 0; picture && n < N; n++)
        fprintf(picture, "%g %g\n", x[n][0], x[n][1]);
    if (picture)
        fputs("\n\n", picture);
    for (int i = 0; picture && i < GRID; i++)
        fprintf(picture, "%g %g %g %g %g\n", grid_z(i), line.curve[i][0], line.curve[i][1], arc.curve[i][0],
                arc.curve[i][1]);
    puts(good ? "All checks passed."
              : "FAILED: a likelihood differs from its closed form, or a gap is too large.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
