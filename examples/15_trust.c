/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can I trust this fit?
 *
 * gb_fit searches a family for the member q with the highest ELBO. How far q is from the posterior p, the
 * ELBO does not say: log p(y) - ELBO = KL(q || p), and the evidence p(y) is not known. But draws of q have
 * weights p / q. Where q is p, all are equal; where q lacks a tail of p, a few are large. The tail of the
 * weights has a shape k: below 0.7, averages over weighted draws are averages over p, and show how far q's
 * mean and standard deviation are off (Vehtari, Simpson, Gelman, Yao and Gabry 2024).
 *
 * A mode of p that no draw of q reaches has no weight at all. So gb_fit also searches from other points. Here
 * are posteriors that are known, what q says of them, and what gb_fit says of q; the last is a hierarchy, the
 * eight schools (Rubin 1981), written in two ways. Chains of NUTS can miss a mode, too. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

typedef struct posterior {
    const char *name;
    void (*record)(gb_elbo *e, gb_tape *t, const struct posterior *p);
    bool is_full;           /* the family: gb_full_rank, or gb_mean_field */
    double other, scale;    /* of two modes: where the second is, and its sd */
    double mean, sd, log_z; /* of the first number of p; log p(y) */
    gb_verdict verdict;
} posterior;

/* Two normals with correlation 0.95. */
static void correlated(gb_elbo *e, gb_tape *t, const posterior *p)
{
    const double lower[] = {1, 0, 0.95, sqrt(1 - 0.95 * 0.95)};
    gb_node scale = gb_constant(t, gb_shape(2, 2), gb_values_of(lower, 4));
    gb_dist prior = gb_multivariate_normal(gb_zeros(t, gb_shape(2)), scale);
    gb_latent(e, "w", p->is_full ? gb_full_rank(gb_shape(2)) : gb_mean_field(gb_shape(2)), prior,
              gb_pathwise());
}

