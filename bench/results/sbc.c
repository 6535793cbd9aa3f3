/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulation-based calibration (Talts et al. 2018) on two conjugate models: parameters are drawn from the
 * prior, data from the parameters, and q is fitted to the data. If q is the posterior, then q's probability
 * of a value below the drawn one is uniform. */
#include <math.h>

#include "results.h"

enum { SIMULATIONS = 1000, ROWS = 12, MOST = 3 };

/* Records a model with data of its own. Writes q's probabilities below the true values; returns how many. */
typedef size_t simulated(gb_tape *t, double below[MOST]);

static bool read_all(gb_tape *t, gb_node node, double *x, size_t count)
{
    gb_program *const p = gb_compile(t, gb_roots(node), gb_no_update);
    return gb_run(p) == GB_OK && gb_read(node, x, count) == GB_OK;
}

/* y ~ N(x·w, 0.5), w ~ N(0, 1): the posterior is a normal with covariance, which a full rank can be. */
static size_t regression(gb_tape *t, double below[MOST])
{
    double x[ROWS * MOST], w[MOST], y[ROWS];
    const gb_noise noise = gb_stream(t, "truth");
    const gb_node xs = gb_normal_noise(noise, gb_shape(ROWS, MOST), 0),
                  truth = gb_normal_noise(noise, gb_shape(MOST), 0);
    gb_read(xs, x, ROWS * MOST);
    gb_read(truth, w, MOST);
    gb_read(gb_add(gb_matmul(xs, truth), gb_scale(gb_normal_noise(noise, gb_shape(ROWS), 0), 0.5)), y, ROWS);

    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node design = gb_constant(t, gb_shape(ROWS, MOST), gb_values_of(x, ROWS * MOST));
    const gb_node beta =
        gb_latent(e, "w", gb_full_rank(gb_shape(MOST)), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_matmul(design, beta), gb_num(t, 0.5)),
               gb_constant(t, gb_shape(ROWS), gb_values_of(y, ROWS)));
    gb_fit(e, .unjudged = true);
    double mean[MOST], sd[MOST];
    if (gb_elbo_posterior_read(e, "w", mean, sd, MOST) != GB_OK)
        return 0;
    for (int i = 0; i < MOST; i++)
        below[i] = 0.5 * erfc(-(w[i] - mean[i]) / sd[i] / sqrt(2));
    return MOST;
}

/* y ~ Poisson(rate), rate ~ Gamma(3, 1): the posterior is Gamma(3 + Σy, 1 + rows), which matching families
 * can be. */
static size_t counts(gb_tape *t, double below[MOST])
{
    double rate, y[ROWS];
    const gb_dist prior = gb_gamma(gb_num(t, 3), gb_num(t, 1));
    const gb_node truth = gb_sample(prior, gb_stream(t, "truth"), 0);
    gb_read(truth, &rate, 1);
    gb_read(gb_poisson_noise(gb_stream(t, "counts"), gb_shape(ROWS), 0, truth), y, ROWS);

    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = 10);
    const gb_node lambda = gb_latent(
        e, "rate", gb_mean_field_matching(gb_shape(), .location = 1, .scale = 0.3, .map = GB_SCALE_EXP),
        prior, gb_pathwise());
    gb_observe(e, "y", gb_poisson(lambda), gb_constant(t, gb_shape(ROWS), gb_values_of(y, ROWS)));
    gb_fit(e, .optimiser = gb_adam(.lr = 0.03, .schedule = gb_cosine(2000)), .steps = 2000);
    return read_all(t, gb_cdf(gb_elbo_posterior(e, "rate"), gb_num(t, rate)), below, 1) ? 1 : 0;
}

bool results_sbc(const results *r)
{
    static const struct {
        const char *name;
        simulated *run;
    } models[] = {{"linear regression, full rank", regression}, {"Poisson counts, gamma", counts}};
    const int64_t simulations = r->splits > 0 && r->splits < SIMULATIONS ? r->splits : SIMULATIONS;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (int64_t seed = 1; seed <= simulations; seed++) {
            char key[100];
            double below[MOST] = {NAN, NAN, NAN};
            snprintf(key, sizeof key, "%s\t%lld\t", models[m].name, (long long)seed);
            if (results_has(r, "sbc", key))
                continue;
            const double began = results_begin();
            gb_tape *const t = gb_tape_new(.seed = (uint64_t)seed, .threads = 1);
            const size_t count = models[m].run(t, below);
            if (!results_end(t, models[m].name) || !count || !results_add(r, "sbc", key, MOST, below, began))
                return false;
        }
    return true;
}
