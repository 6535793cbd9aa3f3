/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Minibatches: three scalings, one answer; and noise for each datum.
 *
 * One weight, N data: y_i ~ N(w x_i, sigma^2), w ~ N(0, 1), q = N(m, s^2).
 *
 * First: three published scalings of the loss of B rows out of N differ by a factor. If the step is
 * divided by that factor, training ends at the same numbers, also if the last batch of an epoch is short.
 *
 * Then: the standard deviation of the gradient in m, with one draw w = m + s e for the batch, and with one
 * for each row. The gradient of KL does not depend on the draws:
 *
 *     -(N / B) sum x_i (y_i - (m + s e)   x_i) / sigma^2    has the sd    N s / (B sigma^2) sum x_i^2
 *     -(N / B) sum x_i (y_i - (m + s e_i) x_i) / sigma^2                  N s / (B sigma^2) sqrt(sum x_i^4)
 *
 * A larger batch lowers the second sd, not the first. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 64, BATCH = 24, EPOCHS = 2000, RUNS = 40000 };
static const double sigma = 0.5, s = 0.5, rate = 5e-4;

static void make_data(double *x, double *y)
{
    gb_tape *t = gb_tape_new(.seed = 4);
    gb_read(gb_uniform_noise(gb_stream(t, "x"), gb_shape(N), 0), x, N);
    gb_read(gb_normal_noise(gb_stream(t, "y"), gb_shape(N), 0), y, N);
    gb_tape_free(t);
    for (int i = 0; i < N; i++) {
        x[i] += 1;
        y[i] = 1.5 * x[i] + sigma * y[i];
    }
}

/* Trains by plain gradient steps; q[0] and q[1] become the mean and the scale of q. */
static gb_status train(gb_elbo_unit unit, const double *xs, const double *ys, double q[2])
{
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_node x = gb_input_rows(t, "x", gb_shape()), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = N, .unit = unit);
    gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_mul(w, x), gb_num(t, sigma)), y);
    gb_node loss = gb_elbo_loss(e);

    /* The step is divided by the loss's factor. The number of rows is a node: each run has its own. */
    gb_node rows = gb_axis_size(t, GB_ROWS), step = gb_num(t, rate);
    if (unit == GB_PER_BATCH)
        step = gb_div(gb_num(t, rate * N), rows);
    if (unit == GB_PER_DATUM)
        step = gb_num(t, rate * N);
    gb_program *learn = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_sgd(.rate = step)));
    gb_batches *data = gb_batches_new(t, .rows = N, .batch = BATCH,
                                      .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
    for (int epoch = 0; epoch < EPOCHS; epoch++)
        while (gb_next_batch(data))
            gb_run(learn);
    gb_elbo_posterior_read(e, "w", &q[0], &q[1], 1);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

static bool compare_units(const double *x, const double *y)
{
    static const char *const name[] = {"KL - (N/B) sum log p", "(B/N) KL - sum log p", "KL/N - mean log p"};
    double xx = 0, xy = 0, q[3][2], off = 0;
    for (int i = 0; i < N; i++) {
        xx += x[i] * x[i];
        xy += x[i] * y[i];
    }
    const double precision = xx / (sigma * sigma) + 1, mean = xy / (sigma * sigma) / precision;
    printf("%-22s %-20s %s\n", "loss", "mean of q", "scale of q");
    for (int unit = 0; unit < 3; unit++) {
        if (train((gb_elbo_unit)unit, x, y, q[unit]) != GB_OK)
            return false;
        printf("%-22s %-20.15f %.15f\n", name[unit], q[unit][0], q[unit][1]);
        for (int i = 0; i < 2; i++)
            off = fmax(off, fabs(q[unit][i] - q[0][i]));
    }
    printf("%-22s %-20.15f %.15f\n\n", "the posterior", mean, 1 / sqrt(precision));
    if (off > 1e-12)
        puts("FAILED: the three scalings end at different numbers");
    const bool close =
        fabs(q[0][0] - mean) < 0.5 / sqrt(precision) && fabs(q[0][1] * sqrt(precision) - 1) < 0.2;
    if (!close)
        puts("FAILED: q is far from the posterior");
    return off <= 1e-12 && close;
}

/* The standard deviation of the gradient in m over RUNS draws, on the first `rows` rows. */
static double sd_of_gradient(bool one_each, const double *xs, const double *ys, int rows)
{
    gb_tape *t = gb_tape_new(.seed = 2);
    gb_node x = gb_input_rows(t, "x", gb_shape()), y = gb_input_rows(t, "y", gb_shape());
    gb_family normal = gb_mean_field(gb_shape(), .location = 1, .scale = s);
    gb_family family = one_each ? gb_row_by_row(normal) : normal;
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_node w = gb_latent(e, "w", family, gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_mul(w, x), gb_num(t, sigma)), y);
    gb_node gradient = gb_grad(gb_elbo_loss(e), gb_variable_named(t, "w.location"));
    gb_program *look = gb_compile(t, gb_roots(gradient), gb_no_update);
    gb_feed(x, xs, rows);
    gb_feed(y, ys, rows);
    double mean = 0, squares = 0;
    for (int run = 0; run < RUNS && gb_run(look) == GB_OK; run++) {
        const double g = gb_value(gradient), before = mean;
        mean += (g - mean) / (run + 1);
        squares += (g - before) * (g - mean);
    }
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status == GB_OK ? sqrt(squares / (RUNS - 1)) : 0;
}

static bool compare_noise(const double *x, const double *y, FILE *picture)
{
    bool good = true;
    printf("%4s  %26s  %26s\n", "", "one draw for the batch", "one draw for each row");
    printf("%4s  %12s %13s  %12s %13s\n", "rows", "sd", "closed form", "sd", "closed form");
    for (int rows = 1; rows <= N; rows *= 2) {
        double squares = 0, fourths = 0;
        for (int i = 0; i < rows; i++) {
            squares += x[i] * x[i];
            fourths += pow(x[i], 4);
        }
        const double by = N * s / (rows * sigma * sigma), exact[2] = {by * squares, by * sqrt(fourths)};
        const double is[2] = {sd_of_gradient(false, x, y, rows), sd_of_gradient(true, x, y, rows)};
        printf("%4d  %12.3f %13.3f  %12.3f %13.3f\n", rows, is[0], exact[0], is[1], exact[1]);
        if (picture)
            fprintf(picture, "%d %g %g %g %g\n", rows, is[0], exact[0], is[1], exact[1]);
        for (int i = 0; i < 2; i++) /* the standard error of an sd is sd / sqrt(2 RUNS); 6 of them */
            good = good && fabs(is[i] / exact[i] - 1) < 6 / sqrt(2.0 * RUNS);
    }
    if (!good)
        puts("FAILED: an sd is more than 6 standard errors from its closed form");
    return good;
}

int main(int argc, char **argv)
{
    static double x[N], y[N];
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    make_data(x, y);
    const bool good = compare_units(x, y) && compare_noise(x, y, picture);
    puts(good ? "All checks passed." : "A check failed.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
