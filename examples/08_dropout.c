/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dropout as a posterior, on the curve of lesson 7 (Gal and Ghahramani 2016).
 *
 * Under dropout a weight is w with probability keep, else 0. That is a distribution q with the parameter
 * w. Training with dropout and weight decay minimises  -E_q[log p(y | w)] + KL(q || p).  For p = N(0, 1)
 * and up to a constant, KL = sum over units of  keep |w|^2 / 2 - (entropy of the mask).  To predict with
 * the masks on (MC dropout) is to draw from q; the spread of the predictions is epistemic. The program
 * trains one network three times: with points, with dropout, and with the normals of lesson 7. The three
 * differ in the family of w2 and w3. Then it shows what the rows of a batch gain by noise of their own. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { POINT, DROPOUT, MEAN_FIELD, WAYS };
enum { N = 100, UNITS = 32, STEPS = 4000, GRID = 141, RUNS = 500 };
enum { AMONG = 25, AMONG_END = 65, AWAY = 120, AWAY_END = 140 }; /* x on [0.05, 0.45], on [1, 1.2] */
static const double sigma = 0.05, keep = 0.9;

typedef struct curve {
    double mean[GRID], sd[GRID]; /* of the network at each x of the grid */
} curve;

static double grid_x(int i)
{
    return -0.2 + 0.01 * i;
}

static void make_data(double *x, double *y)
{
    gb_tape *t = gb_tape_new(.seed = 5);
    gb_read(gb_uniform_noise(gb_stream(t, "x"), gb_shape(N), 0), x, N);
    gb_read(gb_normal_noise(gb_stream(t, "e"), gb_shape(N), 0), y, N);
    gb_tape_free(t);
    for (int i = 0; i < N; i++) {
        const double e = 0.02 * y[i], turn = 2 * 3.141592653589793 * (0.5 * x[i] + e);
        x[i] *= 0.5;
        y[i] = x[i] + 0.3 * sin(turn) + 0.3 * sin(2 * turn) + e;
    }
}

static gb_family family_of(int way, int outputs)
{
    const gb_shape shape = gb_shape(UNITS, outputs);
    const double spread = 1 / sqrt(UNITS); /* of the weights' starts */
    if (way == POINT)
        return gb_point(shape, .spread = spread);
    if (way == DROPOUT)
        return gb_dropout_posterior(shape, .spread = spread, .keep = keep, .by_unit = true);
    return gb_mean_field(shape, .spread = spread, .scale = 0.02);
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

/* Trains the network. For dropout, `kl` becomes KL from the ELBO, and by hand. */
static gb_status fit(int way, const double *xs, const double *ys, curve *c, double kl[2])
{
    gb_tape *t = gb_tape_new(.seed = 1, .samples = 4, .threads = 1);
    const gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 1));
    gb_node x = gb_input_rows(t, "x", gb_shape(1)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *e = gb_elbo_new(t, .data_size = N);

    /* Only hidden units are dropped: the first layer is a point, and so are the biases. */
    gb_node w1 = gb_latent(e, "w1", gb_point(gb_shape(1, UNITS), .spread = 1), prior, gb_pathwise());
    gb_node b1 = gb_latent(e, "b1", gb_point(gb_shape(UNITS), .spread = 0.5), prior, gb_pathwise());
    gb_node w2 = gb_latent(e, "w2", family_of(way, UNITS), prior, gb_pathwise());
    gb_node b2 = gb_latent(e, "b2", gb_point(gb_shape(UNITS)), prior, gb_pathwise());
    gb_node w3 = gb_latent(e, "w3", family_of(way, 1), prior, gb_pathwise());
    gb_node b3 = gb_latent(e, "b3", gb_point(gb_shape(1)), prior, gb_pathwise());
    gb_node h = gb_relu(gb_affine(gb_relu(gb_affine(x, w1, b1)), w2, b2)), f = gb_affine(h, w3, b3);
    gb_observe(e, "y", gb_normal(f, gb_num(t, sigma)), y);

    gb_feed(x, xs, N);
    gb_feed(y, ys, N);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.01, .schedule = gb_cosine(STEPS)), .steps = STEPS);
    if (way == DROPOUT && gb_error(t) == GB_OK) {
        gb_node kl2 = gb_elbo_term_named(e, "w2").value, kl3 = gb_elbo_term_named(e, "w3").value;
        gb_node v2 = gb_variable_named(t, "w2.weight"), v3 = gb_variable_named(t, "w3.weight");
        gb_node squares = gb_add(gb_sum(gb_square(v2)), gb_sum(gb_square(v3)));
        gb_run(gb_compile(t, gb_roots(kl2, kl3, squares), gb_no_update));
        kl[0] = -gb_value(kl2) - gb_value(kl3);
        kl[1] = keep * gb_value(squares) / 2 + 2 * UNITS * (keep * log(keep) + (1 - keep) * log(1 - keep));
    }
    predict(e, x, f, c);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

