/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bayes by Backprop: Blundell's curve (Blundell et al. 2015).
 *
 *     y = x + 0.3 sin 2 pi (x + e) + 0.3 sin 4 pi (x + e) + e,   e ~ N(0, 0.02^2),   x uniform on [0, 0.5]
 *
 * A network with two layers of ReLU is trained on 100 such points. Each weight has a normal posterior with
 * its own mean and scale. The standard deviation over draws of the network is epistemic: more data would
 * reduce it. It must be small near the data, and at least three times as large away from them. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 100, UNITS = 32, STEPS = 5000, GRID = 141 };
enum { AMONG = 25, AMONG_END = 65, AWAY = 120, AWAY_END = 140 }; /* x on [0.05, 0.45], on [1, 1.2] */
static const double sigma = 0.05;

typedef struct curve {
    double mean[GRID], sd[GRID]; /* of the network at each x of the grid */
    double elbo;
} curve;

static double grid_x(int i)
{
    return -0.2 + 0.01 * i;
}

static double blundell(double x, double e)
{
    const double turn = 2 * 3.141592653589793 * (x + e);
    return x + 0.3 * sin(turn) + 0.3 * sin(2 * turn) + e;
}

static void make_data(double *x, double *y)
{
    gb_tape *t = gb_tape_new(.seed = 5);
    gb_read(gb_uniform_noise(gb_stream(t, "x"), gb_shape(N), 0), x, N);
    gb_read(gb_normal_noise(gb_stream(t, "e"), gb_shape(N), 0), y, N);
    gb_tape_free(t);
    for (int i = 0; i < N; i++) {
        x[i] *= 0.5;
        y[i] = blundell(x[i], 0.02 * y[i]);
    }
}

/* h w + b, with a posterior for both. Means start as in any network; scales start small. */
static gb_node layer(gb_elbo *e, const char *const name[2], gb_node h, int in, int out, gb_dist prior)
{
    const gb_family of_w = gb_mean_field(gb_shape(in, out), .spread = 1 / sqrt(in), .scale = 0.02);
    const gb_family of_b = gb_mean_field(gb_shape(out), .spread = 0.2, .scale = 0.02);
    const gb_node w = gb_latent(e, name[0], of_w, prior, gb_pathwise());
    const gb_node b = gb_latent(e, name[1], of_b, prior, gb_pathwise());
    return gb_affine(h, w, b);
}

/* Mean and standard deviation over the draws of the network, at each x of the grid. */
static void predict(gb_elbo *e, gb_node x, gb_node f, curve *c)
{
    gb_node mean = gb_predict_mean(e, f), sd = gb_predict_sd(e, f);
    gb_program *look = gb_compile(x.tape, gb_roots(mean, sd), gb_no_update);
    double at[GRID];
    for (int i = 0; i < GRID; i++)
        at[i] = grid_x(i);
    gb_feed(x, at, GRID);
    gb_program_set_samples(look, 1000);
    gb_run(look);
    gb_read(mean, c->mean, GRID);
    gb_read(sd, c->sd, GRID);
}

/* Trains the network with one prior for all its weights; `c` becomes its curve and its ELBO. */
static gb_status fit(bool is_mixture, const double *xs, const double *ys, curve *c)
{
    gb_tape *t = gb_tape_new(.seed = 1, .samples = 4, .threads = 1);
    const gb_dist normal = gb_normal(gb_num(t, 0), gb_num(t, 1));
    const gb_dist mixture = gb_scale_mixture(gb_num(t, 0.25), gb_num(t, 1), gb_num(t, exp(-6)));
    const gb_dist prior = is_mixture ? mixture : normal;

    gb_node x = gb_input_rows(t, "x", gb_shape(1)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_node h1 = gb_relu(layer(e, (const char *[]){"w1", "b1"}, x, 1, UNITS, prior));
    gb_node h2 = gb_relu(layer(e, (const char *[]){"w2", "b2"}, h1, UNITS, UNITS, prior));
    gb_node f = layer(e, (const char *[]){"w3", "b3"}, h2, UNITS, 1, prior);
    gb_observe(e, "y", gb_normal(f, gb_num(t, sigma)), y);

    gb_feed(x, xs, N);
    gb_feed(y, ys, N);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.01, .schedule = gb_cosine(STEPS)), .steps = STEPS);
    gb_node elbo = gb_elbo_term_named(e, "ELBO").value;
    gb_program *look = gb_compile(t, gb_roots(elbo), gb_no_update);
    gb_program_set_samples(look, 1000);
    gb_run(look);
    c->elbo = gb_value(elbo);
    predict(e, x, f, c);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

static double average(const double *of, int first, int last)
{
    double sum = 0;
    for (int i = first; i <= last; i++)
        sum += of[i];
    return sum / (last - first + 1);
}

/* For the picture: the data, then the curves. */
static void draw(FILE *file, const double *x, const double *y, const curve *c, int curves)
{
    for (int i = 0; i < N; i++)
        fprintf(file, "%g %g\n", x[i], y[i]);
    for (int k = 0; k < curves; k++) {
        fputs("\n\n", file);
        for (int i = 0; i < GRID; i++)
            fprintf(file, "%g %g %g\n", grid_x(i), c[k].mean[i], c[k].sd[i]);
    }
}

int main(int argc, char **argv)
{
    static const char *const prior[] = {"N(0, 1)", "1/4 N(0, 1) + 3/4 N(0, e^-12)"};
    static double x[N], y[N];
    static curve c[2];
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    bool good = true;
    make_data(x, y);
    printf("%-30s %8s   %s\n", "", "", "on [0.05, 0.45]   on [1, 1.2]");
    printf("%-30s %8s   %9s %7s %13s %6s\n", "prior", "ELBO", "rms error", "sd", "sd", "times");
    for (int m = 0; m < 2; m++) {
        if (fit(m == 1, x, y, &c[m]) != GB_OK)
            return 1;
        double squares[GRID];
        for (int i = 0; i < GRID; i++)
            squares[i] = pow(c[m].mean[i] - blundell(grid_x(i), 0), 2);
        const double error = sqrt(average(squares, AMONG, AMONG_END));
        const double near = average(c[m].sd, AMONG, AMONG_END), far = average(c[m].sd, AWAY, AWAY_END);
        printf("%-30s %8.0f   %9.3f %7.3f %13.3f %6.1f\n", prior[m], c[m].elbo, error, near, far, far / near);
        good = good && far > 3 * near && error < 0.05;
    }
    puts(good ? "All checks passed."
              : "FAILED: the sd on [1, 1.2] must be 3 times that near the data, and the error below 0.05.");
    if (picture)
        draw(picture, x, y, c, 2);
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
