/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is a Monte Carlo gradient?
 *
 * One weight w ~ N(mu, sigma^2), and a cost that also depends on mu directly:
 *
 *     f(w, mu) = (w - k)^2 + mu^2         E f = (mu - k)^2 + sigma^2 + mu^2
 *
 * so the gradient of E f is 2 (mu - k) + 2 mu in mu and 2 sigma in sigma. From draws of w:
 *
 *     pathwise   w = mu + sigma e:  the mean of f'(w) dw + df,   dw = (1, e)
 *     score      the mean of (w - k)^2 dlog q(w) + df,   dlog q(w) = (z, z^2 - 1) / sigma,
 *                z = (w - mu) / sigma
 *     naive      the mean of df: it ignores that the draws depend on mu
 *
 * where df = (2 mu, 0) is the gradient of f at a fixed draw. (mu^2 does not depend on the draw, so its
 * product with the score would only add noise; grebe leaves it out.) Results by hand and by grebe are the
 * same numbers, since both use the same draws. The naive gradient has the least variance of all, and the
 * wrong sign. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { DRAWS = 100000, WAYS = 3, MU = 0, SIGMA = 1 };
static const double mu = 1, sigma = 1, k = 3;
static const char *const way_name[WAYS] = {"pathwise", "score", "naive"};

/* One draw's gradient by hand. */
static void by_hand(int way, double w, double gradient[2])
{
    const double z = (w - mu) / sigma, cost = (w - k) * (w - k);
    gradient[MU] = 2 * mu;
    gradient[SIGMA] = 0;
    if (way == 0) {
        gradient[MU] += 2 * (w - k);
        gradient[SIGMA] += 2 * (w - k) * z;
    } else if (way == 1) {
        gradient[MU] += cost * z / sigma;
        gradient[SIGMA] += cost * (z * z - 1) / sigma;
    }
}

/* The mean gradient over DRAWS draws by grebe, and the draws. */
static gb_status by_grebe(int way, double gradient[2], double *draws)
{
    gb_tape *t = gb_tape_new(.seed = 1, .samples = DRAWS);
    gb_node m = gb_variable(t, "mu", gb_shape(), gb_fill(mu));
    gb_node s = gb_variable(t, "sigma", gb_shape(), gb_fill(sigma));
    gb_dist q = gb_normal(m, s);
    if (way == 2)
        q = gb_normal(gb_stop(m), gb_stop(s)); /* as if the draws did not depend on mu and sigma */
    gb_expect *e = gb_expect_new(t);
    gb_node w = gb_draw(e, "w", q, way == 1 ? gb_score() : gb_pathwise());
    gb_node f = gb_add(gb_square(gb_sub(w, gb_num(t, k))), gb_square(m));
    gb_node loss = gb_expected(e, f);
    gb_node g[2] = {gb_grad(loss, m), gb_grad(loss, s)};
    gb_run(gb_compile(t, gb_roots(g[MU], g[SIGMA], w), gb_no_update));
    gradient[MU] = gb_value(g[MU]);
    gradient[SIGMA] = gb_value(g[SIGMA]);
    gb_read(w, draws, DRAWS);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

/* The mean over the draws, by hand, with its standard error; to the picture, how the mean in mu settles. */
static void average(int way, const double *draws, double mean[2], double error[2], FILE *picture)
{
    double g[2], squares[2] = {0, 0};
    mean[MU] = mean[SIGMA] = 0;
    if (picture)
        fprintf(picture, "\n\n# %s\n", way_name[way]);
    for (int n = 1, next = 10; n <= DRAWS; n++) {
        by_hand(way, draws[n - 1], g);
        for (int i = 0; i < 2; i++) {
            const double before = mean[i];
            mean[i] += (g[i] - mean[i]) / n;
            squares[i] += (g[i] - before) * (g[i] - mean[i]);
        }
        if (n < next)
            continue;
        if (picture)
            fprintf(picture, "%d %g\n", n, mean[MU]);
        next = (int)(n * 1.04) + 1;
    }
    for (int i = 0; i < 2; i++)
        error[i] = sqrt(squares[i] / (DRAWS - 1.0) / DRAWS);
}

int main(int argc, char **argv)
{
    static double draws[DRAWS];
    const double exact[2] = {2 * (mu - k) + 2 * mu, 2 * sigma};
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    double grebe[2], hand[2], error[2];
    bool good = true;

    printf("%-10s %-9s %8s %-8s %9s %8s %s\n", "", "", "in mu", "+- se", "", "in sigma", "+- se");
    printf("%-10s %-9s %8.4f %18s %8.4f\n", "exact", "", exact[MU], "", exact[SIGMA]);
    for (int way = 0; way < WAYS; way++) {
        if (by_grebe(way, grebe, draws) != GB_OK)
            return 1;
        average(way, draws, hand, error, picture);
        printf("%-10s %-9s %8.4f %-8.4f %9s %8.4f %.4f\n", way_name[way], "by hand", hand[MU], error[MU], "",
               hand[SIGMA], error[SIGMA]);
        printf("%-10s %-9s %8.4f %18s %8.4f\n", "", "by grebe", grebe[MU], "", grebe[SIGMA]);
        for (int i = 0; i < 2; i++) {
            if (fabs(grebe[i] - hand[i]) > 1e-11) {
                printf("FAILED: %s by grebe is not %s by hand\n", way_name[way], way_name[way]);
                good = false;
            }
            /* A right estimator exceeds six standard errors once in 500 million times. */
            if (way < 2 ? fabs(hand[i] - exact[i]) > 6 * error[i] : fabs(hand[i] - exact[i]) < 1) {
                printf("FAILED: %s is %g standard errors from the gradient\n", way_name[way],
                       (hand[i] - exact[i]) / error[i]);
                good = false;
            }
        }
    }
    puts(good ? "All checks passed: two are right; the one with the least spread is wrong."
              : "A check failed.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