/* A rate with an exponential prior, and no event in one unit of time: exponential with mean 1/2. */
static void skewed(gb_elbo *e, gb_tape *t, const posterior *p)
{
    (void)p;
    gb_node w = gb_latent(e, "w", gb_full_rank(gb_shape()), gb_exponential(gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "events", gb_poisson(w), gb_num(t, 0));
}

/* N(0, 1) and N(p->other, p->scale^2), each with half of the probability. */
static void two_modes(gb_elbo *e, gb_tape *t, const posterior *p)
{
    gb_node w = gb_latent(e, "w", gb_full_rank(gb_shape()), gb_no_prior, gb_pathwise());
    gb_node near = gb_log_prob(gb_normal(gb_num(t, 0), gb_num(t, 1)), w);
    gb_node far = gb_log_prob(gb_normal(gb_num(t, p->other), gb_num(t, p->scale)), w);
    gb_factor(e, "modes", gb_shift(gb_logaddexp(near, far), log(0.5)));
}

/* y_j ~ N(theta_j, s_j^2), theta_j ~ N(mu, tau^2). The latents are theta, or z with theta = mu + tau z. */
static void schools(gb_elbo *e, gb_tape *t, const posterior *p)
{
    const gb_family one = gb_mean_field(gb_shape()), each = gb_mean_field(gb_shape(8));
    gb_node y = gb_constant(t, gb_shape(8), GB_VALUES(28, 8, -3, 7, -1, 1, 18, 12));
    gb_node s = gb_constant(t, gb_shape(8), GB_VALUES(15, 10, 16, 11, 9, 11, 10, 18));
    gb_node five = gb_num(t, 5), zero = gb_num(t, 0);
    gb_node mu = gb_latent(e, "mu", one, gb_normal(zero, five), gb_pathwise());
    gb_node tau = gb_latent(e, "tau", one, gb_half_cauchy(five), gb_pathwise()), theta;
    if (p->name[0] == 't')
        theta = gb_latent(e, "theta", each, gb_normal(mu, tau), gb_pathwise());
    else
        theta =
            gb_add(mu, gb_mul(tau, gb_latent(e, "z", each, gb_normal(zero, gb_num(t, 1)), gb_pathwise())));
    gb_observe(e, "y", gb_normal(theta, s), y);
}

enum { NEAR = 3, FAR = 4, SCHOOLS = 7, ALL = 8 };
static const posterior posteriors[ALL] = {
    {"correlated", correlated, true, 0, 0, 0, 1, 0, GB_VERDICT_GOOD},
    {"correlated", correlated, false, 0, 0, 0, 1, 0, GB_VERDICT_NOT_TRUSTED},
    {"skewed", skewed, true, 0, 0, 0.5, 0.5, -0.69314718, GB_VERDICT_NOT_TRUSTED},
    {"modes 3 apart", two_modes, true, 3, 1, 1.5, 1.80277564, 0, GB_VERDICT_GOOD},
    {"modes 12 apart", two_modes, true, 12, 1, 6, 6.08276253, 0, GB_VERDICT_NOT_TRUSTED},
    {"modes 700 apart", two_modes, true, 700, 0.001, 350, 350.000714, 0, GB_VERDICT_GOOD}, /* and wrong */
    {"theta", schools, false, 0, 0, 4.39682, 3.31770, -31.311347, GB_VERDICT_NOT_TRUSTED},
    {"mu + tau z", schools, false, 0, 0, 4.39682, 3.31770, -31.311347, GB_VERDICT_NOT_TRUSTED},
};

/* One row of the table, and for the picture the weights. No ELBO is above log p(y). */
static bool look_at(const posterior *p, FILE *picture)
{
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    p->record(e, t, p);
    gb_fit_result r = gb_fit(e);
    const gb_judgement *const j = r.judgement;
    bool good = gb_complain(t, stderr) == GB_OK && j && r.verdict == p->verdict;
    good = good && r.elbo < p->log_z + 6 * r.error + 1e-9;
    if (j)
        printf("%-16s %-10s %7.1f %7.2f %8.1f %7.2f %7.2f %7.2f %6.1f  %s\n", p->name,
               p->is_full ? "full rank" : "mean field", j->judged->mean, j->judged->sd, p->mean, p->sd,
               r.elbo, p->log_z, j->weights.k, gb_verdict_text(r.verdict));
    for (size_t s = 0; picture && j && s < j->draws && s < 4000; s++)
        fprintf(picture, "%g\n", exp(j->weights.log_ratios[s] - j->weights.log_evidence));
    if (picture)
        fputs("\n\n", picture);
    gb_tape_free(t);
    return good;
}

/* What four chains of NUTS say of the first number, from starts within `spread` of 0. */
static gb_convergence by_nuts(const posterior *p, uint64_t seed, double spread, FILE *picture)
{
    gb_tape *t = gb_tape_new(.seed = seed);
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    p->record(e, t, p);
    gb_nuts *n = gb_sample_nuts(e, .chains = 4, .spread = spread);
    const gb_convergence found = n ? n->convergence[0] : (gb_convergence){.rhat = NAN, .mean = NAN};
    for (size_t i = 0; picture && n && i < n->chains * 300; i++)
        fprintf(picture, i % 300 < 299 ? "%zu %g\n" : "%zu %g\n\n", i % 300,
                n->z[(i / 300 * n->draws + i % 300) * gb_density_count(n->density)]);
    if (picture)
        fputs("\n", picture);
    gb_nuts_free(n);
    gb_complain(t, stderr);
    gb_tape_free(t);
    return found;
}

int main(int argc, char **argv)
{
    static const double spread[] = {2, 20};
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    bool good = true;
    int agree[2] = {0, 0};
    puts("posterior        family      q mean    q sd  is mean   is sd    ELBO   log Z      k  verdict");
    for (int i = 0; i < ALL; i++)
        good = look_at(&posteriors[i], picture) && good;
    const gb_convergence c = by_nuts(&posteriors[SCHOOLS], 1, 2, NULL);
    printf("mu + tau z       NUTS       %7.1f %7.2f\n\nNUTS, modes 12 apart     R-hat below 1.01\n", c.mean,
           c.sd);
    good = good && fabs(c.mean - posteriors[SCHOOLS].mean) < 6 * c.mean_error;
    good = good && fabs(c.sd / posteriors[SCHOOLS].sd - 1) < 0.1;
    for (int k = 0; k < 2; k++) {
        for (uint64_t seed = 1; seed <= 20; seed++)
            agree[k] += by_nuts(&posteriors[FAR], seed, spread[k], NULL).rhat < 1.01;
        printf("starts within %-2g         %d of 20 seeds\n", spread[k], agree[k]);
    }
    for (int i = NEAR; picture && i <= FAR; i++)
        by_nuts(&posteriors[i], 1, 20, picture);
    good = good && agree[0] >= 10 && agree[1] < agree[0] / 2; /* all of these chains have missed half of p */
    puts(good ? "All checks passed." : "FAILED: a verdict or a number is another one.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
