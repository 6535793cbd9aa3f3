/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dropout as a posterior, on the curve of lesson 7 (Gal and Ghahramani 2016).
 *
 * A weight under dropout is w with probability keep, else 0: that is a distribution q, with w for a parameter. Training
 * with dropout and weight decay goes down  -E_q[log p(y | w)] + KL(q || p), where for p = N(0, tau^2), but for a
 * constant,
 *
 *     KL = sum over units of  keep |w|^2 / 2 tau^2 + (weights of a unit) log tau - (entropy of its mask)
 *
 * Who leaves the masks on when predicting (MC dropout) draws from q, and sees what the data have not told. Here a
 * network is a point, a dropout posterior, and the normals of lesson 7; what differs is the family of w2 and w3. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <grebe/grebe.h>

enum { N = 100, UNITS = 64, STEPS = 8000, GRID = 141, DRAWS = 1000 };
static const double sigma = 0.05, tau = 1, keep = 0.9;

typedef struct curve {
    double mean[GRID], sd[GRID]; /* of the network at each x of the grid */
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

typedef enum kind { POINT, DROPOUT, NORMALS, KINDS } kind;
static const char *const kind_name[KINDS] = {"point", "dropout", "mean field"};

static gb_family family_of(kind k, int in, int out)
{
    const double spread = 1 / sqrt(in);
    if (k == POINT)
        return gb_point(gb_shape(in, out), .spread = spread);
    if (k == DROPOUT)
        return gb_dropout_posterior(gb_shape(in, out), .keep = keep, .by_unit = true, .spread = spread);
    return gb_mean_field(gb_shape(in, out), .spread = spread, .scale = 0.02);
}

/* The KL of the formula above; weights of (in, out), where a unit is one of `in`. */
static double kl_by_hand(gb_node weight, int in, int out)
{
    static double w[UNITS * UNITS];
    double sum = 0;
    gb_read(weight, w, (size_t)(in * out));
    for (int i = 0; i < in * out; i++)
        sum += keep * w[i] * w[i] / (2 * tau * tau) + log(tau);
    return sum + in * (keep * log(keep) + (1 - keep) * log(1 - keep));
}

/* Mean and standard deviation over the draws of the network. */
static void predict(gb_tape *t, gb_node x, gb_node f, curve *c)
{
    static double at[GRID], drawn[DRAWS][GRID];
    gb_program *look = gb_compile(t, gb_roots(f), gb_no_update);
    for (int i = 0; i < GRID; i++)
        at[i] = grid_x(i);
    gb_feed(x, at, GRID);
    gb_set_samples(look, DRAWS);
    gb_run(look);
    const int draws = gb_value_count(f) == GRID ? 1 : DRAWS; /* a point has no draws */
    gb_read(f, &drawn[0][0], (size_t)(draws * GRID));
    for (int i = 0; i < GRID; i++) {
        double sum = 0, squares = 0;
        for (int s = 0; s < draws; s++)
            sum += drawn[s][i];
        c->mean[i] = sum / draws;
        for (int s = 0; s < draws; s++)
            squares += (drawn[s][i] - c->mean[i]) * (drawn[s][i] - c->mean[i]);
        c->sd[i] = sqrt(squares / draws);
    }
}

static gb_status fit(kind k, const double *xs, const double *ys, curve *c, double kl[2])
{
    gb_tape *t = gb_tape_new(.seed = 1, .samples = 4, .threads = 1);
    const gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, tau));
    const gb_estimator by = gb_pathwise();
    gb_node x = gb_input_rows(t, "x", gb_shape(1)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *e = gb_elbo_new(t, .data_size = N);

    /* Masks are on units, and x is none: the first layer is a point, and so are the biases. */
    gb_node w1 = gb_latent(e, "w1", gb_point(gb_shape(1, UNITS), .spread = 1), prior, by);
    gb_node b1 = gb_latent(e, "b1", gb_point(gb_shape(UNITS), .spread = 0.5), prior, by);
    gb_node w2 = gb_latent(e, "w2", family_of(k, UNITS, UNITS), prior, by);
    gb_node b2 = gb_latent(e, "b2", gb_point(gb_shape(UNITS)), prior, by);
    gb_node w3 = gb_latent(e, "w3", family_of(k, UNITS, 1), prior, by);
    gb_node b3 = gb_latent(e, "b3", gb_point(gb_shape(1)), prior, by);
    gb_node h1 = gb_relu(gb_affine(x, w1, b1)), h2 = gb_relu(gb_affine(h1, w2, b2));
    gb_node f = gb_affine(h2, w3, b3);
    gb_observe(e, "y", gb_normal(f, gb_num(t, sigma)), y);
    gb_node loss = gb_elbo_loss(e);

    gb_optimiser adam = gb_adam(.lr = 0.01, .schedule = gb_cosine(STEPS));
    gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, adam));
    gb_program *look = gb_compile(t, gb_elbo_roots(e), gb_no_update);
    gb_feed(x, xs, N);
    gb_feed(y, ys, N);
    for (int step = 0; step < STEPS && gb_run(train) == GB_OK; step++)
        continue;
    gb_run(look);
    size_t count;
    const gb_elbo_term *term = gb_elbo_terms(e, &count);
    for (size_t i = 0; i < count && k == DROPOUT; i++)
        if (term[i].kind == GB_TERM_KL) {
            const bool is_w2 = strcmp(term[i].name, "w2") == 0;
            kl[0] -= gb_value(term[i].value);
            kl[1] += kl_by_hand(gb_variable_named(t, is_w2 ? "w2.weight" : "w3.weight"), UNITS, is_w2 ? UNITS : 1);
        }
    predict(t, x, f, c);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

static double mean_sd(const curve *c, double low, double high)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < GRID; i++)
        if (grid_x(i) > low - 1e-9 && grid_x(i) < high + 1e-9) {
            sum += c->sd[i];
            count++;
        }
    return sum / count;
}

int main(void)
{
    static double x[N], y[N];
    static curve c[KINDS];
    double kl[2] = {0};
    bool good = true;
    make_data(x, y);
    for (int k = 0; k < KINDS; k++) {
        if (fit((kind)k, x, y, &c[k], kl) != GB_OK)
            return 1;
        double squares = 0;
        for (int i = 25; i <= 65; i++)
            squares += pow(c[k].mean[i] - blundell(grid_x(i), 0), 2) / 41;
        const double near = mean_sd(&c[k], 0.05, 0.45), far = mean_sd(&c[k], 1, 1.2);
        printf("%-12s rms %.3f near %.3f far %.3f ratio %.1f\n", kind_name[k], sqrt(squares), near, far, far / near);
    }
    printf("KL of dropout %.12g by hand %.12g\n", kl[0], kl[1]);
    puts(good ? "As it must be." : "OFF");
    return good ? 0 : 1;
}
