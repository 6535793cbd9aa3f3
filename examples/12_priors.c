/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Priors, and what they do to weights: normal, Laplace, scale mixture, horseshoe.
 *
 * Five weights, each seen once with an error s (as least squares sees them if columns are orthogonal):
 *
 *     seen_d ~ N(w_d, s^2)
 *
 * All four priors have mean 0 and are normals whose variance v is itself drawn:
 *
 *     N(0, 1)             v = 1
 *     Laplace(0, b)       v = -2 b^2 log u        u uniform on (0, 1)
 *     scale mixture       v = 1.4^2 with probability 1/2, else 0.05^2
 *     horseshoe(tau)      v = tau^2 tan^2(pi u / 2), the square of a half-Cauchy scale
 *
 * Given v, everything is normal: seen ~ N(0, v + s^2), and E[w | seen, v] = k seen, k = v / (v + s^2). So
 *
 *     p(seen) = mean of N(seen; 0, v + s^2)           E[w | seen] = seen E[k | seen]
 *
 * are means over u, one number at a time. grebe fits normals to the same five posteriors. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { NORMAL, LAPLACE, MIXTURE, HORSESHOE, PRIORS, D = 5, PLACES = 20000 };
static const char *const name[PRIORS] = {"normal", "Laplace", "mixture", "horseshoe"};
static const double error = 0.3, width = 0.7, share = 0.5, wide = 1.4, narrow = 0.05, tau = 0.3;
static const double seen[D] = {0.1, 0.5, 1, 2, 4};

/* The variance of the prior at rank u. */
static double variance(int prior, double u)
{
    const double spread = tau * tan(GB_PI * u / 2);
    const double of[PRIORS] = {1, -2 * width * width * log(u), pow(u < share ? wide : narrow, 2),
                               spread * spread};
    return of[prior];
}

typedef struct answer {
    double mean, sd, log_evidence; /* of one weight */
} answer;

static answer solve(int prior, double at)
{
    double sum = 0, first = 0, second = 0;
    for (int i = 0; i < PLACES; i++) {
        const double v = variance(prior, (i + 0.5) / PLACES), all = v + error * error, k = v / all;
        const double p = exp(-0.5 * at * at / all) / sqrt(2 * GB_PI * all);
        sum += p / PLACES;
        first += p * k * at / PLACES;
        second += p * (k * at * k * at + k * error * error) / PLACES;
    }
    const double mean = first / sum;
    return (answer){mean, sqrt(second / sum - mean * mean), log(sum)};
}

/* The same prior in grebe. */
static gb_node weights(gb_elbo *e, gb_tape *t, int prior)
{
    const gb_node zero = gb_num(t, 0);
    gb_family q = gb_mean_field(gb_shape(D));
    gb_dist p = gb_normal(zero, gb_num(t, 1));
    if (prior == LAPLACE)
        p = gb_laplace(zero, gb_num(t, width));
    if (prior == MIXTURE)
        p = gb_scale_mixture(gb_num(t, share), gb_num(t, wide), gb_num(t, narrow));
    if (prior == HORSESHOE) {
        gb_node scale = gb_latent(e, "scale", q, gb_half_cauchy(gb_num(t, tau)), gb_pathwise());
        p = gb_normal(zero, scale);
    }
    return gb_latent(e, "w", q, p, gb_pathwise());
}

/* Fits all five weights with one prior. Returns whether the numbers are as expected. */
static bool fit(int prior, double mean[D])
{
    double sd[D], log_evidence = 0;
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_node w = weights(e, t, prior);
    gb_observe(e, "seen", gb_normal(w, gb_num(t, error)), gb_constant(t, gb_shape(D), gb_values_of(seen, D)));
    gb_fit_result r = gb_fit(e);
    gb_elbo_posterior_read(e, "w", mean, sd, D);
    const bool near = prior <= LAPLACE;
    bool good = gb_complain(t, stderr) == GB_OK;
    for (int d = 0; d < D; d++) {
        const answer a = solve(prior, seen[d]);
        log_evidence += a.log_evidence;
        printf("%-10s %4.1f   %6.3f +- %.3f   %6.3f +- %.3f\n", d ? "" : name[prior], seen[d], mean[d], sd[d],
               a.mean, a.sd);
        good = good && fabs(mean[d] - a.mean) < (prior == NORMAL ? 1e-6 : near ? 0.02 : 0.5) * a.sd;
        good = good && (!near || fabs(sd[d] / a.sd - 1) < 0.02);
    }
    printf("%10s ELBO %.3f, evidence %.3f: %s\n", "", r.elbo, log_evidence, gb_verdict_text(r.verdict));
    good = good && r.elbo < log_evidence + 6 * r.error + 1e-9;
    good = good && r.verdict == (near ? GB_VERDICT_GOOD : GB_VERDICT_NOT_TRUSTED);
    gb_tape_free(t);
    return good;
}

int main(int argc, char **argv)
{
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    double mean[PRIORS][D];
    bool good = true;
    puts("prior      seen   q                 the posterior");
    for (int prior = 0; prior < PRIORS; prior++)
        good = fit(prior, mean[prior]) && good;
    for (double at = 0.05; picture && at < 4.6; at += 0.05)
        fprintf(picture, "%g %g %g %g %g\n", at, solve(NORMAL, at).mean, solve(LAPLACE, at).mean,
                solve(MIXTURE, at).mean, solve(HORSESHOE, at).mean);
    if (picture)
        fputs("\n\n", picture);
    for (int d = 0; picture && d < D; d++)
        fprintf(picture, "%g %g %g %g %g\n", seen[d], mean[0][d], mean[1][d], mean[2][d], mean[3][d]);
    puts(good ? "All checks passed." : "FAILED: a number or a verdict is another one.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
