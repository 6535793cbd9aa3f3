/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A variational autoencoder (Kingma and Welling 2014), and how good it can be.
 *
 * Each datum has a latent of its own, z_n ~ N(0, 1), and x_n ~ N(f(z_n), sigma^2 I), in two dimensions. A
 * network, the encoder, makes q(z_n) = N(m, s^2) from x_n; another, the decoder, is f. Both are trained on
 * the same ELBO.
 *
 * First f is a line, f(z) = w z + b, and so is the encoder. That is probabilistic principal components
 * (Tipping and Bishop 1999): x ~ N(b, w w' + sigma^2 I). With the eigenvalues e_1 >= e_2 of the covariance of
 * the data
 *
 *     log p per datum = -log 2 pi - (log e_1 + log sigma^2) / 2 - (1 + e_2 / sigma^2) / 2
 *
 * at best. Then f is a network, and the data lie on an arc. */
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
    double m[2] = {0, 0}, c[3] = {0, 0, 0};
    for (int n = 0; n < N; n++)
        for (int d = 0; d < 2; d++) {
            m[d] += x[n][d] / N;
            c[d] += x[n][d] * x[n][d] / N;
            c[2] += x[n][0] * x[n][1] / N / 2;
        }
    const double u = c[0] - m[0] * m[0], v = c[1] - m[1] * m[1], both = c[2] - m[0] * m[1];
    const double half = (u + v) / 2, root = sqrt(pow((u - v) / 2, 2) + both * both); /* e = half +- root */
    return -log(2 * GB_PI) - (log(half + root) + 2 * log(sigma)) / 2 -
           (1 + (half - root) / (sigma * sigma)) / 2;
}

typedef struct result {
    double elbo, error;    /* per datum, and its standard error */
    double curve[GRID][2]; /* f(z) for z from -4 to 4 */
} result;

static double grid_z(int i)
{
    return -4 + 0.05 * i;
}

/* f of the grid, by the weights of the decoder. */
static void look(gb_tape *t, bool is_line, result *r)
{
    double z[GRID];
    for (int i = 0; i < GRID; i++)
        z[i] = grid_z(i);
    gb_node at = gb_constant(t, gb_shape(GRID, 1), gb_values_of(z, GRID));
    gb_node w = gb_variable_named(t, "decoder.1.weight"), b = gb_variable_named(t, "decoder.1.bias");
    gb_node f = gb_affine(at, w, b);
    if (!is_line)
        f = gb_affine(gb_tanh(f), gb_variable_named(t, "decoder.2.weight"),
                      gb_variable_named(t, "decoder.2.bias"));
    gb_run(gb_compile(t, gb_roots(f), gb_no_update));
    gb_read(f, r->curve[0], 2 * GRID);
}

/* Trains encoder and decoder: lines, or networks with UNITS hidden tanh. */
static gb_status train(bool is_line, result *r)
{
    gb_tape *t = gb_tape_new(.seed = 1, .threads = 1);
    const gb_width_list widths = is_line ? gb_widths(2) : gb_widths(UNITS, 2);
    gb_node in = gb_input_rows(t, "x", gb_shape(2));
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_head h = gb_head_of(gb_network_of_variables(t, "encoder", in, widths, "tanh"), 1e-3);
    gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 1));
    gb_node z = gb_latent(e, "z", gb_posterior_of(gb_normal(h.mean, h.scale)), prior, gb_pathwise());
    gb_node f = gb_network_of_variables(t, "decoder", z, widths, "tanh");
    gb_observe(e, "x", gb_normal(f, gb_num(t, sigma)), in);
    gb_feed(in, x[0], N);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.03, .schedule = gb_cosine(STEPS)), .steps = STEPS);

    gb_elbo_term all = gb_elbo_term_named(e, "ELBO");
    gb_program *evaluate = gb_compile(t, gb_roots(all.value, all.error), gb_no_update);
    gb_program_set_samples(evaluate, 1000);
    gb_run(evaluate);
    r->elbo = gb_value(all.value) / N;
    r->error = gb_value(all.error) / N;
    look(t, is_line, r);
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
