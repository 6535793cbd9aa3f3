/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can I trust this fit?
 *
 * gb_fit searches a family for the member q with the highest ELBO. How far that member is from the
 * posterior p, the ELBO does not say: log p(y) - ELBO = KL(q || p), and the evidence p(y) is not known.
 * But draws of q have weights p / q. Where q is p, all are equal; where q lacks a tail of p, a few are
 * large. The tail of the weights has a shape k: below 0.7, averages over weighted draws are averages over
 * p, and show how far q's mean and standard deviation are off (Vehtari, Simpson, Gelman, Yao and Gabry
 * 2024).
 *
 * A mode of p that no draw of q reaches has no weight at all. So gb_fit also searches from other points.
 * Here are six posteriors whose means and standard deviations are known, what q says, and what gb_fit says
 * of q. Then a hierarchy, the eight schools (Rubin 1981), written in two ways; and chains of NUTS, which
 * can miss a mode, too: R-hat sees only modes that some chain starts in or finds. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

/* ---- posteriors of one or two numbers, the first of which is looked at ---- */

/* Two normals with correlation 0.95. */
static void correlated(gb_elbo *e, gb_tape *t, gb_family family)
{
    const double lower[] = {1, 0, 0.95, sqrt(1 - 0.95 * 0.95)};
    gb_dist prior = gb_multivariate_normal(gb_zeros(t, gb_shape(2)),
                                           gb_constant(t, gb_shape(2, 2), gb_values_of(lower, 4)));
    gb_latent(e, "w", family, prior, gb_pathwise());
}

