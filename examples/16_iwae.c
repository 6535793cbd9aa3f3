/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several samples: IWAE, and why a better bound can have a worse gradient.
 *
 * One datum y ~ N(z, 1), z ~ N(0, 1): the posterior is N(y / 2, 1 / 2), and log p(y) = log N(y; 0, 2).
 * With q = N(m, s^2) and weights w = p(y, z) / q(z), the importance weighted bound
 *
 *     L_K = E log (w_1 + ... + w_K) / K        (Burda, Grosse and Salakhutdinov 2016)
 *
 * is the ELBO for K = 1, and rises to log p(y). For large K it is log p(y) - v / 2K, where v = Var w / (E
 * w)^2. So q matters less and less, and its gradient vanishes as 1 / K. The pathwise estimate of it has a
 * standard deviation that falls as 1 / sqrt K only: its signal-to-noise ratio falls (Rainforth et al.
 * 2018). The doubly reparameterised gradient (Tucker et al. 2019) removes the part of mean 0 that makes
 * the noise. Then the ratio rises as sqrt K. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { DRAWS = 4000000, RUNS = 50, PLACES = 4000 };
static const double y = 1.5, m = 0.2, s = 0.9;

static double log_normal(double x, double mean, double variance)
{
    return -0.5 * (log(2 * GB_PI * variance) + (x - mean) * (x - mean) / variance);
}

/* v, for q = N(at, s^2), by a fine sum over z. */
static double spread(double at)
{
    double second = 0;
    for (int i = 0; i < PLACES; i++) {
        const double z = at + s * 10 * (2 * (i + 0.5) / PLACES - 1);
        const double joint = log_normal(z, 0, 1) + log_normal(y, z, 1) - log_normal(y, 0, 2);
        second += exp(2 * joint - log_normal(z, at, s * s)) * 20 * s / PLACES;
    }
    return second - 1;
}

/* E log p(y | z) - KL(q || N(0, 1)). */
static double elbo(void)
{
    return log_normal(y, m, 1) - s * s / 2 - (m * m + s * s - 1) / 2 + log(s);
}

/* The bound, and its standard error, from 50 runs. */
static double bound(int k, double *error)
{
    double sum = 0, squares = 0;
    gb_tape *t = gb_tape_new(.seed = 1, .samples = DRAWS / RUNS / k);
    gb_elbo *e = gb_elbo_new(t, .data_size = 1, .bound = gb_iwae(.draws = k));
    gb_family q = gb_mean_field(gb_shape(), .location = m, .scale = s);
    gb_node z = gb_latent(e, "z", q, gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(z, gb_num(t, 1)), gb_num(t, y));
    gb_node loss = gb_elbo_loss(e);
    gb_program *look = gb_compile(t, gb_roots(loss), gb_no_update);
    for (int run = 0; run < RUNS && gb_run(look) == GB_OK; run++) {
        sum -= gb_value(loss) / RUNS;
        squares += gb_value(loss) * gb_value(loss) / RUNS;
    }
    *error = sqrt((squares - sum * sum) / (RUNS - 1));
    gb_complain(t, stderr);
    gb_tape_free(t);
    return sum;
}

/* Mean, its standard error, and standard deviation of the gradient in m. */
static bool gradients(int k, gb_measured is[2])
{
    const gb_estimator all[] = {gb_pathwise(), gb_dreg()};
    const gb_compare_setting setting[] = {{"mu", m}, {"sigma", s}, {"y", y}, {"noise", 1}};
    gb_comparison *c =
        gb_compare(.problem = gb_problem_find("gauss-evidence"), .estimators = 2, .estimator = all,
                   .settings = 4, .setting = setting, .bound = gb_iwae(.draws = k), .seed = 1);
    const bool good = c && c->status == GB_OK;
    for (int i = 0; i < 2; i++)
        is[i] = good ? c->estimator[i].parameter[0] : (gb_measured){0};
    gb_comparison_free(c);
    return good;
}

int main(int argc, char **argv)
{
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    const double evidence = log_normal(y, 0, 2), v = spread(m),
                 slope = (spread(m + 1e-4) - spread(m - 1e-4)) / 2e-4;
    double last = 0;
    bool good = true;
    puts("             log p(y) - bound       gradient in m        signal / noise");
    puts("  K      value    v / 2K       value    -v'/ 2K     pathwise    dreg");
    for (int k = 1; k <= 64; k *= 2) {
        double error;
        const double gap = evidence - bound(k, &error);
        gb_measured is[2];
        good = gradients(k, is) && good;
        const double mean = is[1].mean, near = -slope / (2 * k);
        const double noise[2] = {sqrt(is[0].variance), sqrt(is[1].variance)};
        printf("%3d  %9.5f %9.5f   %9.5f %10.5f   %10.3f %7.3f\n", k, gap, v / (2 * k), mean, near,
               mean / noise[0], mean / noise[1]);
        good = good && fabs(is[0].mean - mean) < 6 * is[0].stderr_;
        if (k == 1) /* the ELBO, and its gradient, in closed form */
            good = good && fabs(gap - evidence + elbo()) < 6 * error &&
                   fabs(mean - (y - 2 * m)) < 6 * is[1].stderr_;
        if (k >= 32)
            good = good && fabs(gap - v / (2 * k)) < 0.05 * gap + 6 * error && fabs(mean / near - 1) < 0.1 &&
                   fabs(mean / noise[1] / last - sqrt(2)) < 0.1;
        last = mean / noise[1];
        if (picture)
            fprintf(picture, "%d %g %g %g %g\n", k, gap, v / (2 * k), mean / noise[0], mean / noise[1]);
    }
    puts(good ? "All checks passed." : "FAILED: a number differs from its closed form.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
