/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Local reparameterisation: the same bound, less noise (Kingma, Salimans and Welling 2015).
 *
 * A linear layer, f_i = x_i . w with w_d ~ N(m_d, s_d^2), and a datum y_i ~ N(f_i, 1) for each row. Three
 * ways to draw, e ~ N(0, 1):
 *
 *     shared    one w for all rows           f_i = x_i . (m + s e)
 *     weights   a w for each row             f_i = x_i . (m + s e_i)
 *     local     f_i itself for each row      f_i = x_i . m + sqrt(v_i) e_i,   v_i = sum_d x_id^2 s_d^2
 *
 * In all three f_i ~ N(x_i . m, v_i), and the loss is a sum over rows. So the loss and its gradient are
 * the same in expectation. Their variances are not. With a_i = y_i - x_i . m, c_dk = sum_i x_id x_ik and
 * b_d = sum_i x_id a_i, the gradient of one draw has the variance
 *
 *               in m_d                    in s_d
 *     shared    sum_k s_k^2 c_dk^2        b_d^2 + sum_k s_k^2 c_dk^2 + s_d^2 c_dd^2
 *     weights   sum_i x_id^2 v_i          sum_i x_id^2 (a_i^2 + v_i + x_id^2 s_d^2)
 *     local     sum_i x_id^2 v_i          sum_i x_id^2 (a_i^2 + 2 v_i) x_id^2 s_d^2 / v_i */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { SHARED, WEIGHTS, LOCAL, WAYS, ROWS = 32, MOST = 64, RUNS = 10000 };
static const char *const name[WAYS] = {"shared", "weights", "local"};
static const gb_noise_sharing noise[WAYS] = {GB_NOISE_SHARED, GB_NOISE_WEIGHTS, GB_NOISE_LOCAL};

static double x[ROWS * MOST], y[ROWS];

/* Means are 0, and scales such that f_i is about N(0, 1). The closed forms, for d = 0. */
static void by_hand(int way, int inputs, double variance[2])
{
    const double s2 = 1.0 / inputs;
    double b = 0, shared = 0, c0 = 0;
    variance[0] = variance[1] = 0;
    for (int i = 0; i < ROWS; i++) {
        const double *row = x + i * inputs, first = row[0] * row[0], a = y[i];
        double v = 0;
        for (int d = 0; d < inputs; d++)
            v += row[d] * row[d] * s2;
        b += row[0] * a;
        c0 += first;
        variance[0] += first * v;
        variance[1] +=
            way == LOCAL ? first * (a * a + 2 * v) * first * s2 / v : first * (a * a + v + first * s2);
    }
    for (int k = 0; k < inputs; k++) {
        double c = 0;
        for (int i = 0; i < ROWS; i++)
            c += x[i * inputs] * x[i * inputs + k];
        shared += s2 * c * c;
    }
    if (way == SHARED) {
        variance[0] = shared;
        variance[1] = b * b + shared + s2 * c0 * c0;
    }
}

typedef struct measured {
    double mean, variance, error[2]; /* their standard errors */
} measured;

static measured moments(const double *g)
{
    double mean = 0, second = 0, fourth = 0;
    for (int i = 0; i < RUNS; i++)
        mean += g[i] / RUNS;
    for (int i = 0; i < RUNS; i++) {
        const double square = (g[i] - mean) * (g[i] - mean);
        second += square / RUNS;
        fourth += square * square / RUNS;
    }
    return (measured){mean, second, {sqrt(second / RUNS), sqrt((fourth - second * second) / RUNS)}};
}

/* The loss, and its gradients in m_0 and s_0, over RUNS runs. */
static gb_status measure(int way, int inputs, measured is[3])
{
    static double g[3][RUNS], each[MOST];
    const double s = 1 / sqrt(inputs);
    gb_tape *t = gb_tape_new(.seed = 1, .threads = 1);
    gb_node in = gb_input_rows(t, "x", gb_shape(inputs)), out = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    gb_family q = gb_mean_field(gb_shape(), .locations = gb_zeros(t, gb_shape(inputs, 1)), .scale = s,
                                .map = GB_SCALE_EXP);
    gb_node f = gb_dense(e, "f", in, 1, .noise = noise[way], .posterior = q, .no_bias = true);
    gb_observe(e, "y", gb_normal(f, gb_num(t, 1)), out);
    gb_node loss = gb_elbo_loss(e);
    gb_node slope[] = {gb_grad(loss, gb_variable_named(t, "f.weight.location")),
                       gb_grad(loss, gb_variable_named(t, "f.weight.log_scale"))};
    gb_program *program = gb_compile(t, gb_roots(loss, slope[0], slope[1]), gb_no_update);
    gb_feed(in, x, ROWS);
    gb_feed(out, y, ROWS);
    for (int run = 0; run < RUNS && gb_run(program) == GB_OK; run++) {
        g[2][run] = gb_value(loss);
        for (int k = 0; k < 2; k++) {
            gb_read(slope[k], each, (size_t)inputs);
            g[k][run] = each[0] / (k ? s : 1); /* of log s to s */
        }
    }
    for (int k = 0; k < 3; k++)
        is[k] = moments(g[k]);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

/* sum_i E (y_i - f_i)^2 / 2 + log(2 pi) / 2, and KL(q || N(0, 1)). */
static double exact_loss(int inputs)
{
    const double s2 = 1.0 / inputs;
    double sum = inputs * (s2 - 1 - log(s2)) / 2;
    for (int i = 0; i < ROWS; i++) {
        sum += (y[i] * y[i] + log(2 * GB_PI)) / 2;
        for (int d = 0; d < inputs; d++)
            sum += x[i * inputs + d] * x[i * inputs + d] * s2 / 2;
    }
    return sum;
}

int main(int argc, char **argv)
{
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    bool good = true;
    gb_tape *t = gb_tape_new(.seed = 3);
    gb_read(gb_normal_noise(gb_stream(t, "y"), gb_shape(ROWS), 0), y, ROWS);
    gb_read(gb_normal_noise(gb_stream(t, "x"), gb_shape(ROWS, MOST), 0), x, ROWS * MOST);
    gb_tape_free(t);
    puts("inputs  draws       loss   exact   variance in m    exact   variance in s    exact");
    for (int inputs = 1; inputs <= MOST; inputs *= 4) {
        const double loss = exact_loss(inputs);
        for (int way = 0; way < WAYS; way++) {
            measured is[3];
            double variance[2];
            by_hand(way, inputs, variance);
            if (measure(way, inputs, is) != GB_OK)
                return 1;
            printf("%6d  %-8s %7.2f %7.2f %15.2f %8.2f %15.3f %8.3f\n", inputs, name[way], is[2].mean, loss,
                   is[0].variance, variance[0], is[1].variance, variance[1]);
            good = good && fabs(is[2].mean - loss) < 6 * is[2].error[0];
            for (int k = 0; k < 2; k++)
                good = good && fabs(is[k].variance - variance[k]) < 6 * is[k].error[1];
            if (picture)
                fprintf(picture, "%g %g %g %g%s", is[0].variance, variance[0], is[1].variance, variance[1],
                        way < LOCAL ? " " : "\n");
        }
    }
    puts(good ? "All checks passed." : "FAILED: a number is six standard errors from its closed form.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
