/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write a distribution: Lomax, the sizes of losses (Lomax 1954).
 *
 *     p(x) = (a / s) (1 + x / s)^-(a + 1),  x >= 0        1 - P(x) = (1 + x / s)^-a
 *
 * It has a heavy tail: P(loss > x) falls as x^-a. The program checks what can be checked of any distribution:
 * its density integrates to 1; P(draw) is uniform; the mean of the score is 0; paths have the gradients of
 * the mean, s / (a - 1). Then it is a likelihood. log(1 + x / s) is exponential with rate a, so a gamma prior
 * of a is conjugate: the posterior of N losses is gamma(A + N, B + sum log(1 + x_n / s)). */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { DRAWS = 100000, N = 40, PLACES = 20000 };

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node a = d->param[0], s = d->param[1], up = gb_log1p(gb_div(x, s));
    return gb_sub(gb_log(gb_div(a, s)), gb_mul(gb_shift(a, 1), up));
}

/* u = (1 + x / s)^-a, solved for x; -log u is an exponential number. */
static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node e = gb_exponential_noise(from->noise, from->shape, from->axes);
    const gb_node y = gb_expm1(gb_div(e, d->param[0]));
    return gb_mul(d->param[1], gb_clip(y, 0, 1e30)); /* a shape of 0.001 would draw more than there is */
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_neg(gb_expm1(gb_neg(gb_mul(d->param[0], gb_log1p(gb_div(x, d->param[1]))))));
}

static const gb_dist_type lomax_type = {
    .size = sizeof(gb_dist_type),
    .name = "lomax",
    .formula = "log(shape / scale) - (shape + 1) log(1 + x / scale)",
    .param = {GB_PARAMETER("shape", GB_POSITIVE), GB_PARAMETER("scale", GB_POSITIVE)},
    .support = GB_NON_NEGATIVE,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
};

static gb_dist lomax(gb_node shape, gb_node scale)
{
    return gb_dist_of(&lomax_type, (const gb_node[]){shape, scale});
}

static const double shape = 3, scale = 2;

/* x = scale y / (1 - y) brings all x to y from 0 to 1. */
static double integral(gb_tape *t)
{
    static double x[PLACES], log_p[PLACES];
    double sum = 0;
    for (int i = 0; i < PLACES; i++) {
        const double y = (i + 0.5) / PLACES;
        x[i] = scale * y / (1 - y);
    }
    gb_node at = gb_constant(t, gb_shape(PLACES), gb_values_of(x, PLACES));
    gb_read(gb_log_prob(lomax(gb_num(t, shape), gb_num(t, scale)), at), log_p, PLACES);
    for (int i = 0; i < PLACES; i++)
        sum += exp(log_p[i]) * scale * pow(PLACES / (PLACES - i - 0.5), 2) / PLACES;
    return sum;
}

/* Draws; and mean and mean square of P at them, which are 1/2 and 1/3 if P(draw) is uniform. */
static void follow(gb_tape *t, double *draw, double mean[2])
{
    gb_dist d = lomax(gb_num(t, shape), gb_num(t, scale));
    gb_node x = gb_rsample(gb_dist_expand(d, gb_shape(DRAWS)), gb_stream(t, "draws"), 0), p = gb_cdf(d, x);
    gb_read(x, draw, DRAWS);
    mean[0] = gb_value(gb_mean(p));
    mean[1] = gb_value(gb_mean(gb_square(p)));
}

/* Means of the scores, and of the gradients by paths, in the shape and the scale. */
static void gradients(gb_tape *t, double mean[4])
{
    gb_node a = gb_variable(t, "a", gb_shape(), gb_fill(shape));
    gb_node s = gb_variable(t, "s", gb_shape(), gb_fill(scale));
    gb_dist d = gb_dist_expand(lomax(a, s), gb_shape(DRAWS));
    gb_node x = gb_rsample(d, gb_stream(t, "paths"), 0);
    gb_node log_p = gb_mean(gb_log_prob(d, gb_stop(x)));
    mean[0] = gb_value(gb_grad(log_p, a));
    mean[1] = gb_value(gb_grad(log_p, s));
    mean[2] = gb_value(gb_grad(gb_mean(x), a));
    mean[3] = gb_value(gb_grad(gb_mean(x), s));
}

/* Fits a to the first N draws, with the prior gamma(2, 1). `exact`: A + N and B + … of the posterior. */
static void fit(gb_tape *t, const double *loss, double found[2], double exact[2])
{
    exact[0] = 2 + N;
    exact[1] = 1;
    for (int i = 0; i < N; i++)
        exact[1] += log1p(loss[i] / scale);
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_dist prior = gb_gamma(gb_num(t, 2), gb_num(t, 1));
    gb_node a = gb_latent(e, "shape", gb_mean_field_matching(gb_shape()), prior, gb_pathwise());
    gb_observe(e, "loss", lomax(a, gb_num(t, scale)), gb_constant(t, gb_shape(N), gb_values_of(loss, N)));
    gb_fit(e);
    gb_elbo_posterior_read(e, "shape", &found[0], &found[1], 1);
}

/* Prints a number, and returns whether it is exact to within `allowed`. */
static bool show(const char *name, double is, double exact, double allowed)
{
    printf("%-30s %8.4f   exact %7.4f\n", name, is, exact);
    return fabs(is - exact) <= allowed;
}

int main(int argc, char **argv)
{
    static double draw[DRAWS];
    double p[2], mean[4], found[2], exact[2];
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    gb_tape *t = gb_tape_new(.seed = 1);
    const double six = 6 / sqrt(DRAWS), a = shape, s = scale; /* six standard errors, for an sd of 1 */
    bool good = show("integral of the density", integral(t), 1, 1e-8);
    follow(t, draw, p);
    good = show("mean of P(draw)", p[0], 1. / 2, six * sqrt(1. / 12)) && good;
    good = show("mean square of P(draw)", p[1], 1. / 3, six * sqrt(4. / 45)) && good;
    gradients(t, mean);
    good = show("mean score in the shape", mean[0], 0, six / a) && good;
    good = show("mean score in the scale", mean[1], 0, six * sqrt(a / (a + 2)) / s) && good;
    const double g = -s / pow(a - 1, 2), square = 2 * s * s / (a * pow(a - 2, 3));
    good = show("dE x / dshape, by paths", mean[2], g, six * sqrt(square - g * g)) && good;
    good = show("dE x / dscale, by paths", mean[3], 1 / (a - 1), six * sqrt(a / (a - 2)) / (a - 1)) && good;
    fit(t, draw, found, exact);
    const double m = exact[0] / exact[1], sd = sqrt(exact[0]) / exact[1];
    good = show("posterior of the shape: mean", found[0], m, 0.05 * sd) && good;
    good = show("    standard deviation", found[1], sd, 0.05 * sd) && good;
    good = gb_complain(t, stderr) == GB_OK && good;
    gb_tape_free(t);

    for (double x = 0.01; picture && x < 100; x *= 1.2) {
        int above = 0;
        for (int i = 0; i < DRAWS; i++)
            above += draw[i] > x;
        if (above > 0)
            fprintf(picture, "%g %g\n", x, (double)above / DRAWS);
    }
    puts(good ? "All checks passed." : "FAILED: a number is not what it must be.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