/* A rate with an exponential prior, and no event in one unit of time: exponential with mean 1/2. */
static void skewed(gb_elbo *e, gb_tape *t, gb_family family)
{
    gb_node w = gb_latent(e, "w", family, gb_exponential(gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "events", gb_poisson(w), gb_num(t, 0));
}

/* N(0, 1) and N(`away`, `scale`²), each with half of the probability. */
static void two_modes(gb_elbo *e, gb_tape *t, gb_family family, double away, double scale)
{
    gb_node w = gb_latent(e, "w", family, gb_no_prior, gb_pathwise()), one = gb_num(t, 1);
    gb_node near = gb_log_prob(gb_normal(gb_num(t, 0), one), w);
    gb_node far = gb_log_prob(gb_normal(gb_num(t, away), gb_num(t, scale)), w);
    gb_factor(e, "modes", gb_shift(gb_logaddexp(near, far), log(0.5)));
}

static void near_modes(gb_elbo *e, gb_tape *t, gb_family family)
{
    two_modes(e, t, family, 3, 1);
}

static void far_modes(gb_elbo *e, gb_tape *t, gb_family family)
{
    two_modes(e, t, family, 12, 1);
}

static void lost_mode(gb_elbo *e, gb_tape *t, gb_family family)
{
    two_modes(e, t, family, 700, 0.001);
}

typedef struct posterior {
    const char *name;
    void (*record)(gb_elbo *e, gb_tape *t, gb_family family);
    int numbers;
    bool is_full;
    double mean, sd; /* of p */
    gb_verdict verdict;
} posterior;

static const posterior posteriors[] = {
    {"correlated", correlated, 2, true, 0, 1, GB_VERDICT_GOOD},
    {"correlated", correlated, 2, false, 0, 1, GB_VERDICT_NOT_TRUSTED},
    {"skewed", skewed, 0, true, 0.5, 0.5, GB_VERDICT_NOT_TRUSTED},
    {"modes 3 apart", near_modes, 0, true, 1.5, 1.8027756377319946, GB_VERDICT_GOOD},
    {"modes 12 apart", far_modes, 0, true, 6, 6.0827625302982193, GB_VERDICT_NOT_TRUSTED},
    {"modes 700 apart", lost_mode, 0, true, 350, 350.0007142857, GB_VERDICT_GOOD}, /* and wrong */
};

/* ---- the picture ---- */

/* Weights of q's draws beside equal ones, the largest first. */
static void draw_weights(FILE *file, const gb_judgement *j)
{
    static double weight[4000];
    const size_t count = j->draws < 4000 ? j->draws : 4000;
    for (size_t s = 0; s < count; s++) { /* insertion: the largest first */
        size_t at = s;
        const double w = exp(j->weights.log_ratios[s] - j->weights.log_evidence);
        for (; at > 0 && weight[at - 1] < w; at--)
            weight[at] = weight[at - 1];
        weight[at] = w;
    }
    for (size_t s = 0; s < count; s++)
        fprintf(file, "%zu %g\n", s + 1, weight[s]);
    fputs("\n\n", file);
}

/* The first number of each chain of NUTS. */
static void draw_traces(FILE *file, gb_elbo *e)
{
    gb_nuts *n = gb_sample_nuts(e, .chains = 4, .draws = 300, .spread = 20);
    for (size_t c = 0; n && c < n->chains; c++) {
        for (size_t i = 0; i < n->draws; i++)
            fprintf(file, "%zu %g\n", i, n->z[(c * n->draws + i) * gb_density_count(n->density)]);
        fputs("\n", file);
    }
    fputs("\n", file);
    gb_nuts_free(n);
}

/* ---- one row of the table ---- */

static bool look_at(const posterior *p, FILE *picture)
{
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_shape shape = p->numbers ? gb_shape(p->numbers) : gb_shape();
    p->record(e, t, p->is_full ? gb_full_rank(shape) : gb_mean_field(shape));
    gb_fit_result r = gb_fit(e);
    bool good = gb_complain(t, stderr) == GB_OK && r.judgement && r.verdict == p->verdict;
    if (r.judgement) {
        const gb_judged *w = r.judgement->judged;
        printf("%-16s %-10s %7.1f %7.2f %8.1f %7.2f %6.1f  %s\n", p->name,
               p->is_full ? "full rank" : "mean field", w->mean, w->sd, p->mean, p->sd,
               r.judgement->weights.k, gb_verdict_text(r.verdict));
        if (picture)
            draw_weights(picture, r.judgement);
    }
    if (picture && p->record != lost_mode)
        draw_traces(picture, e);
    gb_tape_free(t);
    return good;
}

/* ---- a hierarchy: y_j ~ N(theta_j, s_j^2), theta_j ~ N(mu, tau^2) ---- */

enum { SCHOOLS = 8 };
static const double effect[SCHOOLS] = {28, 8, -3, 7, -1, 1, 18, 12};
static const double effect_error[SCHOOLS] = {15, 10, 16, 11, 9, 11, 10, 18};
static const double log_z = -31.311347, mu_mean = 4.39682, mu_sd = 3.31770; /* by quadrature */

/* theta itself is the latent, or z with theta = mu + tau z. */
static void schools(gb_elbo *e, gb_tape *t, bool is_centred)
{
    const gb_family one = gb_mean_field(gb_shape()), each = gb_mean_field(gb_shape(SCHOOLS));
    gb_node five = gb_num(t, 5), zero = gb_num(t, 0);
    gb_node mu = gb_latent(e, "mu", one, gb_normal(zero, five), gb_pathwise());
    gb_node tau = gb_latent(e, "tau", one, gb_half_cauchy(five), gb_pathwise());
    gb_node theta;
    if (is_centred)
        theta = gb_latent(e, "theta", each, gb_normal(mu, tau), gb_pathwise());
    else
        theta =
            gb_add(mu, gb_mul(tau, gb_latent(e, "z", each, gb_normal(zero, gb_num(t, 1)), gb_pathwise())));
    gb_node s = gb_constant(t, gb_shape(SCHOOLS), gb_values_of(effect_error, SCHOOLS));
    gb_observe(e, "y", gb_normal(theta, s), gb_constant(t, gb_shape(SCHOOLS), gb_values_of(effect, SCHOOLS)));
}

/* Mean fields say 1.8 and 3.2 for the standard deviation of mu; 4 chains of NUTS on mu + tau z are right. */
static bool hierarchy(void)
{
    bool good = true;
    puts("\neight schools    by           mu mean   mu sd  is mean   is sd    ELBO   log Z");
    for (int is_centred = 1; is_centred >= 0; is_centred--) {
        gb_tape *t = gb_tape_new(.seed = 1);
        gb_elbo *e = gb_elbo_new(t, .data_size = 1);
        const char *const name = is_centred ? "theta" : "mu + tau z";
        double mean = NAN, sd = NAN;
        schools(e, t, is_centred);
        gb_fit_result r = gb_fit(e);
        gb_elbo_posterior_read(e, "mu", &mean, &sd, 1);
        printf("%-16s mean field   %7.1f %7.2f %8.1f %7.2f %7.2f %7.2f  %s\n", name, mean, sd, mu_mean, mu_sd,
               r.elbo, log_z, gb_verdict_text(r.verdict));
        good = good && r.verdict == GB_VERDICT_NOT_TRUSTED && r.elbo < log_z + 6 * r.error;
        good =
            good && (is_centred ? sd < 0.6 * mu_sd : sd > 0.9 * mu_sd && fabs(mean - mu_mean) < 0.1 * mu_sd);
        if (!is_centred) {
            gb_nuts *n = gb_sample_nuts(e, .chains = 4, .spread = 2);
            const gb_convergence *c = n ? n->convergence : NULL;
            good = good && c && fabs(c->mean - mu_mean) < 6 * c->mean_error && fabs(c->sd / mu_sd - 1) < 0.1;
            printf("%-16s NUTS         %7.1f %7.2f %8.1f %7.2f\n", name, c ? c->mean : NAN, c ? c->sd : NAN,
                   mu_mean, mu_sd);
            gb_nuts_free(n);
        }
        good = gb_complain(t, stderr) == GB_OK && good;
        gb_tape_free(t);
    }
    return good;
}

/* ---- the same mode, missed by NUTS ---- */

/* Of 20 seeds: in how many R-hat of modes 12 apart says that the chains agree. */
static int agreeing(double spread)
{
    int agree = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        gb_tape *t = gb_tape_new(.seed = seed);
        gb_elbo *e = gb_elbo_new(t, .data_size = 1);
        far_modes(e, t, gb_full_rank(gb_shape()));
        gb_nuts *n = gb_sample_nuts(e, .spread = spread);
        agree += n && n->convergence[0].rhat < 1.01;
        gb_nuts_free(n);
        gb_complain(t, stderr);
        gb_tape_free(t);
    }
    return agree;
}

int main(int argc, char **argv)
{
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    bool good = true;
    puts("posterior        family      q mean    q sd  is mean   is sd      k  verdict");
    for (size_t i = 0; i < sizeof posteriors / sizeof *posteriors; i++)
        good = look_at(&posteriors[i], picture) && good;
    good = hierarchy() && good;
    const int near = agreeing(2), wide = agreeing(20);
    puts("\nNUTS, modes 12 apart     R-hat below 1.01");
    printf("starts within 2          %d of 20 seeds\n", near);
    printf("starts within 20         %d of 20 seeds\n", wide);
    good = near >= 10 && wide < near / 2 && good; /* all of these chains have missed half of p */
    puts(good ? "All checks passed." : "FAILED: a verdict or a count is another one.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
