/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When pathwise loses, and when a baseline hurts.
 *
 * x ~ N(mu, sigma^2) at mu = sigma = 1, z = x - 1, and two costs that are at most 1, but steeper with k:
 *
 *     cos k x            exp(-k x^2)
 *
 * The gradient in mu of one draw is f'(x) by pathwise, f(x) z by score. Variances have closed forms, since
 *
 *     E[cos(b x)]            = cos(b) e^(-b^2 / 2),   E[cos(b x) z^2] = (1 - b^2) E[cos(b x)]
 *     E[exp(-a x^2)]         = exp(-a / c) / sqrt c,   c = 1 + 2 a
 *     E[exp(-a x^2) p(x)]    = E[exp(-a x^2)] times the mean of p under N(1 / c, 1 / c)
 *
 * In sigma the score is s = z^2 - 1, and with a baseline b subtracted from the cost
 *
 *     Var[(f - b) s] = E[f^2 s^2] - 2 b E[f s^2] + b^2 E[s^2] - g^2
 *
 * is a parabola in b with its minimum at E[f s^2] / E[s^2]. E f, the usual baseline, may be far from it. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { MU, SIGMA };

static double wave(double b)
{
    return cos(b) * exp(-b * b / 2);
}

static double bump(double a)
{
    const double c = 1 + 2 * a;
    return exp(-a / c) / sqrt(c);
}

/* E[exp(-a x^2) (z^2 - 1)^2]. */
static double bump_score2(double a)
{
    const double c = 1 + 2 * a, m = 1 / c - 1, v = 1 / c; /* of z */
    const double z2 = m * m + v, z4 = pow(m, 4) + 6 * m * m * v + 3 * v * v;
    return bump(a) * (z4 - 2 * z2 + 1);
}

/* Variances in mu, [0] by pathwise and [1] by score. */
typedef void variances(double k, double variance[2]);

static void of_wave(double k, double variance[2])
{
    const double g = -k * sin(k) * exp(-k * k / 2);
    variance[0] = k * k * (1 - wave(2 * k)) / 2 - g * g;
    variance[1] = (1 + (1 - 4 * k * k) * wave(2 * k)) / 2 - g * g;
}

static void of_bump(double k, double variance[2])
{
    const double g = -2 * k / (1 + 2 * k) * bump(k), c = 1 + 4 * k, m = 1 / c, v = 1 / c;
    variance[0] = 4 * k * k * bump(2 * k) * (m * m + v) - g * g;
    variance[1] = bump(2 * k) * ((m - 1) * (m - 1) + v) - g * g;
}

/* Measures many gradients in `parameter` by each estimator, from the same noise. Zeros on error. */
static void measure(const char *problem, double k, size_t count, const gb_estimator *estimator, int parameter,
                    gb_measured *found)
{
    gb_comparison *c =
        gb_compare(.problem = gb_problem_find(problem), .estimators = count, .estimator = estimator,
                   .settings = 1, .setting = &(gb_compare_setting){"k", k}, .draws = 200000, .seed = 1);
    const bool good = c && c->status == GB_OK;
    for (size_t i = 0; i < count; i++)
        found[i] = good ? c->estimator[i].parameter[parameter] : (gb_measured){0};
    if (!good)
        fprintf(stderr, "%s\n", c ? c->error : "out of memory");
    gb_comparison_free(c);
}

/* By chance a right variance is off by six standard errors once in 500 million times. */
static bool agrees(const gb_measured *found, double variance)
{
    if (fabs(found->variance - variance) < 6 * found->variance_stderr)
        return true;
    printf("FAILED: the variance is %g, and should be %g +- %g\n", found->variance, variance,
           found->variance_stderr);
    return false;
}

/* Finds the k at which the two variances are equal, by bisection. */
static double crossing(variances *of)
{
    double variance[2], k = 0;
    for (double step = 8; step > 1e-9; step /= 2) {
        of(k + step, variance);
        k += variance[0] < variance[1] ? step : 0;
    }
    return k;
}

static bool sweep(const char *formula, const char *problem, variances *of, FILE *picture)
{
    const gb_estimator estimator[] = {gb_pathwise(), gb_score()};
    gb_measured is[2];
    double exact[2];
    bool good = true;
    printf("%-11s %4s %9s %s %11s %s\n", formula, "k", "pathwise", "closed form", "score", "closed form");
    for (int i = 0; i <= 20; i++) {
        const double k = 0.25 * pow(2, i / 4.0);
        of(k, exact);
        measure(problem, k, 2, estimator, MU, is);
        if (i % 4 == 0)
            printf("%16g %9.4f %11.4f %11.4f %11.4f\n", k, is[0].variance, exact[0], is[1].variance,
                   exact[1]);
        good = agrees(&is[0], exact[0]) && agrees(&is[1], exact[1]) && good;
        if (picture)
            fprintf(picture, "%g %g %g %g %g\n", k, is[0].variance, exact[0], is[1].variance, exact[1]);
    }
    printf("Pathwise loses beyond k = %.4f.\n\n", crossing(of));
    return good && (!picture || fputs("\n\n", picture) >= 0);
}

static bool baselines(double k, FILE *picture)
{
    const double c = 1 + 2 * k, g = bump(k) * (4 * k * k / (c * c) - 2 * k / c);
    const double f2s2 = bump_score2(2 * k), fs2 = bump_score2(k), s2 = 2;
    const char *const name[] = {"none", "E f", "E[f s^2] / E[s^2]"};
    const double b[] = {0, bump(k), fs2 / s2};
    gb_estimator estimator[3];
    gb_measured is[3];
    for (int i = 0; i < 3; i++)
        estimator[i] = gb_score(.baseline = gb_constant_baseline(b[i]));
    bool good = true;
    measure("gauss-exp", k, 3, estimator, SIGMA, is);
    printf("exp(-%g x^2) in sigma, baseline  b %8s %s\n", k, "score", "closed form");
    for (int i = 0; i < 3; i++) {
        const double exact = f2s2 - 2 * b[i] * fs2 + b[i] * b[i] * s2 - g * g;
        printf("%-24s %10.4f %8.4f %11.4f\n", name[i], b[i], is[i].variance, exact);
        good = agrees(&is[i], exact) && good;
        if (picture)
            fprintf(picture, "%g %g %g %g %g\n", b[i], is[i].variance, f2s2 - g * g, -2 * fs2, s2);
    }
    return good;
}

int main(int argc, char **argv)
{
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    const bool good = sweep("cos k x", "gauss-cos", of_wave, picture) &&
                      sweep("exp(-k x^2)", "gauss-exp", of_bump, picture) && baselines(1, picture);
    puts(good ? "All checks passed." : "A check failed.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