/* The loss of a network at its start, and the variance of its gradient in the weights between hidden units,
 * summed over them. `dropout` is 0, or a rate. */
static gb_status look(gb_noise_sharing noise, double dropout, bool one_mask, const double *xs,
                      const double *ys, double *mean_loss, double *variance)
{
    static double g[UNITS * UNITS], sum[UNITS * UNITS], squares[UNITS * UNITS];
    gb_tape *t = gb_tape_new(.seed = 2, .threads = 1);
    gb_node x = gb_input_rows(t, "x", gb_shape(1)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *e = gb_elbo_new(t, .data_size = N, .unit = GB_PER_DATUM);
    gb_node f = gb_mlp(e, "net", x, gb_widths(UNITS, UNITS, 1), .activation = "relu", .noise = noise,
                       .dropout = dropout, .one_mask = one_mask);
    gb_observe(e, "y", gb_normal(f, gb_num(t, 0.3)), y);
    gb_node w = gb_variable_named(t, dropout > 0 ? "net.2.weight.weight" : "net.2.weight.location");
    gb_node loss = gb_elbo_loss(e), gradient = gb_grad(loss, w);
    gb_program *program = gb_compile(t, gb_roots(loss, gradient), gb_no_update);
    gb_feed(x, xs, N);
    gb_feed(y, ys, N);
    *mean_loss = *variance = 0;
    for (int i = 0; i < UNITS * UNITS; i++)
        sum[i] = squares[i] = 0;
    for (int run = 0; run < RUNS && gb_run(program) == GB_OK; run++) {
        gb_read(gradient, g, UNITS * UNITS);
        *mean_loss += gb_value(loss) / RUNS;
        for (int i = 0; i < UNITS * UNITS; i++) {
            sum[i] += g[i];
            squares[i] += g[i] * g[i];
        }
    }
    for (int i = 0; i < UNITS * UNITS; i++)
        *variance += (squares[i] - sum[i] * sum[i] / RUNS) / (RUNS - 1);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

/* Returns whether noise of its own in each row has the same loss, and a gradient with less variance. */
static bool compare_noise(const double *x, const double *y)
{
    static const struct {
        const char *name;
        gb_noise_sharing noise;
        double dropout;
        bool one_mask;
    } ways[] = {{"normals, one draw for the batch", GB_NOISE_SHARED, 0, false},
                {"    Flipout", GB_NOISE_FLIPOUT, 0, false},
                {"    local reparameterisation", GB_NOISE_LOCAL, 0, false},
                {"    a draw for each row", GB_NOISE_WEIGHTS, 0, false},
                {"dropout, one mask for the batch", GB_NOISE_SHARED, 0.1, true},
                {"    a mask for each row", GB_NOISE_SHARED, 0.1, false}};
    double loss, variance, first_loss = 0, first_variance = 0;
    bool good = true;
    printf("\n%-34s %8s %24s\n", "noise", "loss", "variance of its gradient");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (look(ways[i].noise, ways[i].dropout, ways[i].one_mask, x, y, &loss, &variance) != GB_OK)
            return false;
        printf("%-34s %8.2f %24.4f\n", ways[i].name, loss, variance);
        if (ways[i].name[0] != ' ') {
            first_loss = loss;
            first_variance = variance;
        } else
            good = good && fabs(loss - first_loss) < 0.05 * first_loss && variance < 0.5 * first_variance;
    }
    return good;
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
    static const char *const name[WAYS] = {"point", "dropout", "mean field"};
    static double x[N], y[N], kl[2];
    static curve c[WAYS];
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    bool good = true;
    make_data(x, y);
    printf("%-14s %18s %14s\n", "w2 and w3", "sd on [0.05, 0.45]", "on [1, 1.2]");
    for (int way = 0; way < WAYS; way++) {
        if (fit(way, x, y, &c[way], kl) != GB_OK)
            return 1;
        const double near = average(c[way].sd, AMONG, AMONG_END), far = average(c[way].sd, AWAY, AWAY_END);
        printf("%-14s %18.3f %14.3f\n", name[way], near, far);
        good = good && (way == POINT ? far <= 0 : far > 3 * near);
    }
    good = good && fabs(kl[0] - kl[1]) < 1e-9 * fabs(kl[1]);
    printf("KL of dropout, up to a constant: %.6f, by hand %.6f\n", kl[0], kl[1]);
    good = compare_noise(x, y) && good;
    puts(
        good
            ? "All checks passed."
            : "FAILED: sd must be 0 for a point, else 3 times as large on [1, 1.2]; KL must agree; and noise "
              "of each row must lower the variance, at the same loss.");
    if (picture)
        draw(picture, x, y, c, WAYS);
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
