/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dropout as a posterior, on the curve of lesson 7 (Gal and Ghahramani 2016).
 *
 * Under dropout a weight is w with probability keep, else 0. That is a distribution q with the parameter
 * w. Training with dropout and weight decay minimises  -E_q[log p(y | w)] + KL(q || p).  For p = N(0, 1)
 * and up to a constant, KL = sum over units of  keep |w|^2 / 2 - (entropy of the mask).  A network is trained
 * with points, with dropout, and with normals; then the rows of a batch get masks of their own. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { POINT, DROPOUT, MEAN_FIELD, WAYS };
enum { N = 100, UNITS = 32, STEPS = 4000, GRID = 141, RUNS = 500 };
static const double sigma = 0.05, keep = 0.9;

typedef struct curve {
    double x[GRID], mean[GRID], sd[GRID]; /* of the network at each x */
    double near, far;                     /* mean sd for x on [0.05, 0.45], and on [1, 1.2] */
} curve;

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

static gb_family family_of(int way)
{
    if (way == POINT)
        return gb_point(gb_shape());
    if (way == DROPOUT)
        return gb_dropout_posterior(gb_shape(), .keep = keep, .by_unit = true);
    return gb_mean_field(gb_shape(), .scale = 0.02);
}

/* Mean and standard deviation over the draws of the network, at each x of the grid. */
static void predict(gb_elbo *e, gb_node x, gb_node f, curve *c)
{
    for (int i = 0; i < GRID; i++)
        c->x[i] = -0.2 + 0.01 * i;
    gb_batches *grid = gb_batches_new(x.tape, .rows = GRID, .columns = GB_COLUMNS({x, gb_doubles(c->x)}));
    gb_prediction *p = gb_predictive_node(e, f, .data = grid, .only_moments = true);
    for (int i = 0; p && i < GRID; i++) {
        c->mean[i] = p->mean[i];
        c->sd[i] = p->epistemic[i];
        c->near += i >= 25 && i <= 65 ? c->sd[i] / 41 : 0;
        c->far += i >= 120 ? c->sd[i] / 21 : 0;
    }
    gb_prediction_free(p);
}

/* Trains the network. For dropout, `kl` becomes KL from the ELBO, and by hand. */
static gb_status fit(int way, const double *xs, const double *ys, curve *c, double kl[2])
{
    gb_tape *t = gb_tape_new(.seed = 1, .samples = 4, .threads = 1);
    gb_node x = gb_input_rows(t, "x", gb_shape(1)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *e = gb_elbo_new(t, .data_size = N);

    /* Only hidden units are dropped: the first layer and the biases are points. Priors are N(0, 1). */
    const gb_family w1 = gb_point(gb_shape()), b1 = gb_point(gb_shape(UNITS), .spread = 0.5);
    gb_node h1 = gb_dense(e, "h1", x, UNITS, .activation = "relu", .posterior = w1, .bias_posterior = b1);
    gb_node h2 = gb_dense(e, "h2", h1, UNITS, .activation = "relu", .posterior = family_of(way),
                          .bias_posterior = gb_point(gb_shape()));
    gb_node f = gb_dense(e, "f", h2, 1, .posterior = family_of(way), .bias_posterior = gb_point(gb_shape()));
    gb_observe(e, "y", gb_normal(f, gb_num(t, sigma)), y);

    gb_feed(x, xs, N);
    gb_feed(y, ys, N);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.01, .schedule = gb_cosine(STEPS)), .steps = STEPS);
    if (way == DROPOUT && gb_error(t) == GB_OK) {
        gb_node kl2 = gb_elbo_term_named(e, "h2.weight").value, kl3 = gb_elbo_term_named(e, "f.weight").value;
        gb_node w2 = gb_variable_named(t, "h2.weight.weight"), w3 = gb_variable_named(t, "f.weight.weight");
        gb_node squares = gb_add(gb_sum(gb_square(w2)), gb_sum(gb_square(w3)));
        gb_run(gb_compile(t, gb_roots(kl2, kl3, squares), gb_no_update));
        kl[0] = -gb_value(kl2) - gb_value(kl3);
        kl[1] = keep * gb_value(squares) / 2 + 2 * UNITS * (keep * log(keep) + (1 - keep) * log(1 - keep));
    }
    predict(e, x, f, c);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

/* The loss of a network at its start, and the variance of its gradient in the bias of the output: with one
 * mask for the batch, and with a mask for each row. */
static bool compare_masks(const double *xs, const double *ys)
{
    double loss[2] = {0}, variance[2] = {0};
    bool good = true;
    puts("\nmasks                      loss variance of its gradient");
    for (int each = 0; each < 2; each++) {
        double sum = 0;
        gb_tape *t = gb_tape_new(.seed = 2, .threads = 1);
        gb_node x = gb_input_rows(t, "x", gb_shape(1)), y = gb_input_rows(t, "y", gb_shape(1));
        gb_elbo *e = gb_elbo_new(t, .data_size = N, .unit = GB_PER_DATUM);
        gb_node f = gb_mlp(e, "net", x, gb_widths(UNITS, UNITS, 1), .activation = "relu", .dropout = 1 - keep,
                           .one_mask = !each);
        gb_observe(e, "y", gb_normal(f, gb_num(t, 0.3)), y);
        gb_node now = gb_elbo_loss(e), slope = gb_sum(gb_grad(now, gb_variable_named(t, "net.3.bias")));
        gb_program *program = gb_compile(t, gb_roots(now, slope), gb_no_update);
        gb_feed(x, xs, N);
        gb_feed(y, ys, N);
        for (int run = 0; run < RUNS && gb_run(program) == GB_OK; run++) {
            loss[each] += gb_value(now) / RUNS;
            sum += gb_value(slope);
            variance[each] += gb_value(slope) * gb_value(slope) / (RUNS - 1);
        }
        variance[each] -= sum * sum / RUNS / (RUNS - 1);
        printf("%-22s %8.2f %24.4f\n", each ? "one for each row" : "one for the batch", loss[each],
               variance[each]);
        good = gb_complain(t, stderr) == GB_OK && good;
        gb_tape_free(t);
    }
    return good && fabs(loss[1] - loss[0]) < 0.05 * loss[0] && variance[1] < 0.1 * variance[0];
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
        printf("%-14s %18.3f %14.3f\n", name[way], c[way].near, c[way].far);
        good = good && (way == POINT ? c[way].far <= 0 : c[way].far > 3 * c[way].near);
    }
    good = good && fabs(kl[0] - kl[1]) < 1e-9 * fabs(kl[1]);
    printf("KL of dropout, up to a constant: %.6f, by hand %.6f\n", kl[0], kl[1]);
    good = compare_masks(x, y) && good;
    puts(good ? "All checks passed." : "FAILED: an sd, KL, or the variance by masks of each row.");
    for (int i = 0; picture && i < N; i++)
        fprintf(picture, "%g %g\n", x[i], y[i]);
    for (int way = 0; picture && way < WAYS; way++)
        for (int i = 0; i < GRID; i++)
            fprintf(picture, i ? "%g %g %g\n" : "\n\n%g %g %g\n", c[way].x[i], c[way].mean[i], c[way].sd[i]);
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
