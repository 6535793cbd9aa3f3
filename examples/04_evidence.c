/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ELBO on a conjugate model: evidence = ELBO + KL(q || posterior), to the last digit.
 *
 * A line through N data, with weights w = (intercept, slope):
 *
 *     y_i ~ N(w_0 + w_1 x_i, sigma^2),   w ~ N(0, tau^2 I)
 *
 * Its posterior is normal with precision A = X'X / sigma^2 + I / tau^2 and mean m = A^-1 X'y / sigma^2, and
 *
 *     log Z = -(N log 2 pi sigma^2 + 2 log tau^2 + log |A| + y'y / sigma^2 - m'A m) / 2.
 *
 * q is a product of two normals. For every q, log Z = ELBO + KL(q || posterior): raising the ELBO lowers
 * that KL. The posterior is not a product, so the best q still has a KL, the gap:
 *
 *     (log A_00 + log A_11 - log |A|) / 2 */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 10, STEPS = 2000, DRAWS = 200000 };
static const double sigma = 0.5, tau = 1;
static const double ys[N] = {0.3, 0.9, 0.2, 1.2, 1.1, 0.6, 1.6, 2.1, 1.4, 1.9};

typedef struct problem {
    double x[N][2];
    double a[2][2], m[2], log_z, gap; /* the answer */
} problem;

static void solve(problem *p)
{
    const double s2 = sigma * sigma, t2 = tau * tau;
    double b[2] = {0, 0}, yy = 0;
    *p = (problem){.a = {{1 / t2, 0}, {0, 1 / t2}}};
    for (int i = 0; i < N; i++) {
        p->x[i][0] = 1;
        p->x[i][1] = 0.2 * i;
        yy += ys[i] * ys[i] / s2;
        for (int r = 0; r < 2; r++) {
            b[r] += p->x[i][r] * ys[i] / s2;
            for (int c = 0; c < 2; c++)
                p->a[r][c] += p->x[i][r] * p->x[i][c] / s2;
        }
    }
    const double det = p->a[0][0] * p->a[1][1] - p->a[0][1] * p->a[1][0];
    p->m[0] = (p->a[1][1] * b[0] - p->a[0][1] * b[1]) / det;
    p->m[1] = (p->a[0][0] * b[1] - p->a[1][0] * b[0]) / det;
    p->log_z = -0.5 * (N * log(2 * 3.141592653589793 * s2) + 2 * log(t2) + log(det) + yy - p->m[0] * b[0] -
                       p->m[1] * b[1]);
    p->gap = 0.5 * (log(p->a[0][0]) + log(p->a[1][1]) - log(det));
}

typedef struct result {
    double elbo, error, kl;
} result;

/* Trains q. `steps` becomes ELBO and KL(q || posterior) of each step, `found` those of many fresh draws. */
static gb_status fit(const problem *p, gb_estimator estimator, int64_t samples, result steps[STEPS + 1],
                     result *found)
{
    gb_tape *t = gb_tape_new(.seed = 1, .samples = samples);
    gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, tau));
    gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(2)), prior, estimator);
    gb_observe(e, "y", gb_normal(gb_dot(x, w), gb_num(t, sigma)), y);
    gb_node loss = gb_elbo_loss(e);

    gb_dist posterior =
        gb_multivariate_normal_precision(gb_constant(t, gb_shape(2), gb_values_of(p->m, 2)),
                                         gb_constant(t, gb_shape(2, 2), gb_values_of(p->a[0], 4)));
    gb_node kl = gb_kl(gb_independent(gb_elbo_posterior(e, "w"), 1), posterior);

    const gb_schedule fall = gb_step_decay(1, pow(1e-4, 1.0 / STEPS)); /* by the same factor in each step */
    const gb_optimiser adam = gb_adam(.lr = 0.1, .schedule = fall);
    gb_program *train = gb_compile(t, gb_roots(loss, kl), gb_minimise(loss, adam));
    gb_feed(x, p->x[0], N);
    gb_feed(y, ys, N);
    for (int step = 0; step <= STEPS && gb_error(t) == GB_OK; step++) {
        gb_run(train);
        steps[step] = (result){.elbo = -gb_value(loss), .kl = gb_value(kl)};
    }

    const gb_elbo_term elbo = gb_elbo_term_named(e, "ELBO");
    gb_program *look = gb_compile(t, gb_elbo_roots(e), gb_no_update);
    gb_program_set_samples(look, DRAWS);
    gb_run(look);
    gb_run(gb_compile(t, gb_roots(kl), gb_no_update));
    if (gb_error(t) == GB_OK)
        *found = (result){gb_value(elbo.value), gb_value(elbo.error), gb_value(kl)};
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

/* log p(y | w) is quadratic in w, so quadrature with two nodes in each direction is exact. */
static bool exactly(const problem *p, FILE *picture)
{
    static result steps[STEPS + 1];
    result found;
    if (fit(p, gb_quadrature(.nodes = 2), 1, steps, &found) != GB_OK)
        return false;
    double off = 0;
    printf("%-12s %17s %20s %17s\n", "step", "ELBO", "KL(q || posterior)", "their sum");
    for (int i = 0, shown = 0; i <= STEPS; i++) {
        const double sum = steps[i].elbo + steps[i].kl;
        off = fmax(off, fabs(sum - p->log_z));
        if (picture)
            fprintf(picture, "%d %.9g %.9g\n", i, steps[i].elbo, p->log_z);
        if (i < shown && i < STEPS)
            continue;
        printf("%-12d %17.10f %20.10f %17.10f\n", i, steps[i].elbo, steps[i].kl, sum);
        shown = i ? 4 * i : 2;
    }
    printf("%-12s %17.10f %20.10f %17.10f\n\n", "closed form", p->log_z - p->gap, p->gap, p->log_z);
    if (off > 1e-12)
        printf("FAILED: ELBO + KL is %g from log Z\n", off);
    if (fabs(found.kl - p->gap) > 1e-9)
        printf("FAILED: KL is %g from the gap\n", found.kl - p->gap);
    return off <= 1e-12 && fabs(found.kl - p->gap) <= 1e-9;
}

/* From draws, the sum is log Z within six standard errors, but for once in 500 million times. */
static bool by_draws(const problem *p, const char *name, gb_estimator estimator)
{
    static result steps[STEPS + 1];
    result found;
    if (fit(p, estimator, 32, steps, &found) != GB_OK)
        return false;
    const double sum = found.elbo + found.kl;
    printf("%-12s %8.3f +- %.3f %20.3f %8.3f +- %.3f\n", name, found.elbo, found.error, found.kl, sum,
           found.error);
    const bool good = fabs(sum - p->log_z) < 6 * found.error && found.kl > p->gap && found.kl < p->gap + 0.01;
    if (!good)
        printf("FAILED: the sum should be %.4f, and KL within 0.01 above %.4f\n", p->log_z, p->gap);
    return good;
}

int main(int argc, char **argv)
{
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    problem p;
    solve(&p);
    bool good = exactly(&p, picture);
    good = by_draws(&p, "pathwise", gb_pathwise()) && good;
    good = by_draws(&p, "score", gb_score(.baseline = gb_leave_one_out())) && good;
    puts(good ? "All checks passed." : "A check failed.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
